"""Inline projection `social_channel_lookup`: the channels of each website. Handles are not here: they are personal."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from command_api.kernel.decision import conflict
from command_api.kernel.inline_projection import InlineProjection, Table, Tables
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.social.model import MAX_CHANNELS
from schemas.events.social import SocialChannelAdded, SocialChannelRemoved
from schemas.events.websites import WebsiteDisconnected

SOCIAL_CHANNEL_LOOKUP: Final = InlineProjection(
    "social_channel_lookup",
    version=1,
    tables=(
        Table(
            "social_channel",
            columns=("channel_id uuid not null", "website_id uuid not null"),
            key=("channel_id",),
            indexes=("website_id",),
        ),
    ),
)


@SOCIAL_CHANNEL_LOOKUP.on(SocialChannelAdded)
def _added(tables: Tables, event: SocialChannelAdded) -> None:
    tables["social_channel"].insert(channel_id=event.originator_id, website_id=event.website_id)


@SOCIAL_CHANNEL_LOOKUP.on(SocialChannelRemoved)
def _removed(tables: Tables, event: SocialChannelRemoved) -> None:
    tables["social_channel"].delete(channel_id=event.originator_id)


@SOCIAL_CHANNEL_LOOKUP.on(WebsiteDisconnected)
def _website_disconnected(tables: Tables, event: WebsiteDisconnected) -> None:
    tables["social_channel"].delete(website_id=event.originator_id)


def channels_of(uow: UnitOfWork, website_id: UUID) -> list[UUID]:
    """The ids of the website's channels."""
    return [id_ for (id_,) in uow.select(_OF_WEBSITE, website_id)]


def require_channel_limit(uow: UnitOfWork, website_id: UUID) -> None:
    """Raises `CommandRejected` when the website has too many channels. Called after the append."""
    if len(channels_of(uow, website_id)) > MAX_CHANNELS:
        raise conflict("too_many_channels", f"A website has at most {MAX_CHANNELS} social channels.")


_OF_WEBSITE: Final = "SELECT channel_id FROM lookup.social_channel WHERE website_id = %s ORDER BY channel_id"
