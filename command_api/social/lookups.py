"""Inline projections `social_channel_lookup` and `social_post_lookup`: the channels of each website, the posts of each
channel. Handles and addresses are not here: they are personal."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from command_api.kernel.decision import conflict
from command_api.kernel.inline_projection import InlineProjection, Table
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from command_api.social.model import MAX_CHANNELS
from command_api.social.posts import MAX_POSTS
from schemas.events.social import (
    SocialChannelAdded,
    SocialChannelRemoved,
    SocialPostAdded,
    SocialPostRemoved,
)
from schemas.events.websites import WebsiteDisconnected

SOCIAL_CHANNEL_TABLE: Final = Table(
    "social_channel",
    columns=("channel_id uuid not null", "website_id uuid not null"),
    key=("channel_id",),
    indexes=("website_id",),
)
SOCIAL_CHANNEL_LOOKUP: Final = InlineProjection("social_channel_lookup", version=1, tables=(SOCIAL_CHANNEL_TABLE,))


SOCIAL_CHANNEL_TABLE.begins(SocialChannelAdded)
SOCIAL_CHANNEL_TABLE.ends(SocialChannelRemoved)
SOCIAL_CHANNEL_TABLE.ends(WebsiteDisconnected, by="website_id")


SOCIAL_POST_TABLE: Final = Table(
    "social_post",
    columns=("post_id uuid not null", "channel_id uuid not null", "website_id uuid not null"),
    key=("post_id",),
    indexes=("channel_id", "website_id"),
)
SOCIAL_POST_LOOKUP: Final = InlineProjection("social_post_lookup", version=1, tables=(SOCIAL_POST_TABLE,))


SOCIAL_POST_TABLE.begins(SocialPostAdded)
SOCIAL_POST_TABLE.ends(SocialPostRemoved)
SOCIAL_POST_TABLE.ends(SocialChannelRemoved, by="channel_id")
SOCIAL_POST_TABLE.ends(WebsiteDisconnected, by="website_id")


def channels_of(uow: UnitOfWork, website_id: UUID) -> list[UUID]:
    """The ids of the website's channels."""
    return [id_ for (id_,) in uow.select(_OF_WEBSITE, website_id)]


def posts_of(uow: UnitOfWork, website_id: UUID) -> list[UUID]:
    """The ids of the posts of the website's channels."""
    return [id_ for (id_,) in uow.select(_POSTS_OF_WEBSITE, website_id)]


def require_channel_limit(uow: Appended, website_id: UUID) -> None:
    """Raises `CommandRejected` when the website has too many channels."""
    if len(channels_of(uow, website_id)) > MAX_CHANNELS:
        raise conflict("too_many_channels", f"A website has at most {MAX_CHANNELS} social channels.")


def count_posts(uow: UnitOfWork, channel_id: UUID) -> int:
    """The number of the channel's posts."""
    [(count,)] = uow.select("SELECT count(*) FROM lookup.social_post WHERE channel_id = %s", channel_id)
    return int(count)


def require_post_limit(uow: Appended, channel_id: UUID) -> None:
    """Raises `CommandRejected` when the channel has too many posts."""
    if count_posts(uow, channel_id) > MAX_POSTS:
        raise conflict("too_many_posts", f"A channel has at most {MAX_POSTS:,} posts.")


_POSTS_OF_WEBSITE: Final = "SELECT post_id FROM lookup.social_post WHERE website_id = %s ORDER BY post_id"
_OF_WEBSITE: Final = "SELECT channel_id FROM lookup.social_channel WHERE website_id = %s ORDER BY channel_id"
