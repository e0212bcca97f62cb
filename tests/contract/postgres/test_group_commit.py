"""The steps of many workers in one statement, on a real Postgres: each worker learns of its own step alone."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from psycopg_pool import ConnectionPool

from infra.kernel.config.settings import Settings
from infra.kernel.postgres.pool import pool as open_pool
from infra.kernel.subscriptions import positions
from infra.kernel.subscriptions.group_commit import GroupCommit
from infra.kernel.subscriptions.positions import BarrierReached, Fenced, Step, WorkerKey
from tests.support.databases import own_databases
from tests.support.stack import wait_for

KEYS = [WorkerKey(f"model_{number}", 1, "domain", 0) for number in range(12)]
SEEN = Step(first=0, last=0, domain_position=7, record_at=datetime(2026, 1, 1, tzinfo=UTC), records=1, rate=0.5)


@pytest.fixture
def database(embedded_postgres: Settings) -> Iterator[Settings]:
    with own_databases(embedded_postgres, None) as settings:
        with psycopg.connect(settings.postgres_url or "") as connection:
            for key in KEYS:
                positions.create(connection, key)
        yield settings


@pytest.fixture
def pool(database: Settings) -> Iterator[ConnectionPool[Any]]:
    with open_pool(database, 4) as made:
        yield made


@pytest.fixture
def postgres(database: Settings) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(database.postgres_url or "", autocommit=True) as connection:
        yield connection


def seen(pool: ConnectionPool[Any], keys: list[WorkerKey]) -> dict[str, BaseException | None]:
    """What each worker gets to know when all of them come while another statement runs."""
    steps = GroupCommit(pool)
    steps._storing.acquire()
    with ThreadPoolExecutor(len(keys)) as threads:
        waiting: dict[str, Future[None]] = {
            key.projection: threads.submit(steps.advance, key, SEEN, notify=key.projection != "model_1") for key in keys
        }
        wait_for(lambda: len(steps._waiting) == len(keys), "every worker to come")
        steps._storing.release()
        return {name: future.exception(20) for name, future in waiting.items()}


def offsets(postgres: psycopg.Connection[Any]) -> dict[str, int]:
    return dict(postgres.execute("SELECT projection, next_offset FROM engine.position").fetchall())


def test_one_statement_moves_every_position_as_a_step_of_its_own_does(
    pool: ConnectionPool[Any], postgres: psycopg.Connection[Any]
) -> None:
    assert set(seen(pool, KEYS).values()) == {None}
    assert postgres.execute("SELECT count(DISTINCT xmin::text) FROM engine.position").fetchone() == (1,)
    alone = WorkerKey("alone", 1, "domain", 0)
    positions.create(postgres, alone)
    positions.advance(postgres, alone, SEEN, notify=False)
    stored = postgres.execute(
        "SELECT DISTINCT next_offset, intent_to, domain_position, record_at, processed, rate, error"
        " FROM engine.position"
    ).fetchall()
    assert stored == [(1, None, 7, SEEN.record_at, 1, 0.5, "")]


def test_listeners_hear_of_each_live_projection(pool: ConnectionPool[Any], postgres: psycopg.Connection[Any]) -> None:
    postgres.execute("LISTEN projection")
    seen(pool, KEYS[:3])
    heard = {notice.payload for notice in postgres.notifies(timeout=5, stop_after=2)}
    assert heard == {"model_0:domain:0:1:7", "model_2:domain:0:1:7"}


def test_one_whose_position_another_process_moved_is_fenced_alone(
    pool: ConnectionPool[Any], postgres: psycopg.Connection[Any]
) -> None:
    postgres.execute("UPDATE engine.position SET next_offset = 5 WHERE projection = 'model_3'")
    found = seen(pool, KEYS)
    assert isinstance(found.pop("model_3"), Fenced)
    assert set(found.values()) == {None}
    assert offsets(postgres) == {key.projection: 5 if key.projection == "model_3" else 1 for key in KEYS}


def test_one_that_is_held_at_a_barrier_waits_alone(
    pool: ConnectionPool[Any], postgres: psycopg.Connection[Any]
) -> None:
    postgres.execute(
        "UPDATE engine.position SET stop_at = 0, stop_until = now() + interval '1 minute' WHERE projection = 'model_3'"
    )
    found = seen(pool, KEYS)
    assert isinstance(found.pop("model_3"), BarrierReached)
    assert set(found.values()) == {None}
    assert offsets(postgres)["model_3"] == 0


def test_a_position_locked_by_another_transaction_delays_no_other(
    pool: ConnectionPool[Any], postgres: psycopg.Connection[Any]
) -> None:
    steps = GroupCommit(pool)
    with ThreadPoolExecutor(2) as threads:
        with postgres.transaction():
            postgres.execute("SELECT FROM engine.position WHERE projection = 'model_0' FOR UPDATE")
            locked = threads.submit(steps.advance, KEYS[0], SEEN, notify=True)
            threads.submit(steps.advance, KEYS[1], SEEN, notify=True).result(20)
            assert not locked.done()
        locked.result(20)
    assert offsets(postgres)["model_0"] == 1


def test_every_worker_gets_the_error_of_the_statement(
    pool: ConnectionPool[Any], postgres: psycopg.Connection[Any]
) -> None:
    postgres.execute("ALTER TABLE engine.position RENAME TO gone")
    found = seen(pool, KEYS)
    assert {type(error) for error in found.values()} == {psycopg.errors.UndefinedTable}


def test_a_step_is_stored_once(pool: ConnectionPool[Any], postgres: psycopg.Connection[Any]) -> None:
    assert seen(pool, KEYS[:1]) == {"model_0": None}
    assert isinstance(seen(pool, KEYS[:1])["model_0"], Fenced)
    assert postgres.execute("SELECT sum(processed) FROM engine.position").fetchone() == (1,)
