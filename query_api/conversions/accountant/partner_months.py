"""Reads what the accountant's file consists of: each partner's months at one website, in the website's currency.

Three statements a website, however many months: the balances before the first one, the bookings by day, and the
payouts. Months, bookings and balances are those of the statements.
"""

# ruff: noqa: S608 - own text; values are bound

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Final
from uuid import UUID

from query_api.conversions.statements.bookings import STEPS, kind, sums
from query_api.conversions.statements.periods import StatementMonth
from query_api.kernel.authorization import Website
from query_api.kernel.postgres_reader import PostgresReader
from schemas.days import day_start, months_later


@dataclass(frozen=True, slots=True)
class Booked:
    """The sum of a partner's bookings of one kind on a day."""

    day: date
    kind: str
    """approved, reversed or adjustment."""
    amount: int
    """Below zero: it was deducted."""
    count: int


@dataclass(frozen=True, slots=True)
class Received:
    """A payout."""

    day: date
    credited: int
    """What it settles, in the website's currency."""
    amount: int
    currency: str


@dataclass(slots=True)
class PartnerMonth:
    """A partner's month at a website. Amounts are minor units of the website's currency."""

    website: Website
    month: str
    partner_id: UUID
    partner_name: str
    opening: int = 0
    held: int = 0
    """Of the closing balance, on hold at the month's end."""
    paid_before: int = 0
    bookings: list[Booked] = field(default_factory=list)
    payouts: list[Received] = field(default_factory=list)

    @property
    def closing(self) -> int:
        return self.opening + sum(one.amount for one in self.bookings)

    @property
    def paid_in_total(self) -> int:
        return self.paid_before + sum(one.credited for one in self.payouts)


def partner_months(reader: PostgresReader, months: Sequence[StatementMonth]) -> Iterator[PartnerMonth]:
    """Every partner's months of one website, by month and name: of each that has booked or paid something by then."""
    website = months[0].website
    edges = [month.start for month in months] + [months[-1].end]
    days = [day for month in months for day in _days_of(month)]
    bound = {
        "website": website.id,
        "partner": None,
        "edges": edges,
        "day_edges": [start for start, _ in days],
        "first_end": edges[1],
    }
    balances = {one.partner_id: one.opening for one in sums(reader, months[0])}
    bookings: defaultdict[tuple[int, UUID], list[Booked]] = defaultdict(list)
    for row in reader.rows(_BOOKED, bound):
        of_day = Booked(days[row["day"] - 1][1], row["booking"], int(row["earned"]), row["count"])
        bookings[row["number"], row["partner_id"]].append(of_day)
    held = {(row["number"], row["partner_id"]): int(row["held"]) for row in reader.rows(_HELD, bound)}
    paid: defaultdict[UUID, list[Received]] = defaultdict(list)
    for row in reader.rows(_PAID, (website.id, months_later(first_day(months[-1].month), 1))):
        paid[row["partner_id"]].append(Received(row["paid_on"], row["credited"], row["amount"], row["currency"]))
    known = {*balances, *paid, *(partner for _, partner in bookings)}
    names = {row["id"]: row["partner_name"] for row in reader.rows(_NAMES, (list(known),))}
    in_order = sorted(known, key=lambda one: (names.get(one, str(one)), one))
    # As in statements: bookings of nothing make a line in their own month alone.
    begun = {one for one, opening in balances.items() if opening or (1, one) not in bookings}
    for number, month in enumerate(months, start=1):
        first = first_day(month.month)
        after = months_later(first, 1)
        for partner in in_order:
            booked, payouts = bookings[number, partner], [one for one in paid[partner] if one.day < after]
            if partner not in begun and not booked and not payouts:
                continue
            if any(one.amount for one in booked):
                begun.add(partner)
            line = PartnerMonth(
                website,
                month.month,
                partner,
                names.get(partner, str(partner)),
                opening=balances.get(partner, 0),
                held=held.get((number, partner), 0),
                paid_before=sum(one.credited for one in payouts if one.day < first),
                bookings=booked,
                payouts=[one for one in payouts if one.day >= first],
            )
            balances[partner] = line.closing
            yield line


def _days_of(month: StatementMonth) -> Iterator[tuple[datetime, date]]:
    """Yields the days of a month with their begin, in its zone."""
    day = first_day(month.month)
    after = months_later(day, 1)
    while day < after:
        yield max(day_start(month.zone, day), month.start), day
        day += timedelta(days=1)


def first_day(month: str) -> date:
    """The first day of `YYYY-MM`."""
    return date.fromisoformat(f"{month}-01")


_NUMBER: Final = "width_bucket(s.at, %(edges)s::timestamptz[])"
_BOOKED: Final = f"""SELECT {_NUMBER} AS number, s.partner_id,
    width_bucket(s.at, %(day_edges)s::timestamptz[]) AS day,
    {kind(f"(%(edges)s::timestamptz[])[{_NUMBER}]")} AS booking, sum(s.earned) AS earned, count(*) AS count {STEPS}
    AND s.at >= (%(edges)s::timestamptz[])[1] AND s.at < (%(edges)s::timestamptz[])[cardinality(%(edges)s)]
    GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4"""
_HELD: Final = f"""SELECT e.number, h.partner_id, sum(h.earned) AS held
FROM (SELECT s.partner_id, s.at, s.hold_until, s.earned {STEPS}
    AND s.earned <> 0 AND s.hold_until >= %(first_end)s) AS h
JOIN unnest((%(edges)s::timestamptz[])[2:]) WITH ORDINALITY AS e(at, number)
    ON h.at < e.at AND h.hold_until >= e.at
GROUP BY 1, 2"""
_PAID: Final = (
    "SELECT partner_id, paid_on, credited, amount, currency FROM read.payouts"
    " WHERE website_id = %s AND voided_at IS NULL AND paid_on < %s ORDER BY paid_on, id"
)
_NAMES: Final = "SELECT id, coalesce(nullif(name, ''), id::text) AS partner_name FROM read.partners WHERE id = ANY(%s)"
