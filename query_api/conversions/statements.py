"""`/api/platform/statements`: what each partner owes a website for a month, and why, as JSON, CSV and a page to print.

A commission is booked when it is earned (approved), and taken off when the sale is taken back or rejected, each on the
day it happened, in the website's time zone. So a statement of a month that is over never changes: what is taken back
later of a commission of that month is an adjustment in the later one. Every statement opens with what the one before
closed with, and closes with the sum of all that was booked until its month's end, which is, at any moment, what the
approved conversions of `read.conversions` say. There are no payouts: a balance is all that was earned, paid or not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Response
from pydantic import BaseModel, Field

from query_api.context import Reads, Theirs
from query_api.money import Amount
from query_api.owned import not_found
from query_api.platform import statement_page
from query_api.platform.bookings import Sums, bookings, sums
from query_api.platform.statement_periods import Period, period
from query_api.reader import Reader
from query_api.tabular import csv_stream
from schemas.currencies import decimal_text

router = APIRouter(
    prefix="/api/platform/statements",
    tags=["statements"],
    dependencies=[Depends(Reads("conversion_steps", "statement_months", "partners", "websites", "website_zones"))],
)

MOST_PRINTED: Final = 2_000
"""Bookings on a page; the CSV has them all."""


class Statement(BaseModel):
    """One partner's month. opening + approved − takenBack − adjustments = closing; closing = payable + held."""

    partnerId: UUID
    partnerName: str
    opening: Amount
    approved: Amount = Field(description="Commissions earned this month")
    takenBack: Amount = Field(description="Of them, taken back again this month")
    adjustments: Amount = Field(description="Taken back this month of what was earned in earlier ones")
    closing: Amount = Field(description="All that was earned until the month's end; payouts are not recorded")
    held: Amount = Field(description="Of the closing balance, what is still within its hold at the month's end")
    payable: Amount
    conversions: int = Field(description="Approved this month")


class Month(BaseModel):
    """All statements of a website's month, by partner."""

    month: str
    timezone: str
    isOver: bool = Field(description="False: more may be booked")
    isFinal: bool = Field(description="It is over, all of it was read, and nothing in it will change any more")
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
    keyKind: str = Field(description="site: nothing but the public site key reported it then")
    amount: str
    currency: str
    conversionId: UUID | None
    position: int | None = Field(description="Of the event, in topic domain")


COLUMNS: Final = tuple(Line.model_fields)

WebsiteId = Annotated[UUID, Query()]
MonthText = Annotated[str, Query(max_length=7, description="YYYY-MM, in the website's time zone")]


@router.get("")
def get_statements(theirs: Theirs, websiteId: WebsiteId, month: MonthText) -> Month:
    """The statements of every partner that ever owed something."""
    asked, now = period(theirs, websiteId, month), datetime.now(UTC)
    return Month(
        month=month,
        timezone=asked.zone.key,
        isOver=asked.is_over(now),
        isFinal=asked.is_final(theirs.reader, now),
        statements=[_shown(one) for one in sums(theirs.reader, asked)],
    )


@router.get("/{partnerId}.csv", response_class=Response)
def get_statement_csv(partnerId: UUID, theirs: Theirs, websiteId: WebsiteId, month: MonthText) -> Response:
    """Every booking of one statement, between its opening and its closing balance."""
    asked = period(theirs, websiteId, month)
    found = _one(theirs.reader, asked, partnerId)
    return csv_stream(_file(asked, found), COLUMNS, _lines(theirs.reader, asked, found))


@router.get("/{partnerId}.html", response_class=Response)
def get_statement_page(partnerId: UUID, theirs: Theirs, websiteId: WebsiteId, month: MonthText) -> Response:
    """The same as a page that is made to be printed, or saved as PDF; of very long ones the first bookings."""
    asked, now = period(theirs, websiteId, month), datetime.now(UTC)
    is_final = asked.is_final(theirs.reader, now)  # asked first: what is read after it can only be newer
    found = _one(theirs.reader, asked, partnerId)
    more = found.bookings - MOST_PRINTED
    body = statement_page.page(
        title=f"Statement {month}",
        facts={
            "Partner": found.partner_name,
            "Website": asked.website.domain,
            "Month": f"{month} ({asked.zone.key})",
            "State": "final" if is_final else "not final yet" if asked.is_over(now) else "the month is not over",
        },
        sums=[(name, getattr(_shown(found), field)) for name, field in _SUMS],
        lines=[line.model_dump() for line in _lines(theirs.reader, asked, found, MOST_PRINTED)],
        notes=[
            *_NOTES,
            *([f"{more:,} further bookings are not on this page; the CSV has them all."] if more > 0 else []),
        ],
        zone=asked.zone,
    )
    return Response(body, media_type="text/html; charset=utf-8", headers=statement_page.HEADERS)


def _one(reader: Reader, asked: Period, partner_id: UUID) -> Sums:
    found = sums(reader, asked, partner_id)
    if not found:
        raise not_found("statement")
    return found[0]


def _lines(reader: Reader, asked: Period, of: Sums, most: int | None = None) -> Iterator[Line]:
    """The bookings in their order, between the balances."""
    yield _balance("opening", of.opening, of.currency)
    yield from (_line(row) for row in bookings(reader, asked, of, most))
    yield _balance("closing", of.closing, of.currency)


def _shown(of: Sums) -> Statement:
    def money(minor: int) -> Amount:
        return Amount(amount=minor, currency=of.currency)

    return Statement(
        partnerId=of.partner_id,
        partnerName=of.partner_name,
        opening=money(of.opening),
        approved=money(of.approved),
        takenBack=money(of.taken_back),
        adjustments=money(of.adjustments),
        closing=money(of.closing),
        held=money(of.held),
        payable=money(of.closing - of.held),
        conversions=of.conversions,
    )


def _line(row: Mapping[str, Any]) -> Line:
    return Line(
        bookedAt=row["at"],
        booking=row["booking"],
        transaction=row["txid"],
        event=row["event"],
        occurredAt=row["occurred_at"],
        payableFrom=max(row["at"], row["hold_until"]) if row["booking"] == "approved" else None,
        reason=row["detail"].get("reason") or "",
        keyKind=row["detail"].get("key_kind") or "",
        amount=decimal_text(row["earned"], row["currency"]),
        currency=row["currency"],
        conversionId=row["conversion_id"],
        position=row["position"],
    )


def _balance(booking: str, amount: int, currency: str) -> Line:
    return Line(
        bookedAt=None,
        booking=booking,
        transaction="",
        event="",
        occurredAt=None,
        payableFrom=None,
        reason="",
        keyKind="",
        amount=decimal_text(amount, currency),
        currency=currency,
        conversionId=None,
        position=None,
    )


def _file(asked: Period, of: Sums) -> str:
    name = re.sub(r"[^a-z0-9]+", "-", of.partner_name.lower()).strip("-") or "partner"
    return f"statement-{name}-{asked.month}"


_SUMS: Final = (
    ("Opening balance", "opening"),
    ("Approved this month", "approved"),
    ("Taken back of it", "takenBack"),
    ("Adjustments of earlier months", "adjustments"),
    ("Closing balance", "closing"),
    ("Still held", "held"),
    ("Payable", "payable"),
)
_NOTES: Final = (
    "Payouts are not recorded: the balances are all that was earned until then, whatever was paid of it.",
    "Sales in another currency are counted at the recorded exchange rate of their day.",
)
