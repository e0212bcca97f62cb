"""`X-As-Of` and `X-Lag-Seconds` from the log's ends and the projection's places, with a given clock."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from infra.kernel.log import Log, StoredRecord, TopicPartition
from query_api.kernel import freshness
from query_api.kernel.freshness import MAX_LOOKS, FreshnessMonitor, Known, Looks
from query_api.kernel.read_your_writes import ProjectionPositions

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
CLICKS, DOMAIN = ("clicks", 0), ("domain", 0)


class World:
    """A log, what was read of it, and a clock."""

    version = 1

    def __init__(self) -> None:
        self.now = NOON
        self.ends: dict[TopicPartition, int] = {CLICKS: 0, DOMAIN: 0}
        self.read_up_to: dict[TopicPartition, int] = {}
        self.appended: dict[tuple[str, int, int], datetime] = {}
        self.reads = 0
        self.freshness = FreshnessMonitor(cast(ProjectionPositions, self), lambda: cast(Log, self), lambda: self.now)

    def next_offset(self, _projection: str, topic: str, partition: int) -> int | None:
        return self.read_up_to.get((topic, partition))

    def read_by(self, _projection: str) -> list[TopicPartition]:
        return list(self.ends)

    def end_offsets(self, places: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        return {place: self.ends.get(place, 0) for place in places}

    def source(self, topic: str, partition: int, offset: int = 0) -> Any:
        at = self.appended[topic, partition, offset]
        self.reads += 1

        class One:
            def read(self, _most: int, _timeout: float) -> list[StoredRecord]:
                return [StoredRecord(topic, partition, offset, int(at.timestamp() * 1000), b"", b"", ())]

            def close(self) -> None: ...

        return One()

    def close(self) -> None: ...

    def append(self, place: TopicPartition, count: int = 1) -> None:
        for _ in range(count):
            self.appended[(*place, self.ends[place])] = self.now
            self.ends[place] += 1

    def known(self, after: float = 0.0) -> tuple[float, bool]:
        """Seconds from noon, and whether all is in, by a look that much later."""
        self.now += timedelta(seconds=after)
        self.freshness.look()
        found = self.freshness._known
        assert found is not None
        return (found.as_of - NOON).total_seconds(), found.is_complete


def test_all_read_is_as_of_now() -> None:
    world = World()
    assert world.known() == (0.0, True)
    world.append(CLICKS, 3)
    world.read_up_to[CLICKS] = 3
    assert world.known(after=60) == (60.0, True)


def test_what_is_unread_holds_the_time_back_to_when_it_was_not_there_yet() -> None:
    world = World()
    world.known(after=100)
    world.now += timedelta(seconds=5)
    world.append(CLICKS)
    assert world.known(after=1) == (100.0, False)
    world.append(CLICKS)
    assert world.known(after=1) == (100.0, False)
    world.read_up_to[CLICKS] = 1
    assert world.known(after=1) == (106.0, False)  # the second record was not there at the look before it
    world.append(DOMAIN)
    world.read_up_to[CLICKS] = 2
    assert world.known(after=1) == (108.0, False)
    world.read_up_to[DOMAIN] = 1
    assert world.known(after=1) == (110.0, True)
    assert world.reads == 0


def test_after_a_quiet_time_the_first_unread_record_tells() -> None:
    """After an hour without requests and events one click has just come: the figures are not an hour behind."""
    world = World()
    world.append(CLICKS, 10)
    world.read_up_to[CLICKS] = 10
    world.now += timedelta(hours=1)
    world.append(CLICKS)
    assert world.known(after=2) == (3600.0, False)
    assert world.known(after=2) == (3600.0, False)
    assert world.reads == 1


def test_a_backlog_from_before_the_first_look_moves_in_steps() -> None:
    world = World()
    for _ in range(60):
        world.append(CLICKS)
        world.now += timedelta(seconds=1)
    assert world.known() == (0.0, False)
    world.read_up_to[CLICKS] = 5
    assert world.known(after=1) == (0.0, False)
    assert world.known(after=10) == (5.0, False)
    assert world.reads == 2


def test_every_request_after_an_idle_time_waits_for_the_refresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """The calls of one dashboard come at once: none of them may return the state of an hour ago."""
    monkeypatch.setattr(freshness, "PATIENCE_S", 30.0)
    world = World()
    world.known()
    world.now += timedelta(hours=1)
    with ThreadPoolExecutor(5) as pool:
        asked = [pool.submit(world.freshness.headers) for _ in range(5)]
        world.freshness.start()
        lags = {one.result(30)["X-Lag-Seconds"] for one in asked}
    world.freshness.stop()
    assert lags == {"0.0"}


def test_the_headers_are_never_in_the_future() -> None:
    ahead = Known(NOON + timedelta(minutes=5), is_complete=True)
    assert ahead.headers(NOON) == {"X-As-Of": "2026-11-22T12:00:00.000Z", "X-Lag-Seconds": "0.0"}


def test_a_look_that_was_long_ago_counts_for_its_own_time() -> None:
    complete, behind = Known(NOON, is_complete=True), Known(NOON, is_complete=False)
    assert complete.headers(NOON + timedelta(seconds=2))["X-Lag-Seconds"] == "0.0"
    assert complete.headers(NOON + timedelta(seconds=30))["X-Lag-Seconds"] == "30.0"
    assert behind.headers(NOON + timedelta(seconds=2))["X-Lag-Seconds"] == "2.0"


def test_looks_of_a_long_backlog_are_bounded_and_only_grow_older() -> None:
    looks = Looks()
    for number in range(10 * MAX_LOOKS):
        looks.add(number, NOON + timedelta(seconds=number))
    for offset in (10 * MAX_LOOKS - 1, 10 * MAX_LOOKS):
        found = looks.appended_after(offset)
        assert found is not None and found <= NOON + timedelta(seconds=offset)
    assert len(looks._ends) <= MAX_LOOKS
