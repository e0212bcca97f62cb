"""Events of partners: the affiliate programs that websites promote."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, ClassVar
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Frozen, Personal


class TermsKind(StrEnum):
    """How a commission is calculated."""

    PERCENT = "percent"
    FLAT = "flat"
    PER_LEAD = "per_lead"


class TiersBy(StrEnum):
    """What of a month lifts a website to a partner's next tier."""

    CONVERSIONS = "conversions"
    REVENUE = "revenue"


class Tier(Frozen):
    """What is paid once the month has brought `at_least` conversions, or minor units of commission."""

    at_least: int = Field(ge=1, le=2**53)
    rate_bp: int = Field(default=0, ge=0, le=10_000, description="Basis points of the sale, for `percent`")
    flat_amount: int = Field(default=0, ge=0, description="Minor units, for `flat` and `per_lead`")


class Terms(Frozen):
    """What a partner pays: a share of the sale in basis points (1250 = 12.5 %), a flat sum for each conversion, or one
    for each lead (and nothing for sales).

    With tiers, `rate_bp` and `flat_amount` hold until the first of them is reached. A conversion's tier goes by what
    its website's conversions with the partner came to in the month of its sale (UTC): pending and approved ones that
    were decided before it. Nothing that happens later changes the tier of a conversion.
    """

    kind: TermsKind = TermsKind.PERCENT
    rate_bp: int = Field(default=0, ge=0, le=10_000, description="Basis points of the sale, for `percent`")
    flat_amount: int = Field(default=0, ge=0, description="Minor units, for `flat` and `per_lead`")
    flat_currency: str | None = Field(default=None, pattern=r"^[A-Z]{3}$")
    tiers_by: TiersBy = TiersBy.CONVERSIONS
    tiers_currency: str | None = Field(default=None, pattern=r"^[A-Z]{3}$", description="Of `at_least`, for `revenue`")
    tiers: tuple[Tier, ...] = Field(default=(), max_length=10, description="By `at_least`, rising")
    hold_days: int = Field(default=0, ge=0, le=365, description="Days after the sale before a commission is payable")
    auto_approve_days: int | None = Field(
        default=None, ge=0, le=365, description="Days until a pending conversion is approved automatically; none: never"
    )


def _percent_to_terms(state: dict[str, Any]) -> dict[str, Any]:
    """Version 1 knew one `commission` in percent; version 2 has terms. 12.5 -> 1250 basis points."""
    percent = Decimal(str(state.pop("commission")))
    return {**state, "terms": {"kind": "percent", "rate_bp": int(percent * 100)}}


class PartnerRegistered(DomainEvent):
    """An admin added an affiliate program to the directory, or a member one of their own."""

    NAME: ClassVar[str] = "partner.registered"
    VERSION: ClassVar[int] = 2
    UPCASTS = {1: _percent_to_terms}  # noqa: RUF012 - annotated in the base class
    name: str
    slug: str
    base_url: str
    description: str = ""
    terms: Terms
    cookie_days: int = Field(default=30, ge=1, le=365, description="How long after a click a conversion still counts")
    postback_preset: str | None = Field(default=None, description="Its network, a slug of `networks.toml`")
    is_active: bool = True
    click_id_parameter: str | None = Field(
        default=None, description="Parameter of its links that takes the click id; none: that of its network"
    )
    account_id: UUID | None = Field(
        default=None, description="Whose private partner it is; none: it is in the directory, for everybody"
    )


class PartnerUpdated(DomainEvent):
    """Details of the program changed; a field that is None did not change."""

    NAME: ClassVar[str] = "partner.updated"
    name: str | None = None
    base_url: str | None = None
    description: str | None = None
    cookie_days: int | None = Field(default=None, ge=1, le=365)
    postback_preset: str | None = None
    click_id_parameter: str | None = Field(default=None, description="Empty: from now on that of its network")
    account_id: UUID | None = Field(default=None, description="As registered")


class CommissionChanged(DomainEvent):
    """New terms for clicks from a given time on. Earlier clicks keep the terms of their time."""

    NAME: ClassVar[str] = "partner.commission_changed"
    terms: Terms
    effective_from: datetime | None = Field(
        default=None,
        description="When they take effect, later than `timestamp`; none: at once. Terms that were announced for the"
        " same moment before are replaced",
    )
    account_id: UUID | None = Field(default=None, description="Of the partner, as registered")

    @property
    def effective_at(self) -> datetime:
        return self.effective_from or self.timestamp


class PartnerActivated(DomainEvent):
    """The program accepts traffic again."""

    NAME: ClassVar[str] = "partner.activated"


class PartnerDeactivated(DomainEvent):
    """The program accepts no traffic: links redirect to their fallback, if any. Old clicks can still convert."""

    NAME: ClassVar[str] = "partner.deactivated"


class PartnerRemoved(DomainEvent):
    """The program was removed from every list, permanently. Its earnings remain; its slug is not reused."""

    NAME: ClassVar[str] = "partner.removed"
    owner_erased: bool = Field(default=False, description="With its owner's account: its texts are erased as well")


class PartnerTransferred(DomainEvent):
    """A private partner moved to another account, with the sold website whose links lead to it."""

    NAME: ClassVar[str] = "partner.transferred"
    account_id: UUID = Field(description="Whose private partner it is from now on")


class PartnerRequested(DomainEvent):
    """A member requested that the directory gets a program."""

    NAME: ClassVar[str] = "partner_request.made"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID
    name: Personal[str] = Field(max_length=100)
    website: Personal[str] = Field(description="Address of the program")
    note: Personal[str] = Field(default="", max_length=1_000, description="For the admins")
    partner_id: UUID | None = Field(default=None, description="The private partner that is proposed")


class PartnerRequestAccepted(DomainEvent):
    """An admin added the requested program to the directory."""

    NAME: ClassVar[str] = "partner_request.accepted"
    partner_id: UUID = Field(description="Of the directory")


class PartnerRequestDeclined(DomainEvent):
    """An admin declined the request."""

    NAME: ClassVar[str] = "partner_request.declined"
    reason: str = Field(max_length=500, description="For the member")


class PartnerRequestWithdrawn(DomainEvent):
    """The member withdrew the request, or their account was erased while it was open."""

    NAME: ClassVar[str] = "partner_request.withdrawn"


class SlugClaimed(DomainEvent):
    """A slug belongs to one partner, link or site. The aggregate's id derives from kind and slug: it is unique."""

    NAME: ClassVar[str] = "slug.claimed"
    kind: str = Field(pattern="^(partner|link|site)$")
    slug: str
    owner_id: UUID


class SlugReleased(DomainEvent):
    """The slug may be reserved again."""

    NAME: ClassVar[str] = "slug.released"
