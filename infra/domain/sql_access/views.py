"""The sub-selects behind table names: rows of the analyst's websites only; and the tables that describe the
schema.

The analyst's websites, and the names of websites, partners and links, are data beside the statement (`data_tables`), of
which its text has nothing but the tables' names. `system` and `information_schema` list the documented tables
(`infra.domain.sql_access.tables`), and nothing else.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from infra.domain.sql_access.data_tables import DataTable
from infra.domain.sql_access.functions import AGGREGATES, SCALARS
from infra.domain.sql_access.literals import text
from infra.domain.sql_access.tables import DATABASE, SCHEMA, Column, View, columns_of

MAX_NAMED: Final = 20_000
"""Rows of `websites`, `partners` and `links` that a statement can carry."""

DATA_PREFIX: Final = "rows_"
OWN: Final = "own"
_OWN_COLUMNS: Final = (Column("website_id", "UUID", "A website of the analyst"),)

Rows = Sequence[Sequence[Any]]


class TooManyNames(ValueError):
    """A table of names has more rows than a statement can carry."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What one analyst may see: rows of `websites`. `named` gives the rows of a table of names that they may see.

    `tables` are ClickHouse's own tables that rows lie in, for `row_filter`. `mark` is in the names of the tables with
    its data: random, so that no statement can name or hide one.
    """

    name: str
    websites: frozenset[UUID]
    named: Callable[[str], Rows]
    tables: tuple[str, ...] = ()
    mark: str = field(default_factory=lambda: f"{DATA_PREFIX}{secrets.token_hex(8)}")


def find(database: str, name: str) -> View | None:
    """The table of this name; without a database, a documented one."""
    if database in ("", DATABASE):
        return SCHEMA.get(name)
    return _ABOUT.get((database.lower(), name.lower()))


def sub_select(view: View, scope: Scope) -> str:
    """SQL for the rows of `view` within `scope`."""
    if view.source:
        return view.source.replace("{own}", _own(scope))
    if view.database != DATABASE:
        return _values(view.columns, _described(view))
    return f"SELECT * FROM {_name(scope, view.name)}"  # noqa: S608 - own text


def data_of(views: Sequence[View], scope: Scope) -> tuple[DataTable, ...]:
    """What the sub-selects of `views` and the row filter read. Raises `TooManyNames`."""
    named = {view.name: view for view in views if not view.source and view.database == DATABASE}
    return (
        DataTable(_name(scope, OWN), _OWN_COLUMNS, [(website,) for website in sorted(scope.websites)]),
        *(DataTable(_name(scope, name), view.columns, _counted(scope.named(name))) for name, view in named.items()),
    )


def row_filter(scope: Scope) -> dict[str, str]:
    """Settings by which ClickHouse itself hides other rows of `tables`: the second layer of row isolation. They read
    the first table of `data_of`."""
    own = _own(scope)
    filters = ", ".join(f"{text(f'{DATABASE}.{table}')}: {text(own)}" for table in scope.tables)
    return {"additional_table_filters": f"{{{filters}}}"}


def _own(scope: Scope) -> str:
    return f"website_id IN (SELECT website_id FROM {_name(scope, OWN)})"  # noqa: S608 - own text


def _name(scope: Scope, table: str) -> str:
    return f"{scope.mark}_{table}"


def _counted(rows: Rows) -> Rows:
    if len(rows) > MAX_NAMED:
        raise TooManyNames(f"There are more than {MAX_NAMED:,} rows; use ids instead.")
    return rows


def _values(columns: Sequence[Column], rows: Rows) -> str:
    structure = ", ".join(f"{column.name} {column.type}" for column in columns)
    shown = ", ".join(f"({', '.join(_literal(value) for value in row)})" for row in rows)
    if rows:
        return f"SELECT * FROM values({text(structure)}, {shown})"  # noqa: S608 - literals only
    nothing = ", ".join(
        f"CAST(defaultValueOfTypeName({text(one.type)}) AS {one.type}) AS {one.name}" for one in columns
    )
    return f"SELECT {nothing} WHERE 0"


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int) else text(str(value))


def _about(database: str, name: str, columns: str, source: str = "") -> View:
    return View(name, "", columns_of("\n".join(f"{line} ." for line in columns.split(";"))), source, database)


_TABLE_COLUMNS: Final = (
    "table_catalog String;table_schema String;table_name String;table_type String;table_comment String"
)
_COLUMN_COLUMNS: Final = (
    "table_catalog String;table_schema String;table_name String;column_name String;ordinal_position UInt64;"
    "is_nullable UInt8;data_type String;column_comment String"
)
_SCHEMA_COLUMNS: Final = "catalog_name String;schema_name String;schema_owner String"

_ABOUT: Final[Mapping[tuple[str, str], View]] = {
    (view.database, view.name): view
    for view in (
        _about("system", "databases", "name String;engine String;comment String"),
        _about(
            "system",
            "tables",
            "database String;name String;engine String;is_temporary UInt8;comment String;primary_key String;"
            "sorting_key String;create_table_query String",
        ),
        _about(
            "system",
            "columns",
            "database String;table String;name String;type String;position UInt64;default_kind String;"
            "default_expression String;comment String;is_in_primary_key UInt8;is_in_sorting_key UInt8",
        ),
        _about("system", "functions", "name String;is_aggregate UInt8"),
        _about(
            "system",
            "settings",
            "name String;value String;changed UInt8;description String;readonly UInt8;type String",
            "SELECT name, if(name = 'log_comment', '', value) AS value, changed, description, 1 AS readonly, type"
            " FROM system.settings",
        ),
        _about("system", "one", "dummy UInt8", "SELECT 0 AS dummy"),
        _about("information_schema", "schemata", _SCHEMA_COLUMNS),
        _about("information_schema", "tables", _TABLE_COLUMNS),
        _about("information_schema", "columns", _COLUMN_COLUMNS),
    )
}


def _described(view: View) -> Rows:
    """Rows that describe the documented tables only."""
    ours = list(SCHEMA.values())
    columns = [(one, place, column) for one in ours for place, column in enumerate(one.columns, 1)]
    about: dict[tuple[str, str], Callable[[], Rows]] = {
        ("system", "databases"): lambda: [(DATABASE, "Atomic", "")],
        ("system", "tables"): lambda: [(DATABASE, one.name, "View", 0, one.comment, "", "", "") for one in ours],
        ("system", "columns"): lambda: [
            (DATABASE, one.name, column.name, column.type, place, "", "", column.comment, 0, 0)
            for one, place, column in columns
        ],
        ("system", "functions"): lambda: [(name, int(name in AGGREGATES)) for name in sorted(AGGREGATES | SCALARS)],
        ("information_schema", "schemata"): lambda: [(DATABASE, DATABASE, DATABASE)],
        ("information_schema", "tables"): lambda: [(DATABASE, DATABASE, one.name, "VIEW", one.comment) for one in ours],
        ("information_schema", "columns"): lambda: [
            (DATABASE, DATABASE, one.name, column.name, place, 0, column.type, column.comment)
            for one, place, column in columns
        ],
    }
    return about[view.database, view.name]()
