"""Declares ClickHouse tables of projections, and writes the SQL that creates them, feeds them and shows them to
readers.

Pure text: `projectors/rollups/*.py` declare tables with these classes, `engine.clickhouse_schema` runs the SQL. A table
of generation N is called `<name>__gN`; readers use the stable view `<name>`, or the table of the generation that
`engine.projection` names as live (query_api builds its name: keep them alike). Every table keeps a deduplication
window, because a retried insert with the same token must be dropped in the raw table *and* in every rollup that a
materialized view feeds from it.

With `CLICKHOUSE_CLUSTER`, rows live in Replicated tables `<name>__gN_local` on every shard, and `<name>__gN` is the
Distributed table over them.
"""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

DEDUPLICATION_WINDOW: Final = 10_000
"""Blocks whose tokens a table remembers. Only the last range of each log partition can be inserted again."""

TOKEN_SECONDS: Final = 7 * 24 * 3600
MERGED_AFTER_S: Final = 3600
"""A partition of a rollup becomes one part once it has had no new rows for so long. The engine's usual merges leave
some ten parts of a month, and a statement reads at least one mark of each."""

_MERGED_AT_REST: Final = (
    f"min_age_to_force_merge_seconds = {MERGED_AFTER_S}",
    "min_age_to_force_merge_on_partition_only = 1",
)
_DDL: Final = re.compile(r"(\w+) (.+?)(?: DEFAULT ('[^']*'))?(?: CODEC\(.*\))?")
"""Name, type and default value of a column."""


@dataclass(frozen=True)
class ClickHouseTable:
    """One table of rows as they are. `columns` are DDL lines; `period` splits the table for `verify`."""

    name: str
    version: int
    columns: tuple[str, ...]
    partition_by: str
    order_by: str
    period: str
    ttl: str = ""
    granularity: int = 8192
    """Rows per mark of the index: small where rows are wide, since a range is read in whole marks."""
    within: str = ""
    """Condition, with `{now}`, of the rows that `verify` compares where old rows are dropped; empty: all."""

    @property
    def column_names(self) -> tuple[str, ...]:
        """The first word of each DDL line, in their order."""
        return tuple(line.split(maxsplit=1)[0] for line in self.columns)

    @property
    def engine(self) -> str:
        """A table engine that keeps every row."""
        return "MergeTree"

    @property
    def is_merged_at_rest(self) -> bool:
        """Returns whether its partitions become one part each (`MERGED_AFTER_S`)."""
        return False


@dataclass(frozen=True)
class Rollup(ClickHouseTable):
    """One table that a materialized view feeds from the raw table.

    `select` reads `{source}` under the condition `{where}`; the same text makes the view and the backfill. `keys` are
    the columns that name a cell. A cell's `sums` add up; its `uniques` are `uniqCombined(12)` states. A rollup without
    sums and uniques keeps rows as they are.
    """

    select: str = ""
    keys: tuple[str, ...] = ()
    sums: tuple[str, ...] = ()
    uniques: tuple[str, ...] = ()

    @property
    def engine(self) -> str:
        """A table engine that merges the rows of a cell, if there is anything to add up."""
        return "AggregatingMergeTree" if self.sums or self.uniques else "MergeTree"

    @property
    def is_merged_at_rest(self) -> bool:
        """Returns whether there is no TTL: tables with one are soon gone."""
        return not self.ttl


def table_name(name: str, generation: int) -> str:
    """The physical table of a generation; `query_api` builds the same name."""
    return f"{name}__g{generation}"


def create_table(table: ClickHouseTable, generation: int, cluster: str | None = None) -> list[str]:
    """Statements that make the table of a generation; running them again changes nothing."""
    name = table_name(table.name, generation)
    stored = f"{name}_local" if cluster else name
    statements = [
        f"CREATE TABLE IF NOT EXISTS {stored}{_on(cluster)} (\n  "
        + ",\n  ".join(table.columns)
        + f"\n) ENGINE = {_engine(table.engine, cluster)}\nPARTITION BY {table.partition_by}\nORDER BY {table.order_by}"
        + (f"\nTTL {table.ttl}" if table.ttl else "")
        + f"\nSETTINGS {_settings(table, cluster)}"
    ]
    if cluster:
        statements.append(
            f"CREATE TABLE IF NOT EXISTS {name}{_on(cluster)} AS {stored} "
            f"ENGINE = Distributed('{cluster}', currentDatabase(), '{stored}', cityHash64(website_id))"
        )
    return statements


def merge_when_at_rest(table: ClickHouseTable, generation: int, cluster: str | None = None) -> str:
    """Gives a table that was made before `MERGED_AFTER_S` was declared the settings of `is_merged_at_rest`."""
    local = "_local" if cluster else ""
    name = f"{table_name(table.name, generation)}{local}"
    return f"ALTER TABLE {name}{_on(cluster)} MODIFY SETTING {', '.join(_MERGED_AT_REST)}"


def create_feed(rollup: Rollup, generation: int, source: str, cluster: str | None = None) -> str:
    """The materialized view that feeds a rollup's generation from the raw table `source`."""
    name = table_name(rollup.name, generation)
    local = "_local" if cluster else ""
    return (
        f"CREATE MATERIALIZED VIEW IF NOT EXISTS {name}_feed{_on(cluster)} TO {name}{local} AS\n"
        + rollup.select.format(source=source + local, where="1")
    )


def backfill(rollup: Rollup, generation: int, source: str, where: str) -> str:
    """Copies what `where` selects of `source` into a rollup's generation, as one block with a fixed order.

    One block is written whole or not at all, and the same rows make the same block: with a token the statement may be
    repeated after a crash.
    """
    order = ", ".join(rollup.keys)
    select = rollup.select.format(source=source, where=where)
    return f"INSERT INTO {table_name(rollup.name, generation)}\nSELECT * FROM (\n{select}\n) ORDER BY {order}"


def create_view(name: str, generation: int, cluster: str | None = None, absent: Sequence[str] = ()) -> str:
    """Points the stable view at a generation; atomic for readers. `absent`: DDL lines of columns that its table lacks,
    because it is older than they are; readers see their defaults."""
    selected = ", ".join(("*", *map(_default_of, absent)))
    return f"CREATE OR REPLACE VIEW {name}{_on(cluster)} AS SELECT {selected} FROM {table_name(name, generation)}"


def _default_of(line: str) -> str:
    """The default value of a column as a column; `line` is its DDL."""
    match = _DDL.fullmatch(line)
    if match is None:
        raise ValueError(f"not the DDL of a column: {line}")
    name, kind, value = match.groups()
    quoted = kind.replace("'", "\\'")
    default = value or f"defaultValueOfTypeName('{quoted}')"
    return f"CAST({default} AS {kind}) AS {name}"


def drop_table(table: ClickHouseTable, generation: int, cluster: str | None = None) -> list[str]:
    """Statements that remove a generation with its feed; running them again changes nothing."""
    name = table_name(table.name, generation)
    statements = [f"DROP VIEW IF EXISTS {name}_feed{_on(cluster)} SYNC"] if isinstance(table, Rollup) else []
    statements.append(f"DROP TABLE IF EXISTS {name}{_on(cluster)} SYNC")
    if cluster:
        statements.append(f"DROP TABLE IF EXISTS {name}_local{_on(cluster)} SYNC")
    return statements


def _on(cluster: str | None) -> str:
    return f" ON CLUSTER '{cluster}'" if cluster else ""


def _engine(kind: str, cluster: str | None) -> str:
    if cluster is None:
        return f"{kind}()"
    return f"Replicated{kind}('/clickhouse/tables/{{shard}}/{{database}}/{{table}}', '{{replica}}')"


def _settings(table: ClickHouseTable, cluster: str | None) -> str:
    kind = "replicated" if cluster else "non_replicated"
    settings = [f"{kind}_deduplication_window = {DEDUPLICATION_WINDOW}", "fsync_after_insert = 1"]
    if cluster:
        settings.append(f"replicated_deduplication_window_seconds = {TOKEN_SECONDS}")
    if table.granularity != ClickHouseTable.granularity:
        settings.append(f"index_granularity = {table.granularity}")
    if table.ttl:
        settings.append("ttl_only_drop_parts = 1")
    if table.is_merged_at_rest:
        settings.extend(_MERGED_AT_REST)
    return ", ".join(settings)
