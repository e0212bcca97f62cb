"""What happens to social channels: a website's presence on a social network."""

from __future__ import annotations

from typing import ClassVar
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Personal
from schemas.social_networks import Network

MAX_CHANNEL_NAME: int = 60


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
