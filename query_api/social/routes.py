"""`GET /api/platform/social-channels`: the social channels of a website with what their links brought."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final
from urllib.parse import urlencode
from uuid import UUID

from fastapi import APIRouter, Query, Response
from pydantic import Field

from infra.kernel.http.problems import Problem
from query_api.analytics.metrics import PERFORMANCE_COUNTERS, MetricCounts
from query_api.analytics.request import TimeQuery
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context
from query_api.kernel.own_writes import STALE
from query_api.links.routes import counts_of, span_of
from schemas.http.money import Amount
from schemas.http.social import SocialChannel
from schemas.social_networks import Network, address_of

router = APIRouter(
    prefix="/api/platform/social-channels",
    tags=["social"],
    dependencies=[READS_OWN_WRITES],
)


class ChannelWithFigures(SocialChannel):
    """A channel with the metrics of its links in the requested range, else of all time; bots excluded."""

    website_url: str = Field(description="The website's address with the channel's UTM parameters, to publish there")
    links: int
    clicks: int | None = Field(description="Null while the analytics store is unavailable")
    conversions: int | None = Field(description="Pending and approved ones")
    revenue: Amount | None = Field(description="Commission on those, in the website's currency")


class ChannelsQuery(TimeQuery):
    """Whose channels, and of which time their metrics are."""

    website_id: UUID


CHANNELS: Final = (
    "SELECT id, website_id, network, handle, name, added_at FROM read.social_channels"
    " WHERE website_id = %s ORDER BY added_at, id"
)
LINKS: Final = (
    "SELECT l.id, l.website_id, l.channel_id, l.deleted_at IS NULL AS is_there,"
    " l.utm ->> 'utm_content' AS content"
    " FROM read.links AS l WHERE l.website_id = %s AND l.channel_id IS NOT NULL"
)


@router.get("")
def get_social_channels(
    response: Response, context: Context, scope: CallerScope, query: Annotated[ChannelsQuery, Query()]
) -> list[ChannelWithFigures]:
    """Oldest first. The metrics of deleted links are included."""
    website = scope.website(query.website_id)
    span = span_of(query, website.zone)
    channels = scope.reader.rows(CHANNELS, (website.id,))
    links = scope.reader.rows(LINKS, (website.id,))
    numbers: Mapping[UUID, MetricCounts] | None = None
    try:
        numbers = _by_channel(links, counts_of(context, links, span))
    except Problem:
        response.headers.update(STALE)
    return [
        ChannelWithFigures.of_row(
            row,
            url=address_of(Network(row["network"]), row["handle"]),
            website_url=_with_utm(website.domain, row["network"]),
            links=sum(link["channel_id"] == row["id"] and link["is_there"] for link in links),
            **_figures(numbers, row["id"], website.currency),
        )
        for row in channels
    ]


def _by_channel(links: Sequence[Mapping[str, Any]], counts: Mapping[UUID, MetricCounts]) -> Mapping[UUID, MetricCounts]:
    sums: dict[UUID, Counter[str]] = defaultdict(Counter)
    for link in links:
        one = counts.get(link["id"], MetricCounts())
        sums[link["channel_id"]].update({name: getattr(one, name) for name in PERFORMANCE_COUNTERS})
    return {channel: MetricCounts.of(sum_) for channel, sum_ in sums.items()}


def _figures(numbers: Mapping[UUID, MetricCounts] | None, channel_id: UUID, currency: str) -> dict[str, Any]:
    if numbers is None:
        return {"clicks": None, "conversions": None, "revenue": None}
    counts = numbers.get(channel_id, MetricCounts())
    revenue = Amount(amount=counts.revenue, currency=currency)
    return {"clicks": counts.clicks, "conversions": counts.conversions, "revenue": revenue}


def _with_utm(domain: str, network: str) -> str:
    """The campaign is where such an address is published: in the channel's profile."""
    return f"https://{domain}/?" + urlencode({"utm_source": network, "utm_medium": "social", "utm_campaign": "profile"})
