"""A build of one or seven days, as `visit_builds` has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from infra.domain.visits.tables import PARTS

Contents = tuple[int, int]
"""Number and fingerprint of events."""
Offsets = Mapping[str, int]
"""The last offset by `topic:partition`."""


GROWN_DAY_EVENTS: Final = 250_000
"""The size from which on a report reads a growing day from its build and from `events`; a smaller one is found from
`events` (0.7 µs an event) sooner than it is checked and read in two parts."""


@dataclass(frozen=True, slots=True)
class VisitBuild:
    """A build of `days` days (1 or 7) from `day` on, or of a part of `day` (`tables.PARTS`): what it is made of, and
    when its first and last event happened."""

    days: int
    day: date
    number: int
    contents: Contents
    first_at: datetime
    last_at: datetime
    offsets: Offsets
    """The offsets of one day's events; a week and a part have none."""

    def lies_within(self, start: datetime, end: datetime) -> bool:
        """Returns whether all of its events happened from `start` until before `end`."""
        return start <= self.first_at and self.last_at < end

    def lies_outside(self, start: datetime, end: datetime) -> bool:
        """Returns whether none of its events happened from `start` until before `end`."""
        return self.last_at < start or end <= self.first_at

    @property
    def covered(self) -> list[date]:
        """The days of the build."""
        if self.days in PARTS:
            return [self.day]
        return [self.day + timedelta(days=number) for number in range(self.days)]
