"""Bodies of requests about destinations."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import Field

from command_api.kernel.http import RequestModel
from schemas.events.destinations import AdPlatform, DestinationMapping, ReportedValue

Id = Annotated[UUID, Field(strict=False)]
Platform = Annotated[AdPlatform, Field(strict=False)]
Value = Annotated[ReportedValue, Field(strict=False, description="The amount that a conversion has there")]
Name = Annotated[str, Field(max_length=100)]
Credentials = Annotated[
    dict[Annotated[str, Field(max_length=32)], Annotated[str, Field(max_length=2_048)]],
    Field(
        max_length=8,
        description="google_ads: customerId, developerToken, clientId, clientSecret, refreshToken; microsoft: "
        "customerId, accountId, developerToken, clientId, clientSecret, refreshToken; both may be empty: conversions "
        "are then in files to upload. meta: pixelId, accessToken; tiktok: pixelCode, accessToken. Not shown again",
    ),
]


class MappingInput(RequestModel):
    """What conversions are at the platform."""

    sale: Name = Field(default="", description="Name of sales there; empty: sales are not sent")
    lead: Name = Field(default="", description="Name of leads there; empty: leads are not sent")
    value: Value = ReportedValue.COMMISSION

    @property
    def mapping(self) -> DestinationMapping:
        return DestinationMapping(sale=self.sale, lead=self.lead, value=self.value)


class ConnectDestination(RequestModel):
    """Sends a website's decided conversions to an ad platform."""

    website_id: Id
    platform: Platform
    credentials: Credentials = Field(default_factory=dict)
    mapping: MappingInput


class ReconnectDestination(RequestModel):
    """Changes what is given."""

    credentials: Credentials | None = None
    mapping: MappingInput | None = None
