"""`read.social_channels`: the social channels of websites."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.events.social import SocialChannelAdded, SocialChannelRemoved, SocialChannelRenamed
from schemas.events.websites import WebsiteDisconnected

SOCIAL_CHANNELS: Final = ReadModel(
    name="social_channels",
    version=1,
    columns=(
        "id uuid",
        "website_id uuid not null",
        "network text not null",
        "handle text not null",
        "name text not null",
        "added_at timestamptz not null",
    ),
    key=("id",),
    readers=OWN_WEBSITES,
    indexes=("website_id, added_at",),
    personal=("handle", "name"),
)


@SOCIAL_CHANNELS.on(SocialChannelAdded)
def added(rows: Rows, event: SocialChannelAdded) -> None:
    rows.put(
        id=event.originator_id,
        website_id=event.website_id,
        network=event.network.value,
        handle=event.handle,
        name=event.name,
        added_at=event.timestamp,
    )


@SOCIAL_CHANNELS.on(SocialChannelRenamed)
def renamed(rows: Rows, event: SocialChannelRenamed) -> None:
    rows.update({"id": event.originator_id}, handle=event.handle, name=event.name)


@SOCIAL_CHANNELS.on(SocialChannelRemoved)
def removed(rows: Rows, event: SocialChannelRemoved) -> None:
    rows.delete(id=event.originator_id)


@SOCIAL_CHANNELS.on(WebsiteDisconnected)
def website_disconnected(rows: Rows, event: WebsiteDisconnected) -> None:
    rows.delete(website_id=event.originator_id)
