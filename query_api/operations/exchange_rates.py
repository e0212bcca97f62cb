"""`GET /api/admin/exchange-rates`: the dated rates of each pair, where they come from, and which sales wait for one;
and converting sums with the newest rates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from fractions import Fraction
from typing import Annotated, Final

from fastapi import APIRouter, Query
from pydantic import AfterValidator, Field

from infra.domain.exchange_rates import PIVOT, DatedRate, RateBook, RecordedRate, rate_of
from query_api.kernel.dependencies import READS_OWN_WRITES, AdminScope, Context
from query_api.kernel.postgres_reader import PostgresReader
from query_api.operations.awaiting_rate import AwaitingRate, awaiting_rate
from schemas.currencies import MINOR_DIGITS
from schemas.events.operations import RateSource
from schemas.http.operations import ExchangeRate
from schemas.http.responses import ResponseModel

MAX_PAIRS: Final = 1_000
MAX_HISTORY: Final = 1_000

router = APIRouter(tags=["admin"])


def known_currency(code: str) -> str:
    """The code, or none. Raises `ValueError` for a code that is no currency."""
    if code and code not in MINOR_DIGITS:
        raise ValueError("currency takes a code of ISO 4217, such as EUR.")
    return code


Code = Annotated[str, AfterValidator(known_currency), Query(min_length=3, max_length=3)]
TotalsCurrency = Annotated[
    str,
    AfterValidator(known_currency),
    Query(description="Of the totals; without it the currency of all websites, else USD"),
]


class ListedRate(ExchangeRate):
    """A rate, with when and from where it was recorded."""

    recorded_at: datetime
    source: RateSource


class UsedRate(ResponseModel):
    """From `on` on, one major unit of `currency` is worth `rate` major units of the answer's currency."""

    currency: str
    rate: str = Field(description="Decimal number")
    on: date


class RateCheck(ResponseModel):
    """The last check for reference rates."""

    checked_at: datetime
    succeeded_at: datetime | None
    newest_day: date | None = Field(description="The last day that has rates")
    failures: int = Field(description="Checks that failed since the last one that did not")
    problem: str | None = Field(description="Why the last check failed")
    skipped: list[str] = Field(description="Currencies of the file that were left out: unknown codes, bad rates")
    next_at: datetime


class RatesStatus(ResponseModel):
    """Where rates come from, and what waits for one."""

    source: RateSource = Field(description="ecb: reference rates of the European Central Bank; hand: none are fetched")
    check: RateCheck | None = Field(description="Null: not checked yet")
    waiting: list[AwaitingRate]


@router.get("/api/admin/exchange-rates", dependencies=[READS_OWN_WRITES])
def get_exchange_rates(admin: AdminScope) -> list[ListedRate]:
    """The newest rate of each pair."""
    return [ListedRate.of_row(row) for row in admin.reader.rows(_NEWEST, {"day": date.max, "most": MAX_PAIRS})]


@router.get("/api/admin/exchange-rates/history", dependencies=[READS_OWN_WRITES])
def get_exchange_rate_history(
    admin: AdminScope, base: Code, quote: Code, limit: Annotated[int, Query(ge=1, le=MAX_HISTORY)] = 400
) -> list[ListedRate]:
    """The rates of one pair, newest day first."""
    rows = admin.reader.rows(_HISTORY, {"base": base, "quote": quote, "limit": limit})
    return [ListedRate.of_row(row) for row in rows]


@router.get("/api/admin/exchange-rates/status", dependencies=[READS_OWN_WRITES])
def get_exchange_rate_status(admin: AdminScope, context: Context) -> RatesStatus:
    """The last check of the source, and the sales that wait for a rate by pair of currencies."""
    row = admin.reader.row(_CHECK)
    return RatesStatus(
        source=RateSource.HAND if context.settings.exchange_rates is None else RateSource.ECB,
        check=RateCheck.of_row(row) if row is not None else None,
        waiting=awaiting_rate(admin.reader),
    )


def rate_on(reader: PostgresReader, base: str, quote: str, day: date) -> DatedRate | None:
    """Returns the worth of one `base` in `quote` on `day`, as decisions see it; `None` if no recorded rate states
    it."""
    rows = reader.rows(_ON_DAY, {"day": day, "codes": sorted({base, quote, PIVOT})})
    return rate_of(base, quote, {(row["base"], row["quote"]): RecordedRate(row["rate"], row["on"]) for row in rows})


def newest_rates(reader: PostgresReader, quote: str) -> Mapping[str, Fraction]:
    """Currency to what one major unit of it is worth in `quote`."""
    return {currency: rate.worth for currency, rate in dated_rates(reader, quote).items()}


def dated_rates(reader: PostgresReader, quote: str) -> Mapping[str, DatedRate]:
    """The newest rate of each currency with its day; `quote` itself is worth one today."""
    today = datetime.now(UTC).date()
    rows = reader.rows(_NEWEST, {"day": today, "most": MAX_PAIRS})
    recorded = {(row["base"], row["quote"]): RecordedRate(row["rate"], row["on"]) for row in rows}
    rates = {code: rate_of(code, quote, recorded) for code in {code for pair in recorded for code in pair} - {quote}}
    return {code: rate for code, rate in rates.items() if rate is not None} | {quote: DatedRate("1", today)}


def used_rates(rates: Mapping[str, DatedRate], currencies: set[str]) -> list[UsedRate]:
    """Returns the rates of these currencies, by their codes."""
    return [UsedRate(currency=one, rate=rates[one].rate, on=rates[one].on) for one in sorted(currencies & rates.keys())]


def rate_book(reader: PostgresReader, quote: str, currencies: Iterable[str], first: date, last: date) -> RateBook:
    """Reads what these currencies were worth in `quote` on each day from `first` to `last`."""
    bound = {"codes": sorted({*currencies, quote, PIVOT}), "first": first, "last": last}
    rows = reader.rows(_BETWEEN, bound) if {*currencies} - {quote} else []
    return RateBook.of(quote, (((row["base"], row["quote"]), RecordedRate(row["rate"], row["on"])) for row in rows))


# Goes from pair to pair by the index: a pair has a row for each day of years.
_NEWEST: Final = """
WITH RECURSIVE pair AS (
    (SELECT base, quote FROM read.exchange_rates ORDER BY base, quote LIMIT 1)
    UNION ALL
    SELECT following.base, following.quote FROM pair CROSS JOIN LATERAL (
        SELECT r.base, r.quote FROM read.exchange_rates AS r WHERE (r.base, r.quote) > (pair.base, pair.quote)
        ORDER BY r.base, r.quote LIMIT 1) AS following
)
SELECT newest.* FROM pair CROSS JOIN LATERAL (
    SELECT r.base, r.quote, r.on_day AS on, r.rate, r.recorded_at, r.source FROM read.exchange_rates AS r
    WHERE r.base = pair.base AND r.quote = pair.quote AND r.on_day <= %(day)s ORDER BY r.on_day DESC LIMIT 1) AS newest
ORDER BY newest.base, newest.quote LIMIT %(most)s
"""
_HISTORY: Final = (
    "SELECT base, quote, on_day AS on, rate, recorded_at, source FROM read.exchange_rates"
    " WHERE base = %(base)s AND quote = %(quote)s ORDER BY on_day DESC LIMIT %(limit)s"
)
_ON_DAY: Final = (
    "SELECT DISTINCT ON (base, quote) base, quote, on_day AS on, rate FROM read.exchange_rates"
    " WHERE on_day <= %(day)s AND base = ANY(%(codes)s) AND quote = ANY(%(codes)s) ORDER BY base, quote, on_day DESC"
)
_BETWEEN: Final = """
SELECT base, quote, on_day AS on, rate FROM read.exchange_rates
    WHERE on_day >= %(first)s AND on_day <= %(last)s AND base = ANY(%(codes)s) AND quote = ANY(%(codes)s)
UNION ALL
(SELECT DISTINCT ON (base, quote) base, quote, on_day, rate FROM read.exchange_rates
    WHERE on_day < %(first)s AND base = ANY(%(codes)s) AND quote = ANY(%(codes)s) ORDER BY base, quote, on_day DESC)
ORDER BY 1, 2, 3"""
_CHECK: Final = (
    "SELECT checked_at, succeeded_at, newest_day, failures, problem, skipped, next_at FROM operations.rate_source"
    " WHERE name = 'ecb'"
)
