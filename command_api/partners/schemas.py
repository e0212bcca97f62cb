"""Request and response models of partners."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import BeforeValidator, Field

from command_api.kernel.decision import invalid
from command_api.kernel.http import Moment, RequestModel
from command_api.partners import model
from schemas.events.partners import Terms, TermsKind, Tier, TiersBy
from schemas.http.partners import Partner, paid_terms
from schemas.http.responses import ResponseModel


def _flag(value: Any) -> Any:
    return bool(value) if type(value) is int and value in (0, 1) else value


Flag = Annotated[bool, BeforeValidator(_flag, json_schema_input_type=bool | int)]
Text = Annotated[str, Field(max_length=2048)]


class TierInput(RequestModel):
    """What is paid once the month (UTC) has brought this much; see `Terms`."""

    at_least: Annotated[int, Field(ge=1, le=2**53, description="Conversions, or minor units of commission")]
    percent: Annotated[float | None, Field(description="Steps of 0.01, for `percent`")] = None
    amount: Annotated[int | None, Field(ge=0, description="Minor units, for `flat` and `per_lead`")] = None


class TermsInput(RequestModel):
    """What the program pays: a percentage of each sale, a flat sum for each conversion, or one for each lead.

    A conversion is paid by the terms of its click's time. With tiers, `percent` or `amount` holds until the first is
    reached: the website's pending and approved conversions with the partner in the month of the sale (UTC), or the
    commission on them, as decided before it.
    """

    kind: Annotated[TermsKind, Field(strict=False)] = TermsKind.PERCENT
    percent: Annotated[float | None, Field(description="Steps of 0.01, for `percent`")] = None
    amount: Annotated[int | None, Field(ge=0, description="Minor units, for `flat` and `per_lead`")] = None
    currency: Annotated[str | None, Field(max_length=3, pattern="^[A-Z]{3}$", description="Of `amount`")] = None
    tiers_by: Annotated[TiersBy, Field(strict=False)] = TiersBy.CONVERSIONS
    tiers_currency: Annotated[str | None, Field(max_length=3, pattern="^[A-Z]{3}$")] = None
    tiers: Annotated[list[TierInput], Field(max_length=10)] = []  # noqa: RUF012 - pydantic copies it
    hold_days: Annotated[int, Field(ge=0, le=365, description="Days after the sale before it is payable")] = 0
    auto_approve_days: Annotated[int | None, Field(ge=0, le=365, description="null: never automatically")] = None

    def terms(self) -> Terms:
        """Raises `CommandRejected` for percentages that are none."""
        is_percent = self.kind is TermsKind.PERCENT
        if (is_percent and self.percent is None) or (not is_percent and self.amount is None):
            raise invalid("bad_terms", "Enter a commission.", "terms")
        return Terms(
            kind=self.kind,
            rate_bp=_basis_points(self.percent),
            flat_amount=self.amount or 0,
            flat_currency=self.currency,
            tiers_by=self.tiers_by,
            tiers_currency=self.tiers_currency,
            tiers=tuple(
                Tier(at_least=tier.at_least, rate_bp=_basis_points(tier.percent), flat_amount=tier.amount or 0)
                for tier in self.tiers
            ),
            hold_days=self.hold_days,
            auto_approve_days=self.auto_approve_days,
        )


def _basis_points(percent: float | None) -> int:
    return model.percent_terms(percent).rate_bp if percent is not None else 0


class AddPrivatePartner(RequestModel):
    """A new private partner, with either `commission` or `terms`. Its slug is made of its name."""

    name: Text
    base_url: Annotated[Text, Field(description="Address of its site; https where no scheme is")]
    commission: Annotated[float | None, Field(description="Percent of the sale; or give `terms`")] = None
    terms: TermsInput | None = None
    description: Annotated[str, Field(max_length=4000)] = ""
    is_active: Flag = True
    cookie_days: int = 30
    postback_preset: Annotated[Text | None, Field(description="Slug of its network, of docs/networks.md")] = None
    click_id_parameter: Annotated[
        Text | None, Field(description="Parameter of its links that takes the click id; empty: its network's")
    ] = None


class AddPartner(AddPrivatePartner):
    """A new partner of the directory. Without a slug, one is derived from its name."""

    slug: Text | None = None


class UpdatePartner(RequestModel):
    """Fields to change; a field that is left out stays as it is."""

    name: Text | None = None
    base_url: Text | None = None
    commission: Annotated[float | None, Field(description="Percent of the sale; or give `terms`")] = None
    terms: TermsInput | None = None
    slug: Text | None = None
    description: Annotated[str, Field(max_length=4000)] | None = None
    is_active: Flag | None = None
    cookie_days: int | None = None
    postback_preset: Annotated[Text | None, Field(description="Slug of its network, of docs/networks.md")] = None
    click_id_parameter: Annotated[
        Text | None, Field(description="Parameter of its links that takes the click id; empty: its network's")
    ] = None
    effective_from: Annotated[
        Moment | None, Field(description="When the new terms begin, for clicks from then on; default: now")
    ] = None


class RequestPartner(RequestModel):
    """The program to add to the directory."""

    name: Text
    website: Annotated[Text, Field(description="Address of the program; https where no scheme is")]
    note: Annotated[Text, Field(description="For the admins: its network, for example")] = ""
    partner_id: Annotated[
        UUID | None, Field(strict=False, description="The private partner that is proposed for the directory")
    ] = None


class DeclineRequest(RequestModel):
    """Why a request is declined, for the member."""

    reason: Annotated[str, Field(max_length=2048)]


class MadeRequest(ResponseModel):
    """The request that was made, or the partner that the directory has already."""

    id: UUID | None = Field(description="Of the request; null: none was needed")
    partner_id: UUID | None = Field(description="The partner of the directory with this website; null: there is none")
    partner_name: str | None


def to_response(partner: model.Partner, at: datetime) -> Partner:
    return Partner.of(
        partner,
        **paid_terms(partner.terms_at(at).terms),
        click_id_parameter=partner.passed_parameter or None,
        own_click_id_parameter=partner.click_id_parameter,
        is_private=partner.account_id is not None,
    )
