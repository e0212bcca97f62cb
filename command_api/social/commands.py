"""Commands of social channels, their posts and figures."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from uuid import UUID

from command_api.kernel.command_handlers import Command
from command_api.kernel.images.model import WebpImage
from command_api.social import schemas
from command_api.social.schemas import ImportedSocialFile, SocialPost
from schemas.events.social import ChannelDay, FigureSource, PostFigures
from schemas.http.links import Link
from schemas.http.social import SocialChannel


class AddSocialChannel(Command[SocialChannel]):
    """Adds a channel to a website of the sender."""

    channel_id: UUID
    fields: schemas.AddSocialChannel


class RenameSocialChannel(Command[SocialChannel]):
    """Changes its handle or what its owner calls it."""

    channel_id: UUID
    fields: schemas.RenameSocialChannel


class RemoveSocialChannel(Command[None]):
    """Removes the channel; its links go on working and keep their figures."""

    channel_id: UUID


class CreateSocialLink(Command[Link]):
    """Creates a tracked link of the channel, whose clicks carry the channel's UTM parameters."""

    channel_id: UUID
    link_id: UUID
    fields: schemas.CreateSocialLink


class AddSocialPost(Command[SocialPost]):
    """Adds a post to a channel of the sender."""

    channel_id: UUID
    fields: schemas.AddSocialPost


class ChangeSocialPost(Command[SocialPost]):
    """Changes its title or the time of its publication."""

    post_id: UUID
    fields: schemas.ChangeSocialPost


class SetSocialPostPicture(Command[SocialPost]):
    """Gives the post a picture, or none."""

    post_id: UUID
    picture: WebpImage | None = field(repr=False)


class RemoveSocialPost(Command[None]):
    """Removes the post; its links go on working and keep their figures."""

    post_id: UUID


class RecordChannelFigures(Command[int]):
    """Records what a source reports of a channel by day; answers how many days are new or different.

    A figure replaces what the same source reported of that day before: sent again, nothing is counted twice. None
    leaves the earlier one.
    """

    channel_id: UUID
    source: FigureSource
    days: tuple[ChannelDay, ...]


@dataclass(frozen=True, slots=True)
class FoundPost:
    """A post as a source reports it. `address`: as `schemas.social_posts.post_at` takes it; `title`: any text, cut to
    a title; `published_at`: None where the source does not say."""

    address: str
    title: str = ""
    published_at: datetime | None = None
    figures: PostFigures = PostFigures()


@dataclass(frozen=True, slots=True)
class RecordedPosts:
    """The result for found posts: how many were added, how many have new figures, and how many were left out: removed
    by the owner, unknown and without a time of publication, or over the limit of posts."""

    added: int
    changed: int
    skipped: int


class RecordSocialPosts(Command[RecordedPosts]):
    """Adds the posts that the channel does not have and records the totals of all, as of a day.

    A post that its owner removed stays removed. Totals replace what the same source reported before, unless that is of
    a later day. What the owner wrote (title, time, picture) stays.
    """

    channel_id: UUID
    source: FigureSource
    as_of: date
    posts: tuple[FoundPost, ...]


class ImportSocialFile(Command[ImportedSocialFile]):
    """Records what a file that the channel's network exported says, with source `csv`. Imported again, it changes
    nothing."""

    channel_id: UUID
    csv: str = field(repr=False)
