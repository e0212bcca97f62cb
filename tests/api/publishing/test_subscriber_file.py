"""Given the longest list of subscribers, then its file costs no more than its class permits."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast
from uuid import uuid4

from command_api.publishing.subscriptions.model import MAX_SUBSCRIBERS
from infra.domain import contacts
from infra.kernel.http.route_costs import EXPORT
from query_api.kernel.csv import _chunks, columns_of
from query_api.publishing.subscribers import SiteSubscriberForSending, _confirmed
from tests.support.reference_work import REFERENCE_MS, reference_ms

SETTINGS: Any = SimpleNamespace(master_key="ab" * 32, app_url="https://app.example.com")
START = datetime(2026, 1, 1, tzinfo=UTC)


class Subscribers:
    """As the read model gives them, newest first."""

    def __init__(self) -> None:
        self.principal, self.reader = SimpleNamespace(account_id=uuid4()), self
        self._rows = [self._row(number) for number in reversed(range(MAX_SUBSCRIBERS))]

    def _row(self, number: int) -> dict[str, Any]:
        id, at = uuid4(), START + timedelta(seconds=number)
        email_sealed = contacts.encrypt_field(SETTINGS, id, "email", f"a.person.{number}@mail.example.com")
        shown = {"state": "confirmed", "page": "/reviews/knives", "block": "footer", "requested_at": at}
        return {"id": id, "email_sealed": email_sealed, "confirmed_at": at, **shown}

    def rows(self, _sql: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        at = values["at"]
        begin = 0 if at is None else MAX_SUBSCRIBERS - int((at - START).total_seconds())
        return self._rows[begin : begin + values["limit"]]


def test_the_file_of_the_longest_list_costs_what_an_export_may() -> None:
    subscribers = Subscribers()
    spent = []
    for _ in range(3):
        began, lines = time.process_time(), 0
        found = _confirmed(uuid4(), cast(Any, subscribers), SETTINGS)
        for chunk in _chunks(columns_of(SiteSubscriberForSending), found):
            lines += chunk.count(b"\r\n")
            assert len(chunk) < 500_000, "it is sent as it is read"
        spent.append((time.process_time() - began) * 1000)
        assert lines == MAX_SUBSCRIBERS + 1
    assert min(spent) * REFERENCE_MS / reference_ms() < EXPORT.processor_ms
