"""`GET /api/platform/conversions`: leads and sales with their status, newest first."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, BeforeValidator, Field

from infra.problems import Problem
from query_api import paging
from query_api.analytics.request import Day, bad
from query_api.context import Reads, Theirs
from query_api.money import Amount
from query_api.owned import Owned, not_found
from schemas.days import FIRST_YEAR, LAST_YEAR, day_end, day_start
from schemas.events.conversions import ConversionStatus
from schemas.zones import ZoneInfo

router = APIRouter(tags=["conversions"], dependencies=[Depends(Reads("conversions", "partners", "websites"))])


class Conversion(BaseModel):
    """A lead or sale. Money in integer minor units; the commission is what is left of it, in the website's currency."""

    id: UUID
    websiteId: UUID
    kind: str = Field(description="sale or lead")
    event: str
    txid: str
    status: ConversionStatus
    amount: Amount
    commission: Amount
    reversed: Amount = Field(description="The part of the sale that was taken back")
    reversedCommission: Amount
    partnerId: UUID | None = Field(description="Null: no click is known yet, it counts nothing")
    partnerName: str | None
    linkId: UUID | None
    clickId: str | None
    attribution: str | None = Field(description="click_id, coupon or visitor")
    reason: str | None
    reportedBy: str
    customer: str | None
    occurredAt: datetime
    clickedAt: datetime | None
    recordedAt: datetime
    decidedAt: datetime | None
    approvesAt: datetime | None = Field(description="When it is approved by itself if nobody decides; null: never")
    payableAt: datetime | None = Field(description="From when on the commission may be paid out; null: not earned")
    conflicts: int = Field(description="Later reports that named another amount; the first one stands")


_SELECT: Final = (
    "SELECT c.*, p.name AS partner_name FROM read.conversions AS c LEFT JOIN read.partners AS p ON p.id = c.partner_id"
)


def _empty_is_absent(value: object) -> object:
    return None if value == "" else value


Status = Annotated[ConversionStatus | None, BeforeValidator(_empty_is_absent), Query()]
Id = Annotated[UUID | None, BeforeValidator(_empty_is_absent), Query()]


@router.get("/api/platform/conversions")
def get_conversions(
    request: Request,
    response: Response,
    theirs: Theirs,
    websiteId: Id = None,
    status: Status = None,
    partnerId: Id = None,
    from_: Annotated[Day, Query(alias="from", description="First day (in the website's time zone)")] = None,
    to: Annotated[Day, Query(description="Last day, inclusive")] = None,
    limit: paging.Limit = 50,
    cursor: paging.Cursor = None,
) -> list[Conversion]:
    """Newest first by the time they occurred. Days are the website's, or UTC's when no website is named."""
    zone = theirs.website(websiteId).zone if websiteId is not None else ZoneInfo("UTC")
    conditions = ["c.website_id = ANY(%(websites)s)"]
    bound: dict[str, Any] = {"websites": theirs.scope(websiteId), "limit": limit + 1}
    for name, value in (("status", status), ("partner_id", partnerId)):
        if value is not None:
            conditions.append(f"c.{name} = %({name})s")
            bound[name] = value
    if from_ is not None and to is not None and from_ > to:
        raise bad("from", "from must not be after to.")
    if from_ is not None:
        conditions.append("c.occurred_at >= %(since)s")
        bound["since"] = day_start(zone, _checked("from", from_))
    if to is not None:
        conditions.append("c.occurred_at < %(until)s")
        bound["until"] = day_end(zone, _checked("to", to))
    if cursor is not None:
        bound["at"], bound["id"] = paging.decode(cursor, datetime, UUID)
        conditions.append("(c.occurred_at, c.id) < (%(at)s, %(id)s)")
    sql = f"{_SELECT} WHERE {' AND '.join(conditions)} ORDER BY c.occurred_at DESC, c.id DESC LIMIT %(limit)s"
    rows = theirs.reader.rows(sql, bound)
    page = rows[:limit]
    last = paging.encode(page[-1]["occurred_at"], page[-1]["id"]) if len(rows) > limit else None
    paging.link_next(request, response, last)
    return [_shown(row) for row in page]


@router.get("/api/platform/conversions/{id}")
def get_conversion(id: UUID, theirs: Theirs) -> Conversion:
    """One conversion."""
    return find_conversion(theirs, id)


def find_conversion(theirs: Owned, id: UUID) -> Conversion:
    """The conversion, if it is theirs. Raises `Problem` 404."""
    row = theirs.reader.row(f"{_SELECT} WHERE c.id = %s", (id,))
    if row is None:
        raise not_found("conversion")
    try:
        theirs.website(row["website_id"])
    except Problem as problem:
        raise not_found("conversion") from problem
    return _shown(row)


def _checked(field: str, day: date) -> date:
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise bad(field, f"Dates from {FIRST_YEAR} to {LAST_YEAR} can be asked for.")
    return day


def _shown(row: Mapping[str, Any]) -> Conversion:
    return Conversion(
        id=row["id"],
        websiteId=row["website_id"],
        kind=row["kind"],
        event=row["event"],
        txid=row["txid"],
        status=row["status"],
        amount=Amount(amount=row["amount"], currency=row["currency"]),
        commission=Amount(amount=row["commission"], currency=row["commission_currency"]),
        reversed=Amount(amount=row["reversed_amount"], currency=row["currency"]),
        reversedCommission=Amount(amount=row["reversed_commission"], currency=row["commission_currency"]),
        partnerId=row["partner_id"],
        partnerName=row["partner_name"],
        linkId=row["link_id"],
        clickId=row["click_id"] or None,
        attribution=row["attributed_by"],
        reason=row["reason"] or None,
        reportedBy=row["reported_by"],
        customer=row["customer"] or None,
        occurredAt=row["occurred_at"],
        clickedAt=row["clicked_at"],
        recordedAt=row["recorded_at"],
        decidedAt=row["decided_at"],
        approvesAt=row["approves_at"],
        payableAt=row["payable_at"],
        conflicts=row["conflicts"],
    )
