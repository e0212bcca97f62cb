"""Tracked links as both APIs answer them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from uuid import UUID

from pydantic import Field

from schemas.events.links import Device
from schemas.http.responses import ResponseModel


class LinkBulkProgress(StrEnum):
    """Whether a change of many links goes on."""

    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class RoutingRule(ResponseModel):
    """Visitors from one of the countries (none: any) with one of the devices (none: any) go to the destination."""

    countries: list[str]
    devices: list[Device]
    destination: str


class Variant(ResponseModel):
    """One side of a split: its share is its weight among all weights."""

    destination: str
    weight: int
    number: int = Field(description="What clicks and reports name it by; never given to another variant of the link")
    name: str
    partner_id: UUID | None = Field(description="Null: the link's")
    partner_name: str | None
    gets_traffic: bool = Field(description="False: its partner is inactive, its share goes to the other variants")


class SplitShifting(ResponseModel):
    """Whether the weights of a split follow its results, and within which bounds."""

    is_on: bool
    min_share: int = Field(description="Percent of the visitors that each variant keeps")
    max_step: int = Field(description="Percentage points that a day shifts at most")


class Link(ResponseModel):
    """A tracked link."""

    id: UUID
    website_id: UUID
    partner_id: UUID
    partner_name: str | None
    slug: str
    url: str = Field(description="Link to publish: counts a click and redirects to the destination")
    destination: str
    coupon: str | None
    is_active: bool
    rules: list[RoutingRule] = Field(description="The first match wins")
    variants: list[Variant] = Field(description="Replace the destination; a visitor always gets the same variant")
    winner: int | None = Field(description="Number of the variant that gets all visitors: the test was ended")
    expires_at: datetime | None
    fallback: str | None = Field(description="Redirect target when expired or off; null: none")
    passes_click_id: bool = Field(description="Whether sales can be attributed: each destination gets the click id")
    tags: list[str]
    folder: str | None
    is_archived: bool = Field(description="It works and is left out of lists")
    utm: dict[str, str] = Field(description="UTM parameters of clicks that name none themselves")
    channel_id: UUID | None = Field(description="The social channel for which it was made")
    created_at: datetime
    sub1: str = ""
    sub2: str = ""
    sub3: str = ""
    sub4: str = ""
    sub5: str = ""
    sub6: str = ""
    sub7: str = ""
    sub8: str = ""
    sub9: str = ""
    sub10: str = ""
