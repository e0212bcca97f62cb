"""A ClickHouse that hangs is given up soon; one that is crowded, and answers others meanwhile, is waited for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Any, cast

import pytest
from clickhouse_connect.driver.client import Client

from infra.problems import Problem
from infra.settings import Settings
from query_api import columnar
from query_api.columnar import Columnar, Query

SLOW, QUICK = Query("SELECT slow", {}), Query("SELECT quick", {})
LONGEST_S = 60.0


@dataclass
class Result:
    column_names: tuple[str, ...] = ("n",)
    result_rows: tuple[tuple[int], ...] = ((1,),)


@dataclass
class Engine:
    """Answers at once, but `SLOW` only when `done` is set."""

    done: Event = field(default_factory=Event)

    def query(self, sql: str, parameters: Mapping[str, Any], settings: Mapping[str, Any]) -> Result:
        assert sql != SLOW.sql or self.done.wait(LONGEST_S)
        return Result()


@pytest.fixture
def engine() -> Iterator[Engine]:
    made = Engine()
    yield made
    made.done.set()


@pytest.fixture
def asked(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Columnar]:
    monkeypatch.setattr(columnar, "PATIENCE_S", 0.01)
    made = Columnar(Settings(clickhouse_url="http://127.0.0.1:9/althing"), dict)
    made._client = cast(Client, engine)
    yield made
    made.close()


def unanswered(monkeypatch: pytest.MonkeyPatch, asked: Columnar, meanwhile: Callable[[], object]) -> None:
    """No ping is answered; `meanwhile` happens while one is waited for."""

    def ready() -> bool:
        meanwhile()
        return False

    monkeypatch.setattr(asked, "ready", ready)


def test_a_server_that_answers_nothing_is_given_up(asked: Columnar, monkeypatch: pytest.MonkeyPatch) -> None:
    asked.rows(QUICK)
    unanswered(monkeypatch, asked, lambda: None)
    with pytest.raises(Problem) as refused:
        asked.rows(SLOW)
    assert (refused.value.status, refused.value.code) == (503, "analytics_unavailable")


def test_a_crowded_server_that_answers_others_is_waited_for(
    asked: Columnar, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    pings: list[int] = []

    def meanwhile() -> None:
        asked.start(QUICK, {}).result(LONGEST_S)
        pings.append(1)
        if len(pings) == 3:
            engine.done.set()

    unanswered(monkeypatch, asked, meanwhile)
    assert asked.rows(SLOW) == [{"n": 1}]
    assert len(pings) >= 3
