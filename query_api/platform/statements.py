"""`/api/platform/statements`: what each partner owes a website for a month, and why, as JSON, CSV and a page to print.

A commission is booked when it is earned (approved), and taken off when the sale is taken back or rejected, each on the
day it happened, in the website's time zone. So a statement of a month that is over never changes: what is taken back
later of a commission of that month is an adjustment in the later one. Every statement opens with what the one before
closed with, and closes with the sum of all that was booked until its month's end, which is, at any moment, what the
approved conversions of `read.conversions` say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Response
from pydantic import BaseModel, Field

from query_api.analytics.ranges import day_start
from query_api.analytics.request import bad
from query_api.context import Reads, Theirs
from query_api.money import Amount
from query_api.owned import Owned, Website, not_found
from query_api.platform import statement_page
from query_api.reader import Reader
from query_api.tabular import csv_response
from schemas.currencies import decimal_text

router = APIRouter(
    prefix="/api/platform/statements",
    tags=["statements"],
    dependencies=[Depends(Reads("conversion_steps", "partners", "websites"))],
)


class Statement(BaseModel):
    """One partner's month. opening + approved − takenBack − adjustments = closing; closing = payable + held."""

    partnerId: UUID
    partnerName: str
    opening: Amount
    approved: Amount = Field(description="Commissions earned this month")
    takenBack: Amount = Field(description="Of them, taken back again this month")
    adjustments: Amount = Field(description="Taken back this month of what was earned in earlier ones")
    closing: Amount
    held: Amount = Field(description="Of the closing balance, what is still within its hold at the month's end")
    payable: Amount
    conversions: int = Field(description="Approved this month")


class Month(BaseModel):
    """All statements of a website's month, by partner."""

    month: str
    timezone: str
    isOver: bool = Field(description="False: more may be booked")
    statements: list[Statement]


class Line(BaseModel):
    """One booking; amounts in major units."""

    bookedAt: datetime | None
    booking: str = Field(description="opening, approved, taken back, adjustment or closing")
    transaction: str
    event: str
    occurredAt: datetime | None
    payableFrom: datetime | None
    reason: str
    amount: str
    currency: str
    conversionId: UUID | None
    position: int | None = Field(description="Of the event, in topic domain")


COLUMNS: Final = tuple(Line.model_fields)

WebsiteId = Annotated[UUID, Query()]
MonthText = Annotated[str, Query(max_length=7, description="YYYY-MM, in the website's time zone")]


@dataclass(frozen=True, slots=True)
class Period:
    """A month of a website, as instants."""

    month: str
    website: Website
    start: datetime
    end: datetime

    @property
    def bound(self) -> dict[str, Any]:
        return {"website": self.website.id, "start": self.start, "end": self.end}


@router.get("")
def get_statements(theirs: Theirs, websiteId: WebsiteId, month: MonthText) -> Month:
    """The statements of every partner that ever owed something."""
    period = _period(theirs, websiteId, month)
    return Month(
        month=month,
        timezone=period.website.timezone,
        isOver=period.end <= datetime.now(UTC),
        statements=statements(theirs.reader, period),
    )


@router.get("/{partnerId}.csv", response_class=Response)
def get_statement_csv(partnerId: UUID, theirs: Theirs, websiteId: WebsiteId, month: MonthText) -> Response:
    """Every booking of one statement, between its opening and its closing balance."""
    period = _period(theirs, websiteId, month)
    statement = _one(theirs.reader, period, partnerId)
    return csv_response(_file(period, statement), COLUMNS, lines(theirs.reader, period, statement))


@router.get("/{partnerId}.html", response_class=Response)
def get_statement_page(partnerId: UUID, theirs: Theirs, websiteId: WebsiteId, month: MonthText) -> Response:
    """The same as a page that is made to be printed, or saved as PDF."""
    period = _period(theirs, websiteId, month)
    statement = _one(theirs.reader, period, partnerId)
    body = statement_page.page(
        title=f"Statement {month}",
        facts={
            "Partner": statement.partnerName,
            "Website": period.website.domain,
            "Month": f"{month} ({period.website.timezone})",
            "State": "final" if period.end <= datetime.now(UTC) else "the month is not over",
        },
        sums=[(name, getattr(statement, field)) for name, field in _SUMS],
        lines=[line.model_dump() for line in lines(theirs.reader, period, statement)],
        zone=period.website.zone,
    )
    return Response(body, media_type="text/html; charset=utf-8", headers=statement_page.HEADERS)


def statements(reader: Reader, period: Period, partner_id: UUID | None = None) -> list[Statement]:
    """By the partners' names."""
    return [_shown(row) for row in reader.rows(_SUMMED, {**period.bound, "partner": partner_id})]


def lines(reader: Reader, period: Period, statement: Statement) -> list[Line]:
    """The bookings in their order, between the balances."""
    rows = reader.rows(_BOOKED, {**period.bound, "partner": statement.partnerId})
    currency = statement.closing.currency
    return [
        _balance("opening", statement.opening),
        *(_line(row) for row in rows if row["currency"] == currency),
        _balance("closing", statement.closing),
    ]


def _period(theirs: Owned, website_id: UUID, month: str) -> Period:
    found = re.fullmatch(r"(\d{4})-(\d{2})", month)
    if found is None or not 1990 <= int(found[1]) <= 2100 or not 1 <= int(found[2]) <= 12:
        raise bad("month", "A month is written YYYY-MM, from 1990-01 to 2100-12.")
    first = date(int(found[1]), int(found[2]), 1)
    after = date(first.year + first.month // 12, first.month % 12 + 1, 1)
    website = theirs.website(website_id)
    start, end = (day_start(website.zone, day).astimezone(UTC) for day in (first, after))
    return Period(month, website, start, end)


def _one(reader: Reader, period: Period, partner_id: UUID) -> Statement:
    found = statements(reader, period, partner_id)
    if not found:
        raise not_found("statement")
    return found[0]


def _shown(row: Mapping[str, Any]) -> Statement:
    def money(minor: int) -> Amount:
        return Amount(amount=minor, currency=row["currency"])

    return Statement(
        partnerId=row["partner_id"],
        partnerName=row["partner_name"] or str(row["partner_id"]),
        opening=money(row["opening"]),
        approved=money(row["approved"]),
        takenBack=money(row["taken_back"]),
        adjustments=money(row["adjustments"]),
        closing=money(row["closing"]),
        held=money(row["held"]),
        payable=money(row["closing"] - row["held"]),
        conversions=row["conversions"],
    )


def _line(row: Mapping[str, Any]) -> Line:
    return Line(
        bookedAt=row["at"],
        booking=row["booking"],
        transaction=row["txid"],
        event=row["event"],
        occurredAt=row["occurred_at"],
        payableFrom=max(row["earned_at"], row["hold_until"]),
        reason=row["detail"].get("reason") or "",
        amount=decimal_text(row["earned"], row["currency"]),
        currency=row["currency"],
        conversionId=row["conversion_id"],
        position=row["position"],
    )


def _balance(booking: str, amount: Amount) -> Line:
    return Line(
        bookedAt=None,
        booking=booking,
        transaction="",
        event="",
        occurredAt=None,
        payableFrom=None,
        reason="",
        amount=decimal_text(amount.amount, amount.currency),
        currency=amount.currency,
        conversionId=None,
        position=None,
    )


def _file(period: Period, statement: Statement) -> str:
    name = re.sub(r"[^a-z0-9]+", "-", statement.partnerName.lower()).strip("-") or "partner"
    return f"statement-{name}-{period.month}"


_SUMS: Final = (
    ("Opening balance", "opening"),
    ("Approved this month", "approved"),
    ("Taken back of it", "takenBack"),
    ("Adjustments of earlier months", "adjustments"),
    ("Closing balance", "closing"),
    ("Still held", "held"),
    ("Payable", "payable"),
)

_BOOKINGS: Final = """
WITH bookings AS (
    SELECT *, min(at) OVER (PARTITION BY conversion_id) AS earned_at FROM read.conversion_steps
    WHERE website_id = %(website)s AND at < %(end)s AND partner_id IS NOT NULL
    AND (%(partner)s::uuid IS NULL OR partner_id = %(partner)s)
    AND (name = 'conversion.approved' OR earned <> 0)
)"""

_SUMMED: Final = f"""{_BOOKINGS}
SELECT b.partner_id, b.currency, p.name AS partner_name,
    coalesce(sum(earned) FILTER (WHERE at < %(start)s), 0)::bigint AS opening,
    coalesce(sum(earned) FILTER (WHERE at >= %(start)s AND earned > 0), 0)::bigint AS approved,
    coalesce(-sum(earned) FILTER (WHERE at >= %(start)s AND earned < 0 AND earned_at >= %(start)s), 0)::bigint
        AS taken_back,
    coalesce(-sum(earned) FILTER (WHERE at >= %(start)s AND earned < 0 AND earned_at < %(start)s), 0)::bigint
        AS adjustments,
    sum(earned)::bigint AS closing,
    coalesce(sum(earned) FILTER (WHERE hold_until >= %(end)s), 0)::bigint AS held,
    count(*) FILTER (WHERE at >= %(start)s AND (earned > 0 OR b.name = 'conversion.approved')) AS conversions
FROM bookings AS b LEFT JOIN read.partners AS p ON p.id = b.partner_id
GROUP BY b.partner_id, b.currency, p.name ORDER BY p.name, b.partner_id"""  # noqa: S608 - values are bound

_BOOKED: Final = f"""{_BOOKINGS}
SELECT *, CASE WHEN earned >= 0 THEN 'approved' WHEN earned_at < %(start)s THEN 'adjustment' ELSE 'taken back' END
    AS booking
FROM bookings WHERE at >= %(start)s ORDER BY at, position"""  # noqa: S608 - values are bound
