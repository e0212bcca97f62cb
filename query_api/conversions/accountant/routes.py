"""The accountant's file: the statements of all partners for a range of months, of some or all websites.

One line for each website, month and partner: what was earned by then, what was paid in it, and what is open at its end;
below them the totals by month and of the whole range. `statements.csv` and `statements.pdf` are the file;
`accountant-file` has its totals alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Response
from pydantic import AfterValidator

from infra.domain.exchange_rates import RateBook
from infra.kernel.http.openapi import file_response
from infra.kernel.http.route_costs import EXPORT, routes_of
from query_api.conversions.accountant.document import document
from query_api.conversions.accountant.lines import FileLine, Total, lines, totals
from query_api.conversions.accountant.partner_months import partner_months
from query_api.conversions.accountant.schemas import (
    AccountantLine,
    AccountantMonth,
    AccountantOverview,
    AccountantTotal,
    LinesNotConverted,
)
from query_api.conversions.statements.periods import first_of, periods
from query_api.kernel.authorization import AccountScope, Website
from query_api.kernel.csv import columns_of, csv_stream
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope
from query_api.kernel.pagination import invalid_parameter
from query_api.kernel.pdf import MEDIA_TYPE
from query_api.operations.exchange_rates import known_currency, rate_book
from schemas.currencies import decimal_text
from schemas.days import local_day, months_later
from schemas.http.money import Amount

router = APIRouter(tags=["statements"], dependencies=[READS_OWN_WRITES], route_class=routes_of(EXPORT))
MAX_MONTHS: Final = 36
MAX_CHOSEN: Final = 100
MAX_NAMED: Final = 20
"""Websites that a document names."""
MAX_PRINTED: Final = 500
"""Lines in a document; the CSV has them all."""


@dataclass(frozen=True, slots=True)
class WantedStatements:
    """The contents of a file."""

    scope: AccountScope
    websites: Sequence[Website]
    months: Sequence[date]
    currency: str | None

    @property
    def range(self) -> str:
        first, last = (f"{day:%Y-%m}" for day in (self.months[0], self.months[-1]))
        return first if first == last else f"{first} to {last}"

    @property
    def name(self) -> str:
        return "-".join(("statements", self.range.replace(" ", "-"), *([self.currency] if self.currency else [])))


def wanted(
    scope: CallerScope,
    month: Annotated[str, Query(max_length=7, description="YYYY-MM, in each website's time zone")],
    until: Annotated[str | None, Query(max_length=7, description="Last month, inclusive; else the one month")] = None,
    website_id: Annotated[
        str,
        Query(alias="websiteId", max_length=37 * MAX_CHOSEN, description="One or several by commas; without it all"),
    ] = "",
    currency: Annotated[
        str,
        AfterValidator(known_currency),
        Query(description="Of all amounts, converted at the rate of their day; without it that of each website"),
    ] = "",
) -> WantedStatements:
    """The file that the parameters name. At most 36 months."""
    first = first_of(month, "month")
    last = first_of(until, "until") if until else first
    if last < first:
        raise invalid_parameter("until", "The last month must not be before the first.")
    count = (last.year - first.year) * 12 + last.month - first.month + 1
    if count > MAX_MONTHS:
        raise invalid_parameter("until", f"A file has at most {MAX_MONTHS} months.")
    websites = [scope.website(one) for one in _ids(website_id)] if website_id else scope.websites()
    months = [months_later(first, number) for number in range(count)]
    return WantedStatements(scope, websites, months, currency or None)


def _ids(text: str) -> list[UUID]:
    try:
        return list(dict.fromkeys(UUID(one) for one in text.split(",")))
    except ValueError as error:
        raise invalid_parameter("websiteId", "websiteId takes ids of websites, separated by commas.") from error


WantedFile = Annotated[WantedStatements, Depends(wanted)]
COLUMNS: Final = columns_of(AccountantLine)


@router.get("/api/platform/statements.csv", response_class=Response, responses=file_response("text/csv"))
def get_statements_csv(wanted: WantedFile) -> Response:
    """The statements of all partners in one file: earned, paid and open, with totals."""
    return csv_stream(wanted.name, COLUMNS, _rows(wanted))


@router.get("/api/platform/statements.pdf", response_class=Response, responses=file_response(MEDIA_TYPE))
def get_statements_pdf(wanted: WantedFile) -> Response:
    """The same as a document; of a very long file only the first lines, and all totals."""
    found, now = list(_rows(wanted)), datetime.now(UTC)
    partners = [row for row in found if row.line == "partner"]
    more = len(wanted.websites) - MAX_NAMED
    body = document(
        title=f"Partner statements {wanted.range}",
        facts={
            "Websites": ", ".join(one.domain for one in wanted.websites[:MAX_NAMED])
            + (f" and {more:,} more" if more > 0 else ""),
            "Months": wanted.range,
            "Currency": wanted.currency or "that of each website",
            "Made on": f"{now:%Y-%m-%d}",
        },
        lines=partners[:MAX_PRINTED],
        totals=[row for row in found if row.line == "total"],
        notes=[row.note for row in found if row.line == "note"],
        more=max(0, len(partners) - MAX_PRINTED),
        made_at=now,
    )
    headers = {
        "Content-Disposition": f'attachment; filename="{wanted.name}.pdf"',
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
    return Response(body, media_type=MEDIA_TYPE, headers=headers)


@router.get("/api/platform/accountant-file")
def get_accountant_file(wanted: WantedFile) -> AccountantOverview:
    """The totals of the file by month, and what it cannot convert."""
    by_month: dict[str, list[FileLine]] = {f"{day:%Y-%m}": [] for day in wanted.months}
    for line in _lines(wanted):
        by_month[line.of.month].append(line)
    months = [
        AccountantMonth(
            month=month,
            totals=[
                AccountantTotal(
                    currency=total.currency,
                    lines=total.lines,
                    **{name: getattr(total.sums, name) for name in _SHOWN},
                )
                for total in totals(each)
            ],
            not_converted=_not_converted(each),
        )
        for month, each in by_month.items()
    ]
    return AccountantOverview(websites=len(wanted.websites), currency=wanted.currency, months=months)


_SHOWN: Final = ("entries", "approved", "reversed", "adjustments", "exchange_difference", "closing", "paid", "open")


def _not_converted(of: Sequence[FileLine]) -> list[LinesNotConverted]:
    """By currency."""
    lacking = [line for line in of if line.lacking is not None]
    return [
        LinesNotConverted(
            lines=total.lines,
            earned=Amount(
                amount=total.sums.approved - total.sums.reversed - total.sums.adjustments, currency=total.currency
            ),
            lacking=min(one.lacking for one in lacking if one.currency == total.currency and one.lacking is not None),
        )
        for total in totals(lacking)
    ]


def _lines(wanted: WantedStatements) -> Iterator[FileLine]:
    """Website by website, then by month and partner."""
    book = _book(wanted)
    for website in wanted.websites:
        months = periods(wanted.scope.reader, website, wanted.months)
        today = local_day(website.zone, datetime.now(UTC))
        yield from lines(partner_months(wanted.scope.reader, months), book, today)


def _book(wanted: WantedStatements) -> RateBook | None:
    if wanted.currency is None:
        return None
    first, last = wanted.months[0] - timedelta(days=1), wanted.months[-1] + timedelta(days=31)
    return rate_book(wanted.scope.reader, wanted.currency, {one.currency for one in wanted.websites}, first, last)


def _rows(wanted: WantedStatements) -> Iterator[AccountantLine]:
    """The lines, the totals of each month if there are several, and those of the range."""
    kept: list[FileLine] = []
    for line in _lines(wanted):
        kept.append(line)
        yield _partner_row(line, wanted.currency)
    if len(wanted.months) > 1:
        for day in wanted.months:
            month = f"{day:%Y-%m}"
            yield from (_total_row(month, one) for one in totals([each for each in kept if each.of.month == month]))
    yield from (_total_row(wanted.range, one) for one in totals(kept))
    yield from (_note_row(wanted, note) for note in _notes(wanted, kept))


def _notes(wanted: WantedStatements, of: Sequence[FileLine]) -> Iterator[str]:
    if not any(line.sums.entries for line in of):
        yield f"No bookings and no payouts in {wanted.range}."
    for one in _not_converted(of):
        yield (
            f"{one.lines} lines are in {one.earned.currency} and not in the totals in {wanted.currency}:"
            f" no exchange rate on {one.lacking}."
        )


def _partner_row(line: FileLine, currency: str | None) -> AccountantLine:
    lacking = f"No exchange rate from {line.currency} to {currency} on {line.lacking}" if line.lacking else ""
    return AccountantLine(
        month=line.of.month,
        website=line.of.website.domain,
        partner=line.of.partner_name,
        partner_id=line.of.partner_id,
        line="partner",
        note=lacking,
        **_amounts(Total(line.currency, line.sums, 1)),
    )


def _total_row(month: str, total: Total) -> AccountantLine:
    return AccountantLine(month=month, website="All", partner="Total", line="total", **_amounts(total))


def _note_row(wanted: WantedStatements, note: str) -> AccountantLine:
    nothing = dict.fromkeys(_AMOUNTS, "")
    return AccountantLine(month=wanted.range, website="", partner="", currency="", line="note", note=note, **nothing)


_AMOUNTS: Final = (
    "opening", "approved", "reversed", "adjustments", "exchange_difference", "closing", "held", "payable", "paid",
    "paid_in_total", "open",
)  # fmt: skip


def _amounts(total: Total) -> dict[str, str]:
    amounts = {name: decimal_text(getattr(total.sums, name), total.currency) for name in _AMOUNTS}
    return {**amounts, "currency": total.currency}
