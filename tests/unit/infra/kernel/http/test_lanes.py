"""Lanes: a crowded one leaves the others theirs, and one that stands still says so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from infra.kernel.http import lanes
from infra.kernel.http.lanes import Lane, LaneFull, Lanes, current_lane, working_in


async def hold(lane: Lane, until: asyncio.Event, entered: list[str]) -> None:
    async with lane.entered():
        entered.append(current_lane())
        await until.wait()


async def until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - what it waits for has no event, and takes no time
        await asyncio.sleep(0)


async def test_a_crowded_lane_leaves_another_its_threads() -> None:
    found, end, inside = Lanes({"commands": 2, "accounts": 1}), asyncio.Event(), list[str]()
    held = [asyncio.create_task(hold(found["commands"], end, inside)) for _ in range(5)]
    await until(lambda: len(inside) == 2)
    async with found["accounts"].entered():
        assert inside == ["commands"] * 2 and current_lane() == "accounts"
    end.set()
    await asyncio.gather(*held)
    assert inside == ["commands"] * 5 and current_lane() == ""


async def test_a_queue_is_bounded_in_places_and_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "MAX_WAITING", 1)
    lane, end, inside = Lane("documents", 1), asyncio.Event(), list[str]()
    first = asyncio.create_task(hold(lane, end, inside))
    second = asyncio.create_task(hold(lane, end, inside))
    await until(lambda: bool(inside and lane._waiting))
    with pytest.raises(LaneFull):
        async with lane.entered():
            raise AssertionError
    second.cancel()
    await asyncio.wait([second])
    monkeypatch.setattr(lanes, "WAIT_S", 0.0)
    with pytest.raises(LaneFull):
        async with lane.entered():
            raise AssertionError
    end.set()
    await first
    async with lane.entered():
        assert lane.stalled_s() == 0


async def test_a_lane_that_stands_still_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a lane that is merely full hangs, nor one whose requests take their turns."""
    now = 100.0
    monkeypatch.setattr(lanes, "monotonic", lambda: now)
    found, end, inside = Lanes({"commands": 1, "accounts": 1}), asyncio.Event(), list[str]()
    first = asyncio.create_task(hold(found["commands"], end, inside))
    await until(lambda: bool(inside))
    now += 600
    assert found.why_hung() is None, "nobody waits for it"
    second = asyncio.create_task(hold(found["commands"], end, inside))
    await until(lambda: bool(found["commands"]._waiting))
    now += lanes.STALLED_AFTER_S - 1
    assert found.why_hung() is None
    now += 1
    assert found.why_hung() == "requests of lane commands have got no thread for 30 s"
    end.set()
    await asyncio.gather(first, second)
    assert found.why_hung() is None


async def test_clients_that_time_out_do_not_hide_a_lane_that_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(lanes, "monotonic", lambda: now)
    monkeypatch.setattr(lanes, "WAIT_S", 0.0)
    found, end, inside = Lanes({"commands": 1}), asyncio.Event(), list[str]()
    first = asyncio.create_task(hold(found["commands"], end, inside))
    await until(lambda: bool(inside))
    for _ in range(5):
        with pytest.raises(LaneFull):
            async with found["commands"].entered():
                raise AssertionError
        now += 10
    assert found.why_hung() is not None
    end.set()
    await first


def test_a_block_works_in_a_lane_without_one_of_its_threads() -> None:
    with working_in("health"):
        assert current_lane() == "health"
    assert current_lane() == ""
