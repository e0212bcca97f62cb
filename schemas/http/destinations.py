"""Destinations as both APIs answer them."""

from __future__ import annotations

from enum import StrEnum
from uuid import UUID

from pydantic import Field

from schemas.events.destinations import AdPlatform, DestinationMapping, ReportedValue
from schemas.http.responses import ResponseModel


class DeliveryKind(StrEnum):
    """What a delivery says. The values are those of `destinations.delivery`."""

    CONVERSION = "conversion"
    RESTATEMENT = "restatement"
    RETRACTION = "retraction"


class DeliveryState(StrEnum):
    """Where a delivery stands. `new`: not prepared yet; `ready`: being sent; `in_file`: to download and upload;
    `skipped`: it cannot be sent, for a reason; `failed`: the platform rejected it, or did not answer for days."""

    NEW = "new"
    READY = "ready"
    IN_FILE = "in_file"
    SENT = "sent"
    SKIPPED = "skipped"
    FAILED = "failed"


class MappingShape(ResponseModel):
    """What conversions are at the platform."""

    sale: str = Field(description="Name of sales there; empty: sales are not sent")
    lead: str = Field(description="Name of leads there; empty: leads are not sent")
    value: ReportedValue = Field(description="The amount that a conversion has there")


class Destination(ResponseModel):
    """An ad platform to which a website's decided conversions go. Its credentials are never shown."""

    id: UUID
    website_id: UUID
    platform: AdPlatform
    mapping: MappingShape
    is_automatic: bool = Field(description="Sent by the platform's API; else they are in files to upload")
    is_refused: bool = Field(description="The platform does not accept the credentials: enter new ones")


def mapping_shape(mapping: DestinationMapping) -> MappingShape:
    """Returns the mapping as it is answered."""
    return MappingShape(sale=mapping.sale, lead=mapping.lead, value=mapping.value)
