"""What a read model is: a Postgres table built from decided events, one handler per event.

A read model is one module: it makes a `ReadModel`, then registers a function for each event that it cares about with
`@model.on(Event)`. Handlers write through `Rows`; the engine gives them one transaction together with the position.
"""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar, cast
from zlib import crc32

from psycopg import Connection, sql
from psycopg.types.json import Jsonb

from schemas.base import DomainEvent

E = TypeVar("E", bound=DomainEvent)
Handler = Callable[["Rows", Any], None]
FLUSH_ROWS = 100
READER_ROLE: Final = "query_reader"
"""The role that the query service reads as; made by the migrations."""


class Rows:
    """Writes to one generation's table inside the engine's transaction, gathered so that equal statements go together.

    `position` is the place of the event in commit order, `offset` that in the topic. `dict` values are stored as jsonb.
    """

    def __init__(self, connection: Connection[Any], table: str, key: Sequence[str]) -> None:
        self._connection = connection
        self._table = sql.Identifier("read", table)
        self._key = tuple(key)
        self._statement: sql.Composed | None = None
        self._shape: tuple[Any, ...] = ()
        self._waiting: list[list[Any]] = []
        self.position = 0
        self.offset = 0

    def put(self, **values: Any) -> None:
        """Inserts the row, or replaces the given columns of the row with the same key."""
        shape = ("put", *values)
        if shape != self._shape:
            names = [sql.Identifier(name) for name in values]
            changes = [
                sql.SQL("{0} = excluded.{0}").format(sql.Identifier(name)) for name in values if name not in self._key
            ]
            self._switch(
                shape,
                sql.SQL("insert into {} ({}) values ({}) on conflict ({}) do {}").format(
                    self._table,
                    sql.SQL(", ").join(names),
                    sql.SQL(", ").join([sql.Placeholder()] * len(names)),
                    sql.SQL(", ").join(map(sql.Identifier, self._key)),
                    sql.SQL("update set {}").format(sql.SQL(", ").join(changes)) if changes else sql.SQL("nothing"),
                ),
            )
        self._add(list(values.values()))

    def update(self, where: Mapping[str, Any], **values: Any) -> None:
        """Sets columns of the rows that match `where`; none is no error (the row's first event may be parked)."""
        self._change("update", where, values, "{0} = {1}")

    def add(self, where: Mapping[str, Any], **differences: int) -> None:
        """Adds to number columns of the rows that match `where`."""
        self._change("add", where, differences, "{0} = {0} + {1}")

    def name_after(self, where: Mapping[str, Any], column: str, source: str, prefix: str) -> None:
        """Sets a text column of the rows that match `where` to `prefix` and the row's own `source`."""
        form = sql.SQL("{} = {} || {}::text").format(
            sql.Identifier(column), sql.Literal(prefix), sql.Identifier(source)
        )
        terms = [sql.SQL("{} = {}").format(sql.Identifier(name), sql.Placeholder()) for name in where]
        statement = sql.SQL("update {} set {} where {}").format(self._table, form, sql.SQL(" and ").join(terms))
        self._switch(("name_after", column, source, prefix, *where), statement)
        self._add(list(where.values()))

    def flush(self) -> None:
        """Sends what is gathered."""
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            with self._connection.cursor() as cursor:
                cursor.executemany(cast(sql.Composed, self._statement), waiting)

    def forget(self) -> None:
        """Drops what is gathered and not sent."""
        self._waiting = []

    def _change(self, kind: str, where: Mapping[str, Any], values: Mapping[str, Any], form: str) -> None:
        if not values:
            return
        shape = (kind, tuple(where), tuple(values))
        if shape != self._shape:
            sets = [sql.SQL(form).format(sql.Identifier(name), sql.Placeholder()) for name in values]
            terms = [sql.SQL("{} = {}").format(sql.Identifier(name), sql.Placeholder()) for name in where]
            self._switch(
                shape,
                sql.SQL("update {} set {} where {}").format(
                    self._table, sql.SQL(", ").join(sets), sql.SQL(" and ").join(terms)
                ),
            )
        self._add([*values.values(), *where.values()])

    def _switch(self, shape: tuple[Any, ...], statement: sql.Composed) -> None:
        self.flush()
        self._shape, self._statement = shape, statement

    def _add(self, values: list[Any]) -> None:
        self._waiting.append([Jsonb(value) if isinstance(value, dict) else value for value in values])
        if len(self._waiting) >= FLUSH_ROWS:
            self.flush()


@dataclass(frozen=True)
class ReadModel:
    """One table of schema `read`. `columns` are DDL lines; `indexes` column lists, or `using gin (…)`, made as a
    rebuild nears its end.

    `readers` is the condition on which the query service sees a row (row-level security).
    """

    name: str
    version: int
    columns: tuple[str, ...]
    key: tuple[str, ...]
    readers: str
    indexes: tuple[str, ...] = ()
    handlers: dict[type[DomainEvent], Handler] = field(default_factory=dict)

    def on(self, event_class: type[E]) -> Callable[[Callable[[Rows, E], None]], Callable[[Rows, E], None]]:
        """Registers the decorated function as the handler of `event_class`."""

        def register(handler: Callable[[Rows, E], None]) -> Callable[[Rows, E], None]:
            if event_class in self.handlers:
                raise TypeError(f"{self.name} handles {event_class.__name__} twice")
            self.handlers[event_class] = handler
            return handler

        return register

    def table(self, generation: int) -> str:
        return f"{self.name}__g{generation}"

    def create_table(self, generation: int) -> str:
        """The DDL of a generation's table; running it again changes nothing."""
        columns = ",\n  ".join(self.columns)
        return (
            f"create table if not exists read.{self.table(generation)} (\n  {columns},\n"
            f"  primary key ({', '.join(self.key)})\n)"
        )

    def create_indexes(self, generation: int) -> list[str]:
        table = self.table(generation)
        return [
            f"create index if not exists {table}_{number} on read.{table} "
            + (columns if columns.startswith("using ") else f"({columns})")
            for number, columns in enumerate(self.indexes)
        ]

    @property
    def policy(self) -> str:
        """The policy's name: another condition has another name, so it is seen which one a table has."""
        return f"readers_{crc32(self.readers.encode()):08x}"

    def protect(self, generation: int) -> list[str]:
        """Row-level security for a generation's table that has none. Other roles are held by their grants alone."""
        table = f"read.{self.table(generation)}"
        others = f"current_user <> '{READER_ROLE}'"
        return [
            f"alter table {table} enable row level security, force row level security",
            f"create policy others on {table} using ({others}) with check ({others})",
            f"create policy {self.policy} on {table} for select to {READER_ROLE} using ({self.readers})",
            f"grant select on {table} to {READER_ROLE}",
        ]

    def create_view(self, generation: int) -> list[str]:
        """Points the stable view at a generation; to be run in one transaction, atomic for readers.

        The table's policies hold for whoever reads the view, not for its owner.
        """
        names = ", ".join(line.split(maxsplit=1)[0] for line in self.columns)
        return [
            f"drop view if exists read.{self.name}",
            f"create view read.{self.name} with (security_invoker = true)"
            f" as select {names} from read.{self.table(generation)}",
            f"grant select on read.{self.name} to {READER_ROLE}",
        ]
