"""Whose password is hashed first, and that no lane takes another's places."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from command_api.accounts import passwords
from command_api.accounts.passwords import PasswordLane, Passwords
from infra.kernel.http.problems import Problem


def test_an_earlier_lane_goes_first_and_has_its_own_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "WORKERS", 1)
    monkeypatch.setattr(passwords, "QUEUE", 3)
    pool, go, order = Passwords(), Event(), list[str]()

    def hashing(name: str) -> bool:
        go.wait(10)
        order.append(name)
        return True

    def run(name: str, lane: PasswordLane) -> None:
        pool._in_pool(lane, hashing, name)

    with ThreadPoolExecutor(8) as threads:
        began = [threads.submit(run, "first", PasswordLane.LATE)]
        _wait(lambda: pool._waiting.empty() and not began[0].done())
        waiting = ("late", "late", "prompt", "late", "known")
        for number, name in enumerate(waiting):
            lane = PasswordLane[name.upper()]
            began.append(threads.submit(run, name, lane))
            _wait(lambda number=number: pool._waiting.qsize() == number + 1)
        with pytest.raises(Problem) as refused:
            run("one too many", PasswordLane.LATE)
        assert (refused.value.status, refused.value.code) == (429, "busy")
        began.append(threads.submit(run, "known", PasswordLane.KNOWN))
        _wait(lambda: pool._waiting.qsize() == 6)
        go.set()
        for one in began:
            one.result(10)
    assert order == ["first", "known", "known", "prompt", "late", "late", "late"]


def _wait(until: object) -> None:
    deadline = time.monotonic() + 10
    assert callable(until)
    while not until():
        assert time.monotonic() < deadline
        time.sleep(0.001)
