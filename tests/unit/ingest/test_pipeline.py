"""The runner: steps in order, drops counted by step and reason, one request in many timed; the pipelines are values."""

from __future__ import annotations

import asyncio
import re
from types import SimpleNamespace
from typing import Any

import pytest

from ingest import pipeline
from ingest.errors import invalid
from ingest.metrics import MAX_REASONS, OTHER, Counters, SourceMetrics, exposition
from ingest.pipeline import ALL, IMPORT, NO_STEP, PIXEL, POSTBACK, REDIRECT, REPORT, TIMED_EVERY, TRACK, Pipeline
from tests.support.ingest_in_process import KEY, SECRET_KEY, SLUG, KeepingLog, ingest_context, request


def double(event: list[int]) -> None:
    event[0] *= 2


def refuse_odd(event: list[int]) -> None:
    if event[0] % 2:
        raise invalid("odd", "It is odd.")


def increase(event: list[int]) -> None:
    event[0] += 1


PIPELINE = Pipeline[list[int]]("numbers", increase, refuse_odd, double, before=("decode",), after=("publish",))


def test_steps_run_in_their_order_and_a_drop_ends_them() -> None:
    counters = Counters()
    for number in range(2 * TIMED_EVERY):
        event = [number]
        dropped = PIPELINE.new_runner(PIPELINE.bound(None), counters).run(event)
        if number % 2:
            assert dropped is None
            assert event == [2 * (number + 1)]
        else:
            assert dropped is not None and dropped.code == "odd"
            assert event == [number + 1], "no step after the one that dropped it"
    assert counters.sources["numbers"].drops == {("refuse_odd", "odd"): TIMED_EVERY}
    assert PIPELINE.names == ("decode", "increase", "refuse_odd", "double", "publish")


def test_a_step_gets_the_parts_that_it_names() -> None:
    def add(event: list[int], *, amount: int) -> None:
        event[0] += amount

    parts: Any = SimpleNamespace(amount=5, counters=Counters(), steps={})
    named = Pipeline[list[int]]("named", add, double)
    event = [1]
    named.runner(parts).complete(event)
    assert event == [12]
    assert [step.__name__ for step in parts.steps["named"]] == ["add", "double"]
    with pytest.raises(AttributeError, match="amount"):
        named.bound(SimpleNamespace())


def test_the_first_request_is_timed_and_then_one_in_many() -> None:
    counters = Counters()
    timed = counters.sources["numbers"].timed
    PIPELINE.new_runner(PIPELINE.bound(None), counters).complete([1])
    assert {step: count for step, (count, _) in timed.items()} == dict.fromkeys(PIPELINE.names[:4], 1)
    for _ in range(TIMED_EVERY):
        PIPELINE.new_runner(PIPELINE.bound(None), counters).complete([1])
    assert {count for count, _ in timed.values()} == {2}
    assert all(0 <= seconds < 60 for _, seconds in timed.values())


def test_a_request_is_counted_and_timed_in_the_step_that_it_is_in(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([10.0, 11.0, 13.0, 20.0, 21.0])
    monkeypatch.setattr(pipeline, "perf_counter", lambda: next(clock))
    counters = Counters()
    for _ in range(2):
        runner = PIPELINE.new_runner(PIPELINE.bound(None), counters)
        runner.current = "look_up"
        runner.drop("bad_json")
        for step in (NO_STEP, "publish", NO_STEP):
            runner.current = step
        runner.drop("counted by the runner")
        runner.drop("odd", "decode")
    counted = counters.sources["numbers"]
    assert counted.drops == {("look_up", "bad_json"): 2, ("decode", "odd"): 2}
    assert counted.timed == {"decode": (1, 1.0), "look_up": (1, 2.0), "publish": (1, 1.0)}


def test_reasons_are_bounded() -> None:
    counted = SourceMetrics()
    for number in range(MAX_REASONS + 50):
        counted.drop("decode", f"bad_{number}")
    counted.drop("decode", "bad_1")
    assert len(counted.drops) == MAX_REASONS + 1
    assert (counted.drops["decode", OTHER], counted.drops["decode", "bad_1"]) == (50, 2)


def test_steps_are_in_the_metrics() -> None:
    counters = Counters()
    counters.sources["track"].drop("validate", "bad_type", 3)
    counters.sources["track"].observe("validate", 0.25)
    counters.sources["track"].observe("validate", 0.5)
    lines = exposition(counters, {}).decode().splitlines()
    assert 'althing_ingest_step_drops_total{source="track",step="validate",reason="bad_type"} 3' in lines
    assert 'althing_ingest_step_duration_seconds_sum{source="track",step="validate"} 0.750000000' in lines
    assert 'althing_ingest_step_duration_seconds_count{source="track",step="validate"} 2' in lines


REQUESTS: dict[Pipeline[Any], tuple[str, str, bytes]] = {
    TRACK: ("POST", f"/track?site={KEY}", b'[{"type":"pageview"},{"type":"click"}]'),
    PIXEL: ("GET", f"/t.gif?site={KEY}", b""),
    REDIRECT: ("GET", f"/go/{SLUG}", b""),
    POSTBACK: ("GET", f"/postback?token={SECRET_KEY}&txid=1&amount=19.99", b""),
    REPORT: ("POST", f"/track/lead?site={SECRET_KEY}", b'{"txid":"2"}'),
}


@pytest.mark.parametrize("of", REQUESTS, ids=[of.source for of in REQUESTS])
def test_an_accepted_request_is_observed_in_every_step_of_its_pipeline_and_in_no_other(of: Pipeline[Any]) -> None:
    method, path, body = REQUESTS[of]

    async def scene() -> bytes:
        context = ingest_context(KeepingLog())
        assert await request(context, path, body, method) in (200, 202, 302)
        return exposition(context.counters, {})

    found = re.findall(r'duration_seconds_count{source="(\w+)",step="(\w+)"}', asyncio.run(scene()).decode())
    assert sorted(found) == sorted((of.source, step) for step in of.names)


def test_every_source_has_its_steps_in_one_place() -> None:
    assert [each.source for each in ALL] == ["track", "pixel", "redirect", "postback", "report", "import"]
    for each in ALL:
        names = [step.__name__ for step in each.steps]
        assert len(set(names)) == len(names), each.source
    assert {each.source for each in ALL} - {each.source for each in REQUESTS} == {IMPORT.source}
    assert REPORT.steps == POSTBACK.steps
    assert set(PIXEL.names) - set(TRACK.names) == {"detect_bot", "to_record_by_id"}
