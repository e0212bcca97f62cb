"""External data: tables that a query brings along in its form, visible to this query's connection only."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from infra.domain.sql_access.literals import text as literal
from infra.services.clickhouse_server import sql
from infra.services.clickhouse_server.engine import Connection, identifier
from infra.services.clickhouse_server.errors import Code, error

SUFFIXES = ("_format", "_types", "_structure")
_FORMAT = re.compile(r"\w{1,64}", re.ASCII)


@dataclass(frozen=True)
class ExternalTable:
    """Data in `file`, in `input_format`, with the columns that `structure` (`id UInt64, name String`) declares."""

    name: str
    file: Path
    input_format: str
    structure: str


def table(name: str, file: Path, given: Mapping[str, str]) -> ExternalTable:
    """Describes one of the form's files, by `NAME_format`, `NAME_structure` or `NAME_types` in `given`.

    Raises `ClickHouseError` 36 for a file without a structure.
    """
    structure = given.get(f"{name}_structure", "").strip()
    types = given.get(f"{name}_types", "").strip()
    if bool(structure) == bool(types) or structure == "auto":
        raise error(
            Code.BAD_ARGUMENTS,
            f"External table {name} needs its columns, either as {name}_structure or as {name}_types",
        )
    input_format = given.get(f"{name}_format", "TabSeparated")
    if not _FORMAT.fullmatch(input_format):
        raise error(Code.BAD_ARGUMENTS, f"External table {name} has no readable format name")
    return ExternalTable(name, file, input_format, structure or _numbered(types))


def create(connection: Connection, tables: Sequence[ExternalTable], made: list[str]) -> None:
    """Makes the tables on the connection and fills them; `made` gets the name of each one that exists, for `drop`."""
    for table in tables:
        columns = _columns(connection, table.structure)
        connection.run(f"CREATE TEMPORARY TABLE {identifier(table.name)} ({columns})", "Null")
        made.append(table.name)
        into = f"INSERT INTO {identifier(table.name)}".encode()
        connection.insert(into, b"", table.input_format, table.file, {})


def drop(connection: Connection, made: Sequence[str]) -> None:
    for name in made:
        connection.run(f"DROP TEMPORARY TABLE IF EXISTS {identifier(name)}", "Null")


def _numbered(types: str) -> str:
    parts = sql.split_at_commas(types.encode())
    return ", ".join(f"_{number} {part.decode()}" for number, part in enumerate(parts, 1))


def _columns(connection: Connection, structure: str) -> str:
    """The columns as the engine's own parser reads them: passed as a literal, returned as plain names and types, so
    that nothing in `structure` can be more than a column."""
    content, _ = connection.run(f"DESCRIBE TABLE format('TSV', {literal(structure)}, '')", "JSONCompactEachRow")
    rows = [json.loads(line) for line in content.splitlines()]
    return ", ".join(f"{identifier(row[0])} {row[1]}" for row in rows)
