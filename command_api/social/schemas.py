"""Bodies and answers of the calls for social channels."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from command_api.kernel.http import RequestModel, ResponseModel
from command_api.social.model import SocialChannel as State
from schemas.social_networks import Network, address_of

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


class SocialChannel(ResponseModel):
    """A social channel. `url` is its address on its network."""

    id: UUID
    website_id: UUID
    network: Network
    handle: str
    name: str
    url: str
    added_at: datetime


def to_response(channel: State) -> SocialChannel:
    return SocialChannel.of(channel, url=address_of(channel.network, channel.handle))
