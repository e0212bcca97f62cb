"""`read.programs` as values, and `GET /api/admin/programs`: the directory as admins maintain it."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Final, Literal, NamedTuple
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from infra.domain.program_matching.directory import ACTIVE, listed_of
from infra.domain.program_matching.scoring import Listed
from infra.domain.program_matching.taxonomy import label_of, taxonomy
from query_api.kernel.dependencies import READS_OWN_WRITES, AdminScope
from query_api.kernel.pagination import Page50
from query_api.kernel.postgres_reader import PostgresReader
from schemas.events.matching import Approval, CommissionType, Origin, Payment
from schemas.http.money import Amount
from schemas.http.responses import ResponseModel

router = APIRouter(prefix="/api/admin", tags=["matching"])

_PROGRAMS: Final = """
SELECT * FROM read.programs
WHERE (%(state)s::text IS NULL OR retired = (%(state)s = 'retired'))
  AND (%(due)s::boolean IS NOT TRUE OR (review_on <= (now() AT TIME ZONE 'UTC')::date AND NOT retired))
  AND (%(category)s::text IS NULL OR category = %(category)s)
  AND (%(search)s::text IS NULL OR strpos(lower(company_name), lower(%(search)s)) > 0)
  AND (%(name)s::text IS NULL OR (company_name, id) > (%(name)s, %(id)s))
ORDER BY company_name, id LIMIT %(limit)s"""


class ProgramEntry(ResponseModel):
    """A program with everything that an admin may change."""

    id: UUID
    company_name: str
    category: str = Field(description="Key of the taxonomy")
    category_name: str
    audience: str
    description: str
    url: str
    commission_type: CommissionType
    commission_rate: float = Field(description="Percent of the sale; 0 for a flat sum")
    commission_amount: Amount | None
    recurring: bool
    cookie_days: int
    approval: Approval
    payment: Payment
    source: str
    partner_id: UUID | None
    origin: Origin
    recorded_on: date
    checked_on: date | None = Field(description="Null: these terms are not yet compared with the program's page")
    review_on: date
    retired: bool
    updated_at: datetime


class Dates(NamedTuple):
    """The days when a program's facts were written down, and are to be compared with its page again."""

    recorded_on: date
    review_on: date


class ProgramCategory(ResponseModel):
    """A category of the taxonomy. Commands name it by `key`."""

    key: str
    name: str


@router.get("/programs", dependencies=[READS_OWN_WRITES])
def get_admin_programs(
    admin: AdminScope,
    page: Page50,
    state: Literal["active", "retired"] | None = None,
    due: Annotated[bool, Query(description="Only those whose review is due")] = False,
    category: Annotated[str | None, Query(max_length=40)] = None,
    search: Annotated[str | None, Query(max_length=100)] = None,
) -> list[ProgramEntry]:
    """By name."""
    name, last = page.after(str, UUID)
    chosen = {"state": state, "due": due, "category": category, "search": search or None}
    rows = admin.reader.rows(_PROGRAMS, {**chosen, "name": name, "id": last, "limit": page.limit + 1})
    return [
        ProgramEntry.of_row(row, category_name=label_of(row["category"]), commission_rate=row["commission_bp"] / 100)
        for row in page.take(rows, "company_name", "id")
    ]


@router.get("/program-categories")
def get_program_categories(_admin: AdminScope) -> list[ProgramCategory]:
    """The industries of the taxonomy, which are the categories of the directory."""
    return [ProgramCategory(key=key, name=industry.label) for key, industry in taxonomy().items()]


def active_programs(reader: PostgresReader) -> list[tuple[Listed, Dates]]:
    """Returns the programs that may be recommended, by name."""
    return [(listed_of(row), Dates(row["recorded_on"], row["review_on"])) for row in reader.rows(ACTIVE)]
