"""Repairs rows that a killed ClickHouse lost although it stored their insert's token.

A plain MergeTree writes an insert's token to a file before the rows are part of the table. Killed between the two, it
treats the repeated insert as a duplicate, while the views of the table receive their rows. So the worker looks up the
repeated rows and attaches the missing ones from a temporary table, which triggers no view.
"""

# ruff: noqa: S608 - names of tables are ours; values are bound

from __future__ import annotations

from collections.abc import Sequence
from uuid import uuid4

from infra.kernel.subscriptions.positions import WorkerKey
from projectors.engine.clickhouse import ClickHouse

_OF = "_topic = {topic:String} AND _partition = {partition:UInt16} AND _offset BETWEEN {low:Int64} AND {high:Int64}"


def insert_missing(clickhouse: ClickHouse, table: str, key: WorkerKey, rows: Sequence[tuple[int, bytes]]) -> int:
    """`rows` (offset and JSON line) were inserted into `table` under a token that it may have stored. Inserts those
    that are missing and returns their number. Idempotent. Tables of a cluster keep token and rows in one step."""
    beside = f"{table}__lacking_{key.topic}_{key.partition}"
    clickhouse.run(f"DROP TABLE IF EXISTS {beside} SYNC")
    if not rows:
        return 0
    offsets = [offset for offset, _ in rows]
    stored_rows = clickhouse.rows(
        f"SELECT DISTINCT _offset FROM {table} WHERE {_OF}",
        {"topic": key.topic, "partition": key.partition, "low": min(offsets), "high": max(offsets)},
    )
    stored = {int(row[0]) for row in stored_rows}
    lacking = [line for offset, line in rows if offset not in stored]
    if not lacking or not _is_plain(clickhouse, table):
        return 0
    clickhouse.run(f"CREATE TABLE {beside} AS {table}")
    clickhouse.insert(beside, b"\n".join(lacking), uuid4().hex)
    for (part,) in clickhouse.rows(f"SELECT DISTINCT _partition_id FROM {beside}"):
        clickhouse.run(f"ALTER TABLE {table} ATTACH PARTITION ID '{part}' FROM {beside}")
    clickhouse.run(f"DROP TABLE {beside} SYNC")
    return len(lacking)


def _is_plain(clickhouse: ClickHouse, table: str) -> bool:
    engine = "SELECT engine FROM system.tables WHERE database = currentDatabase() AND name = {name:String}"
    return [row[0] for row in clickhouse.rows(engine, {"name": table})] == ["MergeTree"]
