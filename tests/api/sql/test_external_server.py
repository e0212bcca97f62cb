"""Analysts' statements with an external ClickHouse server (`CLICKHOUSE_URL`): its limits, and its KILL QUERY.

The server is a front that knows no processes for analysts, as any ClickHouse server. It waits for a statement that it
kills a moment only, and then answers that it still waits.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from uuid import uuid4

import httpx
import pytest

from command_api.schema import create_schema as create_event_store
from infra.domain.sql_access import limits
from infra.domain.sql_access.validation_result import ExecutableStatement
from infra.kernel.config.settings import Settings
from projectors.schema import create_schema
from query_api.sql import execution
from query_api.sql.execution import StatementFailed, StatementRunner
from tests.support.clickhouse import PASSWORD, USER, ClickHouse, start_clickhouse
from tests.support.engines import engine_folder, wait_until
from tests.support.query import Person, QueryService, serving

SERVER = """
import sys
from infra.services.clickhouse_server import __main__, app, running_queries
app.ON_BEHALF = "x-known-to-nobody"
running_queries.SYNC_WAIT_S = 0.2
sys.exit(__main__.main())
"""
ENDLESS = (
    "SELECT sum(cityHash64(a, b)) FROM (SELECT arrayJoin(range(1000000)) AS a) AS x"
    " CROSS JOIN (SELECT arrayJoin(range(1000000)) AS b) AS y"
)
"""The server stops it at once when it is killed."""

DEAF = (
    "SELECT arraySum(arrayMap(x -> levenshteinDistance(repeat('ab', 15000), concat(repeat('ba', 14000), toString(x))),"
    " range(4)))"
)
"""A few seconds during which the server cannot stop it."""


class World:
    def __init__(self, service: QueryService, server: ClickHouse) -> None:
        self.service, self.server = service, server
        self.http = httpx.Client(base_url=server.address, auth=(USER, PASSWORD), timeout=60)

    def ask(self, person: Person, sql: str, *, query_id: str | None = None, read_s: float = 60) -> httpx.Response:
        return httpx.post(
            f"{self.service.address}/api/platform/sql",
            json={"sql": sql, "queryId": query_id or str(uuid4())},
            headers=person.headers,
            timeout=httpx.Timeout(60, read=read_s),
        )

    def runs(self) -> list[dict[str, str]]:
        """The settings of each analyst's statement that the server runs."""
        sql = (
            "SELECT Settings FROM system.processes WHERE (query LIKE '%levenshtein%' OR query LIKE '%cityHash64%')"
            " AND query NOT LIKE '%system.processes%' FORMAT JSONEachRow"
        )
        answer = self.http.post("/", content=sql)
        answer.raise_for_status()
        return [json.loads(line)["Settings"] for line in answer.text.splitlines()]

    def outcomes(self, person: Person) -> list[str]:
        found = self.service.postgres.execute(
            "SELECT outcome FROM sql.statement WHERE account_id = %s ORDER BY started_at", (person.account_id,)
        )
        return [str(row[0]) for row in found.fetchall()]


@pytest.fixture(scope="module")
def world(embedded_postgres: Settings) -> Iterator[World]:
    with engine_folder("external") as folder:
        server = start_clickhouse(folder, program=("-c", SERVER))
        try:
            settings = replace(embedded_postgres, clickhouse_url=server.settings.clickhouse_url)
            create_event_store(settings)
            create_schema(settings)
            with serving(settings) as service:
                yield World(service, server)
        finally:
            server.stop()


@pytest.fixture
def analyst(world: World) -> Person:
    return world.service.person("analyst", email=f"{uuid4().hex}@example.com")


def test_the_server_enforces_the_limits_and_stops_what_is_cancelled(world: World, analyst: Person) -> None:
    query_id, answers = str(uuid4()), list[httpx.Response]()
    asking = threading.Thread(target=lambda: answers.append(world.ask(analyst, ENDLESS, query_id=query_id)))
    asking.start()
    wait_until(lambda: bool(world.runs()), 30, "the server to run it")
    wanted = {**limits.settings(), "readonly": "1"}
    (in_force,) = world.runs()
    assert {name: in_force.get(name) for name in wanted} == wanted
    stopped = httpx.delete(
        f"{world.service.address}/api/platform/sql/{query_id}",
        headers={**analyst.headers, "X-Requested-With": "test"},
        timeout=30,
    )
    assert stopped.status_code == 204
    asking.join(30)
    assert answers[0].status_code == 409 and answers[0].json()["code"] == "cancelled"
    assert world.runs() == [] and world.outcomes(analyst) == ["cancelled"]


@pytest.mark.parametrize("sql", [ENDLESS, DEAF], ids=["endless", "deaf"])
def test_it_counts_as_running_until_the_server_has_let_it_go(world: World, analyst: Person, sql: str) -> None:
    with pytest.raises(httpx.ReadTimeout):
        world.ask(analyst, sql, read_s=1.0)
    outlived = False

    def is_written_down() -> bool:
        nonlocal outlived
        outcomes = world.outcomes(analyst)
        runs = bool(world.runs())
        assert outcomes == ["running"] or not runs, "it counted as ended while it ran"
        outlived = outlived or runs
        return outcomes == ["cancelled"]

    wait_until(is_written_down, 30, "its end to be written down")
    assert outlived or sql == ENDLESS, "it was gone with its client; nothing was shown"


async def test_a_server_that_does_not_answer_in_time_is_asked_to_let_it_go(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "_TIMEOUT", httpx.Timeout(1.0))
    runner, statement_id = StatementRunner(world.service.settings), uuid4()
    try:
        with pytest.raises(StatementFailed) as failed:
            await runner.start(statement_id, uuid4(), ExecutableStatement(DEAF), "ndjson", {}, 100, {})
        assert failed.value.code == 0
        await runner.gone(statement_id)
        assert world.runs() == [], "it counts as ended from here"
    finally:
        await runner.close()
