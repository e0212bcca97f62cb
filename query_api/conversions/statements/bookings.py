"""Reads the parts of a statement from Postgres: the bookings of a month, and the sum of all before it.

A statement reads its own month, one row for each month before it, and what is still within its hold; never the whole
history. Bookings are never changed, so that those up to a position are the same however often they are read.
"""

# ruff: noqa: S608 - own text; values are bound

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final
from uuid import UUID

from pydantic import BaseModel

from query_api.conversions.statements.periods import StatementMonth
from query_api.kernel.postgres_reader import PostgresReader

PAGE: Final = 1_000


class Sums(BaseModel, frozen=True):
    """A partner's month in minor units. opening + approved - taken_back - adjustments = closing."""

    partner_id: UUID
    partner_name: str
    currency: str
    opening: int
    approved: int
    taken_back: int
    adjustments: int
    held: int
    conversions: int
    """Approved in the month."""
    bookings: int
    up_to: int
    """The position of the last booking that is in these sums."""

    @property
    def closing(self) -> int:
        return self.opening + self.approved - self.taken_back - self.adjustments


def sums(reader: PostgresReader, period: StatementMonth, partner_id: UUID | None = None) -> list[Sums]:
    """Returns the sums of every partner with a booking until the month's end, or of one; by their names. Reads at one
    moment."""
    rows = reader.rows(_SUMMED, {**period.bound, "partner": partner_id})
    return [Sums.model_validate(row) for row in rows]


def bookings(
    reader: PostgresReader, period: StatementMonth, of: Sums, most: int | None = None
) -> Iterator[Mapping[str, Any]]:
    """The month's bookings that are in the sums, in their order, read page by page; the first `most` of them."""
    left = of.bookings if most is None else min(most, of.bookings)
    place = {"at": period.start, "position": 0}
    bound = {**period.bound, "partner": of.partner_id, "currency": of.currency, "up_to": of.up_to}
    while left > 0:
        rows = reader.rows(_BOOKED, {**bound, **place, "limit": min(PAGE, left)})
        yield from rows
        if len(rows) < min(PAGE, left):
            return
        left -= len(rows)
        place = {"at": rows[-1]["at"], "position": rows[-1]["position"]}


STEPS: Final = """FROM read.conversion_steps AS s WHERE s.website_id = %(website)s AND s.partner_id IS NOT NULL
    AND (%(partner)s::uuid IS NULL OR s.partner_id = %(partner)s)
    AND (s.earned <> 0 OR s.approved = 1)"""

_MONTHS_READ: Final = """coalesce((
    SELECT p.domain_position FROM engine.position AS p JOIN engine.projection AS live
        ON live.name = p.projection AND live.live_generation = p.generation
    WHERE p.projection = 'statement_months' AND p.topic = 'domain' LIMIT 1), 0)"""


def kind(start: str) -> str:
    """SQL of what a booking is, by when the commission was earned that it adds to or takes off: before the month that
    begins at `start`, or in it."""
    return f"""CASE WHEN s.earned >= 0 THEN 'approved'
    WHEN (SELECT min(e.at) FROM read.conversion_steps AS e WHERE e.conversion_id = s.conversion_id
        AND e.partner_id IS NOT NULL AND (e.earned <> 0 OR e.approved = 1)) < {start}
        THEN 'adjustment'
    ELSE 'reversed' END"""


_KIND: Final = kind("%(start)s")

_SUMMED: Final = f"""
WITH parts AS (
    SELECT m.partner_id, m.currency, 'opening' AS part, m.earned, 0 AS position, NULL::uuid AS conversion_id
    FROM read.statement_months AS m
    WHERE m.website_id = %(website)s AND m.month < %(first)s::timestamptz AT TIME ZONE 'UTC'
    AND (%(partner)s::uuid IS NULL OR m.partner_id = %(partner)s)
    -- The days of UTC's month that come before the website's.
    UNION ALL SELECT s.partner_id, s.currency, 'opening', s.earned, 0, NULL {STEPS}
    AND s.at >= %(first)s AND s.at < %(start)s AND s.earned <> 0
    -- Steps that the sums by month do not contain yet: another projection builds, and may rebuild, them.
    UNION ALL SELECT s.partner_id, s.currency, 'opening', s.earned, 0, NULL {STEPS}
    AND s.at < %(first)s AND s.position > {_MONTHS_READ} AND s.earned <> 0
    UNION ALL SELECT s.partner_id, s.currency, {_KIND}, s.earned, s.position,
        CASE WHEN s.name <> 'conversion.restated' THEN s.conversion_id END {STEPS}
    AND s.at >= %(start)s AND s.at < %(end)s
    UNION ALL SELECT s.partner_id, s.currency, 'held', s.earned, 0, NULL {STEPS}
    AND s.at < %(end)s AND s.hold_until >= %(end)s AND s.earned <> 0
)
SELECT parts.partner_id, parts.currency, coalesce(nullif(p.name, ''), parts.partner_id::text) AS partner_name,
    coalesce(sum(earned) FILTER (WHERE part = 'opening'), 0) AS opening,
    coalesce(sum(earned) FILTER (WHERE part = 'approved'), 0) AS approved,
    coalesce(-sum(earned) FILTER (WHERE part = 'reversed'), 0) AS taken_back,
    coalesce(-sum(earned) FILTER (WHERE part = 'adjustment'), 0) AS adjustments,
    coalesce(sum(earned) FILTER (WHERE part = 'held'), 0) AS held,
    count(DISTINCT conversion_id) FILTER (WHERE part = 'approved') AS conversions,
    count(*) FILTER (WHERE part NOT IN ('opening', 'held')) AS bookings,
    max(position)::bigint AS up_to
FROM parts LEFT JOIN read.partners AS p ON p.id = parts.partner_id
GROUP BY parts.partner_id, parts.currency, p.name ORDER BY p.name, parts.partner_id, parts.currency"""

_BOOKED: Final = f"""SELECT s.*, {_KIND} AS booking {STEPS}
    AND s.currency = %(currency)s AND s.at >= %(at)s AND s.at < %(end)s AND s.position <= %(up_to)s
    AND (s.at, s.position) > (%(at)s, %(position)s) ORDER BY s.at, s.position LIMIT %(limit)s"""
