"""Databases of a test's own on shared engines: in Postgres a copy of one that was migrated once for each server.

To make every table takes seconds, and a test that breaks things wants a fresh set; a copy is there at once.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import psycopg

from infra.kernel.config.settings import Settings
from infra.kernel.security.text_keys import TextKeys
from infra.ops.migrations import migrate
from projectors.engine import schema as engine_schema
from projectors.engine.clickhouse import HttpClickHouse
from projectors.engine.projection import Registry
from projectors.registry import REGISTRY
from projectors.visits import tables
from tests.support.stack import wait_for

Maker = Callable[[Settings], None]
"""What `althing migrate` runs after the migrations; it may run again."""

MANY = 1_000_000
"""Refusals a second of one address: every test has the same one."""
_templates: dict[tuple[str, tuple[Maker, ...]], str] = {}


def create_text_key(settings: Settings) -> None:
    """The key that seals what leads to visitors, as `althing migrate` makes it. A maker."""
    with psycopg.connect(settings.postgres_url or "") as connection:
        TextKeys(settings).create_first(connection)


def create_clickhouse_tables(settings: Settings) -> None:
    """The tables that a copied Postgres database does not have: those of ClickHouse."""
    engine_schema.create_schema(settings, Registry(clickhouse=REGISTRY.clickhouse, postgres=()))
    tables.create(HttpClickHouse(settings))


@contextmanager
def own_databases(postgres: Settings, clickhouse: Settings | None, *makers: Maker) -> Iterator[Settings]:
    """Settings that reach a migrated Postgres database, in which the makers have run, and an empty one in ClickHouse,
    of the same name; both are dropped afterwards. `create_clickhouse_tables` makes what a maker made there."""
    server = postgres.postgres_url or ""
    if (server, makers) not in _templates:
        _templates[server, makers] = _template(postgres, clickhouse, makers)
    with _databases(postgres, clickhouse, f"TEMPLATE {_templates[server, makers]}") as made:
        yield made


def _template(postgres: Settings, clickhouse: Settings | None, makers: tuple[Maker, ...]) -> str:
    """The name of a new database to copy from: nobody can connect to it, else it could not be copied."""
    server = postgres.postgres_url or ""
    with _databases(postgres, clickhouse) as made:
        migrate.apply(made.postgres_url or "", migrate.read_folder(migrate.FOLDER))
        for maker in makers:
            maker(made)
        name = _name(made.postgres_url or "")
        with psycopg.connect(server, autocommit=True) as connection:
            busy = b"SELECT 1 FROM pg_stat_activity WHERE datname = %s"
            wait_for(lambda: connection.execute(busy, (name,)).fetchone() is None, "all to leave the new database")
        _execute(server, f"ALTER DATABASE {name} RENAME TO template_{name}")
    _execute(server, f"ALTER DATABASE template_{name} ALLOW_CONNECTIONS false")
    return f"template_{name}"


@contextmanager
def _databases(postgres: Settings, clickhouse: Settings | None, how: str = "") -> Iterator[Settings]:
    name = f"t{uuid.uuid4().hex[:20]}"
    server = postgres.postgres_url or ""
    url = _in_database(server, name)
    made = replace(postgres, postgres_url=url, address_refusals=MANY, exchange_rates=None)
    columns = None if clickhouse is None else HttpClickHouse(clickhouse)
    if clickhouse is not None:
        made = replace(made, clickhouse_url=_in_database(clickhouse.clickhouse_url or "", name))
    _execute(server, f"CREATE DATABASE {name} {how}")
    try:
        if columns is not None:
            columns.run(f"CREATE DATABASE {name}")
        yield made
    finally:
        if columns is not None:
            columns.run(f"DROP DATABASE IF EXISTS {name}")
        _execute(server, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def _in_database(url: str, name: str) -> str:
    return urlsplit(url)._replace(path=f"/{name}").geturl()


def _name(url: str) -> str:
    return urlsplit(url).path.strip("/")


def _execute(url: str, statement: Any) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement)
