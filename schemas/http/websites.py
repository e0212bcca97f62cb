"""Websites, their keys and traffic rules as both APIs answer them."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from pydantic import Field

from schemas.events.websites import AttributionModel, KeyKind, TrafficMark
from schemas.http.responses import ResponseModel
from schemas.networks import TxidScope


class Website(ResponseModel):
    """A website."""

    id: UUID
    domain: str
    timezone: str
    currency: str
    attribution_model: AttributionModel
    max_claim_amount: int = Field(description="Minor units that the public site key may claim as one sale")
    max_claims_per_click: int = Field(
        description="Transactions that one click may claim within an hour with the site key"
    )
    link_click_ids: bool = Field(description="Whether the script adds click ids to affiliate links in the pages")
    link_impressions_every: int = Field(
        description="One page view of so many reports which affiliate links were in view; 0: none"
    )
    txid_scope: TxidScope = Field(description="Within what the transaction ids are unique that its own systems report")
    keep_ad_click_ids: bool = Field(
        description="Whether click ids of advertising networks (gclid, ...) are kept, encrypted"
    )
    ad_click_id_days: int = Field(description="Days after which they cannot be read any more")
    ad_click_ids_need_consent: bool = Field(description="Whether they are kept only of visitors who have agreed")
    created_at: datetime


class WebsiteKey(ResponseModel):
    """A key without its value."""

    id: UUID
    kind: KeyKind
    name: str = Field(description="As its owner calls it; empty: not named")
    allowed_origins: list[str]
    created_at: datetime


class TrafficRule(ResponseModel):
    """What events of a period count as."""

    id: UUID
    since: datetime
    until: datetime
    mark: TrafficMark
    conditions: dict[str, str] = Field(description="Required values of the events; empty: all events of the period")
    note: str
    created_at: datetime
    is_followed: bool = Field(description="Whether metrics already reflect the rule")
