"""`read.partners`: the affiliate programs. `terms`: those that were last given to hold at once; what holds at a moment
stands in `read.partner_terms`. `account_id`: whose private partner it is; none: it is in the directory."""

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


PARTNERS.puts(
    partners.PartnerRegistered,
    (
        *("name", "slug", "base_url", "description", "cookie_days", "postback_preset", "is_active"),
        *("click_id_parameter", "account_id"),
    ),
    lambda event: {
        "terms": event.terms.model_dump(mode="json"),
        "created_at": event.timestamp,
        "updated_at": event.timestamp,
    },
)


@PARTNERS.on(partners.PartnerUpdated)
def updated(rows: Rows, event: partners.PartnerUpdated) -> None:
    fields = {"name", "base_url", "description", "cookie_days", "postback_preset"}
    given = event.model_dump(mode="json", include=fields, exclude_none=True)
    if event.click_id_parameter is not None:
        given["click_id_parameter"] = event.click_id_parameter or None
    rows.update({"id": event.originator_id}, **given, updated_at=event.timestamp)


@PARTNERS.on(partners.CommissionChanged)
def commission_changed(rows: Rows, event: partners.CommissionChanged) -> None:
    """Announced terms are not those of now: `read.partner_terms` knows them, and when they begin."""
    if event.effective_from is None:
        rows.update({"id": event.originator_id}, terms=event.terms.model_dump(mode="json"))
    rows.update({"id": event.originator_id}, updated_at=event.timestamp)


PARTNERS.sets(partners.PartnerTransferred, lambda event: {"account_id": event.account_id})
PARTNERS.sets(partners.PartnerActivated, lambda event: {"updated_at": event.timestamp}, is_active=True)
PARTNERS.sets(partners.PartnerDeactivated, lambda event: {"updated_at": event.timestamp}, is_active=False)


@PARTNERS.on(partners.PartnerRemoved)
def removed(rows: Rows, event: partners.PartnerRemoved) -> None:
    """With its owner's account the owner's texts go; the slug becomes one that cannot be chosen."""
    one = {"id": event.originator_id}
    rows.update(one, is_active=False, updated_at=event.timestamp, removed_at=event.timestamp)
    if event.owner_erased:
        rows.update(one, name=ERASED, base_url=ERASED, description="")
        rows.name_after(one, "slug", "id", f"{ERASED} ")
