"""A command's answer waits for the read models that queries use, as long as a projector fills them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from psycopg_pool import ConnectionPool

from command_api.kernel import read_your_writes
from command_api.kernel.read_your_writes import wait_for_projections
from infra.kernel.config.settings import Settings
from infra.kernel.postgres.pool import pool as open_pool

SEEN = "UPDATE engine.position SET domain_position = 9 WHERE projection = 'probe'"


HANDLED = ["probe.happened", "probe.ignored"]


@pytest.fixture
def pool(embedded_postgres: Settings) -> Iterator[ConnectionPool[Any]]:
    with open_pool(embedded_postgres, 2) as made:
        with made.connection() as connection:
            connection.execute(
                "INSERT INTO engine.projection (name, kind, version, live_generation, event_names)"
                " VALUES ('probe', 'postgres', 1, 1, '{probe.happened}')"
            )
            connection.execute(
                "INSERT INTO engine.position (projection, generation, topic, partition)"
                " VALUES ('probe', 1, 'domain', 0)"
            )
        yield made
        with made.connection() as connection:
            connection.execute("DELETE FROM engine.position WHERE projection = 'probe'")
            connection.execute("DELETE FROM engine.projection WHERE name = 'probe'")
            connection.execute("DELETE FROM engine.runner WHERE host = 'probe'")


def test_nobody_reads_so_nothing_is_waited_for(pool: ConnectionPool[Any]) -> None:
    assert wait_for_projections(pool, HANDLED, 9, within_s=30)


def test_what_is_behind_is_waited_for(pool: ConnectionPool[Any]) -> None:
    with pool.connection() as connection:
        connection.execute(
            "INSERT INTO engine.runner (id, host, pid, seen_at)"
            " VALUES (gen_random_uuid(), 'probe', 1, now() + interval '1 minute')"
        )
    assert not wait_for_projections(pool, HANDLED, 9, within_s=0.05)
    assert wait_for_projections(pool, ["probe.ignored"], 9, within_s=30), "no read model handles it"
    seen: list[bool] = []
    waiting = threading.Thread(target=lambda: seen.append(wait_for_projections(pool, HANDLED, 9, within_s=30)))
    waiting.start()
    with pool.connection() as connection:
        connection.execute(SEEN)
    waiting.join(30)
    assert seen == [True]


def test_who_waits_holds_no_connection(pool: ConnectionPool[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    with pool.connection() as connection:
        connection.execute(
            "INSERT INTO engine.runner (id, host, pid, seen_at)"
            " VALUES (gen_random_uuid(), 'probe', 1, now() + interval '1 minute')"
        )
    asleep, over = threading.Semaphore(0), threading.Event()

    def sleep(_: float) -> None:
        asleep.release()
        assert over.wait(30)

    monkeypatch.setattr(read_your_writes, "time", SimpleNamespace(sleep=sleep, monotonic=time.monotonic))
    waiting = [threading.Thread(target=wait_for_projections, args=(pool, HANDLED, 9, 30)) for _ in range(pool.max_size)]
    for one in waiting:
        one.start()
    try:
        assert all(asleep.acquire(timeout=30) for _ in waiting)
        with pool.connection() as connection:
            connection.execute(SEEN)
    finally:
        over.set()
    for one in waiting:
        one.join(30)
