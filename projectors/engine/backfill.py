"""Rebuilds a rollup from the live raw table: new rows arrive through its view, old rows are copied by month.

The boundary between both is exact. A barrier stops the raw table's workers for a moment; with no insert in progress,
the new table and its view are created and the positions stored. The rows before these positions are then copied month
by month, each under a token, so that an interrupted copy can be repeated.
"""

# ruff: noqa: S608 - names of tables and columns are ours

from __future__ import annotations

from threading import Event
from typing import Any, Final

import structlog
from psycopg import Connection

from projectors.engine import barrier, generations, schema
from projectors.engine.clickhouse import SINGLE_BLOCK, ClickHouse
from projectors.engine.generations import GenerationRow
from projectors.engine.projection import ClickHouseProjection
from projectors.engine.tables import Rollup, backfill, table_name

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

HOLD_S: Final = 30


class Interrupted(Exception):
    """The service is stopping; the generation goes on where it was at the next start."""


def run(
    connection: Connection[Any],
    clickhouse: ClickHouse,
    family: ClickHouseProjection,
    rollup: Rollup,
    row: GenerationRow,
    stopping: Event,
) -> None:
    """Brings the generation to its end; may be called again after any crash. Raises `Interrupted`."""
    source_generation = row.source_generation or row.live_generation
    source = table_name(family.main.name, source_generation)
    progress = dict(row.progress)
    if "seam" not in progress:
        progress["seam"] = _make_seam(connection, clickhouse, family, rollup, row, source_generation)
    is_older = " OR ".join(
        f"(_topic = '{topic}' AND _partition = {partition} AND _offset < {offset})"
        for topic, partition, offset in progress["seam"]
    )
    if "months" not in progress:
        rows = clickhouse.rows(f"SELECT DISTINCT {family.main.period} AS month FROM {source} ORDER BY month")
        progress |= {"months": [int(row[0]) for row in rows], "done": []}
        generations.save_progress(connection, row, progress)
    for month in progress["months"]:
        if month in progress["done"]:
            continue
        if stopping.is_set():
            raise Interrupted
        where = f"{family.main.period} = {month} AND ({is_older})"
        token = f"rebuild:{rollup.name}:{row.generation}:{month}"
        statement = backfill(rollup, row.generation, source, where)
        clickhouse.run(statement, {**SINGLE_BLOCK, "insert_deduplication_token": token})
        progress["done"].append(month)
        generations.save_progress(connection, row, progress)
        log.info("rollup_month_copied", month=month)
    generations.set_state(connection, row, "ready")


def _make_seam(
    connection: Connection[Any],
    clickhouse: ClickHouse,
    family: ClickHouseProjection,
    rollup: Rollup,
    row: GenerationRow,
    source_generation: int,
) -> list[tuple[str, int, int]]:
    """Makes table and view while nothing is being inserted; what a crash left of an earlier try is dropped first."""
    schema.drop_clickhouse_table(clickhouse, rollup, row.generation)
    with barrier.hold(connection, [(family.name, source_generation)], HOLD_S) as hold:
        hold.wait()
        schema.create_clickhouse_table(clickhouse, rollup, row.generation)
        schema.feed(clickhouse, rollup, row.generation, family.main, source_generation)
        seam = [(place.topic, place.partition, offset) for place, offset in hold.places.items()]
        with connection.transaction():
            hold.require()
            generations.save_progress(connection, row, {"seam": seam})
    return seam
