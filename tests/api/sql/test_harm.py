"""Hostile analysts over real engines: whatever a statement runs is gone soon after its limit, its client or its cancel,
and neither dashboards nor other analysts wait for it."""

from __future__ import annotations

import socket
import threading
import time
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx
import psutil
import pytest
from psycopg_pool import ConnectionPool

from infra.domain.sql_access import analyst_accounts
from infra.domain.sql_access.analyst_accounts import Analyst
from infra.domain.sql_access.views import data_of, row_filter
from tests.support.analysts import AnalystWorld, Asker
from tests.support.clickhouse import PASSWORD, READER, READER_PASSWORD, USER
from tests.support.engines import wait_until
from tests.support.hostile_statements import BOMBS, LEVENSHTEIN, cpu_seconds
from tests.support.query import event, this_moment

GONE_S = 10.0
"""What is gone 2 s after its end, on a machine that runs other tests at the same time. Each bomb needs minutes."""

OWNER = (USER, PASSWORD)


def is_quiet(world: AnalystWorld) -> bool:
    """Whether the front and its processes use less than a third of a processor for a moment."""
    process = world.clickhouse.process
    assert process is not None
    before = cpu_seconds(process.pid)
    time.sleep(0.3)
    return cpu_seconds(process.pid) - before < 0.1


def busy_processes(world: AnalystWorld) -> list[psutil.Process]:
    """The processes that run analysts' statements now."""
    assert world.clickhouse.process is not None
    found = []
    for child in psutil.Process(world.clickhouse.process.pid).children(recursive=True):
        try:
            before = child.cpu_times().user
            time.sleep(0.2)
            if child.cpu_times().user > before:
                found.append(child)
        except psutil.NoSuchProcess:
            continue
    return found


def lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def outcomes(world: AnalystWorld, asker: Asker) -> list[str]:
    return [row[1] for row in world.audited(asker)]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name == "nested lambdas")) for name in sorted(BOMBS)]
)
def test_a_bomb_is_gone_after_its_limit(world: AnalystWorld, name: str) -> None:
    zoe, started = world.asker("analyst"), time.monotonic()
    answer = world.ask(zoe, BOMBS[name], max_execution_time="1")
    assert answer.status_code == 408 and answer.headers["x-clickhouse-exception-code"] == "159", answer.text[:300]
    assert time.monotonic() - started < 1 + GONE_S
    wait_until(lambda: is_quiet(world), GONE_S, "the engine to let it go")
    assert outcomes(world, zoe) == ["failed"]
    assert world.ask(zoe, "SELECT count() FROM events").text == "0\n"


def test_a_cancelled_bomb_runs_no_more_once_it_counts_no_more(world: AnalystWorld) -> None:
    zoe, query_id, answers = world.asker("analyst"), str(uuid4()), []
    thread = threading.Thread(target=lambda: answers.append(world.post(zoe, {"sql": LEVENSHTEIN, "queryId": query_id})))
    thread.start()
    wait_until(lambda: bool(busy_processes(world)), 60, "the statement to run in a process of its own")
    running = busy_processes(world)
    assert world.cancel(zoe, query_id).status_code == 204
    wait_until(lambda: outcomes(world, zoe) == ["cancelled"], GONE_S, "its end to be written down")
    assert not any(lives(process) for process in running), "it counted as ended while it ran"
    thread.join(GONE_S)
    assert answers[0].status_code == 409 and answers[0].json()["code"] == "cancelled"


@pytest.mark.parametrize("door", ["page", "port"])
def test_a_bomb_is_gone_when_its_client_is(world: AnalystWorld, door: str) -> None:
    zoe = world.asker("analyst")
    if door == "page":
        call: dict[str, Any] = {"json": {"sql": LEVENSHTEIN}, "headers": zoe.person.headers}
        address = f"{world.service.address}/api/platform/sql"
    else:
        call, address = {"content": LEVENSHTEIN, "auth": zoe.auth}, world.clickhouse.address
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(address, timeout=httpx.Timeout(60, read=1.5), **call)
    wait_until(lambda: outcomes(world, zoe) == ["cancelled"], GONE_S, "its end to be written down")
    wait_until(lambda: is_quiet(world), GONE_S, "the engine to let it go")


def test_no_format_and_no_setting_opens_a_connection(world: AnalystWorld) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.3)
        registry = f"http://127.0.0.1:{listener.getsockname()[1]}"
        setting = {"format_avro_schema_registry_url": registry, "output_format_avro_confluent_subject": "x"}
        said = "SETTINGS " + ", ".join(f"{name} = '{value}'" for name, value in setting.items())
        for sql, parameters in (
            ("SELECT 1 AS a FORMAT AvroConfluent", setting),
            ("SELECT 1 AS a", {**setting, "default_format": "AvroConfluent"}),
            ("SELECT 1 AS a FORMAT avroconfluent", setting),
            (f"SELECT 1 AS a {said} FORMAT AvroConfluent", {}),
            (f"SELECT 1 AS a FORMAT AvroConfluent {said}", {}),
            ("SELECT 1 AS a", setting),
        ):
            assert world.ask(world.ada, sql, **parameters).status_code in (400, 403, 500), sql
            reader = world.http.post("/", content=sql, params=parameters, auth=(READER, READER_PASSWORD))
            assert reader.status_code in (400, 403, 500), sql
        brought = {"query": "SELECT * FROM t", "t_structure": "a UInt8", "t_format": "AvroConfluent"}
        table = {"t": ("t", b"\x00\x00\x00\x00\x01\x02")}
        for parameters in (brought, {**brought, **setting}):
            answer = world.http.post("/", params=parameters, files=table, auth=(READER, READER_PASSWORD))
            assert answer.status_code in (400, 403, 500), answer.text[:200]
        with pytest.raises(TimeoutError):
            listener.accept()


@pytest.mark.parametrize("asks", ["analyst", "reader"])
def test_unfinished_requests_are_in_nobodys_way(world: AnalystWorld, asks: str) -> None:
    zoe = world.asker("analyst")
    name, password = zoe.auth if asks == "analyst" else (READER, READER_PASSWORD)
    basic = b64encode(f"{name}:{password}".encode()).decode()
    head = f"POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Basic {basic}\r\nContent-Length: 5000\r\n\r\nSELECT"
    with ExitStack() as unfinished:
        for _ in range(24):
            raw = unfinished.enter_context(socket.create_connection(("127.0.0.1", world.clickhouse.port)))
            raw.sendall(head.encode())
        for auth in (world.ada.auth, (READER, READER_PASSWORD), OWNER):
            assert world.http.post("/", content="SELECT 1", auth=auth, timeout=10).text == "1\n"


def test_row_level_security_holds_where_statements_run(world: AnalystWorld) -> None:
    """For a statement that bypasses the validator."""
    postgres_url = world.service.settings.postgres_url
    assert postgres_url is not None
    with ConnectionPool(postgres_url, min_size=1, max_size=1, open=True) as pool:
        scope = analyst_accounts.scope(pool, Analyst(world.ada.person.account_id, world.ada.email, is_admin=False))
    [own] = data_of([], scope)
    held = {**row_filter(scope), f"{own.name}_structure": own.structure}
    for sql in (
        "SELECT * FROM althing.events__g1",
        "SELECT * FROM althing.events",
        "SELECT * FROM althing.traffic_15m",
    ):
        answer = world.http.post(
            "/",
            data={"query": sql},
            files={own.name: own.content()},
            params=held,
            auth=OWNER,
            headers={"X-Althing-Analyst": str(uuid4())},
        )
        assert answer.status_code == 200 and str(world.ada_site) in answer.text, answer.text[:300]
        assert str(world.eve_site) not in answer.text


def test_a_row_is_seen_as_soon_as_it_is_stored(world: AnalystWorld) -> None:
    zoe = world.asker("analyst")
    site = world.website(zoe, "fresh.example")
    for number in range(4, 8):
        world.service.events([event(site, this_moment() - timedelta(minutes=number), visitor=number, country="FR")])
        assert world.ask(zoe, "SELECT count() FROM clicks").text == f"{number}\n"
        page = world.post(zoe, {"sql": "SELECT sum(clicks) FROM traffic_15m"})
        assert page.json()["rows"] == [[str(number)]] and page.headers["x-tables-read-at"]


def test_a_killed_front_leaves_no_process_and_starts_again(world: AnalystWorld) -> None:
    zoe = world.asker("analyst")
    with ThreadPoolExecutor(1) as threads:
        asked = threads.submit(world.ask, zoe, LEVENSHTEIN)
        wait_until(lambda: bool(busy_processes(world)), 60, "the statement to run")
        left = busy_processes(world)
        world.clickhouse.kill()
        assert isinstance(asked.exception(60), httpx.HTTPError)
    wait_until(
        lambda: not any(lives(process) for process in left),
        GONE_S,
        "its processes to end",
    )
    world.clickhouse.start()
    assert world.ask(world.ada, "SELECT count() FROM clicks").text == "3\n"
