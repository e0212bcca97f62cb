"""`GET /api/platform/social-report` and `.csv`: what each social channel and post reached, and what its links earned.

Clicks, conversions and revenue are those of the links, as the lists of links and the breakdown by link count them.
Views, followers and clicks on the network are what the network reported: for each figure that of its connection before
that of a file.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Query, Response
from pydantic import Field

from infra.kernel.http.openapi import file_response
from infra.kernel.http.problems import Problem
from query_api.analytics.metrics import PERFORMANCE_COUNTERS, MetricCounts
from query_api.kernel.csv import columns_of, csv_response
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context
from query_api.kernel.money import percent
from query_api.kernel.postgres_reader import PostgresReader
from query_api.links.routes import counts_of, span_of
from query_api.social.routes import CHANNELS, LINKS, ChannelsQuery
from schemas.http.responses import ResponseModel
from schemas.social_networks import Network, address_of
from schemas.social_posts import content_of

router = APIRouter(
    prefix="/api/platform",
    tags=["social"],
    dependencies=[READS_OWN_WRITES],
)
WEBP: Final = "image/webp"


class SocialRow(ResponseModel):
    """A channel, or one of its posts. The channel's figures include those of its posts' links."""

    kind: Literal["channel", "post"]
    channel_id: UUID
    post_id: UUID | None
    network: Network
    name: str = Field(description="Of the channel, or the title of the post")
    url: str
    picture: str | None = Field(description="Hash of the post's picture")
    published_at: datetime | None
    utm_content: str | None = Field(description="Of the post's links")
    followers: int | None = Field(description="Last known ones of the channel in the range")
    views: int | None = Field(description="In the range; of a post: in all. Null: not known")
    network_clicks: int | None = Field(description="As the network reports them")
    as_of: date | None = Field(description="Day of the totals of a post")
    clicks: int = Field(description="Of its links, in the range, bots excluded")
    conversions: int = Field(description="Pending and approved ones")
    revenue_amount: int = Field(description="Commission on those, minor units")
    currency: str
    click_rate: float | None = Field(description="Clicks per hundred views; null where views are not known")
    conversion_rate: float = Field(description="Conversions per hundred clicks")


@router.get("/social-report")
def get_social_report(
    context: Context, scope: CallerScope, query: Annotated[ChannelsQuery, Query()]
) -> list[SocialRow]:
    """Each channel, followed by its posts, newest first; 503 while the analytics store is unavailable."""
    website = scope.website(query.website_id)
    span = span_of(query, website.zone)
    links = scope.reader.rows(LINKS, (website.id,))
    counts = counts_of(context, links, span)
    of_channels = _sums(links, counts, lambda link: link["channel_id"])
    of_posts = _sums(links, counts, lambda link: (link["channel_id"], link["content"]))
    days = [datetime.fromtimestamp(min(at, _FOREVER_MS) / 1000, website.zone) for at in (span[0], span[1] - 1)]
    bound = {"website": website.id, "first": days[0].date(), "last": days[1].date()}
    reported = {row["channel_id"]: row for row in scope.reader.rows(_CHANNEL_FIGURES, bound)}
    posts: dict[UUID, list[Mapping[str, Any]]] = defaultdict(list)
    for row in scope.reader.rows(_POSTS, bound):
        posts[row["channel_id"]].append(row)
    report: list[SocialRow] = []
    for channel in scope.reader.rows(CHANNELS, (website.id,)):
        network, of = Network(channel["network"]), reported.get(channel["id"], {})
        report.append(
            SocialRow(
                kind="channel",
                post_id=None,
                name=channel["name"],
                url=address_of(network, channel["handle"]),
                picture=None,
                published_at=None,
                utm_content=None,
                followers=of.get("followers"),
                as_of=None,
                **_common(channel["id"], network, of, of_channels.get(channel["id"]), website.currency),
            )
        )
        for post in posts[channel["id"]]:
            content = content_of(post["id"])
            counted = of_posts.get((channel["id"], content))
            report.append(
                SocialRow(
                    kind="post",
                    post_id=post["id"],
                    name=post["title"],
                    url=post["address"],
                    picture=post["picture"],
                    published_at=post["published_at"],
                    utm_content=content,
                    followers=None,
                    as_of=post["as_of"],
                    **_common(channel["id"], network, post, counted, website.currency),
                )
            )
    return report


@router.get(
    "/social-report.csv",
    response_class=Response,
    responses=file_response("text/csv", description="The same rows as the JSON"),
)
def get_social_report_csv(context: Context, scope: CallerScope, query: Annotated[ChannelsQuery, Query()]) -> Response:
    """The same rows as a file."""
    return csv_response("social", columns_of(SocialRow), get_social_report(context, scope, query))


@router.get("/social-posts/{id}/picture", response_class=Response, responses=file_response(WEBP))
def get_social_post_picture(id: UUID, context: Context, scope: CallerScope) -> Response:
    """The picture of one of the caller's posts."""
    post = scope.reader.row("SELECT id FROM read.social_posts WHERE id = %s AND picture IS NOT NULL", (id,))
    row = None
    if post is not None:
        row = PostgresReader.of_service(context.pool).row(
            "SELECT body FROM social.post_image WHERE post_id = %s", (id,)
        )
    if row is None:
        raise Problem(404, "not_found", "Image not found.")
    headers = {
        "Cache-Control": "private, max-age=300",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; sandbox",
    }
    return Response(bytes(row["body"]), media_type=WEBP, headers=headers)


def _sums(
    links: Iterable[Mapping[str, Any]], counts: Mapping[UUID, MetricCounts], key: Callable[[Mapping[str, Any]], Any]
) -> Mapping[Any, MetricCounts]:
    sums: dict[Any, Counter[str]] = defaultdict(Counter)
    for link in links:
        one = counts.get(link["id"], MetricCounts())
        sums[key(link)].update({name: getattr(one, name) for name in PERFORMANCE_COUNTERS})
    return {of: MetricCounts.of(sum_) for of, sum_ in sums.items()}


def _common(
    channel_id: UUID, network: Network, reported: Mapping[str, Any], counted: MetricCounts | None, currency: str
) -> dict[str, Any]:
    counts, views = counted or MetricCounts(), reported.get("views")
    return {
        "channel_id": channel_id,
        "network": network,
        "views": int(views) if views is not None else None,
        "network_clicks": int(reported["clicks"]) if reported.get("clicks") is not None else None,
        "clicks": counts.clicks,
        "conversions": counts.conversions,
        "revenue_amount": counts.revenue,
        "currency": currency,
        "click_rate": percent(counts.clicks, int(views)) if views else None,
        "conversion_rate": counts.conversion_rate,
    }


_FOREVER_MS: Final = 4_102_444_800_000
# For each figure that of the network's connection, else that of a file.
_CHANNEL_FIGURES: Final = (
    "SELECT channel_id, sum(views)::bigint AS views, sum(clicks)::bigint AS clicks,"
    " (array_agg(followers ORDER BY day DESC) FILTER (WHERE followers IS NOT NULL))[1] AS followers"
    " FROM (SELECT channel_id, day,"
    " coalesce(max(views) FILTER (WHERE source <> 'csv'), max(views)) AS views,"
    " coalesce(max(clicks) FILTER (WHERE source <> 'csv'), max(clicks)) AS clicks,"
    " coalesce(max(followers) FILTER (WHERE source <> 'csv'), max(followers)) AS followers"
    " FROM read.social_channel_figures WHERE website_id = %(website)s AND day BETWEEN %(first)s AND %(last)s"
    " GROUP BY channel_id, day) AS by_day GROUP BY channel_id"
)
_POSTS: Final = (
    "SELECT p.id, p.channel_id, p.address, p.title, p.published_at, p.picture, f.views, f.clicks, f.as_of"
    " FROM read.social_posts AS p LEFT JOIN (SELECT post_id,"
    " coalesce(max(views) FILTER (WHERE source <> 'csv'), max(views)) AS views,"
    " coalesce(max(clicks) FILTER (WHERE source <> 'csv'), max(clicks)) AS clicks, max(as_of) AS as_of"
    " FROM read.social_post_figures WHERE website_id = %(website)s GROUP BY post_id) AS f ON f.post_id = p.id"
    " WHERE p.website_id = %(website)s ORDER BY p.published_at DESC, p.id"
)
