"""Request and response models of the calls for websites."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import AwareDatetime, Field

from command_api.kernel.http import RequestModel
from schemas.events.websites import MAX_RAW_MONTHS, AttributionModel, KeyKind, TrafficMark
from schemas.http.responses import ResponseModel
from schemas.http.websites import Website, WebsiteKey
from schemas.networks import TxidScope

Text = Annotated[str, Field(max_length=300)]
Word = Annotated[str, Field(max_length=1024)]


class ConnectWebsite(RequestModel):
    """A website to connect. `timezone`: an IANA name; `currency`: an ISO 4217 code."""

    domain: Text
    timezone: Text = "UTC"
    currency: Text = "USD"


class UpdateWebsite(RequestModel):
    """Fields to change; a field that is left out stays as it is."""

    domain: Text | None = None
    timezone: Text | None = None
    currency: Text | None = None
    attribution_model: Annotated[AttributionModel | None, Field(strict=False)] = None
    max_claim_amount: Annotated[
        int | None, Field(description="Minor units that the public site key may claim as one sale")
    ] = None
    max_claims_per_click: Annotated[
        int | None, Field(description="Transactions that one click may claim within an hour with the site key")
    ] = None
    link_click_ids: Annotated[
        bool | None, Field(description="Whether the script adds click ids to affiliate links in the pages")
    ] = None
    link_impressions_every: Annotated[
        int | None, Field(description="One page view of so many reports which affiliate links were in view; 0: none")
    ] = None
    txid_scope: Annotated[
        TxidScope | None,
        Field(
            strict=False,
            description="Within what the ids of /track/sale and of postbacks without a network are unique",
        ),
    ] = None
    keep_ad_click_ids: Annotated[
        bool | None, Field(description="Whether click ids of advertising networks (gclid, ...) are kept, encrypted")
    ] = None
    ad_click_id_days: Annotated[
        int | None, Field(description="Days, 1 to 730, after which they cannot be read any more")
    ] = None
    ad_click_ids_need_consent: Annotated[
        bool | None, Field(description="Whether they are kept only of visitors who have agreed")
    ] = None


class ChangeRetention(RequestModel):
    """How long single events are kept. Sums, visits of whole days, conversions and money are kept permanently."""

    raw_months: Annotated[
        int | None,
        Field(description=f"Whole months before the current one, 1 to {MAX_RAW_MONTHS}; null: permanently"),
    ]


class CreateKey(RequestModel):
    """A new key. `allowedOrigins` limits the pages that may send with a site key."""

    kind: Annotated[KeyKind, Field(strict=False)]
    name: Annotated[str, Field(max_length=300, description="To tell keys apart, for example the network")] = ""
    allowed_origins: Annotated[list[Text], Field(default_factory=list)]


class Retention(ResponseModel):
    """The setting after the change. Nothing expires by it before `retentionAppliesFrom`."""

    raw_months: int | None
    retention_applies_from: datetime | None


class ConnectedWebsite(Website):
    """The secrets are shown only in this response."""

    site_key: str
    secret_key: str
    postback_token: str


class CreatedKey(WebsiteKey):
    """The value is shown only in this response; site keys are public, and owners can read postback tokens again."""

    key: str


class RevealedToken(ResponseModel):
    """A postback token."""

    token: str


class CreateTrafficRule(RequestModel):
    """A period, what its events count as, and conditions that all must match."""

    since: Annotated[AwareDatetime, Field(strict=False, description="Inclusive; when events occurred")]
    until: Annotated[AwareDatetime, Field(strict=False, description="Exclusive")]
    mark: Annotated[TrafficMark, Field(strict=False)]
    type: Word | None = None
    link_id: Annotated[UUID | None, Field(strict=False)] = None
    partner_id: Annotated[UUID | None, Field(strict=False)] = None
    country: Word | None = None
    device: Word | None = None
    browser: Word | None = None
    source: Word | None = None
    reason: Annotated[Word | None, Field(description="Why ingest excluded them: crawler, rate, ...")] = None
    note: Annotated[str, Field(max_length=500)] = ""
