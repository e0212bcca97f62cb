"""The result of validating an analyst's statement: rejected, or SQL with placeholders for sub-selects.

`sql_validator.read` (in a process of its own, see `validator_pool`) returns a `ValidatedStatement`; `fill` inserts the
rows that the analyst may read and returns the SQL that runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from infra.domain.sql_access.views import Scope, TooManyNames, find, sub_select

EXECUTION_DATABASE: Final = "information_schema"
"""The current database of validated statements."""

MAX_BYTES: Final = 16 << 20
"""Maximum size of a statement with its rows of names; the limit of ClickHouse (`limits.settings`)."""


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
    """SQL that may run, and the documented tables that it reads."""

    sql: str
    tables: tuple[str, ...]


def fill(validated: ValidatedStatement, scope: Scope) -> ExecutableStatement:
    """What runs within `scope`. Raises `TooManyNames` when the rows of names are more than a statement can carry."""
    if len(validated.pieces) != len(validated.tables) + 1:
        raise ValueError("there are not as many tables as places")
    rows: dict[tuple[str, str], str] = {}
    parts, size = [validated.pieces[0]], len(validated.pieces[0])
    for table, piece in zip(validated.tables, validated.pieces[1:], strict=True):
        if table not in rows:
            view = find(*table)
            if view is None:
                raise ValueError(f"there is no table {table}")
            rows[table] = sub_select(view, scope)
        parts += rows[table], piece
        size += len(rows[table]) + len(piece)
        if size > MAX_BYTES:
            raise TooManyNames("The tables of names that this statement reads are too long; use ids instead.")
    return ExecutableStatement("".join(parts), tuple(sorted({name for _, name in validated.tables})))
