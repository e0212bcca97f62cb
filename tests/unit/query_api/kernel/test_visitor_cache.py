"""The merged visitors of a large past are used as long as nothing of it changes, and not a moment longer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from query_api.kernel.clickhouse_reader import Query, Row
from query_api.kernel.query_coalescing import QueryCoalescer
from query_api.kernel.read_your_writes import ProjectionPositions
from query_api.kernel.visitor_cache import CHANGED_S, CLICKERS, MAX_CACHED, VISITORS, CachedVisitorQuery, VisitorCache

PAST, PARTS = Query("SELECT past", {"website": "a"}), Query("SELECT parts", {"website": "a"})
LAST = Query(f"SELECT last FROM {CLICKERS}, {VISITORS}", {"website": "a"})
WITH_STATES = Query("SELECT last FROM 'C0', 'F0'", {"website": "a"})
RANGE = CachedVisitorQuery("SELECT whole", {"website": "a"}, PAST, PARTS, LAST)
ONLY_PAST = CachedVisitorQuery("SELECT whole", {"website": "a"}, PAST, PARTS)
OTHER = Query("SELECT other", {})
WHOLE = [RANGE]
READ_PAST, USE_PAST = [[PAST], [WITH_STATES]], [[PARTS, WITH_STATES]]


def bucket(edge: int, count: int, **more: Any) -> Row:
    return {"edge": edge, "unique_clickers": 1, "unique_visitors": count, **more}


@dataclass
class World:
    """A server with two parts. It was started at second 0, and `at` is now."""

    parts: list[str] = field(default_factory=lambda: ["all_1_1_0", "all_2_2_0"])
    started: int = 0
    at: int = 100
    visitors: int = 50
    state: str = "F0"
    version: int = 1
    tables: Mapping[str, str] = field(default_factory=lambda: {"visitors_15m": "visitors_15m__g1"})
    asked: list[list[Query]] = field(default_factory=list)

    def __post_init__(self) -> None:
        coalescer, positions = cast(QueryCoalescer, self), cast(ProjectionPositions, self)
        self.cache = VisitorCache(coalescer, positions, large=50, clock=lambda: float(self.at))

    def all(self, *queries: Query) -> list[list[Row]]:
        self.asked.append(list(queries))
        return [self._rows(query) for query in queries]

    def _rows(self, query: Query) -> list[Row]:
        server = {"parts": self.parts, "at": self.at, "up": self.at - self.started}
        match query.sql.split()[1]:
            case "past":
                whole = bucket(0, self.visitors, clickers="C0", visitors=self.state, **server)
                return [bucket(1000, self.visitors, parts=[]), whole] if self.visitors else []
            case "parts":
                return [server]
            case "last":
                return [bucket(1, self.visitors), bucket(2000, 1), bucket(0, self.visitors + 1)]
            case _:
                past = [bucket(1000, self.visitors)] if self.visitors else []
                return [*past, bucket(2000, 1), bucket(0, self.visitors + 1)]

    def ask(self, query: Query = RANGE) -> list[list[Query]]:
        """The statements of one request, whose rows are right."""
        self.asked.clear()
        [rows] = self.cache.all(query)
        counts = {row["edge"]: row["unique_visitors"] for row in rows}
        of_past = {1000: self.visitors} if self.visitors else {}
        of_last = {2000: 1} if query is RANGE else {}
        assert counts == {**of_past, **of_last, 0: self.visitors + len(of_last)}
        return list(self.asked)


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def warm(world: World) -> World:
    """It has merged the past."""
    assert world.ask() == [WHOLE]
    assert world.ask() == READ_PAST
    world.at += 10
    assert world.ask() == USE_PAST
    return world


def test_a_large_past_is_merged_at_the_second_request_and_then_used(warm: World) -> None:
    assert warm.ask() == USE_PAST


def test_a_small_range_is_always_one_statement(world: World) -> None:
    world.visitors = 48
    assert [world.ask() for _ in range(3)] == [[WHOLE]] * 3


def test_a_range_without_a_last_bucket_needs_only_a_look_at_the_parts(world: World) -> None:
    world.cache.all(ONLY_PAST)
    assert world.ask(ONLY_PAST) == [[PAST]]
    world.at += 10
    assert world.ask(ONLY_PAST) == [[PARTS]]


def test_a_changed_past_is_read_whole_and_not_kept_for_a_while(warm: World) -> None:
    warm.parts, warm.visitors = ["all_1_2_1"], 70
    assert warm.ask() == [*USE_PAST, WHOLE]
    assert warm.ask() == [WHOLE]
    warm.at += int(CHANGED_S)
    assert warm.ask() == READ_PAST
    warm.at += 10
    assert warm.ask() == USE_PAST


def test_nothing_is_kept_beyond_a_restart_of_the_server(warm: World) -> None:
    warm.started, warm.visitors = warm.at - 9, 70
    assert warm.ask() == [*USE_PAST, WHOLE]


def test_nothing_is_kept_beyond_a_switch_of_tables(warm: World) -> None:
    warm.tables, warm.visitors = {"visitors_15m": "visitors_15m__g2"}, 70
    assert warm.ask() == [WHOLE]


def test_a_switch_while_it_reads_is_noticed(warm: World, monkeypatch: pytest.MonkeyPatch) -> None:
    read = warm._rows

    def switching(query: Query) -> list[Row]:
        warm.tables, warm.visitors = {"visitors_15m": "visitors_15m__g2"}, 70
        return read(query)

    monkeypatch.setattr(warm, "_rows", switching)
    assert warm.ask() == [*USE_PAST, WHOLE]


def test_without_the_name_of_the_table_the_view_is_read(warm: World) -> None:
    warm.tables = {}
    assert warm.ask() == [WHOLE]


def test_an_emptied_past_is_read_whole(warm: World) -> None:
    warm.parts, warm.visitors = [], 0
    assert warm.ask() == [*USE_PAST, WHOLE]
    warm.at += int(CHANGED_S)
    assert [warm.ask() for _ in range(2)] == [[[PAST], WHOLE], [WHOLE]]


def test_a_state_that_is_not_hexadecimal_reaches_no_statement(world: World) -> None:
    world.ask()
    world.state = "'); DROP TABLE"
    with pytest.raises(ValueError, match="not hexadecimal"):
        world.cache.all(RANGE)


def test_the_longest_unused_ranges_are_dropped(warm: World) -> None:
    for number in range(MAX_CACHED):
        past = Query("SELECT past", {"website": f"{number}"})
        warm.cache.all(CachedVisitorQuery(RANGE.sql, RANGE.parameters, past, PARTS, LAST))
    assert warm.ask() == [WHOLE]


def test_other_statements_of_a_request_run_at_the_same_time(warm: World) -> None:
    warm.asked.clear()
    rows = warm.cache.all(OTHER, RANGE, ONLY_PAST)
    assert warm.asked == [[OTHER, PARTS, WITH_STATES, PARTS]]
    assert [len(each) for each in rows] == [3, 3, 2]
