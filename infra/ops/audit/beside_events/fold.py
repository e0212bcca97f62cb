"""The expected rows of tables beside the event store: a fold of events into rows in memory. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from infra.kernel.config.settings import Settings
from infra.kernel.postgres.memory_rows import MemoryRows
from infra.kernel.postgres.rows import Row
from schemas.base import DomainEvent

E = TypeVar("E", bound=DomainEvent)
Tables = Mapping[str, MemoryRows]
"""Rows in memory by the name of the table."""
Handler = Callable[[Tables, Any], None]


@dataclass(frozen=True, eq=False)
class OneOf:
    """The value of a column for which several are right. `any_value`: all are, because what it is made of is erased."""

    values: tuple[Any, ...] = ()
    any_value: bool = False

    def __eq__(self, other: object) -> bool:
        return self.any_value or other in self.values

    def __hash__(self) -> int:
        raise TypeError("equal to several values")

    def __str__(self) -> str:
        return " or ".join(map(str, self.values))


ANYTHING = OneOf(any_value=True)


def _nothing(_tables: Tables) -> None:
    """Does nothing."""


def _as_it_is(_settings: Settings, row: Row) -> Row:
    return row


def _none(_tables: Tables, _row: Row) -> Row | None:
    return None


@dataclass(frozen=True)
class KeptTable:
    """A table, and what of it follows from events.

    `name`: with its schema. `key`: columns that identify a row. `columns`: all that are compared, the key among them,
    each with its SQL. `source`: what is read, if it is not the table. `read`: makes a row that was read comparable.
    `unlisted`: the row that is right where events name none; `None`: there is none. `is_complete`: whether a row that
    events name must be there; also false for a single row in memory that has `optional`.
    """

    name: str
    key: tuple[str, ...]
    columns: Mapping[str, str]
    source: str = ""
    personal: tuple[str, ...] = ()
    read: Callable[[Settings, Row], Row] = _as_it_is
    unlisted: Callable[[Tables, Row], Row | None] = _none
    is_complete: bool = True

    @property
    def statement(self) -> str:
        """The SELECT of its rows."""
        columns = ", ".join(f"{sql} AS {name}" for name, sql in self.columns.items())
        return f"SELECT {columns} FROM {self.source or self.name}"  # noqa: S608 - own names


@dataclass(frozen=True)
class TableFold:
    """Tables, further rows in `memory` by their name with their key, and what events do to both. `at_end`: adds rows
    that follow from other rows."""

    tables: tuple[KeptTable, ...]
    memory: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    at_end: Callable[[Tables], None] = _nothing
    handlers: dict[type[DomainEvent], Handler] = field(default_factory=dict)

    def on(self, *event_classes: type[E]) -> Callable[[Callable[[Tables, E], None]], Callable[[Tables, E], None]]:
        """Registers the decorated function as the handler of each of `event_classes`."""

        def register(handler: Callable[[Tables, E], None]) -> Callable[[Tables, E], None]:
            for event_class in event_classes:
                if event_class in self.handlers:
                    raise TypeError(f"{event_class.__name__} has a handler")
                self.handlers[event_class] = handler
            return handler

        return register


def same(*names: str) -> dict[str, str]:
    """Columns that are compared as they are."""
    return {name: name for name in names}
