"""Time on the hot path: now, as a number and as the log writes it, without formatting a date per event."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from time import time_ns

from ingest.errors import invalid

DAY_MS = 86_400_000
YEAR_2100_S = 4_102_444_800
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)

_second = -1
_prefix = ""


def now_ms() -> int:
    """Milliseconds since 1970."""
    return time_ns() // 1_000_000


def log_text(milliseconds: int) -> str:
    """A moment as the log writes it (`schemas.tracking.log_time`); calls within one second share the date part."""
    global _second, _prefix
    second, rest = divmod(milliseconds, 1000)
    if second != _second:
        _prefix = datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%d %H:%M:%S.")
        _second = second
    return f"{_prefix}{rest:03d}"


def parse_moment(sent: str | int) -> int:
    """Returns the milliseconds since 1970 of an ISO 8601 text (UTC unless it names a zone) or of a Unix time in ms. A
    number that is a moment before 2100 in seconds is read as seconds; as milliseconds it would be in the first 48 days
    of 1970. Raises `EventRejected` (bad_time), also for a time before 1970: no table holds it."""
    if isinstance(sent, int):
        if not 0 <= sent < 10**14:
            raise invalid("bad_time", "occurred_at as a number is a Unix time in milliseconds or seconds")
        return sent if sent > YEAR_2100_S else sent * 1000
    try:
        moment = datetime.fromisoformat(sent)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
    except ValueError:
        raise invalid("bad_time", "occurred_at is not an ISO 8601 time such as 2026-01-31T12:00:00Z") from None
    milliseconds = (moment - _EPOCH) // _MILLISECOND
    if milliseconds < 0:
        raise invalid("bad_time", "occurred_at lies before 1970")
    return milliseconds
