"""Reads the books of a website's partners: sales by both sides, added up by month and day, and payouts.

`read.reconciled_sales` has both sides of each sale; since when it is payable is in `read.conversions`. A month is that
of the website, as in statements. Few sales have an amount whose rate no event has: those are read one by one.
"""

# ruff: noqa: S608 - own text; values are bound

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID

from infra.domain.exchange_rates import RateBook
from infra.domain.payout_matching import Paid, spans
from query_api.conversions.reconciliation.months import PartnerBooks, SaleGroup, partner_books
from query_api.conversions.reconciliation.sales import PartnerSources, Sale, Side
from query_api.conversions.statements.periods import StatementMonth, periods
from query_api.kernel.authorization import Website
from query_api.kernel.postgres_reader import PostgresReader, Row
from query_api.operations.exchange_rates import rate_book
from schemas.days import day_start, local_day, months_later

PAGE: Final = 1_000


@dataclass(frozen=True, slots=True)
class WebsiteBooks:
    """The books of a website by partner, and what reads single sales of them."""

    reader: PostgresReader
    website: Website
    months: Sequence[StatementMonth]
    rates: RateBook
    partners: Mapping[UUID, PartnerBooks]
    accepted: Mapping[tuple[UUID, str], str]
    """Fingerprints of the figures that the owner accepted, by partner and month."""

    def sales(self, partner_id: UUID, month: StatementMonth, sources: PartnerSources) -> Iterator[Sale]:
        """The sales of a month that may differ, in the order of their times, read page by page."""
        bound = {
            "website": self.website.id,
            "partner": partner_id,
            "start": month.start,
            "end": month.end,
            "edges": _edges(self.months),
            "is_tracked": sources.is_tracked(month.month),
            "is_reported": sources.is_reported(month.month),
            "limit": PAGE,
        }
        place: dict[str, Any] = {"at": None, "last": None}
        while True:
            rows = self.reader.rows(_SALES, {**bound, **place})
            yield from (_sale(row, self.months, self.website, self.rates) for row in rows)
            if len(rows) < PAGE:
                return
            place = {"at": rows[-1]["at"], "last": rows[-1]["id"]}


def website_books(
    reader: PostgresReader, website: Website, now: datetime, partner_id: UUID | None = None
) -> WebsiteBooks:
    """Reads the books of every partner, or of one."""
    bound: dict[str, Any] = {"website": website.id, "partner": partner_id}
    months = _months(reader, website, now, bound)
    days = spans(local_day(website.zone, now))
    starts = [day_start(website.zone, day) for day in days]
    bound |= {"edges": _edges(months), "starts": starts, "now": now}
    unrated = reader.rows(_UNRATED, bound)
    rates = _rates(reader, website, unrated)
    groups: defaultdict[UUID, list[SaleGroup]] = defaultdict(list)
    for row in reader.rows(_GROUPS, bound):
        groups[row["partner_id"]].append(_group(row, _sums(row, months, website), days))
    for row in unrated:
        groups[row["partner_id"]].append(_group(row, _sale(row, months, website, rates), days))
    payouts: defaultdict[UUID, list[Row]] = defaultdict(list)
    for row in reader.rows(_PAID, bound):
        payouts[row["partner_id"]].append(row)
    partners = {
        partner: partner_books(groups[partner], *_payouts(payouts[partner]))
        for partner in groups.keys() | payouts.keys()
    }
    accepted = {(row["partner_id"], row["month"]): row["fingerprint"] for row in reader.rows(_ACCEPTED, bound)}
    return WebsiteBooks(reader, website, months, rates, partners, accepted)


def _months(reader: PostgresReader, website: Website, now: datetime, bound: Mapping[str, Any]) -> list[StatementMonth]:
    """The months from the first sale to the last one, today's included."""
    row = reader.row(_RANGE, bound) or {}
    first, last = (
        local_day(website.zone, moment).replace(day=1)
        for moment in (min(row.get("first") or now, now), max(row.get("last") or now, now))
    )
    count = (last.year - first.year) * 12 + last.month - first.month + 1
    # One more at both ends: the zone of an earlier month may have been another.
    return periods(reader, website, [months_later(first, number) for number in range(-1, count + 1)])


def _edges(months: Sequence[StatementMonth]) -> list[datetime]:
    return [month.start for month in months]


def _rates(reader: PostgresReader, website: Website, unrated: Sequence[Row]) -> RateBook:
    days = [local_day(website.zone, row["at"]) for row in unrated]
    currencies = {row[name] for row in unrated for name in ("tracked_currency", "stated_currency")} - {None}
    return rate_book(reader, website.currency, currencies, min(days, default=date.max), max(days, default=date.max))


def _payouts(rows: Sequence[Row]) -> tuple[list[Paid], str]:
    """Returns the payouts, and the month of the last one."""
    paid = [Paid(row["credited"], row["allocations"]) for row in rows]
    return paid, max((f"{row['paid_on']:%Y-%m}" for row in rows), default="")


def _group(row: Row, sale: Sale, days: Sequence[date]) -> SaleGroup:
    due_on = days[max(row["due"] - 1, 0)] if row["due"] is not None else None
    return SaleGroup(sale, due_on, agrees=sale.agrees and row["agrees"], count=row["count"], digest=int(row["digest"]))


def _sums(row: Row, months: Sequence[StatementMonth], website: Website) -> Sale:
    """The sales of a group as one."""

    def side(name: str) -> Side | None:
        number = row[f"{name}_month"]
        if number is None:
            return None
        worth = int(row[f"{name}_worth"])
        return Side(months[max(number - 1, 0)].month, worth, website.currency, worth)

    return Sale(side("tracked"), side("stated"), is_clicked=row["is_clicked"])


def _sale(row: Row, months: Sequence[StatementMonth], website: Website, rates: RateBook) -> Sale:
    day = local_day(website.zone, row["at"])

    def worth(name: str) -> int | None:
        stored = row[f"{name}_worth"]
        if stored is not None or row[f"{name}_amount"] is None:
            return int(stored) if stored is not None else None
        return rates.converted(row[f"{name}_amount"], row[f"{name}_currency"], day)

    worths = {name: worth(name) for name in ("tracked", "stated")}

    def side(name: str, other: str) -> Side | None:
        number = row[f"{name}_month"]
        if number is None:
            return None
        # Without a rate nothing tells that it is worth more or less than the other side says.
        known = next((each for each in (worths[name], worths[other]) if each is not None), 0)
        currency = row[f"{name}_currency"] or website.currency
        is_declined = row[f"{name}_declined"]
        return Side(months[max(number - 1, 0)].month, row[f"{name}_amount"] or 0, currency, known, is_declined)

    sides = side("tracked", "stated"), side("stated", "tracked")
    has_rate = all(one is None or worths[name] is not None for name, one in zip(worths, sides, strict=True))
    return Sale(*sides, row["txid"], row["id"], is_clicked=row["is_clicked"], has_rate=has_rate)


_OF_PARTNER: Final = (
    "r.website_id = %(website)s AND r.partner_id IS NOT NULL AND (r.tracked_at IS NOT NULL OR r.stated_at IS NOT NULL)"
    " AND (%(partner)s::uuid IS NULL OR r.partner_id = %(partner)s)"
)
_IS_UNRATED: Final = (
    "((r.tracked_at IS NOT NULL AND r.tracked_worth IS NULL) OR (r.stated_at IS NOT NULL AND r.stated_worth IS NULL))"
)
_RANGE: Final = (
    "SELECT min(least(r.tracked_at, r.stated_at)) AS first, max(greatest(r.tracked_at, r.stated_at)) AS last"
    f" FROM read.reconciled_sales AS r WHERE {_OF_PARTNER}"
)
_MONTHS: Final = (
    "width_bucket(r.tracked_at, %(edges)s::timestamptz[]) AS tracked_month,"
    " width_bucket(r.stated_at, %(edges)s::timestamptz[]) AS stated_month"
)
# What the network has paid is due, whatever we hold back.
_DUE: Final = """CASE WHEN c.status = 'approved' AND c.payable_at <= %(now)s
        THEN width_bucket(c.payable_at, %(starts)s::timestamptz[])
    WHEN r.stated_paid THEN width_bucket(least(r.stated_at, %(now)s), %(starts)s::timestamptz[]) END"""
_DIGEST: Final = (
    "hashtextextended(concat_ws('|', r.id, extract(epoch FROM r.tracked_at), r.tracked_amount, r.tracked_currency,"
    " r.tracked_declined, extract(epoch FROM r.stated_at), r.stated_amount, r.stated_currency, r.stated_declined), 0)"
    "::numeric"
)
_GROUPS: Final = f"""
WITH sales AS (
    SELECT r.partner_id, {_MONTHS}, {_DUE} AS due, r.tracked_worth, r.stated_worth,
        coalesce(r.attributed_by, '') <> 'network' AS is_clicked, {_DIGEST} AS digest
    FROM read.reconciled_sales AS r LEFT JOIN read.conversions AS c ON c.id = r.id
    WHERE {_OF_PARTNER} AND NOT {_IS_UNRATED}
), compared AS (
    SELECT *, coalesce(tracked_worth, 0) = coalesce(stated_worth, 0)
        AND (coalesce(tracked_month = stated_month, false) OR coalesce(tracked_worth, 0) = 0) AS agrees
    FROM sales
)
SELECT partner_id, tracked_month, stated_month, due, is_clicked, agrees, count(*) AS count,
    sum(tracked_worth) AS tracked_worth, sum(stated_worth) AS stated_worth, sum(digest) AS digest
FROM compared GROUP BY 1, 2, 3, 4, 5, 6"""
_ROW: Final = f"""r.id, r.partner_id, r.txid, coalesce(r.tracked_at, r.stated_at) AS at, {_MONTHS},
    coalesce(r.attributed_by, '') <> 'network' AS is_clicked,
    r.tracked_amount, r.tracked_currency, r.tracked_worth, r.tracked_declined,
    r.stated_amount, r.stated_currency, r.stated_worth, r.stated_declined"""
_UNRATED: Final = f"""
SELECT {_ROW}, {_DUE} AS due, true AS agrees, 1 AS count, {_DIGEST} AS digest
FROM read.reconciled_sales AS r LEFT JOIN read.conversions AS c ON c.id = r.id
WHERE {_OF_PARTNER} AND {_IS_UNRATED}"""
_SALES: Final = f"""
SELECT {_ROW} FROM read.reconciled_sales AS r
WHERE {_OF_PARTNER} AND ((r.tracked_at >= %(start)s AND r.tracked_at < %(end)s)
    OR (r.stated_at >= %(start)s AND r.stated_at < %(end)s))
AND (coalesce(r.tracked_worth, 0) <> coalesce(r.stated_worth, 0) OR {_IS_UNRATED}
    OR (r.tracked_worth <> 0 AND width_bucket(r.tracked_at, %(edges)s::timestamptz[])
        <> width_bucket(r.stated_at, %(edges)s::timestamptz[])))
AND (%(is_reported)s OR r.stated_at IS NOT NULL)
AND (%(is_tracked)s OR r.tracked_at IS NOT NULL OR r.attributed_by = 'network')
AND (%(at)s::timestamptz IS NULL OR (coalesce(r.tracked_at, r.stated_at), r.id) > (%(at)s, %(last)s::uuid))
ORDER BY coalesce(r.tracked_at, r.stated_at), r.id LIMIT %(limit)s"""
_PAID: Final = (
    "SELECT partner_id, credited, allocations, paid_on FROM read.payouts AS r WHERE website_id = %(website)s"
    " AND voided_at IS NULL AND (%(partner)s::uuid IS NULL OR partner_id = %(partner)s) ORDER BY paid_on, id"
)
_ACCEPTED: Final = (
    "SELECT partner_id, month, fingerprint FROM read.accepted_months WHERE website_id = %(website)s"
    " AND (%(partner)s::uuid IS NULL OR partner_id = %(partner)s)"
)
