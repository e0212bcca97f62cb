"""The log's ends, as the engine looks at them: one question for all, and one wait for a log that hangs."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import cast

import pytest

from infra.kernel.log import Log, LogUnavailable, TopicPartition
from projectors.engine import status
from projectors.engine.status import Ends

FIRST, SECOND = ("clicks", 0), ("clicks", 1)


class AskedLog:
    """Counts the questions; tells `end` of every partition unless it is away."""

    def __init__(self) -> None:
        self.asked: list[list[TopicPartition]] = []
        self.end = 7
        self.is_away = False

    def end_offsets(self, places: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        self.asked.append(list(places))
        if self.is_away:
            raise LogUnavailable("away")
        return dict.fromkeys(self.asked[-1], self.end)


@pytest.fixture
def log() -> AskedLog:
    return AskedLog()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr(status, "monotonic", lambda: now[0])
    return now


def test_all_ends_are_requested_together_and_at_most_twice_a_second(log: AskedLog, clock: list[float]) -> None:
    ends = Ends(cast(Log, log))
    assert ends.of([FIRST, SECOND, FIRST]) == {FIRST: 7, SECOND: 7}
    log.end = 9
    assert ends.one(*SECOND) == 7
    assert log.asked == [[FIRST, SECOND]]
    clock[0] += status.ENDS_KEPT_S
    assert ends.of([FIRST]) == {FIRST: 9, SECOND: 9}


@pytest.mark.usefixtures("clock")
def test_a_new_partition_is_requested_with_the_others(log: AskedLog) -> None:
    ends = Ends(cast(Log, log))
    ends.of([FIRST])
    assert ends.of([SECOND]) == {FIRST: 7, SECOND: 7}
    assert log.asked == [[FIRST], [FIRST, SECOND]]


def test_a_log_that_hangs_is_waited_for_once(log: AskedLog, clock: list[float]) -> None:
    ends = Ends(cast(Log, log))
    ends.of([FIRST, SECOND])
    clock[0] += status.ENDS_KEPT_S
    log.is_away = True
    assert ends.of([FIRST]) == {} and ends.one(*SECOND) is None
    assert len(log.asked) == 2
    log.is_away = False
    clock[0] += status.ENDS_KEPT_S
    assert ends.of([FIRST]) == {FIRST: 7, SECOND: 7}


@pytest.mark.usefixtures("clock")
def test_a_call_during_a_request_waits_for_its_answer(log: AskedLog) -> None:
    """Not for the cached answer: the new partition would look as if the log did not answer."""
    ends = Ends(cast(Log, log))
    ends.of([FIRST])
    begun, go_on = Event(), Event()
    answer = log.end_offsets

    def slow(places: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        begun.set()
        assert go_on.wait(60)
        return answer(places)

    with pytest.MonkeyPatch.context() as patched, ThreadPoolExecutor(2) as threads:
        patched.setattr(log, "end_offsets", slow)
        one = threads.submit(ends.of, [SECOND])
        assert begun.wait(60)
        other = threads.submit(ends.of, [SECOND])
        assert not other.done()
        go_on.set()
        assert one.result(60) == other.result(60) == {FIRST: 7, SECOND: 7}
    assert log.asked == [[FIRST], [FIRST, SECOND]]
