"""Social channels as both APIs answer them."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from pydantic import Field

from schemas.http.responses import ResponseModel
from schemas.social_networks import Network


class SocialChannel(ResponseModel):
    """A social channel."""

    id: UUID
    website_id: UUID
    network: Network
    handle: str
    name: str
    url: str = Field(description="Its address on its network")
    added_at: datetime
