"""`read.programs` as values, and `GET /api/admin/programs`: the directory as admins maintain it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Any, Final, Literal, NamedTuple
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, Field

from infra.matching.directory import ACTIVE, listed_of, program_of
from infra.matching.scoring import Listed
from infra.matching.taxonomy import label_of, taxonomy
from query_api import paging
from query_api.context import AsAdmin, Reads
from query_api.money import Amount
from query_api.paging import Cursor, Limit
from query_api.reader import Reader
from schemas.events.matching import Approval, CommissionType, Origin, Payment

router = APIRouter(prefix="/api/admin", tags=["matching"])

_PROGRAMS: Final = """
SELECT * FROM read.programs
WHERE (%(state)s::text IS NULL OR retired = (%(state)s = 'retired'))
  AND (%(due)s::boolean IS NOT TRUE OR (review_on <= (now() AT TIME ZONE 'UTC')::date AND NOT retired))
  AND (%(category)s::text IS NULL OR category = %(category)s)
  AND (%(search)s::text IS NULL OR strpos(lower(company_name), lower(%(search)s)) > 0)
  AND (%(name)s::text IS NULL OR (company_name, id) > (%(name)s, %(id)s))
ORDER BY company_name, id LIMIT %(limit)s"""


class ProgramEntry(BaseModel):
    """A program with everything that an admin may change."""

    id: UUID
    companyName: str
    category: str = Field(description="Key of the taxonomy")
    categoryName: str
    audience: str
    description: str
    url: str
    commissionType: CommissionType
    commissionRate: float = Field(description="Percent of the sale; 0 for a flat sum")
    commissionAmount: Amount | None
    recurring: bool
    cookieDays: int
    approval: Approval
    payment: Payment
    source: str
    partnerId: UUID | None
    origin: Origin
    recordedOn: date
    checkedOn: date | None = Field(description="Null: nobody has compared these facts with the program's page yet")
    reviewOn: date
    retired: bool
    updatedAt: datetime


class Dates(NamedTuple):
    """When a program's facts were written down, and are to be compared with its page again."""

    recorded_on: date
    review_on: date


class ProgramCategory(BaseModel):
    key: str
    name: str


@router.get("/programs", dependencies=[Depends(Reads("programs"))])
def get_admin_programs(
    request: Request,
    response: Response,
    admin: AsAdmin,
    state: Literal["active", "retired"] | None = None,
    due: Annotated[bool, Query(description="Only those whose review is due")] = False,
    category: Annotated[str | None, Query(max_length=40)] = None,
    search: Annotated[str | None, Query(max_length=100)] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> list[ProgramEntry]:
    """By name."""
    name, last = paging.decode(cursor, str, UUID) if cursor else (None, None)
    values = {
        "state": state,
        "due": due,
        "category": category,
        "search": search or None,
        "limit": limit + 1,
        "name": name,
        "id": last,
    }
    rows = admin.reader.rows(_PROGRAMS, values)
    more, rows = len(rows) > limit, rows[:limit]
    place = paging.encode(rows[-1]["company_name"], rows[-1]["id"]) if more else None
    paging.link_next(request, response, place)
    return [_entry(row) for row in rows]


@router.get("/program-categories")
def get_program_categories(admin: AsAdmin) -> list[ProgramCategory]:
    """The industries of the taxonomy, which are the categories of the directory."""
    return [ProgramCategory(key=key, name=industry.label) for key, industry in taxonomy().items()]


def active_programs(reader: Reader) -> list[tuple[Listed, Dates]]:
    """What may be recommended, by name."""
    return [(listed_of(row), Dates(row["recorded_on"], row["review_on"])) for row in reader.rows(ACTIVE)]


def _entry(row: Mapping[str, Any]) -> ProgramEntry:
    program = program_of(row)
    return ProgramEntry(
        id=row["id"],
        companyName=program.company_name,
        category=program.category,
        categoryName=label_of(program.category),
        audience=program.audience,
        description=program.description,
        url=program.url,
        commissionType=program.commission_type,
        commissionRate=program.commission_bp / 100,
        commissionAmount=Amount(**row["commission_amount"]) if row["commission_amount"] is not None else None,
        recurring=program.recurring,
        cookieDays=program.cookie_days,
        approval=program.approval,
        payment=program.payment,
        source=program.source,
        partnerId=program.partner_id,
        origin=row["origin"],
        recordedOn=row["recorded_on"],
        checkedOn=row["checked_on"],
        reviewOn=row["review_on"],
        retired=row["retired"],
        updatedAt=row["updated_at"],
    )
