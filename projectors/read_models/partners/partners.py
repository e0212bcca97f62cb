"""`read.partners`: the affiliate programs. `terms`: those that were last given to hold at once; what holds at a moment
stands in `read.partner_terms`."""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel, Rows
from projectors.postgres.readers import EVERYBODY
from schemas.events.partners import (
    CommissionChanged,
    PartnerActivated,
    PartnerDeactivated,
    PartnerRegistered,
    PartnerRemoved,
    PartnerUpdated,
)

PARTNERS: Final = ReadModel(
    name="partners",
    version=2,
    columns=(
        "id uuid",
        "name text not null",
        "slug text not null",
        "base_url text not null",
        "description text not null",
        "terms jsonb not null",
        "cookie_days int not null",
        "postback_preset text",
        "is_active boolean not null",
        "created_at timestamptz not null",
        "updated_at timestamptz not null",
        "removed_at timestamptz",
    ),
    key=("id",),
    readers=EVERYBODY,
    indexes=("slug", "created_at"),
)


@PARTNERS.on(PartnerRegistered)
def registered(rows: Rows, event: PartnerRegistered) -> None:
    rows.put(
        id=event.originator_id,
        name=event.name,
        slug=event.slug,
        base_url=event.base_url,
        description=event.description,
        terms=event.terms.model_dump(mode="json"),
        cookie_days=event.cookie_days,
        postback_preset=event.postback_preset,
        is_active=event.is_active,
        created_at=event.timestamp,
        updated_at=event.timestamp,
    )


@PARTNERS.on(PartnerUpdated)
def updated(rows: Rows, event: PartnerUpdated) -> None:
    fields = {"name", "base_url", "description", "cookie_days", "postback_preset"}
    given = event.model_dump(mode="json", include=fields, exclude_none=True)
    rows.update({"id": event.originator_id}, **given, updated_at=event.timestamp)


@PARTNERS.on(CommissionChanged)
def commission_changed(rows: Rows, event: CommissionChanged) -> None:
    """Announced terms are not those of now: `read.partner_terms` knows them, and when they begin."""
    if event.effective_from is None:
        rows.update({"id": event.originator_id}, terms=event.terms.model_dump(mode="json"))
    rows.update({"id": event.originator_id}, updated_at=event.timestamp)


@PARTNERS.on(PartnerActivated)
def activated(rows: Rows, event: PartnerActivated) -> None:
    rows.update({"id": event.originator_id}, is_active=True, updated_at=event.timestamp)


@PARTNERS.on(PartnerDeactivated)
def deactivated(rows: Rows, event: PartnerDeactivated) -> None:
    rows.update({"id": event.originator_id}, is_active=False, updated_at=event.timestamp)


@PARTNERS.on(PartnerRemoved)
def removed(rows: Rows, event: PartnerRemoved) -> None:
    rows.update({"id": event.originator_id}, is_active=False, updated_at=event.timestamp, removed_at=event.timestamp)
