"""Rows of `events` that may be missing: of days whose time is over (`website.events_expired`).

`projectors.visits.expiry` deletes them, once the visits of their days are built. Rows of conversions are never deleted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import orjson
from psycopg import Connection

CONVERSION: Final = "conversion"
_DAYS: Final = "select website_id::text, max(before) from read.event_expiries group by website_id order by 1"


@dataclass(frozen=True, slots=True)
class ExpiredEvents:
    """The first UTC day whose rows are all there, by website (`projection.Lacking`)."""

    kept_from: Mapping[str, date]

    @property
    def sql(self) -> str:
        """A condition on rows of `events`; empty: none may be missing."""
        if not self.kept_from:
            return ""
        return f"type <> '{CONVERSION}' AND {expired_days(self.kept_from, 'toDate(occurred_at)')}"

    def has(self, line: bytes) -> bool:
        """Returns whether the row, as JSON, may be missing."""
        if not self.kept_from:
            return False
        row = orjson.loads(line)
        kept_from = self.kept_from.get(str(row["website_id"]))
        return kept_from is not None and row["type"] != CONVERSION and row["occurred_at"][:10] < kept_from.isoformat()


def read(connection: Connection[Any]) -> ExpiredEvents:
    """Reads the expired events from the read model, which soon has every decision."""
    return ExpiredEvents(dict(connection.execute(_DAYS).fetchall()))


def expired_days(kept_from: Mapping[str, date], day: str) -> str:
    """The condition that `day`, an expression, is one of those of its website."""
    by_day: dict[date, list[str]] = defaultdict(list)
    for website_id, first in kept_from.items():
        by_day[first].append(website_id)
    listed = (
        f"{day} < '{first}' AND website_id IN ({', '.join(map(repr, sorted(websites)))})"
        for first, websites in sorted(by_day.items())
    )
    return f"({' OR '.join(listed)})"
