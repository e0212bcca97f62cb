"""One line of a web server's access log (Apache/nginx combined format): is it a page view, and what does it say?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum
from typing import Final


class Reason(StrEnum):
    """Why a line is no page view."""

    NOT_GET = "not_get"
    STATUS = "status"
    ASSET = "asset"
    MALFORMED = "malformed"


@dataclass(frozen=True, slots=True)
class PageLine:
    """A line that is a page view. `target`: path and query; `referrer`, `user_agent`: empty = the log has `-`."""

    address: str
    at: datetime
    target: str
    referrer: str
    user_agent: str


def read_line(line: bytes) -> PageLine | Reason:
    """A page view is a GET that was answered 200-299 or 304, of a path whose last segment is empty, has no dot, or ends
    in .html, .htm or .php. Every other line has the first reason that applies."""
    found = _COMBINED.fullmatch(line.decode("utf-8", "replace"))
    if found is None:
        return Reason.MALFORMED
    at = _moment(found["time"])
    request = found["request"].split(" ")
    if at is None or len(request) not in (2, 3) or not _METHOD.fullmatch(request[0]):
        return Reason.MALFORMED
    if request[0] != "GET":
        return Reason.NOT_GET
    status = int(found["status"])
    if not (200 <= status <= 299 or status == 304):
        return Reason.STATUS
    target = _without_host(request[1])
    last = target.partition("?")[0].rpartition("/")[2]
    if "." in last and not last.endswith(PAGE_ENDINGS):
        return Reason.ASSET
    return PageLine(found["address"], at, target, _unquoted(found["referrer"]), _unquoted(found["agent"]))


def _moment(text: str) -> datetime | None:
    """`17/May/2015:10:05:03 +0000`, whatever the machine's language. Out of 1970 to 2099 nothing can be kept."""
    found = _TIME.fullmatch(text)
    if found is None or found["month"] not in _MONTHS:
        return None
    offset = timedelta(hours=int(found["zone"][1:3]), minutes=int(found["zone"][3:5]))
    if found["zone"][0] == "-":
        offset = -offset
    try:
        moment = datetime(
            int(found["year"]),
            _MONTHS[found["month"]],
            int(found["day"]),
            int(found["hour"]),
            int(found["minute"]),
            int(found["second"]),
            tzinfo=timezone(offset),
        ).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment if 1970 <= moment.year < 2100 else None


def _without_host(target: str) -> str:
    """The target without scheme and host, which requests to proxies contain."""
    scheme, found, rest = target.partition("://")
    if not found or "/" in scheme or "?" in scheme:
        return target
    return "/" + rest.partition("/")[2]


def _unquoted(text: str) -> str:
    return "" if text == "-" else text.replace('\\"', '"')


PAGE_ENDINGS: Final = (".html", ".htm", ".php")
_COMBINED: Final = re.compile(
    r"(?P<address>\S+) \S+ [^\[]*\[(?P<time>[^\]]+)\] "
    r'"(?P<request>(?:[^"\\]|\\.)*)" (?P<status>\d{3}) (?:\d+|-) '
    r'"(?P<referrer>(?:[^"\\]|\\.)*)" "(?P<agent>(?:[^"\\]|\\.)*)"\s*',
    re.A,
)
_TIME: Final = re.compile(
    r"(?P<day>\d\d)/(?P<month>[A-Z][a-z]{2})/(?P<year>\d{4}):(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d) "
    r"(?P<zone>[+-]\d{4})",
    re.A,
)
_METHOD: Final = re.compile(r"[A-Z]{1,20}", re.A)
_MONTHS: Final = {
    name: number
    for number, name in enumerate(
        ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"), start=1
    )
}
