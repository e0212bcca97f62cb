"""The pool that services use gives out connections that work, and says soon when there is none."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from socket import AF_UNIX, SHUT_RDWR, create_connection, create_server, socket
from tempfile import TemporaryDirectory
from typing import Any

import psutil
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import ConnectionPool, PoolTimeout, TooManyRequests

from command_api.kernel import leader_election
from infra.kernel.config.settings import Settings
from infra.kernel.postgres.pool import CLIENT_LOST_S, LOCK_LOST_S, AsyncPool, connect, pool, required_url
from ingest.directory.postgres import Postgres
from ingest.errors import Unavailable
from tests.support.pool_deadlocks import PoolDeadlock
from tests.support.stack import free_ports, wait_for

GIVEN_UP = "reconnection attempt in pool"
"""What psycopg logs once it has tried for `reconnect_timeout`."""


@pytest.fixture
def pool_log() -> Iterator[list[str]]:
    """What psycopg's pool logs during the test, whatever an earlier test made of the program's logging."""
    said: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())

    logger, listener = logging.getLogger("psycopg.pool"), Listener()
    logger.disabled = False
    logger.setLevel(logging.INFO)
    logger.addHandler(listener)
    yield said
    logger.removeHandler(listener)
    logger.setLevel(logging.NOTSET)


def test_the_server_ends_the_session_of_a_client_that_vanished(embedded_postgres: Settings) -> None:
    """With the locks of its session, and the rows that its transaction holds. `tests/scale` cuts a machine off."""

    def lost_after(connection: psycopg.Connection[Any]) -> tuple[int, int]:
        """Seconds of silence, and milliseconds without an acknowledgement."""
        rows = connection.execute("select name, setting::int from pg_settings where name like 'tcp_%'").fetchall()
        found = dict(rows)
        silent = found["tcp_keepalives_idle"] + found["tcp_keepalives_interval"] * found["tcp_keepalives_count"]
        return silent, found["tcp_user_timeout"]

    url = required_url(embedded_postgres)
    with leader_election.connect(url, "test") as leading, connect(embedded_postgres) as pooled:
        assert lost_after(leading) == (LOCK_LOST_S, LOCK_LOST_S * 1000)
        assert lost_after(pooled) == (CLIENT_LOST_S, CLIENT_LOST_S * 1000)


def test_a_connection_that_the_server_ended_is_replaced(embedded_postgres: Settings) -> None:
    with pool(embedded_postgres, 2) as connections, connect(embedded_postgres) as other:
        with connections.connection() as used:
            pid = used.info.backend_pid
        other.execute("select pg_terminate_backend(%s, 60000)", (pid,))
        with connections.connection(timeout=60) as given:
            assert given.info.backend_pid != pid
            assert given.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
            assert given.execute("select 1").fetchone() == (1,)


def test_a_connection_to_a_hanging_server_times_out(embedded_postgres: Settings) -> None:
    with pool(embedded_postgres, 1) as connections:
        with connections.connection() as used:
            pid = used.info.backend_pid
            assert used.execute("select pg_backend_pid()").fetchone() == (pid,)
        with _suspended([pid]):
            with pytest.raises(PoolTimeout), connections.connection(timeout=0):
                pass
            with connections.connection(timeout=60) as given:
                assert given.info.backend_pid != pid


def test_ingest_times_out_connections_to_a_hanging_server(embedded_postgres: Settings) -> None:
    async def ask(ingest_postgres: Postgres) -> None:
        assert await _ingest_answers(ingest_postgres)
        with _suspended(_backends(embedded_postgres)):
            assert await _ingest_answers_soon(ingest_postgres)

    asyncio.run(_with_edge(embedded_postgres, ask))


def test_ingest_times_out_a_missing_answer(embedded_postgres: Settings) -> None:
    async def ask(ingest_postgres: Postgres) -> None:
        # The server's own timeout must not be what ends it, nor may it be over before the server hangs.
        await ingest_postgres.rows("select set_config('statement_timeout', '120s', false)", ())
        asking = asyncio.create_task(ingest_postgres.rows("select pg_sleep(60)", ()))
        pids = await asyncio.to_thread(wait_for, lambda: _backends(embedded_postgres, "PgSleep"), "the statement")
        with _suspended(pids), pytest.raises(Unavailable):
            await asking
        _end(embedded_postgres, pids)

    asyncio.run(_with_edge(embedded_postgres, ask))


def test_an_answer_is_waited_for_only_as_long_as_the_server_greets_newcomers(embedded_postgres: Settings) -> None:
    with pool(embedded_postgres, 1, statement_timeout_ms=120_000) as connections, ThreadPoolExecutor(1) as thread:
        with connections.connection() as used:
            assert used.execute("select pg_sleep(1.3)").fetchone() is not None

        def sleep() -> None:
            with connections.connection() as used:
                used.execute("select pg_sleep(60)")

        asking = thread.submit(sleep)
        [pid] = wait_for(lambda: _backends(embedded_postgres, "PgSleep"), "the statement to run")
        server = psutil.Process(pid).parent()
        assert server is not None
        with _frozen(server), pytest.raises(psycopg.OperationalError, match="hangs"):
            asking.result(60)
        _end(embedded_postgres, [pid])
        wait_for(lambda: _answers(connections), "the pool to find the server")


def test_a_slow_answer_is_waited_for_on_a_unix_socket_too(embedded_postgres: Settings) -> None:
    # The path of a socket has at most 107 characters: `tmp_path` may be too long.
    with TemporaryDirectory() as folder, socket(AF_UNIX) as listener:
        url = make_conninfo(embedded_postgres.postgres_url or "", host=folder, port=5432)
        listener.bind(f"{folder}/.s.PGSQL.5432")
        listener.listen()
        _assert_slow_answer(listener, embedded_postgres, url)


def _assert_slow_answer(listener: socket, embedded_postgres: Settings, url: str) -> None:
    with (
        _forwarded(listener, embedded_postgres),
        pool(replace(embedded_postgres, postgres_url=url), 1) as connections,
        connections.connection() as used,
    ):
        assert used.execute("select pg_sleep(1.3), 1").fetchone() == ("", 1)


def test_idle_connections_to_a_hanging_server_do_not_block_the_pool(embedded_postgres: Settings) -> None:
    with pool(embedded_postgres, 2) as connections, ThreadPoolExecutor(1) as thread:
        with connections.connection() as used:
            pid = used.info.backend_pid
        with _suspended([pid]):
            thread.submit(connections.check).result(60)
            wait_for(lambda: _answers(connections), "another connection")


def test_requesting_a_second_connection_while_holding_one_fails_every_test(embedded_postgres: Settings) -> None:
    """Also where there would be one: when it is crowded there is none (`tests.support.pool_deadlocks`)."""
    with pool(embedded_postgres, 2) as connections, pool(embedded_postgres, 1) as others:
        with connections.connection(), pytest.raises(PoolDeadlock):
            connections.getconn()
        with connections.connection(), others.connection():
            pass
        with others.connection(), pytest.raises(PoolDeadlock):
            connections.getconn()

    async def ask_twice() -> None:
        ingest_postgres = AsyncPool(str(embedded_postgres.postgres_url), min_size=1, max_size=2, open=False)
        async with ingest_postgres, ingest_postgres.connection():
            with pytest.raises(PoolDeadlock):
                await ingest_postgres.getconn()

    asyncio.run(ask_twice())


def test_however_many_waited_in_vain_the_server_is_found_again(
    embedded_postgres: Settings, pool_log: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("infra.kernel.postgres.pool.RECONNECT_ROUND_S", 0.5)
    url, port = _elsewhere(embedded_postgres)
    with pool(replace(embedded_postgres, postgres_url=url), 1) as connections:
        for _ in range(20):
            with pytest.raises((PoolTimeout, TooManyRequests)):
                connections.getconn(timeout=0.001)
        wait_for(lambda: GIVEN_UP in " ".join(pool_log), "the pool to give the server up")
        with _forwarded(create_server(("127.0.0.1", port)), embedded_postgres):
            wait_for(lambda: _answers(connections), "the pool to find the server")


def test_ingest_reconnects_after_any_number_of_failed_reads(
    embedded_postgres: Settings, pool_log: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.directory.postgres.RECONNECT_ROUND_S", 0.5)
    url, port = _elsewhere(embedded_postgres)

    async def ask(ingest_postgres: Postgres) -> None:
        assert not any(await asyncio.gather(*(_ingest_answers(ingest_postgres) for _ in range(250))))
        given_up = partial(wait_for, lambda: GIVEN_UP in " ".join(pool_log), "the pool to give the server up")
        await asyncio.to_thread(given_up)
        with _forwarded(create_server(("127.0.0.1", port)), embedded_postgres):
            assert await _ingest_answers_soon(ingest_postgres)

    asyncio.run(_with_edge(replace(embedded_postgres, postgres_url=url), ask))


def _answers(connections: ConnectionPool[psycopg.Connection[Any]]) -> bool:
    with suppress(PoolTimeout, TooManyRequests), connections.connection(timeout=1) as given:
        return given.execute("select 1").fetchone() == (1,)
    return False


async def _with_edge(settings: Settings, ask: Callable[[Postgres], Awaitable[None]]) -> None:
    ingest_postgres = Postgres(settings.postgres_url)
    await ingest_postgres.open()
    try:
        async with asyncio.timeout(150):
            await ask(ingest_postgres)
    finally:
        await ingest_postgres.close()


async def _ingest_answers(ingest_postgres: Postgres) -> bool:
    with suppress(Unavailable):
        return await ingest_postgres.rows("select 1", ()) == [(1,)]
    return False


async def _ingest_answers_soon(ingest_postgres: Postgres) -> bool:
    for _ in range(200):
        if await _ingest_answers(ingest_postgres):
            return True
        await asyncio.sleep(0.05)
    return False


def _backends(settings: Settings, waiting_in: str = "") -> list[int]:
    """Processes of the server that serve others, or those of them that wait in that event."""
    with connect(settings) as connection:
        sql = (
            "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()"
            " and %s in ('', wait_event)"
        )
        return [pid for (pid,) in connection.execute(sql, (waiting_in,))]


def _end(settings: Settings, pids: Sequence[int]) -> None:
    """Ends these processes of the server: their work must not disturb another test."""
    with connect(settings) as connection:
        for pid in pids:
            connection.execute("select pg_terminate_backend(%s, 60000)", (pid,))


@contextmanager
def _suspended(pids: Sequence[int]) -> Iterator[None]:
    processes: list[psutil.Process] = []
    try:
        for pid in pids:
            with suppress(psutil.NoSuchProcess):  # one that served an earlier test has ended since
                processes.append(psutil.Process(pid))
                processes[-1].suspend()
        yield
    finally:
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.resume()


@contextmanager
def _frozen(server: psutil.Process) -> Iterator[None]:
    """With every process of its own."""
    with _suspended([server.pid]), _suspended([child.pid for child in server.children(recursive=True)]):
        yield


def _elsewhere(settings: Settings) -> tuple[str, int]:
    """The server's address on a port where nothing listens yet."""
    [port] = free_ports(1)
    return make_conninfo(settings.postgres_url or "", port=port), port


@contextmanager
def _forwarded(listener: socket, settings: Settings) -> Iterator[None]:
    """Who connects there reaches the server."""
    server = ("127.0.0.1", int(conninfo_to_dict(settings.postgres_url or "")["port"] or 0))

    def copy(source: socket, target: socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(SHUT_RDWR)

    def accept() -> None:
        with suppress(OSError):
            while True:
                near, far = listener.accept()[0], create_connection(server)
                for ends in ((near, far), (far, near)):
                    threading.Thread(target=copy, args=ends, daemon=True).start()

    with listener:
        threading.Thread(target=accept, daemon=True).start()
        yield
