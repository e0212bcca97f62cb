"""CJ's commissions by GraphQL: an answer that is not complete goes on behind its largest commission id. Pure.

Two feeds: commissions and corrections by the day on which they were posted, and by the day on which they are locked.
Amounts name no currency: they are requested in the account's own if it is known, else in USD.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from command_api.networks.pulling.position import (
    PulledPage,
    PulledRecord,
    PullFailed,
    PullPosition,
    Stretch,
    stretches,
)
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
_FIELDS: Final = (
    "commissionId originalActionId original correctionReason actionStatus validationStatus actionType advertiserId"
    " advertiserName websiteId clickDate eventDate postingDate lockingDate orderId shopperId"
)
_IN_USD: Final = "pubCommissionAmountUsd saleAmountUsd"
_IN_OWN: Final = "pubCommissionAmountPubCurrency saleAmountPubCurrency"
_NAMES: Final = {"posting": "PostingDate", "locking": "LockingDate"}


@dataclass(frozen=True, slots=True)
class CjCommissions:
    """See `ReportApi`."""

    network: str = "cj"
    name: str = "CJ"
    origin: str = "https://commissions.api.cj.com"
    interval: timedelta = timedelta(seconds=3)
    """The limit of this API is not published; that of the older ones is 25 calls a minute."""
    list_name: str = "records"

    @property
    def credentials(self) -> Mapping[str, re.Pattern[str]]:
        return {"publisherId": ACCOUNT, "token": TOKEN}

    def plan(self, since: datetime, until: datetime, *, is_deep: bool) -> tuple[Stretch, ...]:
        locked = min(since, until - LATE_CHANGES) if is_deep else since
        return (*stretches("posting", since, until, MAX_WINDOW), *stretches("locking", locked, until, MAX_WINDOW))

    def request(self, account: PullAccount, position: PullPosition) -> ReportRequest:
        headers = {
            "Authorization": f"Bearer {account.credentials['token']}",
            "Accept": "application/json",
            "Content-Type": "application/json",
        }
        return ReportRequest("POST", "/query", headers, json.dumps({"query": _query(account, position)}).encode())

    def read(self, position: PullPosition, answer: Any) -> PulledPage:
        if not isinstance(answer, dict) or answer.get("errors"):
            raise PullFailed("CJ does not answer the query.")
        found = (answer.get("data") or {}).get("publisherCommissions")
        if not isinstance(found, dict) or not isinstance(found.get("records"), list):
            raise unexpected(self.name)
        records = [PulledRecord(key_of(self.name, each, "commissionId"), each) for each in found["records"]]
        if found.get("payloadComplete") is True:
            return PulledPage(records, position.next_stretch())
        behind = found.get("maxCommissionId")
        if not isinstance(behind, str) or not behind.isprintable() or behind in ("", position.cursor):
            raise PullFailed("CJ's answer is incomplete and does not say where it goes on.")
        return PulledPage(records, position.next_page(behind))


def _query(account: PullAccount, position: PullPosition) -> str:
    stretch = position.stretch
    name = _NAMES[stretch.feed]
    # CJ leaves the end out; a second more keeps what happened in the last one.
    end = stretch.until + timedelta(seconds=1)
    given = {f"since{name}": f"{clock_time(stretch.since)}Z", f"before{name}": f"{clock_time(end)}Z"}
    if position.cursor:
        given["sinceCommissionId"] = position.cursor
    arguments = ", ".join(f"{argument}: {json.dumps(value)}" for argument, value in given.items())
    amounts = _IN_OWN if account.currency else _IN_USD
    return (
        f"{{ publisherCommissions(forPublishers: [{json.dumps(account.credentials['publisherId'])}], {arguments})"
        f" {{ count payloadComplete maxCommissionId records {{ {_FIELDS} {amounts} }} }} }}"
    )
