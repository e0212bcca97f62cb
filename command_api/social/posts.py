"""Posts of social channels: added by their owner, found by a connection or in a file, with figures. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from command_api.kernel.aggregates import first_event, next_event
from command_api.kernel.decision import CommandContext, conflict, invalid, not_found
from command_api.social.model import SocialChannelAggregate
from command_api.websites.model import Website, require_owned
from infra.kernel.text.hidden_characters import HIDDEN
from schemas.events.social import (
    MAX_POST_TITLE,
    FigureSource,
    PostFigures,
    SocialPostAdded,
    SocialPostChanged,
    SocialPostFiguresRecorded,
    SocialPostPictureChanged,
    SocialPostRemoved,
    SocialPostTransferred,
)
from schemas.evolution import Evolution
from schemas.social_networks import RULES, Network
from schemas.social_posts import BadPostAddress, PostAddress, post_at

MAX_POSTS: Final = 2_000
"""Posts of one channel."""
_FUTURE: Final = timedelta(days=366)
"""Posts may be planned."""
_FIRST_YEAR: Final = 2004


@dataclass(frozen=True, slots=True)
class ReportedTotals:
    """The totals that one source reported, as of a day."""

    as_of: date
    figures: PostFigures


@dataclass(frozen=True, slots=True)
class SocialPostAggregate:
    """State of one post. `picture`: hash of its content. `reported`: the last figures of each source."""

    id: UUID
    version: int
    website_id: UUID
    channel_id: UUID
    address: str
    title: str
    published_at: datetime
    picture: str | None = None
    removed: bool = False
    reported: Mapping[FigureSource, ReportedTotals] = field(default_factory=dict)


def address_of(network: Network, text: str) -> PostAddress:
    """Raises `CommandRejected` for what is no address of a post on the network."""
    try:
        return post_at(network, text)
    except BadPostAddress as error:
        raise invalid("bad_post_address", str(error), "address") from error


def add(
    post_id: UUID,
    post: SocialPostAggregate | None,
    channel: SocialChannelAggregate,
    website: Website | None,
    *,
    address: str,
    title: str,
    published_at: datetime,
    context: CommandContext,
) -> SocialPostAdded:
    """Adds a post. `post`: that of `post_id`; one that was removed is added again. Raises `CommandRejected` for a
    website of another account and a post that is there already."""
    website = require_owned(website, context)
    if post is not None and not post.removed:
        raise conflict("post_exists", "This post is already added.", "address")
    return SocialPostAdded(
        **(first_event(post_id, context) if post is None else next_event(post, context)),
        account_id=website.account_id,
        website_id=website.id,
        channel_id=channel.id,
        address=address,
        title=_checked_title(title) or f"Post on {RULES[channel.network].name}",
        published_at=_checked_time(published_at, context),
    )


def change(
    post: SocialPostAggregate | None,
    website: Website | None,
    *,
    title: str | None,
    published_at: datetime | None,
    context: CommandContext,
) -> list[SocialPostChanged]:
    """Changes title and time; `None` leaves a field as it is. Returns no events if nothing is different."""
    post = require_active(post, website, context)
    called = post.title if title is None else _checked_title(title) or post.title
    at = post.published_at if published_at is None else _checked_time(published_at, context)
    if (called, at) == (post.title, post.published_at):
        return []
    owner = require_owned(website, context).account_id
    return [SocialPostChanged(**next_event(post, context), account_id=owner, title=called, published_at=at)]


def set_picture(
    post: SocialPostAggregate | None, website: Website | None, picture: str | None, context: CommandContext
) -> list[SocialPostPictureChanged]:
    """Sets the picture. `picture`: its hash. Returns no events if it is the post's already."""
    post = require_active(post, website, context)
    if picture == post.picture:
        return []
    return [SocialPostPictureChanged(**next_event(post, context), picture=picture)]


def remove(post: SocialPostAggregate | None, website: Website | None, context: CommandContext) -> SocialPostRemoved:
    post = require_active(post, website, context)
    return SocialPostRemoved(**next_event(post, context))


def transfer(post: SocialPostAggregate, account_id: UUID, context: CommandContext) -> SocialPostTransferred:
    """Records address and title for the website's new owner; nothing else changes."""
    head = next_event(post, context)
    return SocialPostTransferred(**head, account_id=account_id, address=post.address, title=post.title)


def record_figures(
    post: SocialPostAggregate, source: FigureSource, as_of: date, figures: PostFigures, context: CommandContext
) -> list[SocialPostFiguresRecorded]:
    """Records the post's figures; returns no events if the source reported the same or something newer, or nothing at
    all."""
    reported = post.reported.get(source)
    values = figures.model_dump(exclude_none=True)
    if not values or (reported is not None and as_of < reported.as_of):
        return []
    if reported is not None and reported.figures.model_copy(update=values) == reported.figures:
        return []
    return [
        SocialPostFiguresRecorded(
            **next_event(post, context),
            website_id=post.website_id,
            channel_id=post.channel_id,
            source=source,
            as_of=as_of,
            figures=figures,
        )
    ]


def require_active(
    post: SocialPostAggregate | None, website: Website | None, context: CommandContext
) -> SocialPostAggregate:
    """Returns the post. Raises `CommandRejected` (missing) unless the actor may act for the website's owner."""
    if post is None or post.removed:
        raise not_found("post")
    require_owned(website, context, "post")
    return post


def require_of(post: SocialPostAggregate | None, channel: SocialChannelAggregate) -> SocialPostAggregate:
    """Returns the post. Raises `CommandRejected` (missing) unless it is one of the channel."""
    if post is None or post.removed or post.channel_id != channel.id:
        raise not_found("post")
    return post


evolve: Final = (
    Evolution(SocialPostAggregate)
    .begins(SocialPostAdded)
    .follows(SocialPostChanged)
    .follows(SocialPostTransferred)
    .follows(SocialPostPictureChanged)
    .follows(SocialPostRemoved, removed=True, picture=None)
)


@evolve.on(SocialPostFiguresRecorded)
def _reported(post: SocialPostAggregate, event: SocialPostFiguresRecorded) -> dict[str, Any]:
    reported = post.reported.get(event.source)
    earlier = reported.figures if reported is not None else PostFigures()
    figures = earlier.model_copy(update=event.figures.model_dump(exclude_none=True))
    return {"reported": {**post.reported, event.source: ReportedTotals(event.as_of, figures)}}


def short_title(text: str) -> str:
    """A title out of the text of a post, which may be longer than a title."""
    line = HIDDEN.sub("", " ".join(text.split()))
    return line if len(line) <= MAX_POST_TITLE else line[: MAX_POST_TITLE - 1].rstrip() + "…"


def _checked_title(title: str) -> str:
    title = " ".join(title.split())
    if len(title) > MAX_POST_TITLE or HIDDEN.search(title):
        raise invalid("bad_title", f"A title has at most {MAX_POST_TITLE} printable characters.", "title")
    return title


def _checked_time(at: datetime, context: CommandContext) -> datetime:
    if at.tzinfo is None:
        raise invalid("bad_time", "Enter the time of publication with its time zone.", "publishedAt")
    if at.year < _FIRST_YEAR or at > context.at + _FUTURE:
        raise invalid("bad_time", f"A post is published between {_FIRST_YEAR} and a year from now.", "publishedAt")
    return at
