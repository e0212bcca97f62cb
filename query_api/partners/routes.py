"""`GET /api/platform/partners`: the affiliate programs of the directory, and the account's private ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from fastapi import APIRouter

from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope
from schemas.http.partners import Partner, paid_terms
from schemas.networks import click_id_parameter

router = APIRouter(tags=["partners"])

HELD: Final = (
    "coalesce((SELECT t.terms FROM read.partner_terms AS t WHERE t.partner_id = p.id AND t.effective_at <= now()"
    " ORDER BY t.effective_at DESC LIMIT 1), p.terms)"
)
"""The terms of this moment, of partner `p`."""
_PARTNERS: Final = (
    f"SELECT p.*, {HELD} AS held, p.click_id_parameter AS own_parameter, p.account_id IS NOT NULL AS is_private"  # noqa: S608 - own text
    " FROM read.partners AS p WHERE p.removed_at IS NULL ORDER BY p.name, p.id"
)


@router.get("/api/platform/partners", dependencies=[READS_OWN_WRITES])
def get_partners(scope: CallerScope) -> list[Partner]:
    """By name."""
    rows = scope.reader.rows(_PARTNERS)
    return [
        Partner.of_row(
            row,
            **paid_terms(row["held"]),
            own_click_id_parameter=row["own_parameter"],
            click_id_parameter=passed_parameter(row),
        )
        for row in rows
    ]


def passed_parameter(row: Mapping[str, Any]) -> str | None:
    """The parameter in which links of the partner pass the click id, or none."""
    return click_id_parameter(row["own_parameter"], row["postback_preset"]) or None
