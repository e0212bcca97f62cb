"""The time from which single events of a website are stored: earlier ones have expired by its owner's setting. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Final

from infra.domain.retention import first_kept_day
from infra.kernel.http.problems import Problem
from query_api.kernel.authorization import Website
from schemas.zones import ZoneInfo

CODE: Final = "raw_events_expired"
_UTC: Final = ZoneInfo("UTC")


@dataclass(frozen=True, slots=True)
class KeptEvents:
    """`expired_before`: events of earlier UTC days are not there; none: all are."""

    expired_before: date | None = None
    zone: ZoneInfo = _UTC

    @classmethod
    def of(cls, website: Website) -> KeptEvents:
        return cls(website.expired_before, website.zone)

    @property
    def first_day(self) -> date | None:
        """The first day of the website's zone whose events are all there."""
        return first_kept_day(self.expired_before, self.zone) if self.expired_before is not None else None

    def has(self, day: date) -> bool:
        """Returns whether the events of a UTC day are stored."""
        return self.expired_before is None or day >= self.expired_before

    def has_all(self, start: datetime) -> bool:
        """Returns whether all events from `start` on are stored."""
        return self.expired_before is None or start >= datetime.combine(self.expired_before, time(), UTC)

    def require(self, start: datetime) -> None:
        """Checks that all events from `start` on are stored. Raises `Problem` 422 if they are not."""
        if not self.has_all(start):
            raise self.problem()

    def problem(self) -> Problem:
        """422, with the first day of which there are events."""
        message = (
            f"Individual events before {self.first_day} were deleted by this website's retention setting."
            " Choose a range that starts on that day or later; totals without filters are complete."
        )
        return Problem(422, CODE, message, more={"keptFrom": str(self.first_day)})
