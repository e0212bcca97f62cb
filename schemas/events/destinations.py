"""Events of destinations: ad platforms to which a website's decided conversions go back.

Credentials and what was sent are rows beside these events (`destinations.destination`, `destinations.delivery`).
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Frozen


class AdPlatform(StrEnum):
    """An ad platform that accepts conversions."""

    GOOGLE_ADS = "google_ads"
    MICROSOFT = "microsoft"
    META = "meta"
    TIKTOK = "tiktok"


class ReportedValue(StrEnum):
    """Which amount a conversion has at the platform, both without what was reversed."""

    COMMISSION = "commission"
    SALE = "sale"


class DestinationMapping(Frozen):
    """What conversions are at the platform."""

    sale: str = Field(default="", max_length=100, description="Name of sales there; empty: sales are not sent")
    lead: str = Field(default="", max_length=100, description="Name of leads there; empty: leads are not sent")
    value: ReportedValue = ReportedValue.COMMISSION


class DestinationAdded(DomainEvent):
    """From now on decided conversions of a website go to an ad platform."""

    NAME: ClassVar[str] = "destination.added"
    website_id: UUID
    platform: AdPlatform
    mapping: DestinationMapping
    is_automatic: bool = Field(description="Sent by the platform's API; else they are in files to upload")


class DestinationChanged(DomainEvent):
    """A person changed the mapping, or entered new credentials."""

    NAME: ClassVar[str] = "destination.changed"
    website_id: UUID
    mapping: DestinationMapping
    is_automatic: bool
    has_new_credentials: bool


class DestinationRefused(DomainEvent):
    """The platform does not accept the credentials: nothing is sent until there are new ones."""

    NAME: ClassVar[str] = "destination.refused"
    website_id: UUID
    problem: str = Field(max_length=300)


class DestinationRemoved(DomainEvent):
    """Nothing is sent to the platform any more; credentials and deliveries were deleted."""

    NAME: ClassVar[str] = "destination.removed"
    website_id: UUID
