"""Reads dates and times of report files, in the one order of day, month and year that holds for the file.

The order is decided once per file from all of its dates (`OrderEvidence`). Forms are recognized by compiled patterns;
names of months are those of English and German.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import cache
from typing import Final

from babel import Locale

from infra.domain.report_files.amounts import MAX_CACHED, MAX_LENGTH, NOTHING
from infra.domain.report_files.source import Exact
from schemas.zones import ZoneInfo

FIRST_DAY: Final = date(2000, 1, 1)
MAX_AHEAD: Final = timedelta(days=1)
RECENT: Final = timedelta(days=5 * 365)
"""How old dates with a year of two digits are, when their order is looked for."""
ORDERS: Final = ("dmy", "mdy", "ymd")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SERIAL_START: Final = datetime(1899, 12, 30)  # noqa: DTZ001 -- a workbook's local time
_TIME: Final = (
    r"(?P<hour>\d{1,2})[:.h](?P<minute>\d{2})(?:[:.](?P<second>\d{2})(?:[.,:](?P<fraction>\d{1,9}))?)?"
    r"\s*(?P<half>[ap]\.?m\.?)?\s*(?P<zone>Z|UTC|GMT)?\s*(?P<offset>[+-]\d{2}:?\d{2})?"
)
_BEHIND: Final = rf"(?:(?:T|,?\s+(?:at\s+|um\s+)?){_TIME}(?:\s*Uhr)?)?"
_ISO: Final = re.compile(
    rf"(?P<year>\d{{4}})(?P<sep>[-/.])(?P<month>\d{{1,2}})(?P=sep)(?P<day>\d{{1,2}}){_BEHIND}", re.I
)
_COMPACT: Final = re.compile(rf"(?P<year>(?:19|20)\d{{2}})(?P<month>\d{{2}})(?P<day>\d{{2}}){_BEHIND}", re.I)
_DIGITS: Final = re.compile(
    rf"(?P<first>\d{{1,2}})(?P<sep>[-/.])\s?(?P<second_part>\d{{1,2}})(?P=sep)\s?(?P<third>\d{{4}}|\d{{2}}){_BEHIND}",
    re.I,
)
_WEEKDAY: Final = r"(?:[^\W\d]{2,12}\.?,?\s+)?"
_DAY_NAME: Final = re.compile(
    rf"{_WEEKDAY}(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?[\s-]*(?P<name>[^\W\d]{{3,12}})\.?,?[\s-]*(?P<year>\d{{4}}|\d{{2}}){_BEHIND}",
    re.I,
)
_NAME_DAY: Final = re.compile(
    rf"{_WEEKDAY}(?P<name>[^\W\d]{{3,12}})\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}}){_BEHIND}", re.I
)
_IN_TEXT: Final = re.compile(r"(?<![\d./-])\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d{2})(?![\d./-]\d)(?!\d)")
_CLOCK: Final = re.compile(rf"{_TIME}(?:\s*Uhr)?", re.I)
_NUMBER: Final = re.compile(r"\d{5,13}(?:\.\d+)?", re.A)
_EMPTY_DATE: Final = re.compile(r"0000-00-00.*|00[/.]00[/.]0000.*")


@dataclass(frozen=True, slots=True)
class Moment:
    """A date with or without a time of day, as it is written. `zone`: the offset that it names."""

    day: date
    clock: time | None = None
    zone: timezone | None = None


class BadDate(ValueError):
    """The text is no date, or one that does not exist."""


class DateReader:
    """Reads the dates of one file; those that repeat are read once. `today`: the last day that is no future."""

    def __init__(self, order: str, zone: ZoneInfo, today: date) -> None:
        self._order, self._zone = order, zone
        self._last = datetime.combine(today, time.max, UTC) + MAX_AHEAD
        self._known: dict[tuple[str, str], datetime | date | None] = {}

    def read(self, text: str, clock: str = "") -> datetime | date | None:
        """An instant in UTC, or a date where `text` has no time and `clock` is none; none: no value. Raises
        `BadDate`."""
        try:
            return self._known[text, clock]
        except KeyError:
            pass
        moment = read_moment(text, self._order)
        value = None if moment is None else self._placed(moment, read_clock(clock))
        if len(self._known) >= MAX_CACHED:
            self._known.clear()
        self._known[text, clock] = value
        return value

    def instant(self, text: str, clock: str = "") -> datetime | None:
        """As `read`; a date alone is its first moment, and what cannot be read is none."""
        try:
            value = self.read(text, clock)
        except BadDate:
            return None
        if value is None or isinstance(value, datetime):
            return value
        return self._utc(datetime.combine(value, time()))

    def is_future(self, value: datetime | date) -> bool:
        """Returns whether it lies more than a day ahead."""
        return value > self._last if isinstance(value, datetime) else value > self._last.date()

    def _placed(self, moment: Moment, clock: time | None) -> datetime | date:
        at = clock if clock is not None and moment.clock in (None, time()) else moment.clock
        if at is None:
            return moment.day
        if moment.zone is not None:
            return datetime.combine(moment.day, at, moment.zone).astimezone(UTC)
        return self._utc(datetime.combine(moment.day, at))

    def _utc(self, local: datetime) -> datetime:
        """A local time that a clock change skips is shifted ahead by the change; of two equal ones the first is
        taken."""
        return local.replace(tzinfo=self._zone).astimezone(UTC)


class OrderEvidence:
    """Collects what the dates of a file say about their order."""

    def __init__(self, today: date) -> None:
        self._last, self._recent = today + MAX_AHEAD, today - RECENT
        self._votes = dict.fromkeys(ORDERS, 0)
        self._seen: set[str] = set()
        self._count = 0
        self.unsure = ""
        """A date with two readings."""

    def add(self, text: str) -> None:
        if text in self._seen or len(self._seen) >= MAX_CACHED:
            return
        self._seen.add(text)
        match = _DIGITS.fullmatch(text.strip()) if len(text) <= MAX_LENGTH else None
        readings = self._readings(match) if match else {}
        self._count += bool(readings)
        for order in readings:
            self._votes[order] += 1
        if len(set(readings.values())) > 1 and not self.unsure:
            self.unsure = text.strip()

    def order(self, default: str) -> str:
        """The order; empty: it must be asked."""
        best = max(self._votes.values())
        if not best:
            return default or "ymd"
        fitting = [order for order in ORDERS if self._votes[order] == best]
        if default in fitting:
            return default
        is_open = len(fitting) > 1 and (self.unsure or best < self._count)
        return "" if is_open else fitting[0]

    def readings(self) -> tuple[tuple[str, date], ...]:
        """The readings of the date that is unsure."""
        match = _DIGITS.fullmatch(self.unsure)
        return tuple(self._readings(match).items()) if match else ()

    def _readings(self, match: re.Match[str]) -> dict[str, date]:
        """Order -> date, without those that are not plausible, unless all are."""
        dates = {}
        for order in ORDERS:
            try:
                dates[order] = _day(match, order)
            except BadDate:
                continue
        if match["sep"] == ".":
            dates.pop("ymd", None)
        possible = {order: day for order, day in dates.items() if FIRST_DAY <= day <= self._last}
        recent = {order: day for order, day in possible.items() if day >= self._recent}
        return (recent if len(match["third"]) == 2 and recent else possible) or dates


def read_moment(text: str, order: str) -> Moment | None:
    """None: no value. Raises `BadDate`."""
    is_exact, text = isinstance(text, Exact), text.strip()
    if text.lower() in NOTHING or _EMPTY_DATE.fullmatch(text):
        return None
    if len(text) > MAX_LENGTH:
        raise BadDate
    if match := _ISO.fullmatch(text) or _COMPACT.fullmatch(text):
        return _moment(match, _date(match["year"], match["month"], match["day"]))
    if match := _DIGITS.fullmatch(text):
        return _moment(match, _day(match, order))
    if _NUMBER.fullmatch(text):
        return _from_number(text, is_exact=is_exact)
    if match := _DAY_NAME.fullmatch(text) or _NAME_DAY.fullmatch(text):
        month = _months().get(match["name"].casefold())
        if month is not None:
            return _moment(match, _date(match["year"], str(month), match["day"]))
    raise BadDate


def dates_in(text: str) -> tuple[str, ...]:
    """The dates in digits that a line before the header names: `from 06/01/2026 to 06/30/2026`."""
    return tuple(match[0] for match in _IN_TEXT.finditer(text))


def read_clock(text: str) -> time | None:
    """The time of day of a column of its own; none: it has none that can be read."""
    match = _CLOCK.fullmatch(text.strip()) if text and len(text) <= MAX_LENGTH else None
    try:
        return _time(match) if match else None
    except BadDate:
        return None


def _day(match: re.Match[str], order: str) -> date:
    parts = dict(zip(order, match.group("first", "second_part", "third"), strict=True))
    if len(match["third"]) == 4 and order == "ymd":
        raise BadDate
    return _date(parts["y"], parts["m"], parts["d"])


def _date(year: str, month: str, day: str) -> date:
    try:
        return date(int(year) + (2000 if len(year) <= 2 else 0), int(month), int(day))
    except ValueError:
        raise BadDate from None


def _moment(match: re.Match[str], day: date) -> Moment:
    if match["hour"] is None:
        return Moment(day)
    return Moment(day, _time(match), _zone(match))


def _time(match: re.Match[str]) -> time:
    hour, half = int(match["hour"]), (match["half"] or "").lower().replace(".", "")
    if half:
        if not 1 <= hour <= 12:
            raise BadDate
        hour = hour % 12 + (12 if half == "pm" else 0)
    fraction = (match["fraction"] or "")[:6].ljust(6, "0")
    try:
        return time(hour, int(match["minute"]), int(match["second"] or 0), int(fraction))
    except ValueError:
        raise BadDate from None


def _zone(match: re.Match[str]) -> timezone | None:
    offset = match["offset"]
    if offset is None:
        return UTC if match["zone"] else None
    minutes = int(offset[1:3]) * 60 + int(offset[-2:])
    if minutes >= 24 * 60:
        raise BadDate
    return timezone(timedelta(minutes=-minutes if offset[0] == "-" else minutes))


def _from_number(text: str, *, is_exact: bool) -> Moment:
    """Seconds or milliseconds since 1970, or a workbook's days since 1900. Raises `BadDate`."""
    whole, _, rest = text.partition(".")
    fraction = int(rest[:6].ljust(6, "0")) if rest else 0
    if len(whole) in (10, 13):
        since = timedelta(milliseconds=int(whole)) if len(whole) == 13 else timedelta(0, int(whole), fraction)
        at = _EPOCH + since
        return Moment(at.date(), at.time(), UTC)
    if len(whole) == 5 and is_exact:
        local = _SERIAL_START + timedelta(days=int(whole), seconds=round(fraction * 86_400 / 1_000_000))
        return Moment(local.date(), local.time() if rest else None)
    raise BadDate


@cache
def _months() -> Mapping[str, int]:
    """Names of months, whole and short, without points."""
    names: dict[str, int] = {}
    for language in ("en", "de"):
        for context in Locale(language).months.values():
            for width in ("wide", "abbreviated"):
                names |= {name.casefold().rstrip("."): number for number, name in context[width].items()}
    return names | {"sept": 9, "mrz": 3}
