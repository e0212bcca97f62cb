"""Bodies and answers of the calls for social channels and their posts."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from command_api.kernel.http import RequestModel
from command_api.social.model import SocialChannelAggregate as State
from command_api.social.posts import SocialPostAggregate as PostState
from schemas.http.responses import ResponseModel
from schemas.http.social import SocialChannel
from schemas.social_networks import Network, address_of
from schemas.social_posts import content_of

Id = Annotated[UUID, Field(strict=False)]
Text = Annotated[str, Field(max_length=2048)]


class AddSocialChannel(RequestModel):
    """A channel, and the website to which it leads."""

    website_id: Id
    network: Annotated[Network, Field(strict=False)]
    handle: Annotated[Text, Field(description="With or without @, or the address of the channel")]
    name: Annotated[Text | None, Field(description="What you call it; left out: the handle")] = None


class RenameSocialChannel(RequestModel):
    """Fields to change; a field that is left out stays."""

    handle: Text | None = None
    name: Annotated[Text | None, Field(description="Empty: the handle again")] = None


class CreateSocialLink(RequestModel):
    """A tracked link of a channel. Left out: the partner's base URL, a short slug, and the slug as campaign."""

    partner_id: Id
    destination: Text | None = None
    slug: Text | None = None
    campaign: Annotated[Text | None, Field(description="`utm_campaign` of its clicks")] = None
    post_id: Annotated[Id | None, Field(description="Of one post: its clicks get the post's `utm_content`")] = None


def to_response(channel: State) -> SocialChannel:
    return SocialChannel.of(channel, url=address_of(channel.network, channel.handle))


class AddSocialPost(RequestModel):
    """A post of a channel."""

    address: Annotated[Text, Field(description="Of the post on the channel's network")]
    title: Annotated[Text, Field(description="Short text that tells it apart; empty: the network's name")] = ""
    published_at: Annotated[datetime, Field(strict=False, description="With its time zone")]


class ChangeSocialPost(RequestModel):
    """Fields to change; a field that is left out stays."""

    title: Text | None = None
    published_at: Annotated[datetime | None, Field(strict=False)] = None


class SocialPost(ResponseModel):
    """A post. `utm_content` tells its clicks and visits apart in reports; `picture`: hash of the image."""

    id: UUID
    channel_id: UUID
    website_id: UUID
    address: str
    title: str
    published_at: datetime
    picture: str | None
    utm_content: str


def to_post(post: PostState) -> SocialPost:
    return SocialPost.of(post, utm_content=content_of(post.id))


class ImportSocialFile(RequestModel):
    """The file that the channel's network exported, as text."""

    csv: Annotated[str, Field(max_length=1_000_000)]


class ImportedSocialFile(ResponseModel):
    """What came of a file. `days` and `posts_changed` count only what is new or different."""

    days: int
    posts_added: int
    posts_changed: int
    left_out: int
