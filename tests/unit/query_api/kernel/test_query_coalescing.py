"""Requests that ask the same at the same moment share one run of it, and never get anything older than they may."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from query_api.kernel.clickhouse_reader import ClickHouseReader, Query, Row
from query_api.kernel.query_coalescing import QueryCoalescer
from query_api.kernel.read_your_writes import ProjectionPositions

CLICKS, PARTNERS = Query("SELECT clicks", {"website": "a"}), Query("SELECT partners", {"website": "a"})


@dataclass
class Engine:
    """Starts statements and lets them run until the test answers."""

    started: list[tuple[Query, Mapping[str, str], Future[list[Row]]]] = field(default_factory=list)

    def start(self, query: Query, tables: Mapping[str, str]) -> Future[list[Row]]:
        future: Future[list[Row]] = Future()
        self.started.append((query, tables, future))
        return future

    def finish(self, running: Sequence[Future[list[Row]]]) -> Any:
        return list(running)

    def all(self, *queries: Query) -> Any:
        return [self.start(query, {}) for query in queries]


@dataclass
class Place:
    version: int | None = 1
    tables: Mapping[str, str] = field(default_factory=dict)


@dataclass
class World:
    engine: Engine = field(default_factory=Engine)
    place: Place = field(default_factory=Place)

    def __post_init__(self) -> None:
        self.reads = QueryCoalescer(cast(ClickHouseReader, self.engine), cast(ProjectionPositions, self.place))


@pytest.fixture
def world() -> World:
    return World()


def test_the_same_statement_runs_once_while_it_runs(world: World) -> None:
    first, second = world.reads.all(CLICKS, PARTNERS), world.reads.all(CLICKS)
    assert cast("Any", second[0]) is cast("Any", first[0])
    assert [query for query, _, _ in world.engine.started] == [CLICKS, PARTNERS]


def test_another_website_is_another_statement(world: World) -> None:
    world.reads.all(CLICKS, Query(CLICKS.sql, {"website": "b"}))
    assert len(world.engine.started) == 2


def test_what_has_ended_is_not_kept(world: World) -> None:
    world.reads.all(CLICKS)
    world.engine.started[0][2].set_result([])
    world.reads.all(CLICKS)
    assert len(world.engine.started) == 2


def test_what_failed_is_tried_again(world: World) -> None:
    world.reads.all(CLICKS)
    world.engine.started[0][2].set_exception(OSError("gone"))
    world.reads.all(CLICKS)
    assert len(world.engine.started) == 2


def test_a_run_from_before_an_advance_is_not_joined(world: World) -> None:
    world.reads.all(CLICKS)
    world.place.version = 2
    world.reads.all(CLICKS)
    assert len(world.engine.started) == 2
    world.engine.started[0][2].set_result([])  # the old one's end takes nothing from the new one
    world.reads.all(CLICKS)
    assert len(world.engine.started) == 2


def test_a_run_over_another_generation_is_not_joined(world: World) -> None:
    world.reads.all(CLICKS)
    world.place.tables = {"events": "events__g2"}
    world.reads.all(CLICKS)
    assert [tables for _, tables, _ in world.engine.started] == [{}, {"events": "events__g2"}]


def test_nothing_is_shared_while_the_position_is_not_known(world: World) -> None:
    world.place.version = None
    world.reads.all(CLICKS)
    world.reads.all(CLICKS)
    assert len(world.engine.started) == 2


def test_a_query_that_every_caller_cancelled_does_not_start(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    others: list[Future[list[Row]]] = []

    def finish(running: Sequence[Future[list[Row]]]) -> Any:
        if not others:  # while this one waits another one comes, and times out first
            others.extend(running)
            with pytest.raises(TimeoutError):
                world.reads.all(CLICKS)
            assert not running[0].cancelled()
        raise TimeoutError("no answer")

    monkeypatch.setattr(world.engine, "finish", finish)
    with pytest.raises(TimeoutError):
        world.reads.all(CLICKS, PARTNERS)
    assert [future.cancelled() for _, _, future in world.engine.started] == [True, True]
    assert world.reads._running == {}
