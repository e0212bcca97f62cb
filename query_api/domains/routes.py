"""`GET /api/platform/custom-domains`: the account's custom domains, their proofs, and the state of their checks."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from fastapi import APIRouter

from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope
from schemas.custom_domains import record_name
from schemas.http.domains import CustomDomain, State

router = APIRouter(tags=["domains"])

_DOMAINS: Final = (
    "SELECT d.*, d.token AS verification_token, c.checked_at AS last_checked_at, c.problem"
    " FROM read.custom_domains AS d LEFT JOIN domains.dns_check AS c ON c.domain_id = d.id"
    " WHERE d.account_id = %s AND d.removed_at IS NULL ORDER BY d.added_at DESC, d.id"
)


@router.get("/api/platform/custom-domains", dependencies=[READS_OWN_WRITES])
def get_custom_domains(scope: CallerScope) -> list[CustomDomain]:
    """Newest first."""
    return [_to_response(row) for row in scope.reader.rows(_DOMAINS, (scope.principal.account_id,))]


def _to_response(row: dict[str, Any]) -> CustomDomain:
    is_verified = row["is_verified"]
    return CustomDomain.of_row(
        row,
        verification_name=record_name(row["domain"]),
        state=state_of(row),
        verified_at=row["verified_at"] if is_verified else None,
        expires_at=None if is_verified else row["expires_at"],
    )


def state_of(row: Mapping[str, Any]) -> State:
    """Returns the state of the search for the domain's record."""
    if row["is_verified"]:
        return "verified"
    if row["expires_at"] <= datetime.now(UTC):
        return "expired"
    return "pending" if row["lost_at"] is None else "lost"
