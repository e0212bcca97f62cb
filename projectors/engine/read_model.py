"""What a read model is: a Postgres table built from decided events, one handler per event.

A read model is one module: it makes a `ReadModel`, then registers a function for each event that it cares about with
`@model.on(Event)`; `model.sets`, `model.adds` and `model.puts` register the usual ones. Handlers write through `Rows`;
the engine gives them one transaction together with the position.
"""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Final, TypeVar
from uuid import UUID
from zlib import crc32

from infra.kernel.postgres.rows import Row, Rows
from schemas.base import DomainEvent

E = TypeVar("E", bound=DomainEvent)
Handler = Callable[[Rows, Any], None]
READER_ROLE: Final = "query_reader"
"""The role that the query service reads as; made by the migrations."""


@dataclass(frozen=True)
class ReadModel:
    """One table of schema `read`. `columns` are DDL lines; `indexes` column lists, or `using gin (…)`, made as a
    rebuild nears its end.

    `readers` is the condition on which the query service sees a row (row-level security). `personal`: columns with
    fields of people, or with text made of them: the audit compares them, but shows none.
    """

    name: str
    version: int
    columns: tuple[str, ...]
    key: tuple[str, ...]
    readers: str
    indexes: tuple[str, ...] = ()
    personal: tuple[str, ...] = ()
    handlers: dict[type[DomainEvent], Handler] = field(default_factory=dict)

    def on(self, event_class: type[E]) -> Callable[[Callable[[Rows, E], None]], Callable[[Rows, E], None]]:
        """Registers the decorated function as the handler of `event_class`."""

        def register(handler: Callable[[Rows, E], None]) -> Callable[[Rows, E], None]:
            if event_class in self.handlers:
                raise TypeError(f"{self.name} handles {event_class.__name__} twice")
            self.handlers[event_class] = handler
            return handler

        return register

    def sets(
        self,
        event_class: type[E],
        values: Callable[[E], Row] = lambda _: {},
        /,
        *,
        by: str = "",
        of: Callable[[E], UUID] = lambda event: event.originator_id,
        **constants: Any,
    ) -> None:
        """On `event_class`, `constants` and what `values` returns are set in the rows whose column `by` (else the key's
        first) is the id that `of` returns (else the aggregate's)."""
        column = by or self.key[0]

        @self.on(event_class)
        def change(rows: Rows, event: E) -> None:
            rows.update({column: of(event)}, **constants, **values(event))

    def adds(
        self,
        event_class: type[E],
        of: Callable[[E], UUID] = lambda event: event.originator_id,
        /,
        **differences: int,
    ) -> None:
        """On `event_class`, `differences` are added to the rows whose first column of the key is the id of `sets`."""

        @self.on(event_class)
        def add(rows: Rows, event: E) -> None:
            rows.add({self.key[0]: of(event)}, **differences)

    def puts(
        self,
        event_class: type[E],
        copied: Sequence[str],
        values: Callable[[E], Row] = lambda _: {},
        /,
        **constants: Any,
    ) -> None:
        """On `event_class`, the row whose first column of the key is the aggregate's id is put: the event's fields
        `copied` (two or more) under their names, `constants`, and what `values` returns."""
        if unknown := set(copied) - event_class.model_fields.keys():
            raise TypeError(f"{event_class.__name__} has no {', '.join(sorted(unknown))}")
        fields = attrgetter(*copied)

        @self.on(event_class)
        def make(rows: Rows, event: E) -> None:
            row = dict(zip(copied, fields(event), strict=True))
            rows.put(**{self.key[0]: event.originator_id, **constants, **row, **values(event)})

    def table(self, generation: int) -> str:
        """The table of a generation, without its schema `read`."""
        return f"{self.name}__g{generation}"

    def create_table(self, generation: int) -> str:
        """The DDL of a generation's table; running it again changes nothing."""
        columns = ",\n  ".join(self.columns)
        return (
            f"create table if not exists read.{self.table(generation)} (\n  {columns},\n"
            f"  primary key ({', '.join(self.key)})\n)"
        )

    def create_indexes(self, generation: int) -> list[str]:
        """The DDL of the secondary indexes; running it again changes nothing."""
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

        The table's policies apply to the role that reads the view, not to the view's owner.
        """
        names = ", ".join(line.split(maxsplit=1)[0] for line in self.columns)
        return [
            f"drop view if exists read.{self.name}",
            f"create view read.{self.name} with (security_invoker = true)"
            f" as select {names} from read.{self.table(generation)}",
            f"grant select on read.{self.name} to {READER_ROLE}",
        ]
