"""Months of a website, as statements cut them: by the time zone that the website had when each month began.

A new time zone of a website applies to the months to come. Past months keep their limits, so that no
booking leaves a statement that a member may have printed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from query_api.kernel.authorization import AccountScope, Website
from query_api.kernel.pagination import invalid_parameter
from query_api.kernel.postgres_reader import PostgresReader
from schemas.days import month_start
from schemas.zones import ZoneInfo

SETTLED_AFTER: Final = timedelta(minutes=15)
"""The decisions of a month's last moments are stored, and read by the projections, long before this time has passed."""

_MONTH: Final = re.compile(r"([0-9]{4})-([0-9]{2})")
_ZONES: Final = "SELECT since, timezone FROM read.website_zones WHERE website_id = %s ORDER BY since"
_BEHIND: Final = (
    "SELECT 1 FROM engine.log_end AS e JOIN engine.position AS p ON p.topic = e.topic AND p.partition = e.partition"
    " JOIN engine.projection AS live ON live.name = p.projection AND live.live_generation = p.generation"
    " WHERE e.topic = 'domain' AND p.projection IN ('conversion_steps', 'statement_months')"
    " AND p.next_offset < e.end_offset LIMIT 1"
)


@dataclass(frozen=True, slots=True)
class StatementMonth:
    """A month of a website, as instants."""

    month: str
    website: Website
    zone: ZoneInfo
    """The one that the month begins in."""
    start: datetime
    end: datetime

    @property
    def bound(self) -> Mapping[str, Any]:
        """The values that the statements' SQL names."""
        # Months of `read.statement_months` are UTC's: the last of them that begins before this one does is not whole.
        first = self.start.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
        return {"website": self.website.id, "start": self.start, "end": self.end, "first": first}

    def is_over(self, now: datetime) -> bool:
        return self.end <= now

    def is_final(self, reader: PostgresReader, now: datetime) -> bool:
        """Returns whether no further booking can be in the month: it has been over for a while, and everything was
        read."""
        return self.end + SETTLED_AFTER <= now and reader.row(_BEHIND) is None


def period(scope: AccountScope, website_id: UUID, month: str) -> StatementMonth:
    """The month YYYY-MM of a website. Raises `Problem` 400 and 404."""
    first = first_of(month, "month")
    return periods(scope.reader, scope.website(website_id), [first])[0]


def periods(reader: PostgresReader, website: Website, months: Sequence[date]) -> list[StatementMonth]:
    """The months of a website that begin with these days."""
    rows = reader.rows(_ZONES, (website.id,))
    zones = [(row["since"], ZoneInfo(row["timezone"])) for row in rows] or [(website.created_at, website.zone)]
    made = []
    for first in months:
        after = date(first.year + first.month // 12, first.month % 12 + 1, 1)
        (start, zone), (end, _) = month_start(zones, first), month_start(zones, after)
        made.append(StatementMonth(f"{first:%Y-%m}", website, zone, start, end))
    return made


def first_of(month: str, parameter: str) -> date:
    """The first day of YYYY-MM. Raises `Problem` 400."""
    match = _MONTH.fullmatch(month)
    if match is None or not 1990 <= int(match[1]) <= 2100 or not 1 <= int(match[2]) <= 12:
        raise invalid_parameter(parameter, "A month is written YYYY-MM, from 1990-01 to 2100-12.")
    return date(int(match[1]), int(match[2]), 1)
