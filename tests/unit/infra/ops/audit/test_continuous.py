"""What the continuous audit says of rows that are gone because their time is over."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final, cast
from unittest.mock import Mock

import pytest

from infra.kernel.log import Log, StoredRecord
from infra.ops.audit import continuous
from infra.ops.audit.continuous import Counted
from infra.ops.audit.expired_events import Expired

NOW: Final = datetime(2026, 11, 29, 15, 28, tzinfo=UTC)
WEBSITE: Final = "0192f3a0-0000-7000-8000-000000000002"


class Records:
    """A log of ten records; the first five are of a day that expires."""

    def source(self, topic: str, partition: int, offset: int) -> Records:
        assert (topic, partition, offset) == ("clicks", 0, 0)
        return self

    def read(self, *_: Any) -> list[StoredRecord]:
        days = ["2026-05-13"] * 5 + ["2026-11-29"] * 5
        told = [f'{{"website_id": "{WEBSITE}", "occurred_at": "{day}T10:00:00Z"}}'.encode() for day in days]
        return [StoredRecord("clicks", 0, offset, 0, b"", value, ()) for offset, value in enumerate(told)]

    def close(self) -> None:
        """Nothing is open."""


def counted(monkeypatch: pytest.MonkeyPatch, expired: Expired, distinct: int) -> Counted:
    """Of a window of ten records, of which so many have a row."""
    monkeypatch.setattr(continuous, "_positions", lambda _: [("events", "clicks", 0, 10)])
    monkeypatch.setattr(continuous, "_bounds", lambda *_: {0: (0, 9)})
    monkeypatch.setattr(continuous, "_kept", lambda *_: {0: (distinct, distinct)})
    monkeypatch.setattr(continuous, "dead_letters", lambda *_: [])
    monkeypatch.setattr(Expired, "read", lambda _: expired)
    nothing: Any = Mock()
    return continuous.count(nothing, nothing, NOW, cast(Log, Records()))


def expired_at(moment: datetime) -> Expired:
    """As `Expired.read` has it: an hour later nothing arrives any more."""
    return Expired({WEBSITE: "2026-09-01"}, {WEBSITE: f"{moment + timedelta(hours=1):%Y-%m-%d %H:%M:%S}"})


def test_a_lost_row_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for expired in (Expired(), expired_at(NOW - timedelta(hours=5))):
        assert counted(monkeypatch, expired, 9) == Counted(10, 1, 0, 0)


def test_history_that_expires_soon_after_its_import_is_not_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    expired = expired_at(NOW - timedelta(minutes=50))
    assert counted(monkeypatch, expired, 5) == Counted(10, 0, 0, 0)
    assert counted(monkeypatch, expired, 4) == Counted(10, 1, 0, 0), "one more is lost"
    monkeypatch.setattr(continuous, "_MAX_LOOKED_AT", 9)
    assert counted(monkeypatch, expired, 5) == Counted(0, 0, 0, 1)
    assert counted(monkeypatch, expired, 10) == Counted(10, 0, 0, 0), "what lacks nothing is counted as ever"
