"""Events of social channels: a website's presence on a social network, its posts, and figures of both."""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, ClassVar, Literal
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Frozen, Personal
from schemas.social_networks import Network

MAX_CHANNEL_NAME: int = 60
MAX_POST_TITLE: int = 200
MAX_DAYS: int = 400
"""Days in one event."""

Figure = Annotated[int, Field(ge=0, le=2**53)]


class FigureSource(StrEnum):
    """Who reported figures: a file of the owner, or the network itself."""

    CSV = "csv"
    YOUTUBE = "youtube"
    INSTAGRAM = "instagram"


class ChannelDay(Frozen):
    """What a network reports of a channel on one day of its own calendar. None: not reported."""

    day: date
    followers: Figure | None = Field(default=None, description="At the end of the day")
    views: Figure | None = Field(default=None, description="On this day")
    clicks: Figure | None = Field(default=None, description="On links of the channel, on this day")


class PostFigures(Frozen):
    """What a network reports of a post: totals since its publication. None: not reported."""

    views: Figure | None = None
    likes: Figure | None = None
    comments: Figure | None = None
    clicks: Figure | None = None


class SocialChannelAdded(DomainEvent):
    """A website has a channel on a social network."""

    NAME: ClassVar[str] = "social_channel.added"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID = Field(description="The website's owner")
    website_id: UUID
    network: Network
    handle: Personal[str] = Field(description="As the network knows it, without @")
    name: Personal[str] = Field(description="What the owner calls it")


class SocialChannelRenamed(DomainEvent):
    """The owner calls the channel something else, or it has another handle on its network."""

    NAME: ClassVar[str] = "social_channel.renamed"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID
    handle: Personal[str]
    name: Personal[str]


class SocialChannelRemoved(DomainEvent):
    """The channel is no longer shown; its links go on working."""

    NAME: ClassVar[str] = "social_channel.removed"


class SocialChannelFiguresRecorded(DomainEvent):
    """A source reported figures of a channel by day. Each replaces what the same source reported of that day before;
    a figure that is None stays. Its aggregate is a channel and a source."""

    NAME: ClassVar[str] = "social_channel.figures_recorded"
    channel_id: UUID
    website_id: UUID
    source: FigureSource
    days: list[ChannelDay] = Field(min_length=1, max_length=MAX_DAYS)


class SocialPostAdded(DomainEvent):
    """A channel has a post; also one that was removed before."""

    NAME: ClassVar[str] = "social_post.added"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID = Field(description="The website's owner")
    website_id: UUID
    channel_id: UUID
    address: Personal[str] = Field(description="On the network")
    title: Personal[str]
    published_at: datetime


class SocialPostChanged(DomainEvent):
    """The post is called something else, or was published at another time."""

    NAME: ClassVar[str] = "social_post.changed"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID
    title: Personal[str]
    published_at: datetime


class SocialPostPictureChanged(DomainEvent):
    """The post has this picture, named by the hash of its content, or none."""

    NAME: ClassVar[str] = "social_post.picture_changed"
    picture: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")


class SocialPostFiguresRecorded(DomainEvent):
    """A source reported totals of a post as of a day. They replace what the same source reported before; a figure that
    is None stays."""

    NAME: ClassVar[str] = "social_post.figures_recorded"
    website_id: UUID
    channel_id: UUID
    source: FigureSource
    as_of: date
    figures: PostFigures


class SocialPostTransferred(DomainEvent):
    """The post moved with its sold website: what it is called is a fact about the new owner from now on."""

    NAME: ClassVar[str] = "social_post.transferred"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID = Field(description="The website's owner from now on")
    address: Personal[str]
    title: Personal[str]


class SocialPostRemoved(DomainEvent):
    """The post is no longer shown; its links go on working."""

    NAME: ClassVar[str] = "social_post.removed"


class SocialChannelConnected(DomainEvent):
    """The owner connected the channel to an account on its network, whose figures are read from now on."""

    NAME: ClassVar[str] = "social_channel.connected"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID = Field(description="The website's owner")
    name: Personal[str] = Field(description="Of the account on the network")


class SocialChannelDisconnected(DomainEvent):
    """The channel's figures are no longer read."""

    NAME: ClassVar[str] = "social_channel.disconnected"
    reason: Literal["owner", "network"] = Field(description="Who ended the connection")
