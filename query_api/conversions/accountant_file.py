"""`GET /api/platform/statements.csv`: the statements of all partners of a month, or of a range of months, in one file.

One line for each partner and month: what was earned by then, what was paid in it, and what is open at its end. Payouts
are those that count now, by the day they were paid; the other columns are those of the statements.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Query, Response

from infra.kernel.http.openapi import file_response
from query_api.conversions.statements.bookings import sums
from query_api.conversions.statements.periods import StatementMonth, period
from query_api.kernel.csv import columns_of, csv_stream
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope
from query_api.kernel.pagination import invalid_parameter
from query_api.kernel.postgres_reader import PostgresReader
from schemas.currencies import decimal_text
from schemas.http.responses import ResponseModel

router = APIRouter(
    tags=["statements"],
    dependencies=[READS_OWN_WRITES],
)
MAX_MONTHS: Final = 36
MonthText = Annotated[str, Query(max_length=7, description="YYYY-MM, in the website's time zone")]
_PAID: Final = (
    "SELECT t.partner_id, coalesce(nullif(p.name, ''), t.partner_id::text) AS partner_name, t.paid_on, t.credited"
    " FROM read.payouts AS t LEFT JOIN read.partners AS p ON p.id = t.partner_id"
    " WHERE t.website_id = %s AND t.voided_at IS NULL AND t.paid_on < %s"
)


class PartnerMonthLine(ResponseModel):
    """A partner's month; amounts in major units."""

    month: str
    website: str
    partner: str
    partner_id: UUID
    currency: str
    opening: str
    approved: str
    reversed: str
    adjustments: str
    closing: str
    held: str
    payable: str
    paid: str
    paid_in_total: str
    open: str


COLUMNS: Final = columns_of(PartnerMonthLine)


@router.get("/api/platform/statements.csv", response_class=Response, responses=file_response("text/csv"))
def get_statements_csv(
    scope: CallerScope,
    website_id: Annotated[UUID, Query(alias="websiteId")],
    month: MonthText,
    until: Annotated[str | None, Query(max_length=7, description="Last month, inclusive; else the one month")] = None,
) -> Response:
    """All partners' statements in one file: earned, paid and open. At most 36 months."""
    first = period(scope, website_id, month)
    months = [first]
    if until:
        last = period(scope, website_id, until)
        if until < month:
            raise invalid_parameter("until", "The last month must not be before the first.")
        if _number(until) - _number(month) >= MAX_MONTHS:
            raise invalid_parameter("until", f"A file has at most {MAX_MONTHS} months.")
        names = [_name(number) for number in range(_number(month) + 1, _number(until))]
        months += [period(scope, website_id, name) for name in names]
        months += [last] if until != month else []
    name = f"statements-{month}" + (f"-to-{until}" if until and until != month else "")
    return csv_stream(name, COLUMNS, _lines(scope.reader, months))


def _lines(reader: PostgresReader, months: list[StatementMonth]) -> Iterator[PartnerMonthLine]:
    website = months[0].website
    paid: defaultdict[UUID, list[tuple[date, int]]] = defaultdict(list)
    names: dict[UUID, str] = {}
    for row in reader.rows(_PAID, (website.id, _end(months[-1].month))):
        paid[row["partner_id"]].append((row["paid_on"], row["credited"]))
        names[row["partner_id"]] = row["partner_name"]
    for one in months:
        begin, end = date.fromisoformat(f"{one.month}-01"), _end(one.month)
        lines = {line.partner_id: line for line in sums(reader, one)}
        owing = {partner_id: line.partner_name for partner_id, line in lines.items()}
        paying = {each: names[each] for each, days in paid.items() if any(day < end for day, _ in days)}
        everyone = {**paying, **owing}
        for partner_id, partner_name in sorted(everyone.items(), key=lambda each: (each[1], each[0])):
            line = lines.get(partner_id)
            until_now = sum(amount for day, amount in paid[partner_id] if day < end)
            this_month = sum(amount for day, amount in paid[partner_id] if begin <= day < end)
            payable = line.closing - line.held if line else 0
            amounts = {
                "opening": line.opening if line else 0,
                "approved": line.approved if line else 0,
                "reversed": line.taken_back if line else 0,
                "adjustments": line.adjustments if line else 0,
                "closing": line.closing if line else 0,
                "held": line.held if line else 0,
                "payable": payable,
                "paid": this_month,
                "paid_in_total": until_now,
                "open": payable - until_now,
            }
            yield PartnerMonthLine(
                month=one.month,
                website=website.domain,
                partner=partner_name,
                partner_id=partner_id,
                currency=website.currency,
                **{name: decimal_text(amount, website.currency) for name, amount in amounts.items()},
            )


def _number(month: str) -> int:
    return int(month[:4]) * 12 + int(month[5:]) - 1


def _name(number: int) -> str:
    return f"{number // 12}-{number % 12 + 1:02d}"


def _end(month: str) -> date:
    """The first day after the month."""
    return date.fromisoformat(f"{_name(_number(month) + 1)}-01")
