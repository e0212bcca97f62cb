"""Events of websites: a publisher's properties, to which everything measured belongs."""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum
from typing import ClassVar, Final
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Frozen, Personal
from schemas.networks import TxidScope
from schemas.tracking import MAX_IMPRESSIONS_EVERY

DEFAULT_AD_CLICK_ID_DAYS = 90
MAX_AD_CLICK_ID_DAYS = 730
MAX_RAW_MONTHS: Final = 60


class KeyKind(StrEnum):
    """What a website's key may do (tracking API, "Keys")."""

    SITE = "site"
    SECRET = "secret"  # noqa: S105 - a kind of key, not one
    POSTBACK = "postback"


class AttributionModel(StrEnum):
    """Which click earns a conversion when several could."""

    LAST_CLICK = "last_click"
    FIRST_CLICK = "first_click"


class TrafficMark(StrEnum):
    """How events are counted: `bot` and `suspicious` are excluded from metrics."""

    BOT = "bot"
    SUSPICIOUS = "suspicious"
    GENUINE = "genuine"


class TrafficConditions(Frozen):
    """Which events of the period are meant: those that have every value that is given; without any, all."""

    type: str | None = Field(default=None, pattern=r"^[a-z0-9_.-]{1,64}$", description="click, pageview, ...")
    link_id: UUID | None = None
    partner_id: UUID | None = None
    country: str | None = Field(default=None, pattern=r"^[A-Z]{2}$")
    device: str | None = Field(default=None, max_length=64)
    browser: str | None = Field(default=None, max_length=256)
    source: str | None = Field(default=None, max_length=1024)
    reason: str | None = Field(default=None, max_length=64, description="`bot_reason` as ingest set it")


class WebsiteConnected(DomainEvent):
    """An account connected a website. Its numbers are shown in this time zone and currency."""

    NAME: ClassVar[str] = "website.connected"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID
    domain: Personal[str] = Field(description="Host name, lower case, IDNA-encoded, without scheme, port or path")
    timezone: str = Field(description="IANA name")
    currency: str = Field(pattern=r"^[A-Z]{3}$")


class WebsiteUpdated(DomainEvent):
    """Settings of the website changed; a field that is None did not change."""

    NAME: ClassVar[str] = "website.updated"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID | None = Field(default=None, description="The owner; none: from before the domain was encrypted")
    domain: Personal[str | None] = None
    timezone: str | None = None
    attribution_model: AttributionModel | None = None
    max_claim_amount: int | None = Field(
        default=None, ge=1, description="Minor units of its currency that the public site key may claim at once"
    )
    max_claims_per_click: int | None = Field(
        default=None, ge=1, description="Transactions that one click may claim within an hour with the site key"
    )
    link_click_ids: bool | None = Field(
        default=None, description="Whether the script adds click ids to affiliate links in the pages"
    )
    link_impressions_every: int | None = Field(
        default=None,
        ge=0,
        le=MAX_IMPRESSIONS_EVERY,
        description="One page view of so many reports which affiliate links were in view; 0: none",
    )
    txid_scope: TxidScope | None = Field(
        default=None, description="Within what the transaction ids are unique that its own systems report"
    )
    keep_ad_click_ids: bool | None = Field(
        default=None, description="Whether click ids of advertising networks are kept, sealed with an erasable key"
    )
    ad_click_id_days: int | None = Field(
        default=None, ge=1, le=MAX_AD_CLICK_ID_DAYS, description="Days after which they cannot be read any more"
    )
    ad_click_ids_need_consent: bool | None = Field(
        default=None, description="Whether they are kept only of visitors who have agreed"
    )


class WebsiteRetentionChanged(DomainEvent):
    """The owner changed how long single events of the website are kept. Sums of them and conversions are kept.

    Nothing expires by it in the first 24 hours, so that a change can be reversed.
    """

    NAME: ClassVar[str] = "website.retention_changed"
    raw_months: int | None = Field(
        default=None, ge=1, le=MAX_RAW_MONTHS, description="Whole months before the current one; none: permanently"
    )


class WebsiteEventsExpired(DomainEvent):
    """Clicks, page views and custom events of earlier days are kept no longer; sums of them and conversions are."""

    NAME: ClassVar[str] = "website.events_expired"
    before: date = Field(description="The first UTC day whose events are kept")


class WebsiteDisconnected(DomainEvent):
    """The owner removed the website: its keys stop working; its measurements stay in the log."""

    NAME: ClassVar[str] = "website.disconnected"
    owner_erased: bool = Field(default=False, description="With the owner's account: its links are erased as well")


class WebsiteTransferred(DomainEvent):
    """A sold website moved to its buyer, with everything that was measured for it. Seller and buyer have agreed."""

    NAME: ClassVar[str] = "website.transferred"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID = Field(description="The buyer, who owns it from now on")
    from_id: UUID = Field(description="The seller")
    offer_id: UUID = Field(description="Of the deal")
    domain: Personal[str] = Field(description="As before; from now on a fact about the buyer")


class WebsiteKeyIssued(DomainEvent):
    """A key was created. It contains the SHA-256 of the key only, and of the public site key also its text."""

    NAME: ClassVar[str] = "website.key_issued"
    key_id: UUID
    kind: KeyKind
    key_hash: str = Field(pattern="^[0-9a-f]{64}$", description="SHA-256 of the whole key")
    last4: str
    public_key: str | None = Field(default=None, description="The key itself, for kind `site` only")
    allowed_origins: tuple[str, ...] = Field(default=(), description="For kind `site`: empty = any origin")
    name: str = Field(default="", max_length=60, description="As its owner calls it")
    is_readable: bool = Field(default=False, description="A postback token that its owner can read again")


class WebsiteKeyRevoked(DomainEvent):
    """A key stopped working."""

    NAME: ClassVar[str] = "website.key_revoked"
    key_id: UUID


class ClaimsUnusual(DomainEvent):
    """The public site key reports far more transactions than it usually does. Raised at most once a day."""

    NAME: ClassVar[str] = "website.claims_unusual"
    website_id: UUID
    account_id: UUID = Field(description="The website's owner")
    hour: datetime = Field(description="Start of the hour (UTC) in which the limit was exceeded")
    claims: int = Field(description="Claims in that hour until then")
    usual: int = Field(description="Claims of a usual hour of the seven days before, rounded up")


class ReportsUnread(DomainEvent):
    """Reports of conversions have a value that cannot be read. Raised at most once a day for a website and field."""

    NAME: ClassVar[str] = "website.reports_unread"
    website_id: UUID
    account_id: UUID = Field(description="The website's owner")
    day: date = Field(description="UTC")
    field: str = Field(description="txid, amount, click_id, ...")
    is_placeholder: bool = Field(description="The values are placeholders that the sender did not fill in")
    partner_id: UUID | None = Field(default=None, description="Whose postbacks they are, where they name a partner")
    reports: int = Field(ge=1, description="So many on that day until then")


class WebsiteTrafficRemarked(DomainEvent):
    """A rule was created: it changes the classification of events of a period.

    It does not apply to conversions. If several rules match an event, the newest applies.
    """

    NAME: ClassVar[str] = "website.traffic_remarked"
    rule_id: UUID
    since: datetime = Field(description="Inclusive; of the time at which events occurred")
    until: datetime = Field(description="Exclusive")
    mark: TrafficMark
    conditions: TrafficConditions = TrafficConditions()
    note: str = Field(default="", max_length=500)


class WebsiteTrafficRemarkUndone(DomainEvent):
    """A rule was removed: events count as if it had never existed."""

    NAME: ClassVar[str] = "website.traffic_remark_undone"
    rule_id: UUID
