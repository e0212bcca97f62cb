"""Inline projections: tables that the write side reads, kept by events in the transaction that stores them.

`EventStore` applies them after it inserted the events, under the store's lock; so a row is never older or newer than
the log. Handlers write through `Rows` and use nothing but the event and the projection's own rows: the same
handlers rebuild the tables (`command_api.kernel.inline_rebuild`) and verify them (`althing audit`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, TypeVar

from psycopg import Connection, sql

from infra.kernel.postgres.event_table import EventTable
from infra.kernel.postgres.memory_rows import MemoryRows, column_defaults
from infra.kernel.postgres.rows import PostgresRows, Row, Rows
from schemas.base import DomainEvent

SCHEMA: Final = "lookup"
"""The Postgres schema of all inline projections."""

E = TypeVar("E", bound=DomainEvent)
Tables = Mapping[str, Rows]
"""The writers of a projection's tables by name."""
Handler = Callable[[Tables, Any], None]


@dataclass(frozen=True, kw_only=True)
class Table(EventTable):
    """One table of schema `lookup`.

    `readers`: roles of Postgres that may read the table besides its owner. `is_verified`: whether verification compares
    a row; retention may delete the others.
    """

    readers: tuple[str, ...] = ()
    is_verified: Callable[[Row], bool] = lambda _: True

    def create(self, name: str) -> list[str]:
        """The DDL of the table under another name, for a rebuild."""
        columns = ",\n  ".join(self.columns)
        table = f"{SCHEMA}.{name}"
        return [
            f"create table {table} (\n  {columns},\n  primary key ({', '.join(self.key)})\n)",
            *(f"create index on {table} ({columns})" for columns in self.indexes),
            *(f"grant select on {table} to {reader}" for reader in self.readers),
        ]


@dataclass(frozen=True)
class InlineProjection:
    """Tables that follow from events: each by its own handlers, several by those of `on`. `althing migrate` rebuilds a
    new `version`."""

    name: str
    version: int
    tables: tuple[Table, ...]
    across: dict[type[DomainEvent], Handler] = field(default_factory=dict)
    """Handlers that write to several tables."""

    def on(self, *event_classes: type[E]) -> Callable[[Callable[[Tables, E], None]], Callable[[Tables, E], None]]:
        """Registers the decorated function, which writes to several tables, for each of `event_classes`."""

        def register(handler: Callable[[Tables, E], None]) -> Callable[[Tables, E], None]:
            for event_class in event_classes:
                if event_class in self.across:
                    raise TypeError(f"{self.name} handles {event_class.__name__} twice")
                self.across[event_class] = handler
            return handler

        return register

    @property
    def event_classes(self) -> frozenset[type[DomainEvent]]:
        """Returns the events that change a row."""
        return frozenset(self.across).union(*(table.handlers for table in self.tables))

    def apply(self, tables: Tables, event: DomainEvent) -> None:
        """Runs the handlers of the event, if there are any."""
        for table in self.tables:
            if (of_table := table.handlers.get(type(event))) is not None:
                of_table(tables[table.name], event)
        if (of_several := self.across.get(type(event))) is not None:
            of_several(tables, event)

    def writers(self, connection: Connection[Any], suffix: str = "") -> dict[str, PostgresRows]:
        """Writers of the tables, or of the tables whose names end with `suffix`."""
        return {
            table.name: PostgresRows(connection, table.name + suffix, table.key, schema=SCHEMA) for table in self.tables
        }

    def memory(self, connection: Connection[Any] | None = None) -> dict[str, MemoryRows]:
        """Returns empty tables in memory; with a connection, a column that no write gives has its table's default."""
        return {
            table.name: MemoryRows(table.key, column_defaults(connection, SCHEMA, table.name) if connection else None)
            for table in self.tables
        }


@dataclass(frozen=True)
class InlineProjections:
    """All inline projections of the process."""

    projections: Sequence[InlineProjection] = ()

    @cached_property
    def by_name(self) -> Mapping[str, InlineProjection]:
        """The projections by name."""
        return {projection.name: projection for projection in self.projections}

    @cached_property
    def event_names(self) -> frozenset[str]:
        """Names of all events that a projection handles."""
        return frozenset(each.NAME for projection in self.projections for each in projection.event_classes)

    @cached_property
    def _classes(self) -> Mapping[str, frozenset[type[DomainEvent]]]:
        return {projection.name: projection.event_classes for projection in self.projections}

    def apply(self, connection: Connection[Any], events: Iterable[DomainEvent]) -> None:
        """Applies `events` in their order within the caller's transaction."""
        events = [event for event in events if event.NAME in self.event_names]
        for projection in self.projections if events else ():
            if not any(type(event) in self._classes[projection.name] for event in events):
                continue
            writers = projection.writers(connection)
            for event in events:
                projection.apply(writers, event)
            for rows in writers.values():
                rows.flush()


def identifier(table: str) -> sql.Identifier:
    """The qualified name of a table of schema `lookup`."""
    return sql.Identifier(SCHEMA, table)
