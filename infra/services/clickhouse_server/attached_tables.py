"""The tables of the live engine, written so that a second engine reads them: same files, no right to change them.

Only one process may open a data directory, but a MergeTree table is nothing but its parts, and a part never changes
once it has its name. A read-only disk over the table's directory (`metadata_type = plain` is the layout of a local
disk) shows exactly the parts that are on disk at the moment of CREATE TABLE: a part appears by one rename, and parts
that a merge replaced stay for `old_parts_lifetime` (480 s), longer than any statement runs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from infra.domain.sql_access.literals import text as literal
from infra.services.clickhouse_server.engine import Engine, identifier
from infra.services.clickhouse_server.sql import split_at_commas, tokens

_DESCRIBE: Final = (
    "SELECT name, engine, create_table_query, arrayElement(data_paths, 1) AS path FROM system.tables"
    " WHERE database = {database:String} AND engine NOT IN ('MaterializedView', 'Memory')"
)
_KEPT: Final = re.compile(rb"\s*(index_granularity|index_granularity_bytes)\s*=", re.IGNORECASE)
"""Settings of a table that say how its parts are read; the others speak of writing."""


@dataclass(frozen=True)
class LiveTable:
    """A table or view of the live engine. `path` is where its parts are; a view has none."""

    name: str
    engine: str
    create: str
    path: str

    @property
    def has_parts(self) -> bool:
        return self.engine.endswith("MergeTree")


@dataclass(frozen=True)
class TableAttachment:
    """Statements that make the tables in an empty database, and the directories that must still be there after."""

    statements: tuple[str, ...]
    paths: tuple[str, ...]


def live_tables(engine: Engine, database: str) -> list[LiveTable]:
    """Returns the tables that the live engine has now. Blocks."""
    with engine.connection() as connection:
        content, _ = connection.run(_DESCRIBE, "JSONCompactEachRow", {"database": database})
    return [LiveTable(*map(str, json.loads(line))) for line in content.splitlines()]


def attachment(database: str, sql: str, tables: Iterable[LiveTable]) -> TableAttachment:
    """Returns what `sql` needs of `tables`: those that it names in `database`, and whatever their views read."""
    by_name = {table.name: table for table in tables if table.has_parts or table.engine == "View"}
    needed = _needed(database, sql, by_name)
    views = [table for table in needed if not table.has_parts]
    stored = [table for table in needed if table.has_parts]
    statements = [_read_only(table) for table in stored] + [table.create for table in reversed(views)]
    return TableAttachment(tuple(statements), tuple(table.path for table in stored))


def _needed(database: str, sql: str, known: Mapping[str, LiveTable]) -> list[LiveTable]:
    """Each table once; a view comes before the tables that it reads."""
    named = re.compile(rf"`?\b{re.escape(database)}`?\.`?(\w+)`?")
    needed: dict[str, LiveTable] = {}
    texts = [sql]
    while texts:
        for name in named.findall(texts.pop()):
            if name in known:
                table = known[name]
                needed.pop(name, None)
                needed[name] = table
                if not table.has_parts:
                    texts.append(table.create.partition(" AS SELECT ")[2] or table.create.partition(" AS ")[2])
    return list(needed.values())


def _read_only(table: LiveTable) -> str:
    head, kept = _without_settings(table.create.encode())
    disk = (
        "disk(type = object_storage, object_storage_type = local_blob_storage, metadata_type = plain,"
        f" path = {literal(table.path)}, readonly = true)"
    )
    settings = [*kept, f"disk = {disk}", "table_disk = 1"]
    return f"{head} SETTINGS {', '.join(settings)}"


def _without_settings(create: bytes) -> tuple[str, list[str]]:
    clauses = [token for token in tokens(create) if token.depth == 0 and token.word == "SETTINGS"]
    if not clauses:
        return create.decode(), []
    at = clauses[-1]
    kept = [part.decode() for part in split_at_commas(create[at.end :]) if _KEPT.match(part)]
    return create[: at.start].decode().rstrip(), kept


def drop_database(name: str) -> str:
    return f"DROP DATABASE IF EXISTS {identifier(name)} SYNC"


def create_database(name: str) -> str:
    """Returns the statement for a database in memory: a second engine keeps nothing."""
    return f"CREATE DATABASE {identifier(name)} ENGINE = Memory"
