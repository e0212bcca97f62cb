"""impact.com's actions: pages, at most 45 days a call, by the time of the last update. Pure.

Two feeds: each update of an action, then the actions as they are now. An action that changes while it is read leaves
the second feed's time; the first still has it as it was, and the next pull as it is then.

Rows that leave move those behind them to an earlier page, where they would be missed: a stretch is read again until the
announced number of rows stayed the same and all of them came.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import quote, urlencode

from command_api.networks.pulling.position import (
    PulledPage,
    PulledRecord,
    PullPosition,
    Stretch,
    stretches,
)
from command_api.networks.pulling.report_api import (
    ACCOUNT,
    TOKEN,
    PullAccount,
    ReportRequest,
    clock_time,
    key_of,
    unexpected,
)

NAME: Final = "impact.com"
MAX_WINDOW: Final = timedelta(days=44)
PAGE_SIZE: Final = 1_000
MAX_PASSES: Final = 2
"""Over one stretch; then its halves are read, which have fewer pages to change."""
UPDATES: Final = "ActionUpdates"
ACTIONS: Final = "Actions"
_AS_NOW: Final = 1 << 62
"""Newer than every update."""
_PRIVATE: Final = ("CustomerArea", "CustomerCity", "CustomerRegion", "CustomerCountry", "CustomerPostCode", "Uri")
_UPDATE_NAMES: Final = {"ActionId": "Id", "ActionDate": "EventDate", "ClearingDate": "ClearedDate"}
"""Names in an update to those in an action."""


@dataclass(frozen=True, slots=True)
class ImpactActions:
    """See `ReportApi`."""

    network: str = "impact"
    name: str = NAME
    origin: str = "https://api.impact.com"
    interval: timedelta = timedelta(seconds=3)
    list_name: str = ACTIONS

    @property
    def credentials(self) -> Mapping[str, re.Pattern[str]]:
        return {"accountSid": ACCOUNT, "authToken": TOKEN}

    def plan(self, since: datetime, until: datetime, *, is_deep: bool) -> tuple[Stretch, ...]:
        del is_deep  # each change has an update, however late
        return (*stretches(UPDATES, since, until, MAX_WINDOW), *stretches(ACTIONS, since, until, MAX_WINDOW))

    def request(self, account: PullAccount, position: PullPosition) -> ReportRequest:
        stretch, sid = position.stretch, account.credentials["accountSid"]
        query = {
            "StartDate": f"{clock_time(stretch.since)}Z",
            "EndDate": f"{clock_time(stretch.until)}Z",
            "Page": position.cursor or "1",
            "PageSize": str(PAGE_SIZE),
        }
        basic = b64encode(f"{sid}:{account.credentials['authToken']}".encode()).decode()
        path = f"/Mediapartners/{quote(sid, safe='')}/{stretch.feed}?{urlencode(query)}"
        return ReportRequest("GET", path, {"Authorization": f"Basic {basic}", "Accept": "application/json"})

    def read(self, position: PullPosition, answer: Any) -> PulledPage:
        feed = position.stretch.feed
        rows = answer.get(feed) if isinstance(answer, dict) else None
        if not isinstance(rows, list):
            raise unexpected(self.name)
        pages, total = _number(answer.get("@numpages")), _number(answer.get("@total"))
        records = [_update(each) if feed == UPDATES else _action(each) for each in rows]
        return PulledPage(records, _next(position, len(rows), pages, total))


def _next(position: PullPosition, count: int, pages: int, total: int) -> PullPosition:
    page, seen = int(position.cursor or "1"), position.seen + count
    is_same = position.expected in (None, total)
    if is_same and page < pages:
        return position.next_page(str(page + 1), expected=total, seen=seen)
    if is_same and seen == total:
        return position.next_stretch()
    if position.passes >= MAX_PASSES and position.is_divisible:
        return position.halved()
    return position.next_pass()


def _action(row: Any) -> PulledRecord:
    key = key_of(NAME, row, "Id")
    return PulledRecord(key, {name: value for name, value in row.items() if name not in _PRIVATE}, _AS_NOW)


def _update(row: Any) -> PulledRecord:
    """An update in the form of an action."""
    key = key_of(NAME, row, "ActionId")
    record = {_UPDATE_NAMES.get(name, name): row[name] for name in row if name not in (*_PRIVATE, "Id")}
    return PulledRecord(key, record, _microseconds(row.get("UpdateDate")))


def _microseconds(text: Any) -> int:
    try:
        moment = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        moment = None
    if moment is None or moment.tzinfo is None:
        raise unexpected(NAME)
    return int(moment.timestamp() * 1_000_000)


def _number(text: Any) -> int:
    if isinstance(text, str) and text.isascii() and text.isdecimal() and len(text) < 12:
        return int(text)
    if isinstance(text, int) and not isinstance(text, bool) and text >= 0:
        return text
    raise unexpected(NAME)
