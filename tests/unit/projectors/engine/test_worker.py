"""A worker when the log is slow, when it is held, and when another worker was faster."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, cast
from unittest.mock import MagicMock
from uuid import UUID

import pytest
from psycopg_pool import PoolTimeout

from infra.kernel.log import LogUnavailable, StoredRecord
from infra.kernel.subscriptions import dead_letters, positions
from infra.kernel.subscriptions.dead_letters import StoredDeadLetter
from infra.kernel.subscriptions.positions import BarrierReached, Fenced, StoredPosition, WorkerKey
from projectors.engine.clickhouse_worker import GATHER_S, MAX_ROWS, ClickHouseWorker, interval_s
from projectors.engine.dedup import DedupStore
from projectors.engine.postgres_worker import PostgresWorker
from projectors.engine.worker import READ_S, Runtime, SinkLostRows
from projectors.read_models.partners.partners import PARTNERS
from projectors.registry import EVENTS_PROJECTION
from schemas.topics import CLICKS, DOMAIN
from tests.support.projection_bench import click


@dataclass
class SlowLog:
    """A log whose every second answer comes too late, and is empty."""

    records: Sequence[StoredRecord]
    at: int = 0
    asked: int = 0

    def source(self, _topic: str, _partition: int, offset: int = 0) -> SlowLog:
        self.at = offset
        return self

    def read(self, max_records: int, _timeout_s: float) -> list[StoredRecord]:
        self.asked += 1
        if self.asked % 2:
            return []
        found = list(self.records[self.at : self.at + min(max_records, 4)])
        self.at += len(found)
        return found

    def end_offset(self, _topic: str, _partition: int) -> int:
        return len(self.records)

    def close(self) -> None:
        """Nothing is open."""


def runtime(**parts: Any) -> Runtime:
    return cast(Runtime, MagicMock(**parts))


def events_worker(log: SlowLog, next_offset: int, **parts: Any) -> ClickHouseWorker:
    key = WorkerKey("events", 1, CLICKS.name, 0)
    worker = ClickHouseWorker(key, EVENTS_PROJECTION, runtime(log=log, **parts), MagicMock())
    worker._position = StoredPosition(next_offset, None, 0, None, 0, 0)
    return worker


def partners_worker() -> PostgresWorker:
    worker = PostgresWorker(WorkerKey("partners", 1, DOMAIN.name, 0), PARTNERS, runtime(), MagicMock())
    worker._source = MagicMock()
    worker._source.read.return_value = []
    return worker


def chosen(count: int) -> list[StoredRecord]:
    return [
        StoredRecord(CLICKS.name, 0, number, 0, b"", json.dumps(click(number)).encode(), (("h", b"12345678"),))
        for number in range(count)
    ]


@pytest.fixture
def ids(tmp_path: Path) -> DedupStore:
    return DedupStore(tmp_path / "ids")


def test_a_slow_log_hides_no_ids(ids: DedupStore) -> None:
    records = chosen(10)
    events_worker(SlowLog(records), len(records))._catch_up_ids(ids)
    assert ids.marker == len(records)
    assert len(list(ids.entries())) == len(records)


def test_a_log_that_ends_before_the_position_is_said(ids: DedupStore) -> None:
    with pytest.raises(SinkLostRows, match="the log ends before it"):
        events_worker(SlowLog(chosen(3)), 5)._catch_up_ids(ids)


def test_a_slow_log_hides_no_lost_rows(ids: DedupStore) -> None:
    worker = events_worker(SlowLog(chosen(4)), 4)
    with pytest.raises(SinkLostRows, match="no row of offset 0"):
        worker._check_tail(ids, 0, 4)


def test_a_worker_that_is_held_twice_loses_no_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hold ends and an earlier one begins, just between two looks."""
    worker = partners_worker()
    records = [StoredRecord(DOMAIN.name, 0, offset, 0, b"", b"", ()) for offset in range(10)]
    done: list[int] = []
    answers: list[int | None] = [7, 3, None]

    def passes(asked: list[StoredRecord]) -> bool:
        stop_at = answers.pop(0)
        if stop_at is not None:
            raise BarrierReached(stop_at)
        done.extend(record.offset for record in asked)
        return True

    monkeypatch.setattr(worker, "_passes", passes)
    worker.put_back(records)
    with pytest.raises(BarrierReached):
        worker.step()
    answers.append(None)
    worker.step()
    assert done == list(range(10))


def test_waiting_at_a_hold_counts_a_bad_record_once(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = partners_worker()
    bad = StoredRecord(DOMAIN.name, 0, 0, 0, b"", b"", (("event", b"nobody.knows"),))

    def is_held(*_arguments: object, **_named: object) -> None:
        raise BarrierReached(0)

    monkeypatch.setattr(positions, "advance", is_held)
    worker.put_back([bad])
    for _ in range(300):
        with pytest.raises(BarrierReached):
            worker.step()


@pytest.mark.parametrize("still_open", [True, False])
def test_a_dead_letter_that_another_worker_took_is_not_applied_again(
    monkeypatch: pytest.MonkeyPatch, still_open: bool
) -> None:
    letter = StoredDeadLetter(UUID(int=1), b"k", b"", [["event", b"partner.unknown".hex()]], 0, "refused_by_handler")
    worker = partners_worker()
    monkeypatch.setattr(dead_letters, "waiting_for", lambda *_: [letter])
    monkeypatch.setattr(dead_letters, "decide", lambda *_: int(still_open))
    monkeypatch.setattr("projectors.engine.postgres_worker.apply", lambda *_: None)
    if still_open:
        worker.retry([letter])
    else:
        with pytest.raises(Fenced, match="another process decided"):
            worker.retry([letter])


def test_a_worker_that_gets_no_connection_does_not_queue_up_once_more_to_say_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Sixty workers wait for twelve connections of a Postgres that is away, and each says it once."""
    worker = partners_worker()
    pool = cast(MagicMock, worker.runtime.pool)
    for _ in range(3):
        worker._show_error(PoolTimeout("couldn't get a connection after 1.50 sec"))
    assert pool.connection.call_count == 0
    worker._show_error(LogUnavailable("Kafka does not answer"))
    assert pool.connection.call_count == 1
    assert [record.getMessage() for record in caplog.records] == [
        'worker_retrying error="PoolTimeout: couldn\'t get a connection after 1.50 sec"',
        'worker_retrying error="LogUnavailable: Kafka does not answer"',
    ]


@dataclass
class Trickle:
    """A log in which `waiting` records are there at each read; the reads are noted. As with Kafka's client, only a read
    that may wait takes in what the broker sent meanwhile."""

    waiting: list[int]
    timeouts: list[float] = field(default_factory=list)

    def read(self, max_records: int, timeout_s: float) -> list[StoredRecord]:
        assert max_records > 0, "a log refuses to read nothing"
        self.timeouts.append(timeout_s)
        count = min(self.waiting.pop(0), max_records) if self.waiting and timeout_s > 0 else 0
        return [StoredRecord(CLICKS.name, 0, 0, 0, b"", b"{}", ())] * count


def gathered(waiting: list[int], interval_s: float = 0.0) -> tuple[int, Trickle]:
    """What `events_worker` gathers of these reads, and the log that says how often it was read."""
    worker, log = events_worker(SlowLog([]), 0, insert_interval_s=interval_s), Trickle(waiting)
    worker._source = cast(Any, log)
    worker._last_insert = monotonic()  # else its interval is over, and a busy machine finds the time over, too
    return len(worker._gather()), log


def test_a_lone_event_is_inserted_after_one_more_look() -> None:
    count, log = gathered([1])
    assert count == 1 and log.timeouts == [READ_S, GATHER_S]


def test_a_trickle_is_fetched_at_the_end_of_its_interval_however_many_events_come() -> None:
    """At each read one more is there, as from a broker that answers at once: it is not read a hundred times."""
    count, log = gathered([1] * 100)
    assert count == 3 and log.timeouts == [READ_S, GATHER_S, GATHER_S]


def test_a_trickle_that_turns_into_a_backlog_fills_the_batch_and_no_more() -> None:
    count, _ = gathered([487, MAX_ROWS, MAX_ROWS])
    assert count == MAX_ROWS


def test_inserts_of_a_trickle_take_a_tenth_of_the_time_and_what_comes_is_shown_within_a_second() -> None:
    assert interval_s(CLICKS.name, 0.05, 10) == pytest.approx(0.45)
    assert interval_s(CLICKS.name, 0.01, 200) == pytest.approx(0.375)
    assert interval_s(CLICKS.name, 0.3, 5_000) == 0.75
    assert interval_s(DOMAIN.name, 0.05, 10) == pytest.approx(0.15), "who decided may wait to read it"


def test_a_backlog_is_read_without_a_pause_until_the_batch_is_full() -> None:
    count, log = gathered([MAX_ROWS // 4] * 10, interval_s=3600.0)
    assert count == MAX_ROWS and len(log.timeouts) == 4
