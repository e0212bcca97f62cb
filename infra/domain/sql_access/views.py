"""The sub-selects behind table names: rows of the analyst's websites only.

The analyst's websites, and the names of websites, partners and links, are data beside the statement (`data_tables`), of
which its text has nothing but the tables' names. `described` has the tables that describe the schema.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final
from uuid import UUID

from infra.domain.sql_access import described
from infra.domain.sql_access.data_tables import DataTable
from infra.domain.sql_access.literals import text
from infra.domain.sql_access.tables import DATABASE, OF_SINGLE_EVENTS, SCHEMA, AnalystColumn, AnalystView

MAX_NAMED: Final = 20_000
"""Rows of `websites`, `partners` and `links` that a statement can carry."""

DATA_PREFIX: Final = "rows_"
OWN: Final = "own"
_OWN_COLUMNS: Final = (AnalystColumn("website_id", "UUID", "A website of the analyst"),)

Rows = Sequence[Sequence[Any]]


class TooManyNames(ValueError):
    """A table of names has more rows than a statement can carry."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The data that one analyst may see: rows of `websites`. `named` gives the rows of a table of names that they may
    see.

    `tables` are ClickHouse's own tables that rows lie in, for `row_filter`. `mark` is in the names of the tables with
    its data: random, so that no statement can name or hide one. `kept_from`: the first UTC day from which on the single
    events of all its websites are there; None: none have expired.
    """

    name: str
    websites: frozenset[UUID]
    named: Callable[[str], Rows]
    tables: tuple[str, ...] = ()
    mark: str = field(default_factory=lambda: f"{DATA_PREFIX}{secrets.token_hex(8)}")
    kept_from: date | None = None


def find(database: str, name: str) -> AnalystView | None:
    """The table of this name; without a database, a documented one."""
    if database in ("", DATABASE):
        return SCHEMA.get(name)
    return described.find(database, name)


def sub_select(view: AnalystView, scope: Scope) -> str:
    """SQL for the rows of `view` within `scope`."""
    if view.source:
        return view.source.replace("{own}", _own(scope))
    if view.database != DATABASE:
        return described.select(view)
    return f"SELECT * FROM {_name(scope, view.name)}"  # noqa: S608 - own text


def data_of(views: Sequence[AnalystView], scope: Scope) -> tuple[DataTable, ...]:
    """Returns the tables that the sub-selects of `views` and the row filter read. Raises `TooManyNames`."""
    named = {view.name: view for view in views if not view.source and view.database == DATABASE}
    return (
        DataTable(_name(scope, OWN), _OWN_COLUMNS, [(website,) for website in sorted(scope.websites)]),
        *(DataTable(_name(scope, name), view.columns, _counted(scope.named(name))) for name, view in named.items()),
    )


def events_kept_from(views: Sequence[AnalystView], scope: Scope) -> date | None:
    """Returns the UTC day from which on what `views` have of `scope` is whole, if it has lost single events of earlier
    ones."""
    lost = any(view.database == DATABASE and view.name in OF_SINGLE_EVENTS for view in views)
    return scope.kept_from if lost else None


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
