"""`/api/admin/partners`: add and change affiliate programs. Admins only."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Response
from pydantic import BeforeValidator, Field

from command_api import slugs
from command_api.commands import Decided
from command_api.http import Admin, Answer, Body, Id, Runs
from command_api.partners import model
from schemas.identity import slug_id
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/admin/partners", tags=["partners"])
SEEN_BY = ("partners",)
"""The edge reads these: what is answered works there."""


def _flag(value: Any) -> Any:
    return bool(value) if type(value) is int and value in (0, 1) else value


Flag = Annotated[bool, BeforeValidator(_flag, json_schema_input_type=bool | int)]
Text = Annotated[str, Field(max_length=2048)]


class AddPartner(Body):
    name: Text
    base_url: Text
    commission: float
    slug: Text | None = None
    description: Annotated[str, Field(max_length=4000)] = ""
    is_active: Flag = True
    cookie_days: int = 30
    postback_preset: Text | None = None


class UpdatePartner(Body):
    name: Text | None = None
    base_url: Text | None = None
    commission: float | None = None
    slug: Text | None = None
    description: Annotated[str, Field(max_length=4000)] | None = None
    is_active: Flag | None = None
    cookie_days: int | None = None
    postback_preset: Text | None = None


class Partner(Answer):
    id: UUID
    name: str
    slug: str
    base_url: str
    commission: float
    description: str
    is_active: bool
    cookie_days: int
    postback_preset: str | None
    created_at: datetime


@router.post("", status_code=201, response_model=Partner)
def add_partner(body: AddPartner, _: Admin, run: Runs) -> Response:
    """Adds a program. Without a slug it gets the one that its name gives."""
    partner_id = uuid7()
    given = body.model_dump()
    given["slug"] = body.slug if body.slug is not None else model.slug_of(body.name)

    def decide() -> Decided[Partner]:
        claim = run.core.store.load(slug_id("partner", given["slug"]), slugs.evolve)
        events = model.register(partner_id, claim, **given, asked=run.asked)
        return Decided(events, _shown(model.evolve(None, events[0])))

    return run(decide, body, status=201, seen_by=SEEN_BY)


@router.patch("/{id}", response_model=Partner)
def update_partner(partner_id: Id, body: UpdatePartner, _: Admin, run: Runs) -> Response:
    """Changes what is given. A new commission holds for clicks from now on."""

    def decide() -> Decided[Partner]:
        partner = run.core.store.load(partner_id, model.evolve)
        events = model.update(partner, **body.model_dump(), asked=run.asked)
        return Decided(events, _shown(model.after(partner, events)))

    return run(decide, body, seen_by=SEEN_BY)


def _shown(partner: model.Partner) -> Partner:
    return Partner(
        id=partner.id,
        name=partner.name,
        slug=partner.slug,
        base_url=partner.base_url,
        commission=model.percent(partner.terms),
        description=partner.description,
        is_active=partner.is_active,
        cookie_days=partner.cookie_days,
        postback_preset=partner.postback_preset,
        created_at=partner.created_at,
    )
