"""A read stops soon when ClickHouse hangs, and waits when it is busy but answers other statements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from threading import Event
from typing import Any, cast

import pytest
from clickhouse_connect.driver.client import Client

from infra.kernel.config.settings import Settings
from infra.kernel.http.problems import Problem
from query_api.kernel import clickhouse_reader
from query_api.kernel.clickhouse_reader import ClickHouseReader, Query

SLOW, QUICK = Query("SELECT slow", {}), Query("SELECT quick", {})
MAX_WAIT_S = 60.0


@dataclass
class Result:
    column_names: tuple[str, ...] = ("n",)
    result_rows: tuple[tuple[int], ...] = ((1,),)


@dataclass
class Engine:
    """Answers at once, but `SLOW` only when `done` is set."""

    done: Event = field(default_factory=Event)

    def query(self, sql: str, **_options: Any) -> Result:
        assert sql != SLOW.sql or self.done.wait(MAX_WAIT_S)
        return Result()


@pytest.fixture
def engine() -> Iterator[Engine]:
    made = Engine()
    yield made
    made.done.set()


@pytest.fixture
def asked(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator[ClickHouseReader]:
    monkeypatch.setattr(clickhouse_reader, "PATIENCE_S", 0.01)
    made = ClickHouseReader(Settings(clickhouse_url="http://127.0.0.1:9/althing"), dict)
    made._client = cast(Client, engine)
    yield made
    made.close()


def unanswered(monkeypatch: pytest.MonkeyPatch, asked: ClickHouseReader, meanwhile: Callable[[], object]) -> None:
    """No ping is answered; `meanwhile` happens while one is waited for."""

    def ready() -> bool:
        meanwhile()
        return False

    monkeypatch.setattr(asked, "ready", ready)


def test_a_server_that_does_not_answer_times_out(asked: ClickHouseReader, monkeypatch: pytest.MonkeyPatch) -> None:
    asked.rows(QUICK)
    unanswered(monkeypatch, asked, lambda: None)
    with pytest.raises(Problem) as refused:
        asked.rows(SLOW)
    assert (refused.value.status, refused.value.code) == (503, "analytics_unavailable")


def test_a_crowded_server_that_answers_others_is_waited_for(
    asked: ClickHouseReader, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    pings: list[int] = []

    def meanwhile() -> None:
        asked.start(QUICK, {}).result(MAX_WAIT_S)
        pings.append(1)
        if len(pings) == 3:
            engine.done.set()

    unanswered(monkeypatch, asked, meanwhile)
    assert asked.rows(SLOW) == [{"n": 1}]
    assert len(pings) >= 3
