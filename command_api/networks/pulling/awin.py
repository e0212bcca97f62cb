"""Awin's transactions: no pages, at most 31 days a call, 20 calls a minute per user. Pure.

Three feeds: new transactions, then what was validated and what was amended. Times are requested in UTC; they come
without a zone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import quote, urlencode

from command_api.networks.pulling.position import PulledPage, PulledRecord, PullPosition, Stretch, stretches
from command_api.networks.pulling.report_api import (
    ACCOUNT,
    LATE_CHANGES,
    TOKEN,
    PullAccount,
    ReportRequest,
    clock_time,
    key_of,
    unexpected,
)

MAX_WINDOW: Final = timedelta(days=30)
_PRIVATE: Final = ("ipHash", "url", "publisherUrl", "customParameters", "basketProducts", "transactionParts")
"""Of a person, or of no use to a report."""


@dataclass(frozen=True, slots=True)
class AwinTransactions:
    """See `ReportApi`."""

    network: str = "awin"
    name: str = "Awin"
    origin: str = "https://api.awin.com"
    interval: timedelta = timedelta(seconds=3.5)
    """Some less than the 20 calls a minute that are allowed: a call may take longer than the next."""
    list_name: str = ""

    @property
    def credentials(self) -> Mapping[str, re.Pattern[str]]:
        return {"publisherId": ACCOUNT, "token": TOKEN}

    def plan(self, since: datetime, until: datetime, *, is_deep: bool) -> tuple[Stretch, ...]:
        changed = min(since, until - LATE_CHANGES) if is_deep else since
        return (
            *stretches("transaction", since, until, MAX_WINDOW),
            *stretches("validation", changed, until, MAX_WINDOW),
            *stretches("amendment", changed, until, MAX_WINDOW),
        )

    def request(self, account: PullAccount, position: PullPosition) -> ReportRequest:
        stretch = position.stretch
        query = {
            "startDate": clock_time(stretch.since),
            "endDate": clock_time(stretch.until),
            "timezone": "UTC",
            "dateType": stretch.feed,
        }
        path = f"/publishers/{quote(account.credentials['publisherId'], safe='')}/transactions/?{urlencode(query)}"
        headers = {"Authorization": f"Bearer {account.credentials['token']}", "Accept": "application/json"}
        return ReportRequest("GET", path, headers)

    def read(self, position: PullPosition, answer: Any) -> PulledPage:
        if not isinstance(answer, list):
            raise unexpected(self.name)
        records = [PulledRecord(key_of(self.name, each, "id"), _without(each, _PRIVATE)) for each in answer]
        return PulledPage(records, position.next_stretch())


def _without(record: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in names}
