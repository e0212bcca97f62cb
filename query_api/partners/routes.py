"""`GET /api/platform/partners`: the affiliate programs of the directory, and the account's private ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from fastapi import APIRouter, Depends
from pydantic import Field

from query_api.kernel.dependencies import CallerScope, Reads
from query_api.kernel.money import Amount
from schemas.http.partners import TermsShape, terms_shape
from schemas.http.responses import ResponseModel
from schemas.networks import click_id_parameter

router = APIRouter(tags=["partners"])

HELD: Final = (
    "coalesce((SELECT t.terms FROM read.partner_terms AS t WHERE t.partner_id = p.id AND t.effective_at <= now()"
    " ORDER BY t.effective_at DESC LIMIT 1), p.terms)"
)
"""The terms of this moment, of partner `p`."""
OWN_PARAMETER: Final = "to_jsonb(p) ->> 'click_id_parameter'"
"""The click id parameter that partner `p` has instead of its network's. By name out of the row: while a new version is
built, the live table may be one without the column."""
OWNER: Final = "(to_jsonb(p) ->> 'account_id')::uuid"
"""Whose private partner `p` is; null: of the directory. Likewise."""
_PARTNERS: Final = (
    f"SELECT p.id, p.name, p.slug, p.base_url, {HELD} AS held, p.description, p.cookie_days, p.postback_preset,"  # noqa: S608 - own text
    f" p.is_active, {OWN_PARAMETER} AS own_parameter, {OWNER} IS NOT NULL AS is_private FROM read.partners AS p"
    " WHERE p.removed_at IS NULL ORDER BY p.name, p.id"
)


class Partner(ResponseModel):
    """An affiliate program."""

    id: UUID
    name: str
    slug: str
    base_url: str
    commission: float | None = Field(description="Percent of the sale; null when a flat sum is paid")
    flat_commission: Amount | None = Field(description="Paid for each conversion, when it is not a share")
    terms: TermsShape
    description: str
    cookie_days: int
    postback_preset: str | None = Field(description="Whose names its network uses in a postback; null: our own")
    click_id_parameter: str | None = Field(description="In which its links pass the click id; null: they cannot")
    own_click_id_parameter: str | None = Field(description="Its own parameter; null: its network's")
    is_active: bool
    is_private: bool = Field(description="Only its owner sees and uses it")


@router.get("/api/platform/partners", dependencies=[Depends(Reads("partners", "partner_terms"))])
def get_partners(scope: CallerScope) -> list[Partner]:
    """By name."""
    rows = scope.reader.rows(_PARTNERS)
    return [
        Partner.of_row(
            row,
            commission=percent(row["held"]),
            flat_commission=flat(row["held"]),
            terms=terms_shape(row["held"]),
            own_click_id_parameter=row["own_parameter"],
            click_id_parameter=passed_parameter(row),
        )
        for row in rows
    ]


def passed_parameter(row: Mapping[str, Any]) -> str | None:
    """The parameter in which links of the partner pass the click id, or none."""
    return click_id_parameter(row["own_parameter"], row["postback_preset"]) or None


def percent(terms: Mapping[str, Any]) -> float | None:
    """Terms as stored (basis points) in percent, for a share of the sale."""
    return terms["rate_bp"] / 100 if terms["kind"] == "percent" else None


def flat(terms: Mapping[str, Any]) -> Amount | None:
    """Terms as stored, as a sum of money, for a flat commission."""
    if terms["kind"] != "flat":
        return None
    return Amount(amount=terms["flat_amount"], currency=terms["flat_currency"])
