"""`/api/platform/statements`: what each partner owes a website for a month, and why, as JSON, CSV and a page to print.

A commission is booked when it is earned (approved), and deducted when the sale is reversed or rejected, each on the
day of the event, in the website's time zone. So a statement of a month that is over never changes: a later reversal
of a commission of that month is an adjustment in the later month. Every statement opens with what the one before
closed with, and closes with the sum of all that was booked until its month's end, which is, at any moment, what the
approved conversions of `read.conversions` say. Payouts are no bookings: a balance is all that was earned, paid or not
(`payouts`, `accountant`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response
from pydantic import Field

from infra.kernel.http.openapi import file_response
from query_api.conversions.statements import page
from query_api.conversions.statements.bookings import Sums, bookings, sums
from query_api.conversions.statements.periods import StatementMonth, period
from query_api.kernel.authorization import require_existing
from query_api.kernel.csv import columns_of, csv_stream
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope
from query_api.kernel.postgres_reader import PostgresReader
from schemas.currencies import decimal_text
from schemas.http.money import Amount
from schemas.http.responses import ResponseModel

router = APIRouter(
    prefix="/api/platform/statements",
    tags=["statements"],
    dependencies=[READS_OWN_WRITES],
)

MAX_PRINTED: Final = 2_000
"""Bookings on a page; the CSV has them all."""


class Statement(ResponseModel):
    """One partner's month. opening + approved − takenBack − adjustments = closing; closing = payable + held."""

    partner_id: UUID
    partner_name: str
    opening: Amount
    approved: Amount = Field(description="Commissions earned this month")
    taken_back: Amount = Field(description="Of them, reversed in the same month")
    adjustments: Amount = Field(description="Reversed this month of commissions of earlier months")
    closing: Amount = Field(description="Total earned until the month's end, whatever was paid of it")
    held: Amount = Field(description="Part of the closing balance that is on hold at the month's end")
    payable: Amount
    conversions: int = Field(description="Approved this month")


class Month(ResponseModel):
    """All statements of a website's month, by partner."""

    month: str
    timezone: str
    is_over: bool = Field(description="False: more may be booked")
    is_final: bool = Field(description="The month is over and all of its events are processed: it no longer changes")
    statements: list[Statement]


class BookingLine(ResponseModel):
    """One booking; amounts in major units."""

    booked_at: datetime | None = None
    booking: str = Field(description="opening, approved, reversed, adjustment or closing")
    transaction: str = ""
    event: str = ""
    occurred_at: datetime | None = None
    payable_from: datetime | None = None
    reason: str = ""
    key_kind: str = Field(default="", description="site: nothing but the public site key reported it then")
    amount: str
    currency: str
    conversion_id: UUID | None = None
    position: int | None = Field(default=None, description="Of the event, in topic domain")


COLUMNS: Final = columns_of(BookingLine)

WebsiteId = Annotated[UUID, Query(alias="websiteId")]
PartnerId = Annotated[UUID, Path(alias="partnerId")]
MonthText = Annotated[str, Query(max_length=7, description="YYYY-MM, in the website's time zone")]


@router.get("")
def get_statements(scope: CallerScope, website_id: WebsiteId, month: MonthText) -> Month:
    """The statements of all partners with commissions."""
    selected, now = period(scope, website_id, month), datetime.now(UTC)
    return Month(
        month=month,
        timezone=selected.zone.key,
        is_over=selected.is_over(now),
        is_final=selected.is_final(scope.reader, now),
        statements=[_to_response(one) for one in sums(scope.reader, selected)],
    )


@router.get("/{partnerId}.csv", response_class=Response, responses=file_response("text/csv"))
def get_statement_csv(partner_id: PartnerId, scope: CallerScope, website_id: WebsiteId, month: MonthText) -> Response:
    """Every booking of one statement, between its opening and its closing balance."""
    selected = period(scope, website_id, month)
    total = _one(scope.reader, selected, partner_id)
    return csv_stream(_file(selected, total), COLUMNS, _lines(scope.reader, selected, total))


@router.get("/{partnerId}.html", response_class=Response, responses=file_response("text/html", description="The page"))
def get_statement_page(partner_id: PartnerId, scope: CallerScope, website_id: WebsiteId, month: MonthText) -> Response:
    """The same as a page for printing or saving as PDF; of very long statements only the first bookings."""
    selected, now = period(scope, website_id, month), datetime.now(UTC)
    is_final = selected.is_final(scope.reader, now)  # first: what is read after it can only be newer
    total = _one(scope.reader, selected, partner_id)
    more = total.bookings - MAX_PRINTED
    body = page.page(
        title=f"Statement {month}",
        facts={
            "Partner": total.partner_name,
            "Website": selected.website.domain,
            "Month": f"{month} ({selected.zone.key})",
            "State": "final" if is_final else "not final yet" if selected.is_over(now) else "the month is not over",
        },
        sums=[(name, getattr(_to_response(total), field)) for name, field in _SUMS],
        lines=[line.model_dump() for line in _lines(scope.reader, selected, total, MAX_PRINTED)],
        notes=[
            *_NOTES,
            *([f"{more:,} further bookings are not on this page; the CSV has them all."] if more > 0 else []),
        ],
        zone=selected.zone,
    )
    return Response(body, media_type="text/html; charset=utf-8", headers=page.HEADERS)


def _one(reader: PostgresReader, selected: StatementMonth, partner_id: UUID) -> Sums:
    return require_existing(sums(reader, selected, partner_id), "statement")[0]


def _lines(
    reader: PostgresReader, selected: StatementMonth, of: Sums, max_lines: int | None = None
) -> Iterator[BookingLine]:
    """The bookings in their order, between the balances."""
    yield _balance("opening", of.opening, of.currency)
    yield from (_line(row) for row in bookings(reader, selected, of, max_lines))
    yield _balance("closing", of.closing, of.currency)


def _to_response(of: Sums) -> Statement:
    def money(minor: int) -> Amount:
        return Amount(amount=minor, currency=of.currency)

    return Statement(
        partner_id=of.partner_id,
        partner_name=of.partner_name,
        opening=money(of.opening),
        approved=money(of.approved),
        taken_back=money(of.taken_back),
        adjustments=money(of.adjustments),
        closing=money(of.closing),
        held=money(of.held),
        payable=money(of.closing - of.held),
        conversions=of.conversions,
    )


def _line(row: Mapping[str, Any]) -> BookingLine:
    return BookingLine.of_row(
        row,
        booked_at=row["at"],
        transaction=row["txid"],
        payable_from=max(row["at"], row["hold_until"]) if row["booking"] == "approved" else None,
        reason=row["detail"].get("reason") or "",
        key_kind=row["detail"].get("key_kind") or "",
        amount=decimal_text(row["earned"], row["currency"]),
    )


def _balance(booking: str, amount: int, currency: str) -> BookingLine:
    return BookingLine(booking=booking, amount=decimal_text(amount, currency), currency=currency)


def _file(selected: StatementMonth, of: Sums) -> str:
    name = re.sub(r"[^a-z0-9]+", "-", of.partner_name.lower()).strip("-") or "partner"
    return f"statement-{name}-{selected.month}"


_SUMS: Final = (
    ("Opening balance", "opening"),
    ("Approved this month", "approved"),
    ("Reversed this month", "taken_back"),
    ("Adjustments of earlier months", "adjustments"),
    ("Closing balance", "closing"),
    ("Held", "held"),
    ("Payable", "payable"),
)
_NOTES: Final = (
    "Balances are the total earned until then, including what was already paid. Payouts are listed on their own page.",
    "Sales in another currency are counted at the recorded exchange rate of their day.",
)
