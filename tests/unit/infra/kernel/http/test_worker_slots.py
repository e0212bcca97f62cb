"""Worker threads: a request that only waits does not block others."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from uuid import uuid4

import anyio.to_thread
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from command_api.accounts.passwords import PasswordLane, Passwords
from command_api.kernel.bulkhead import Bulkhead
from infra.kernel.config.settings import Settings
from infra.kernel.http import worker_slots
from infra.kernel.http.worker_slots import WorkerSlotMiddleware, release_worker_slot
from query_api.kernel.clickhouse_reader import ClickHouseReader

PATIENCE_S = 30.0
Wait = Callable[[], None]


class Slow:
    """Something that is waited for until the test says that it is there."""

    def __init__(self) -> None:
        self.begun, self.over = threading.Event(), threading.Event()

    def __call__(self) -> None:
        self.begun.set()
        assert self.over.wait(PATIENCE_S)


@pytest.fixture
def slow() -> Iterator[Slow]:
    made = Slow()
    yield made
    made.over.set()


def served(wait: Wait) -> FastAPI:
    """A service with one thread."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = 1
        yield

    app = FastAPI(lifespan=lifespan)
    app.get("/wait")(lambda: wait())
    app.get("/work")(lambda: "done")

    @app.get("/threads")
    async def threads_now() -> float:
        return anyio.to_thread.current_default_thread_limiter().total_tokens

    app.add_middleware(WorkerSlotMiddleware)
    return app


def by_itself(slow: Slow) -> Wait:
    def wait() -> None:
        with release_worker_slot():
            slow()

    return wait


def for_a_password(slow: Slow) -> Wait:
    passwords = Passwords()
    return lambda: passwords._in_pool(PasswordLane.PROMPT, slow)


def in_a_place(slow: Slow) -> Wait:
    places = Bulkhead(limit=1, limit_per_account=1, subject="Ideas are")

    def wait() -> None:
        with places.acquire(uuid4(), 0):
            slow()

    return wait


def for_clickhouse(slow: Slow) -> Wait:
    columnar = ClickHouseReader(Settings(clickhouse_url="http://127.0.0.1:9/althing"), dict)
    columnar.ready = lambda: True  # type: ignore[method-assign]

    def wait() -> None:
        columnar.finish([columnar._threads.submit(slow)])  # type: ignore[arg-type]  # no rows

    return wait


@pytest.mark.parametrize("waiting", [by_itself, for_a_password, in_a_place, for_clickhouse])
def test_others_work_while_one_waits(slow: Slow, waiting: Callable[[Slow], Wait]) -> None:
    with TestClient(served(waiting(slow))) as client, ThreadPoolExecutor(2) as callers:
        waits = callers.submit(client.get, "/wait")
        assert slow.begun.wait(PATIENCE_S)
        works = callers.submit(client.get, "/work")
        try:
            assert works.result(PATIENCE_S / 3).json() == "done"
        finally:
            slow.over.set()
        assert waits.result(PATIENCE_S).status_code == 200
        assert client.get("/threads").json() == 1
    assert worker_slots._LENDABLE._value == worker_slots.MAX_WAITING


def test_what_fails_while_it_waits_takes_its_place_again() -> None:
    def wait() -> None:
        with release_worker_slot():
            raise ValueError("odd")

    with TestClient(served(wait), raise_server_exceptions=False) as client:
        assert client.get("/wait").status_code == 500
        assert client.get("/threads").json() == 1
    assert worker_slots._LENDABLE._value == worker_slots.MAX_WAITING


def test_so_many_wait_and_no_more(slow: Slow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_slots, "_LENDABLE", threading.Semaphore(0))
    with TestClient(served(by_itself(slow))) as client, ThreadPoolExecutor(2) as callers:
        waits = callers.submit(client.get, "/wait")
        assert slow.begun.wait(PATIENCE_S)
        assert client.get("/threads").json() == 1
        slow.over.set()
        assert waits.result(PATIENCE_S).status_code == 200


def test_who_waits_for_no_request_has_no_place_to_give() -> None:
    with release_worker_slot():
        assert worker_slots._LENDABLE._value == worker_slots.MAX_WAITING
