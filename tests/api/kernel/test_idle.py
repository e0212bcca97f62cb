"""An idle command service leaves Postgres alone."""

from __future__ import annotations

from contextlib import closing
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
    """The log is in another database: it stands for Kafka."""
    with (
        database(embedded_postgres) as settings,
        database(embedded_postgres) as other,
        psycopg.connect(required_url(embedded_postgres), autocommit=True) as server,
    ):
        container, log, clients = open_container(settings), open_log(other), ClientPool(settings, 1)
        log.create_topics()
        leaders = leaders_of(container, log, clients)
        with closing(container), closing(clients), closing(log), running(leaders):
            wait_for(lambda: all(leader.state == "leading" for leader in leaders), "the workers to lead")
            name = psycopg.conninfo.conninfo_to_dict(required_url(settings))["dbname"]
            # The first windows have the start of the workers in them, or a run of autovacuum.
            counts: list[int] = []
            while len(counts) < 4 and (not counts or counts[-1] > WINDOW_S):
                counts.append(_asked_within_a_window(server, str(name)))
            assert counts[-1] <= WINDOW_S, counts
            assert all(leader.state == "leading" for leader in leaders)


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
