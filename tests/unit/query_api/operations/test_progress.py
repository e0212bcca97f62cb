"""Given a build from its first moment on, then its progress never runs backwards, and reaches 100 at the end."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from query_api.operations.projection_schemas import PartitionPosition, progress_of

NOW = datetime(2026, 11, 20, tzinfo=UTC)


def place(partition: int, read: int, end: int | None) -> PartitionPosition:
    return PartitionPosition(
        topic="clicks",
        partition=partition,
        next_offset=read,
        end_offset=end,
        lag_events=None,
        lag_seconds=0,
        domain_position=0,
        processed=read,
        rate=0,
        error="",
        owner=None,
        updated_at=NOW,
        record_at=None,
    )


def build(state: str, *, paused_in: str | None = None, **progress: Any) -> Mapping[str, Any]:
    return {"state": state, "paused_in": paused_in, "progress": progress}


def test_a_build_that_reads_the_log() -> None:
    steps = [
        (build("building"), []),
        (build("building"), [place(0, 0, 500)]),
        (build("building"), [place(0, 400, 500), place(1, 0, None)]),
        (build("building"), [place(0, 500, 500), place(1, 100, 500)]),
        (build("paused", paused_in="building"), [place(0, 500, 500), place(1, 100, 500)]),
        (build("catching_up"), [place(0, 500, 500), place(1, 480, 500)]),
        (build("catching_up"), [place(0, 500, 500), place(1, 500, 500)]),
        (build("ready"), [place(0, 500, 510), place(1, 500, 510)]),
    ]
    shown = [progress_of(row, places, alone=False, log_end=1000).percent for row, places in steps]
    assert shown == [0, 0, 40, 60, 60, 98, 99.9, 100]


def test_a_rollup_that_copies_months_and_then_catches_up() -> None:
    live = [place(0, 900, 1000)]
    steps = [
        (build("building"), "months", 0.0),
        (build("building", months=[202610, 202611], done=[]), "months", 0.0),
        (build("building", months=[202610, 202611], done=[202610]), "months", 40.0),
        (build("building", months=[202610, 202611], done=[202610, 202611]), "months", 80.0),
        (build("catching_up", months=[202610, 202611], done=[202610, 202611]), "records", 98.0),
        (build("ready"), "records", 100.0),
    ]
    for row, unit, percent in steps:
        shown = progress_of(row, live, alone=True, log_end=1000)
        assert (shown.unit, shown.percent) == (unit, percent)


def test_an_empty_log_is_not_done_before_the_build_is_ready() -> None:
    assert progress_of(build("building"), [], alone=False).percent == 0
    assert progress_of(build("ready"), [], alone=False).percent == 100
