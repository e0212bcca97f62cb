"""What the gate makes of an analyst's text, as it passes between processes: refused, or SQL with places for the rows.

`gate.read` (in a process of its own, see `vetting`) gives a `Vetted`; `fill` puts the rows into it that the analyst may
see, and gives what runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from infra.analysts.views import Scope, TooMany, find, sub_select

RUNS_IN: Final = "information_schema"
"""The current database of what the gate lets through."""

MOST_BYTES: Final = 16 << 20
"""Of a statement with its rows of names; ClickHouse takes no longer one (`limits.settings`)."""


class Refused(Exception):
    """The text may not run; the message says why, in words for who wrote it."""


class Unreadable(Refused):
    """The text is no SQL that could be read."""


@dataclass(frozen=True, slots=True)
class Vetted:
    """SQL in `pieces`; between two of them belongs a sub-select for the next of `tables` (database, name)."""

    pieces: tuple[str, ...]
    tables: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Admitted:
    """SQL that may run, and the documented tables that it reads."""

    sql: str
    tables: tuple[str, ...]


def fill(vetted: Vetted, scope: Scope) -> Admitted:
    """What runs within `scope`. Raises `TooMany` when the rows of names are more than a statement can carry."""
    if len(vetted.pieces) != len(vetted.tables) + 1:
        raise ValueError("there are not as many tables as places")
    rows: dict[tuple[str, str], str] = {}
    parts, size = [vetted.pieces[0]], len(vetted.pieces[0])
    for table, piece in zip(vetted.tables, vetted.pieces[1:], strict=True):
        if table not in rows:
            view = find(*table)
            if view is None:
                raise ValueError(f"there is no table {table}")
            rows[table] = sub_select(view, scope)
        parts += rows[table], piece
        size += len(rows[table]) + len(piece)
        if size > MOST_BYTES:
            raise TooMany("The tables of names that this statement reads are too long; ask with ids instead.")
    return Admitted("".join(parts), tuple(sorted({name for _, name in vetted.tables})))
