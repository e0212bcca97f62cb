"""How long single events of a website are kept: from which day on, as days and as instants. Pure.

Days of visits are UTC days, months are those of the website's zone. So the first day whose events are kept is the UTC
day in which the website's month begins: visits stay whole, and every local day of a kept month is there whole.

A report names clicks that are as old as its partner's window, and may itself come `REPORTED_WITHIN` after its sale.
Events that a sale can still be attributed by never expire, whatever the owner chose.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from schemas.days import day_start, local_day, months_later
from schemas.zones import ZoneInfo

TAKEN_BACK_WITHIN: Final = timedelta(hours=24)
"""Nothing expires so soon after a change of the setting."""
REPORTED_WITHIN: Final = timedelta(days=31)
"""A sale may be reported 30 days late (docs/conversions.md), and clocks differ."""


def expired_before(months: int, zone: ZoneInfo, now: datetime, window_days: int) -> date:
    """The first UTC day whose events are kept: in it begins the `months`-th month before the current one, or an earlier
    month if a sale may still name a click of that one. `window_days`: the longest window of the website's partners."""
    needed = (now - timedelta(days=window_days) - REPORTED_WITHIN).astimezone(UTC).date()
    day = wanted_before(months, zone, now)
    while day > needed:
        months += 1
        day = wanted_before(months, zone, now)
    return day


def wanted_before(months: int, zone: ZoneInfo, now: datetime) -> date:
    """The same as the owner wants it, whatever sales may name."""
    return day_start(zone, months_later(local_day(zone, now), -months)).astimezone(UTC).date()


def first_kept_day(utc_day: date, zone: ZoneInfo) -> date:
    """The first local day whose events are all kept, where events before the UTC day `utc_day` are not."""
    kept_from = datetime.combine(utc_day, time(), UTC)
    day = local_day(zone, kept_from)
    return day if day_start(zone, day) >= kept_from else day + timedelta(days=1)


def midnights(zone: ZoneInfo, day: date) -> list[datetime]:
    """The instants within a UTC day, but for its begin, at which a local day begins."""
    start = datetime.combine(day, time(), UTC)
    end = start + timedelta(days=1)
    local = local_day(zone, start)
    moments = (day_start(zone, local + timedelta(days=number)) for number in range(4))
    return sorted({moment for moment in moments if start < moment < end})
