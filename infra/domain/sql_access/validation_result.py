"""The result of validating an analyst's statement: rejected, or SQL with placeholders for sub-selects.

`sql_validator.read` (in a process of its own, see `validator_pool`) returns a `ValidatedStatement`; `fill` inserts the
rows that the analyst may read and returns the SQL that runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final

from infra.domain.sql_access.data_tables import DataTable
from infra.domain.sql_access.tables import AnalystView
from infra.domain.sql_access.views import Scope, data_of, events_kept_from, find, sub_select

EXECUTION_DATABASE: Final = "information_schema"
"""The current database of validated statements."""


class StatementRejected(Exception):
    """The statement must not run; the message explains why to its author."""


class StatementUnreadable(StatementRejected):
    """The text is no SQL that could be read."""


@dataclass(frozen=True, slots=True)
class ValidatedStatement:
    """SQL in `pieces`; between two of them belongs a sub-select for the next of `tables` (database, name)."""

    pieces: tuple[str, ...]
    tables: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ExecutableStatement:
    """SQL that may run, the documented tables that it reads, and the rows that it reads beside ClickHouse's own.
    `kept_from`: the UTC day from which on no single events are missing in them; None: none have expired."""

    sql: str
    tables: tuple[str, ...] = ()
    data: tuple[DataTable, ...] = ()
    kept_from: date | None = None


def fill(validated: ValidatedStatement, scope: Scope) -> ExecutableStatement:
    """Returns the statement that runs within `scope`. Raises `TooManyNames` for a table of names with too many rows."""
    if len(validated.pieces) != len(validated.tables) + 1:
        raise ValueError("there are not as many tables as places")
    views = {table: _known(*table) for table in validated.tables}
    selects = {table: sub_select(view, scope) for table, view in views.items()}
    parts = [validated.pieces[0]]
    for table, piece in zip(validated.tables, validated.pieces[1:], strict=True):
        parts += selects[table], piece
    tables = tuple(sorted({name for _, name in validated.tables}))
    read = list(views.values())
    return ExecutableStatement("".join(parts), tables, data_of(read, scope), events_kept_from(read, scope))


def _known(database: str, name: str) -> AnalystView:
    view = find(database, name)
    if view is None:
        raise ValueError(f"there is no table {database}.{name}")
    return view
