"""`read.programs` as programs that may be recommended: the one statement that both services read them with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from infra.domain.program_matching.scoring import Listed
from schemas.base import Money
from schemas.events.matching import Program

MAX_ACTIVE: Final = 5_000
ACTIVE: Final = (
    f"SELECT *, review_on <= (now() AT TIME ZONE 'UTC')::date AS is_due FROM read.programs"  # noqa: S608 - own number
    f" WHERE NOT retired ORDER BY company_name, id LIMIT {MAX_ACTIVE}"
)

_FACTS: Final = tuple(name for name in Program.model_fields if name != "commission_amount")


def listed_of(row: Mapping[str, Any]) -> Listed:
    """The program of a row."""
    return Listed(row["id"], program_of(row), row["checked_on"], row["is_due"])


def program_of(row: Mapping[str, Any]) -> Program:
    """The facts of a row."""
    amount = row["commission_amount"]
    facts = {name: row[name] for name in _FACTS}
    return Program.model_construct(**facts, commission_amount=Money(**amount) if amount is not None else None)
