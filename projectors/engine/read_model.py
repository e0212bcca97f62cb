"""Defines read models: a Postgres table built from decided events, one handler per event.

A read model is one module: it makes a `ReadModel`, then registers a handler for each event that it cares about
(`infra.kernel.postgres.event_table`). The engine gives handlers one transaction together with the position.
"""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final
from zlib import crc32

from infra.kernel.postgres.event_table import EventTable

_DDL: Final = re.compile(r"(\w+) (.+?)(?: not null)?(?: default (.+?))?(?: generated always .+)?")
"""Name, type and default of a column."""
READER_ROLE: Final = "query_reader"
"""The role that the query service reads as; made by the migrations."""


@dataclass(frozen=True, kw_only=True)
class ReadModel(EventTable):
    """One table of schema `read`, whose indexes are made as a rebuild nears its end.

    `readers` is the condition on which the query service sees a row (row-level security). `personal`: columns with
    fields of people, or with text made of them: the audit compares them, but shows none.
    """

    version: int
    readers: str
    personal: tuple[str, ...] = ()

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

    def create_view(self, generation: int, present: Collection[str] | None = None) -> list[str]:
        """Points the stable view at a generation; to be run in one transaction, atomic for readers.

        `present`: the columns of the generation's table, if another version made it. The view then has those, which
        services of that version read, and every column of today: what the table lacks has its default, else null.

        The table's policies apply to the role that reads the view, not to the view's owner.
        """
        lines = dict(zip(self.column_names, self.columns, strict=True))
        there = lines.keys() if present is None else set(present)
        columns = [name if name in there else _value_of(line) for name, line in lines.items()]
        columns += sorted(there - lines.keys())
        return [
            f"drop view if exists read.{self.name}",
            f"create view read.{self.name} with (security_invoker = true)"
            f" as select {', '.join(columns)} from read.{self.table(generation)}",
            f"grant select on read.{self.name} to {READER_ROLE}",
        ]


def _value_of(line: str) -> str:
    """A column by its DDL line, where the table has none."""
    match = _DDL.fullmatch(line)
    if match is None:
        raise ValueError(f"{line!r} is no column")
    name, kind, default = match.groups()
    return f"({default or 'null'})::{kind} as {name}"
