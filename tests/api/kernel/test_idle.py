"""An idle command service leaves Postgres alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from threading import Event
from typing import Any

import psycopg

from command_api.kernel.leader_election import running
from command_api.registry import open_container
from command_api.service import leaders_of
from infra.kernel.clickhouse.client import ClientPool
from infra.kernel.config.settings import Settings
from infra.kernel.log import open_log
from infra.kernel.postgres.pool import required_url
from tests.support.command import database
from tests.support.stack import wait_for

WINDOW_S = 12.0
"""Longer than the longest wait of a worker, and than Postgres keeps the statistics of an idle connection to itself."""


def test_idle_the_whole_write_side_asks_postgres_at_most_once_a_second(embedded_postgres: Settings) -> None:
    """The workers of a second process stand by. The log is in another database: it stands for Kafka."""
    with (
        database(embedded_postgres) as settings,
        database(embedded_postgres) as other,
        without_autovacuum(embedded_postgres),
        psycopg.connect(required_url(embedded_postgres), autocommit=True) as server,
    ):
        container, log, clients = open_container(settings), open_log(other), ClientPool(settings, 1)
        log.create_topics()
        leaders, others = (leaders_of(container, log, clients) for _ in range(2))
        with closing(container), closing(clients), closing(log), running(leaders):
            wait_for(lambda: all(leader.state == "leading" for leader in leaders), "the workers to lead")
            with running(others):
                wait_for(lambda: all(leader.state == "standby" for leader in others), "the others to stand by")
                name = psycopg.conninfo.conninfo_to_dict(required_url(settings))["dbname"]
                # The first windows have the start of the workers in them.
                counts: list[int] = []
                while len(counts) < 6 and (not counts or counts[-1] > WINDOW_S):
                    counts.append(_asked_within_a_window(server, str(name)))
                assert counts[-1] <= WINDOW_S, counts
                assert {leader.state for leader in leaders} == {"leading"}
                assert {leader.state for leader in others} == {"standby"}


@contextmanager
def without_autovacuum(settings: Settings) -> Iterator[None]:
    """Its transactions are counted like those of the write side."""
    with psycopg.connect(required_url(settings), autocommit=True) as server:
        server.execute("ALTER SYSTEM SET autovacuum = off")
        server.execute("SELECT pg_reload_conf()")
        try:
            yield
        finally:
            server.execute("ALTER SYSTEM RESET autovacuum")
            server.execute("SELECT pg_reload_conf()")


def _asked_within_a_window(server: psycopg.Connection[Any], database_name: str) -> int:
    before = _transactions(server, database_name)
    Event().wait(WINDOW_S)
    return _transactions(server, database_name) - before


def _transactions(server: psycopg.Connection[Any], database_name: str) -> int:
    row = server.execute(
        "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = %s", (database_name,)
    ).fetchone()
    assert row is not None
    return int(row[0])
