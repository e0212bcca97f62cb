"""The pool that services use gives out connections that work, and says soon when there is none."""

from __future__ import annotations

import psutil
import psycopg
import pytest
from psycopg_pool import PoolTimeout

from infra.postgres import connect, pool
from infra.settings import Settings


def test_a_connection_that_the_server_ended_is_replaced(embedded_postgres: Settings) -> None:
    with pool(embedded_postgres, 2) as connections, connect(embedded_postgres) as other:
        with connections.connection() as used:
            pid = used.info.backend_pid
        other.execute("select pg_terminate_backend(%s, 5000)", (pid,))
        with connections.connection(timeout=10) as given:
            assert given.info.backend_pid != pid
            assert given.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
            assert given.execute("select 1").fetchone() == (1,)


def test_a_connection_on_which_the_server_hangs_is_given_up(embedded_postgres: Settings) -> None:
    with pool(embedded_postgres, 1) as connections:
        with connections.connection() as used:
            pid = used.info.backend_pid
            assert used.execute("select pg_backend_pid()").fetchone() == (pid,)
        backend = psutil.Process(pid)
        backend.suspend()
        try:
            with pytest.raises(PoolTimeout), connections.connection(timeout=0):
                pass
            with connections.connection(timeout=10) as given:
                assert given.info.backend_pid != pid
        finally:
            backend.resume()
