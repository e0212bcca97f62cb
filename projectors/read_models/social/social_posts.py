"""`read.social_posts`: the posts of social channels."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.events.social import (
    SocialChannelRemoved,
    SocialPostAdded,
    SocialPostChanged,
    SocialPostPictureChanged,
    SocialPostRemoved,
    SocialPostTransferred,
)
from schemas.events.websites import WebsiteDisconnected

SOCIAL_POSTS: Final = ReadModel(
    name="social_posts",
    version=1,
    columns=(
        "id uuid",
        "website_id uuid not null",
        "channel_id uuid not null",
        "address text not null",
        "title text not null",
        "published_at timestamptz not null",
        "picture text",
    ),
    key=("id",),
    readers=OWN_WEBSITES,
    indexes=("website_id, published_at", "channel_id"),
    personal=("address", "title"),
)


@SOCIAL_POSTS.on(SocialPostAdded)
def added(rows: Rows, event: SocialPostAdded) -> None:
    rows.put(
        id=event.originator_id,
        website_id=event.website_id,
        channel_id=event.channel_id,
        address=event.address,
        title=event.title,
        published_at=event.published_at,
    )


@SOCIAL_POSTS.on(SocialPostChanged)
def changed(rows: Rows, event: SocialPostChanged) -> None:
    rows.update({"id": event.originator_id}, title=event.title, published_at=event.published_at)


@SOCIAL_POSTS.on(SocialPostTransferred)
def transferred(rows: Rows, event: SocialPostTransferred) -> None:
    rows.update({"id": event.originator_id}, address=event.address, title=event.title)


@SOCIAL_POSTS.on(SocialPostPictureChanged)
def pictured(rows: Rows, event: SocialPostPictureChanged) -> None:
    rows.update({"id": event.originator_id}, picture=event.picture)


@SOCIAL_POSTS.on(SocialPostRemoved)
def removed(rows: Rows, event: SocialPostRemoved) -> None:
    rows.delete(id=event.originator_id)


@SOCIAL_POSTS.on(SocialChannelRemoved)
def channel_removed(rows: Rows, event: SocialChannelRemoved) -> None:
    rows.delete(channel_id=event.originator_id)


@SOCIAL_POSTS.on(WebsiteDisconnected)
def website_disconnected(rows: Rows, event: WebsiteDisconnected) -> None:
    rows.delete(website_id=event.originator_id)
