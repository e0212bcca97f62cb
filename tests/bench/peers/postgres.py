"""One Postgres for both peers, durable as it is by default, and with memory for five million events."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from urllib.parse import urlsplit, urlunsplit

import psycopg

from tests.support.engines import Engine, engine_folder, start_postgres

SETTINGS: Final = {
    "fsync": "on",
    "synchronous_commit": "on",
    "shared_buffers": "1GB",
    "effective_cache_size": "4GB",
    "work_mem": "128MB",
    "maintenance_work_mem": "512MB",
    "max_wal_size": "4GB",
    "random_page_cost": "1.1",
}


@contextmanager
def postgres() -> Iterator[Engine]:
    """A fresh server; ended and removed with the block."""
    with engine_folder("peers") as folder:
        server = start_postgres(folder)
        try:
            with psycopg.connect(server.address, autocommit=True) as connection:
                for name, value in SETTINGS.items():
                    connection.execute(f"ALTER SYSTEM SET {name} = '{value}'".encode())
            server.stop()
            yield server.start()
        finally:
            server.stop()


def database(server: Engine, name: str) -> str:
    """Creates a database and returns its address."""
    with psycopg.connect(server.address, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    return urlunsplit(urlsplit(server.address)._replace(path=f"/{name}"))
