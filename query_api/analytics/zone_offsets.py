"""Local time in ClickHouse SQL by the program's time zone data; the engine's may differ (docs/analysts.md). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from schemas.zones import ZoneInfo

_STEP: Final = timedelta(days=1)
_FINEST: Final = timedelta(minutes=15)


def offsets(timezone: ZoneInfo, start: datetime, end: datetime) -> list[tuple[int, int]]:
    """Returns from which Unix time on which UTC offset holds, both in seconds, for a span of time."""
    changes = [(int(start.timestamp()), _offset(timezone, start))]
    moment = start
    while moment < end:
        following = min(moment + _STEP, end)
        if _offset(timezone, following) != changes[-1][1]:
            change = _change(timezone, moment, following)
            changes.append((int(change.timestamp()), _offset(timezone, change)))
        moment = following
    return changes


def local_hour(unix: str) -> str:
    """The expression of `unix` (seconds) as `WEEKDAY-HOUR`: Monday 13:00 to 13:59 is `1-13`. Needs `bound`."""
    begins = "{zone_starts:Array(UInt32)}"
    offset = f"transform(roundDown(toUInt32({unix}), {begins}), {begins}, {{zone_offsets:Array(Int32)}}, toInt32(0))"
    local = f"toDateTime(toUInt32(toInt64({unix}) + {offset}), 'UTC')"
    return f"concat(toString(toDayOfWeek({local})), '-', toString(toHour({local})))"


def bound(timezone: ZoneInfo, start: datetime, end: datetime) -> Mapping[str, Any]:
    """Returns the parameters of `local_hour`, for moments in this span."""
    changes = offsets(timezone, start, end)
    return {"zone_starts": [begin for begin, _ in changes], "zone_offsets": [offset for _, offset in changes]}


def _offset(timezone: ZoneInfo, moment: datetime) -> int:
    offset = moment.astimezone(timezone).utcoffset()
    assert offset is not None  # noqa: S101 - every aware time has one
    return int(offset.total_seconds())


def _change(timezone: ZoneInfo, before: datetime, after: datetime) -> datetime:
    """The first quarter of an hour in which the offset of `after` holds."""
    target = _offset(timezone, after)
    low = before.astimezone(UTC)
    low -= timedelta(seconds=low.timestamp() % _FINEST.total_seconds())
    steps = int((after - low) / _FINEST)
    first, last = 0, steps + 1
    while last - first > 1:
        middle = (first + last) // 2
        if _offset(timezone, low + middle * _FINEST) == target:
            last = middle
        else:
            first = middle
    return low + last * _FINEST
