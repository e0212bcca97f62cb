"""`GET /api/admin/partners` and one partner's terms over time: partners with everything an admin may change."""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from query_api.kernel.authorization import require_existing
from query_api.kernel.dependencies import READS_OWN_WRITES, AdminScope
from query_api.partners.routes import HELD, passed_parameter
from schemas.http.partners import PaidTerms, Partner, paid_terms

router = APIRouter(tags=["admin"])


class AdminPartner(Partner):
    """An affiliate program, with whose it is and what there is of it."""

    links: int = Field(description="Tracked links that were ever made to it")
    conversions: int = Field(description="Leads and sales that were ever attributed to it")
    owner_id: UUID | None = Field(description="Whose private partner it is; null: it is in the directory")
    owner_name: str | None
    updated_at: datetime


class TermsSince(PaidTerms):
    """What a partner pays for clicks from a moment on."""

    effective_at: datetime
    state: Literal["announced", "in_force", "past"]


_PARTNERS: Final = (
    f"SELECT p.*, {HELD} AS held, p.click_id_parameter AS own_parameter, p.account_id AS owner_id,"  # noqa: S608 - own text
    " a.name AS owner_name, coalesce(l.links, 0) AS links, coalesce(c.conversions, 0) AS conversions"
    f" FROM read.partners AS p LEFT JOIN read.accounts AS a ON a.id = p.account_id"
    " LEFT JOIN (SELECT partner_id, count(*) AS links FROM read.links GROUP BY partner_id) AS l ON l.partner_id = p.id"
    " LEFT JOIN (SELECT partner_id, count(*) AS conversions FROM read.conversions GROUP BY partner_id) AS c"
    " ON c.partner_id = p.id WHERE p.removed_at IS NULL ORDER BY p.created_at DESC, p.id DESC"
)
_TERMS: Final = (
    "SELECT t.effective_at, t.terms, CASE WHEN t.effective_at > now() THEN 'announced'"
    " WHEN row_number() OVER (PARTITION BY t.effective_at > now() ORDER BY t.effective_at DESC) = 1 THEN 'in_force'"
    " ELSE 'past' END AS state FROM read.partner_terms AS t JOIN read.partners AS p ON p.id = t.partner_id"
    " WHERE p.id = %s AND p.removed_at IS NULL ORDER BY t.effective_at DESC"
)


@router.get(
    "/api/admin/partners",
    dependencies=[READS_OWN_WRITES],
)
def get_admin_partners(admin: AdminScope) -> list[AdminPartner]:
    """Newest first; those of the directory, and those that members added for themselves."""
    return [
        AdminPartner.of_row(
            row,
            **paid_terms(row["held"]),
            click_id_parameter=passed_parameter(row),
            own_click_id_parameter=row["own_parameter"],
            is_private=row["owner_id"] is not None,
        )
        for row in admin.reader.rows(_PARTNERS)
    ]


@router.get("/api/admin/partners/{id}/terms", dependencies=[READS_OWN_WRITES])
def get_admin_partner_terms(id: UUID, admin: AdminScope) -> list[TermsSince]:
    """Past, current and announced terms of the partner, newest first. A click keeps the terms of its own time."""
    rows = require_existing(admin.reader.rows(_TERMS, (id,)), "partner")
    return [TermsSince.of_row(row, **paid_terms(row["terms"])) for row in rows]
