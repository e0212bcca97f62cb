"""Where a pull is: which stretches of a network's feeds are left to read, and the next page of the first one. Pure.

`plan` of a network -> `PullPosition` -> call -> `PulledPage` -> the next `PullPosition`, until nothing is left

A position is stored after every page, so a pull that fails continues where it stopped.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from pydantic import Field

from schemas.base import Frozen

MAX_PAGES: Final = 2_000
MAX_PULLED_BYTES: Final = 256 * 1024 * 1024
MIN_STRETCH: Final = timedelta(minutes=2)
"""A shorter one is not split."""
OVERLAP: Final = timedelta(days=3)
"""A pull reads so much of the time before it again: networks add sales late. What is read twice counts once."""
HISTORY: Final = timedelta(days=90)
"""What the first pull reads."""


class PullFailed(Exception):
    """The network gave no page. The text is for the owner; it has nothing of what was sent or answered."""


class CredentialsRefused(PullFailed):
    """The network does not accept the credentials, or they do not permit this call."""


class CallsLimited(PullFailed):
    """The network wants no call for the time `wait`."""

    def __init__(self, message: str, wait: timedelta) -> None:
        super().__init__(message)
        self.wait = wait


class PageTooLarge(PullFailed):
    """The page has more bytes than are read at once."""


class PullTooLarge(PullFailed):
    """The network has more than a pull can read: it stops."""


class Stretch(Frozen):
    """A part of the time of one feed, both ends included."""

    feed: str
    since: datetime
    until: datetime


class PullPosition(Frozen):
    """`until`: when the pull began, and the end of what it reads. `cursor`: the next page of the first stretch.
    `expected`, `seen`: rows that the network announced for the stretch, and those read in this pass over it. `pages`,
    `size`: what was read in all."""

    until: datetime
    left: tuple[Stretch, ...]
    cursor: str = ""
    expected: int | None = None
    seen: int = Field(default=0, ge=0)
    passes: int = Field(default=1, ge=1)
    pages: int = Field(default=0, ge=0)
    size: int = Field(default=0, ge=0)

    @property
    def stretch(self) -> Stretch:
        """The one that is being read."""
        return self.left[0]

    def next_stretch(self) -> PullPosition:
        """The position once the first stretch is read."""
        return self._at(self.left[1:])

    def next_page(self, cursor: str, *, expected: int | None = None, seen: int = 0) -> PullPosition:
        """The position at another page of the stretch."""
        return self.model_copy(update={"cursor": cursor, "expected": expected, "seen": seen})

    def next_pass(self) -> PullPosition:
        """The position at the beginning of the stretch, which is read once more."""
        return self._at(self.left, passes=self.passes + 1)

    @property
    def is_divisible(self) -> bool:
        """Returns whether the stretch can be read in two halves."""
        return self.stretch.until - self.stretch.since >= MIN_STRETCH

    def halved(self) -> PullPosition:
        """The position with two stretches in place of the first. Raises `PullTooLarge` if it is too short."""
        if not self.is_divisible:
            raise PullTooLarge("The network has too many sales within minutes for one call.")
        whole = self.stretch
        middle = (whole.since + (whole.until - whole.since) / 2).replace(microsecond=0)
        first = whole.model_copy(update={"until": middle})
        second = whole.model_copy(update={"since": middle})
        return self._at((first, second, *self.left[1:]))

    def stored(self, size: int) -> PullPosition:
        """The position after a page of so many bytes. Raises `PullTooLarge`."""
        if self.pages + 1 > MAX_PAGES or self.size + size > MAX_PULLED_BYTES:
            raise PullTooLarge("The network has more sales than one pull can read. Upload its report by month instead.")
        return self.model_copy(update={"pages": self.pages + 1, "size": self.size + size})

    def _at(self, left: tuple[Stretch, ...], *, passes: int = 1) -> PullPosition:
        return PullPosition(until=self.until, left=left, passes=passes, pages=self.pages, size=self.size)


@dataclass(frozen=True, slots=True)
class PulledRecord:
    """A row as the network has it. `key` identifies it; of rows with one key the newest counts, then the last read."""

    key: str
    record: dict[str, Any]
    newness: int = 0


@dataclass(frozen=True, slots=True)
class PulledPage:
    """The rows of an answer, and where the pull goes on."""

    records: list[PulledRecord]
    position: PullPosition


def begin(network_feeds: tuple[Stretch, ...], until: datetime) -> PullPosition:
    """The position before the first call."""
    return PullPosition(until=until, left=network_feeds)


def stretches(feed: str, since: datetime, until: datetime, longest: timedelta) -> tuple[Stretch, ...]:
    """The time in parts of at most `longest`, the oldest first. Each begins where the one before ends."""
    parts: list[Stretch] = []
    start = since
    while start < until:
        end = min(start + longest, until)
        parts.append(Stretch(feed=feed, since=start, until=end))
        start = end
    return tuple(parts)


def begin_of(pulled_until: datetime | None, until: datetime) -> datetime:
    """The moment from which a pull reads. `pulled_until`: the end of the pull before, if there is one."""
    return until - HISTORY if pulled_until is None else pulled_until - OVERLAP


def is_first_of_day(pulled_until: datetime | None, until: datetime) -> bool:
    """Returns whether no pull was done on this day, UTC: then late changes are looked for, too."""
    return pulled_until is None or pulled_until.date() < until.date()
