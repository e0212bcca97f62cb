"""`read.partners`: the affiliate programs. `terms`: those that were last set to apply at once; the terms of a moment
are in `read.partner_terms`. `account_id`: whose private partner it is; none: it is in the directory."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import unowned_or_own
from schemas.base import ERASED
from schemas.events import partners

PARTNERS: Final = ReadModel(
    name="partners",
    version=4,
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
        "click_id_parameter text",
        "account_id uuid",
    ),
    key=("id",),
    readers=unowned_or_own("account_id"),
    indexes=("slug", "created_at", "account_id"),
)


PARTNERS.begins(partners.PartnerRegistered, at=("created_at", "updated_at"))
PARTNERS.follows(
    partners.PartnerUpdated,
    lambda event: {"click_id_parameter": None} if event.click_id_parameter == "" else {},
    at="updated_at",
    keeps=True,
)


@PARTNERS.on(partners.CommissionChanged)
def commission_changed(rows: Rows, event: partners.CommissionChanged) -> None:
    """Announced terms are not those of now: `read.partner_terms` knows them, and when they begin."""
    if event.effective_from is None:
        rows.update({"id": event.originator_id}, terms=event.terms.model_dump(mode="json"))
    rows.update({"id": event.originator_id}, updated_at=event.timestamp)


PARTNERS.follows(partners.PartnerTransferred)
PARTNERS.follows(partners.PartnerActivated, at="updated_at", is_active=True)
PARTNERS.follows(partners.PartnerDeactivated, at="updated_at", is_active=False)


@PARTNERS.on(partners.PartnerRemoved)
def removed(rows: Rows, event: partners.PartnerRemoved) -> None:
    """Removes the owner's texts with the owner's account; the slug becomes one that cannot be chosen."""
    one = {"id": event.originator_id}
    rows.update(one, is_active=False, updated_at=event.timestamp, removed_at=event.timestamp)
    if event.owner_erased:
        rows.update(one, name=ERASED, base_url=ERASED, description="")
        rows.name_after(one, "slug", "id", f"{ERASED} ")
