"""`/api/admin/partners`: add and change affiliate programs. Admins only."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Response
from pydantic import BeforeValidator, Field

from command_api import slugs
from command_api.commands import Decided
from command_api.decision import invalid
from command_api.http import Admin, Answer, Body, Id, Moment, Nothing, Runs
from command_api.partners import model
from schemas.events.partners import Terms, TermsKind, Tier, TiersBy
from schemas.identity import slug_id
from schemas.terms import TermsShape, terms_shape
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/admin/partners", tags=["partners"])
SEEN_BY = ("partners",)
"""The edge reads these: what is answered works there."""


def _flag(value: Any) -> Any:
    return bool(value) if type(value) is int and value in (0, 1) else value


Flag = Annotated[bool, BeforeValidator(_flag, json_schema_input_type=bool | int)]
Text = Annotated[str, Field(max_length=2048)]


class TierGiven(Body):
    """What is paid once the month (UTC) has brought this much; see `Terms`."""

    at_least: Annotated[int, Field(ge=1, le=2**53, description="Conversions, or minor units of commission")]
    percent: Annotated[float | None, Field(description="Steps of 0.01, for `percent`")] = None
    amount: Annotated[int | None, Field(ge=0, description="Minor units, for `flat` and `per_lead`")] = None


class TermsGiven(Body):
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
    tiers: Annotated[list[TierGiven], Field(max_length=10)] = []  # noqa: RUF012 - pydantic copies it
    hold_days: Annotated[int, Field(ge=0, le=365, description="Days after the sale before it is payable")] = 0
    auto_approve_days: Annotated[int | None, Field(ge=0, le=365, description="null: never by itself")] = None

    def terms(self) -> Terms:
        """Raises `Refused` for percentages that are none."""
        is_percent = self.kind is TermsKind.PERCENT
        if (is_percent and self.percent is None) or (not is_percent and self.amount is None):
            raise invalid("bad_terms", "Please say what is paid.", "terms")
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


class AddPartner(Body):
    name: Text
    base_url: Text
    commission: Annotated[float | None, Field(description="Percent of the sale; or give `terms`")] = None
    terms: TermsGiven | None = None
    slug: Text | None = None
    description: Annotated[str, Field(max_length=4000)] = ""
    is_active: Flag = True
    cookie_days: int = 30
    postback_preset: Text | None = None


class UpdatePartner(Body):
    name: Text | None = None
    base_url: Text | None = None
    commission: Annotated[float | None, Field(description="Percent of the sale; or give `terms`")] = None
    terms: TermsGiven | None = None
    slug: Text | None = None
    description: Annotated[str, Field(max_length=4000)] | None = None
    is_active: Flag | None = None
    cookie_days: int | None = None
    postback_preset: Text | None = None
    effective_from: Annotated[
        Moment | None, Field(description="When the new terms begin, for clicks from then on; left out: now")
    ] = None


class Partner(Answer):
    id: UUID
    name: str
    slug: str
    base_url: str
    commission: float | None
    terms: TermsShape = Field(description="Those of now; announced ones are in `/terms`")
    description: str
    is_active: bool
    cookie_days: int
    postback_preset: str | None
    created_at: datetime


@router.post("", status_code=201, response_model=Partner)
def add_partner(body: AddPartner, _: Admin, run: Runs) -> Response:
    """Adds a program. Without a slug it gets the one that its name gives."""
    partner_id = uuid7()
    given = body.model_dump(exclude={"terms"})
    given["slug"] = body.slug if body.slug is not None else model.slug_of(body.name)

    def decide() -> Decided[Partner]:
        claim = run.core.store.load(slug_id("partner", given["slug"]), slugs.evolve)
        terms = body.terms.terms() if body.terms is not None else None
        events = model.register(partner_id, claim, **given, terms=terms, asked=run.asked)
        return Decided(events, _shown(model.evolve(None, events[0]), run.asked.at))

    return run(decide, body, status=201, seen_by=SEEN_BY)


@router.patch("/{id}", response_model=Partner)
def update_partner(partner_id: Id, body: UpdatePartner, _: Admin, run: Runs) -> Response:
    """Changes what is given. New terms hold for clicks from now on, or from `effectiveFrom` on; what was announced for
    the same moment before is replaced, what was announced for others stays."""

    def decide() -> Decided[Partner]:
        partner = run.core.store.load(partner_id, model.evolve)
        terms = body.terms.terms() if body.terms is not None else None
        events = model.update(partner, **body.model_dump(exclude={"terms"}), terms=terms, asked=run.asked)
        return Decided(events, _shown(model.after(partner, events), run.asked.at))

    return run(decide, body, seen_by=SEEN_BY)


@router.delete("/{id}", status_code=204)
def remove_partner(partner_id: Id, _: Admin, run: Runs) -> Response:
    """Takes a program off every list, for good. Its links stop; what it earned stays, and old clicks still count."""

    def decide() -> Decided[Nothing]:
        partner = run.core.store.load(partner_id, model.evolve)
        return Decided(model.remove(partner, run.asked), Nothing())

    return run(decide, status=204, seen_by=SEEN_BY)


def _shown(partner: model.Partner, at: datetime) -> Partner:
    terms = partner.held_at(at).terms
    return Partner(
        id=partner.id,
        name=partner.name,
        slug=partner.slug,
        base_url=partner.base_url,
        commission=model.percent(terms),
        terms=terms_shape(terms),
        description=partner.description,
        is_active=partner.is_active,
        cookie_days=partner.cookie_days,
        postback_preset=partner.postback_preset,
        created_at=partner.created_at,
    )
