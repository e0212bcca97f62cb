"""What is bound to log lines: what concerns one request, worker or job, and nothing of another."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator, MutableMapping
from contextlib import closing
from datetime import UTC, datetime
from typing import Any, cast
from unittest.mock import MagicMock
from uuid import UUID

import httpx
import psycopg
import pytest
import structlog
from fastapi import FastAPI
from structlog.contextvars import bind_contextvars, get_contextvars, merge_contextvars
from structlog.testing import capture_logs

from infra.kernel.config.settings import Settings
from infra.kernel.http import problems
from infra.kernel.http.request_context import REQUEST_ID, LogContextMiddleware
from infra.kernel.security.forwarding import forwarding_key
from infra.kernel.subscriptions.positions import Fenced, Step, StoredPosition, WorkerKey
from infra.services.gateway import headers
from projectors.engine import requests
from projectors.engine.operations import Operations
from projectors.engine.postgres_worker import PostgresWorker
from projectors.read_models.partners.partners import PARTNERS
from schemas.topics import DOMAIN
from tests.contract.gateway.test_gateway import serving
from tests.support.stack import free_ports

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)
Lines = list[MutableMapping[str, Any]]


@pytest.fixture
def lines() -> Iterator[Lines]:
    """Every line that is logged meanwhile, with what is bound."""
    structlog.contextvars.clear_contextvars()
    with capture_logs(processors=[merge_contextvars]) as found:
        yield found
    structlog.contextvars.clear_contextvars()


def app() -> FastAPI:
    made = FastAPI()
    problems.install(made)
    made.add_middleware(LogContextMiddleware)

    @made.get("/thread/{account}")
    def in_thread(account: str) -> None:
        log.info("request_seen", name=account)
        bind_contextvars(account=account)

    @made.get("/task/{name}")
    async def in_task(name: str) -> None:
        bind_contextvars(account=name)

        async def later() -> None:
            await asyncio.sleep(0.01)
            log.info("request_seen", name=name)

        await asyncio.create_task(later())

    @made.get("/broken/{name}")
    def broken(name: str) -> None:
        raise ValueError(name)

    return made


def seen(lines: Lines) -> dict[str, MutableMapping[str, Any]]:
    return {line["name"]: line for line in lines if line["event"] == "request_seen"}


def test_requests_of_one_connection_share_nothing(lines: Lines) -> None:
    """Sent at once, so that each is begun while the one before it ends."""
    names = [f"{kind}/{number}" for number in range(4) for kind in ("task", "thread")]
    [port] = free_ports(1)
    with serving(app(), port), closing(socket.create_connection(("127.0.0.1", port), 10)) as connection:
        last = b"connection: close\r\n"
        for name in names:
            end = last if name == names[-1] else b""
            connection.sendall(b"GET /%s HTTP/1.1\r\nhost: x\r\n%s\r\n" % (name.encode(), end))
        while connection.recv(65536):
            pass
    found = [line for line in lines if line["event"] == "request_seen"]
    assert [line["name"] for line in found] == [name.partition("/")[2] for name in names]
    assert len({line["request_id"] for line in found}) == len(names)
    for line, name in zip(found, names, strict=True):
        own = {"account": name.partition("/")[2]} if name.startswith("task") else {}
        bound = {"request_id": line["request_id"], "correlation_id": line["request_id"]}
        assert line == {"event": "request_seen", "log_level": "info", "name": line["name"], **bound, **own}


async def test_requests_at_the_same_time_share_nothing(lines: Lines) -> None:
    transport = httpx.ASGITransport(app())
    async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:

        async def ask(name: str) -> None:
            assert (await client.get(name, headers={"X-Request-Id": f"id-{name[-1]}"})).status_code == 200

        await asyncio.gather(*(ask(f"/{kind}/{kind[1]}{n}") for n in range(5) for kind in ("task", "thread")))
    assert {name: line["request_id"] for name, line in seen(lines).items()} == {
        f"{letter}{n}": f"id-{n}" for n in range(5) for letter in "ah"
    }
    assert all(line.get("account", name) == name for name, line in seen(lines).items())


async def test_what_fails_is_logged_with_its_request(lines: Lines) -> None:
    transport = httpx.ASGITransport(app(), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
        assert (await client.get("/broken/x", headers={"X-Request-Id": "id-1"})).status_code == 500
    [line] = lines
    assert (line["event"], line["request_id"], line["method"], line["path"]) == (
        "request_failed", "id-1", "GET", "/broken/x",
    )  # fmt: skip


@pytest.mark.parametrize("given", ["", "a" * 65, "two words", "id\x00", "ä"])
async def test_an_id_that_is_none_is_replaced(lines: Lines, given: str) -> None:
    async def inner(_scope: Any, _receive: Any, _send: Any) -> None:
        log.info("request_seen", name="x")

    scope = {"type": "http", "headers": [(REQUEST_ID, given.encode())]}
    await LogContextMiddleware(inner)(scope, MagicMock(), MagicMock())
    [line] = lines
    assert line["request_id"] == line["correlation_id"] != given
    assert len(line["request_id"]) == 16


def test_a_client_names_no_request_behind_the_gateway() -> None:
    key = forwarding_key(Settings(master_key="5a" * 32))
    sent = headers.to_service([(REQUEST_ID, b"mine"), (b"accept", b"*/*")], "127.0.0.1", "http", (), key)
    assert REQUEST_ID not in dict(sent) and (b"accept", b"*/*") in sent


def partners_worker() -> PostgresWorker:
    return PostgresWorker(WorkerKey("partners", 3, DOMAIN.name, 0), PARTNERS, cast(Any, MagicMock()), MagicMock())


def test_a_worker_says_what_it_projects_and_where_it_is(lines: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    worker = partners_worker()
    worker._stopping = MagicMock()
    worker._stopping.is_set.side_effect = [False, False, True]

    def own() -> None:
        worker.advanced(Step(0, 41, 42, datetime.now(UTC), 42, 1.0))
        raise Fenced("another process moved it")

    monkeypatch.setattr(worker, "_own", own)
    bind_contextvars(request_id="of another thread")
    worker.start()
    worker.join(10)
    assert "offset" not in get_contextvars()
    places = {"component": "projector", "projection": "partners", "generation": 3, "topic": "domain", "partition": 0}
    first = next(line for line in lines if line["event"] == "worker_restarting")
    assert first.items() >= {**places, "offset": 42, "log_level": "warning"}.items()
    assert "request_id" not in first and str(first["error"]) == "another process moved it"


def test_a_worker_binds_once_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many events it holds: binding each would be paid for by each."""
    calls: list[dict[str, object]] = []
    monkeypatch.setattr(structlog.contextvars, "bind_contextvars", lambda **fields: calls.append(fields))
    worker = partners_worker()
    worker._position = StoredPosition(0, None, 0, None, 0, 0)
    worker.advanced(Step(0, 49_999, 50_000, datetime.now(UTC), 50_000, 1.0))
    assert calls == [{"offset": 50_000}]


def test_an_operation_names_itself_and_leaves_nothing(lines: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    request = requests.QueuedRequest(UUID(int=7), "partners", "pause", "", False)
    monkeypatch.setattr(requests, "due", lambda _: [request])
    monkeypatch.setattr(requests, "execute", MagicMock(side_effect=[None, psycopg.OperationalError("gone")]))
    monkeypatch.setattr(requests, "put_back", MagicMock())
    operations = Operations(Settings(clickhouse_url="http://127.0.0.1:1"), MagicMock(), MagicMock())
    for _ in range(2):
        operations.look(MagicMock(), MagicMock())
    named = {"operation_id": UUID(int=7), "action": "pause", "projection": "partners"}
    assert [line["event"] for line in lines] == ["operation_done", "operation_postponed"]
    assert all(line.items() >= named.items() for line in lines) and get_contextvars() == {}
