"""Verification by replay: compares a rebuilt generation with the live one, bit by bit.

A barrier stops both generations at one common offset while their sums are compared; rows with a log position are
compared up to it without a barrier. Contents are compared by count and two independent 64-bit hashes over every column,
per period; a period that differs is compared row by row.
"""

# ruff: noqa: S608 - names of tables and columns are ours

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from psycopg import Connection, sql

from projectors.engine import barrier, generations
from projectors.engine.barrier import Barrier
from projectors.engine.clickhouse import ClickHouse
from projectors.engine.generations import GenerationRow, NotAllowed
from projectors.engine.projection import ClickHouseProjection, Registry
from projectors.engine.read_model import ReadModel
from projectors.engine.tables import ClickHouseTable, Rollup, table_name
from schemas import instants

HOLD_S: Final = 120
MAX_SHOWN: Final = 20
MAX_EXACT: Final = 200
_LARGE_SET: Final = "(SELECT uniqCombinedState(12)(cityHash64('large', number)) FROM numbers(300))"


@dataclass(frozen=True)
class OneSidedRow:
    """A row that only one side has; `side`: `live` or `rebuilt`."""

    table: str
    period: str
    side: str
    row: str


@dataclass
class VerifyReport:
    """The result of a comparison: what was compared, and the differences."""

    name: str
    live: int
    rebuilt: int
    at: dict[str, int] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    sums: dict[str, dict[str, tuple[int, int]]] = field(default_factory=dict)
    """Sums by table and summed column: live, rebuilt."""
    differences: list[OneSidedRow] = field(default_factory=list)

    @property
    def is_equal(self) -> bool:
        """Returns whether no difference was found; only a comparison that came to its end proves equality."""
        return not self.differences


ProgressCallback = Callable[[VerifyReport, int], None]
"""Called before each table with what was found so far and the number of tables; what it raises ends the comparison."""


def verify(
    connection: Connection[Any],
    clickhouse: ClickHouse,
    registry: Registry,
    name: str,
    watch: ProgressCallback | None = None,
) -> VerifyReport:
    """Compares the generation under way with the live one. Raises `NotAllowed`, `holding.BarrierLost`, or what `watch`
    raises."""
    live = generations.live_row(connection, name)
    row = generations.active_row(connection, name)
    if row is None:
        raise NotAllowed(f"There is nothing to compare {name} with; start `althing projections rebuild {name}` first.")
    if row.state != "ready":
        raise NotAllowed(f"Generation {row.generation} of {name} is {row.state}; it is compared once it is ready.")
    if live.state != "live":
        raise NotAllowed(f"{name} is {live.state}; resume it first.")
    report = VerifyReport(name, live.generation, row.generation)
    projection = registry.projections.get(name)
    steps = len(projection.tables) if isinstance(projection, ClickHouseProjection) else 1

    def look() -> None:
        if watch is not None:
            watch(report, steps)

    if name in registry.rollups:
        look()
        _verify_rollup(connection, clickhouse, registry, live, row, report)
    elif isinstance(projection, ReadModel):
        look()
        _verify_read_model(connection, projection, report)
    elif projection is not None:
        _verify_family(connection, clickhouse, projection, report, look)
    return report


def _verify_family(
    connection: Connection[Any],
    clickhouse: ClickHouse,
    family: ClickHouseProjection,
    report: VerifyReport,
    look: Callable[[], None],
) -> None:
    both = [(family.name, report.live), (family.name, report.rebuilt)]
    with barrier.hold(connection, both, HOLD_S) as hold:
        hold.wait()
        _note_places(hold, report)
        for rollup in family.rollups:
            look()
            live = _rollup_generation(connection, rollup.name, report.live)
            _compare(clickhouse, rollup, live, report.rebuilt, "1", report)
        with connection.transaction():
            hold.require()
    in_both = " OR ".join(
        f"(_topic = '{place.topic}' AND _partition = {place.partition} AND _offset < {offset})"
        for place, offset in hold.places.items()
    )
    lacking = family.lacking(connection).sql if family.lacking is not None else ""
    kept = f"({in_both}) AND NOT ({lacking})" if lacking else in_both
    for table in (family.main, *family.others):
        look()
        _compare(clickhouse, table, report.live, report.rebuilt, kept if table is family.main else in_both, report)


def _verify_rollup(
    connection: Connection[Any],
    clickhouse: ClickHouse,
    registry: Registry,
    live: GenerationRow,
    row: GenerationRow,
    report: VerifyReport,
) -> None:
    family, rollup = registry.rollups[live.name]
    if live.source_generation is None or live.source_generation != row.source_generation:
        raise NotAllowed(f"The two generations of {live.name} are not fed by the same rows.")
    with barrier.hold(connection, [(family.name, live.source_generation)], HOLD_S) as hold:
        hold.wait()
        _note_places(hold, report)
        _compare(clickhouse, rollup, live.generation, row.generation, "1", report)
        with connection.transaction():
            hold.require()


def _verify_read_model(connection: Connection[Any], model: ReadModel, report: VerifyReport) -> None:
    both = [(model.name, report.live), (model.name, report.rebuilt)]
    with barrier.hold(connection, both, HOLD_S) as hold:
        hold.wait()
        _note_places(hold, report)
        with connection.transaction():
            _compare_read_models(connection, model, report)
            hold.require()


def _compare_read_models(connection: Connection[Any], model: ReadModel, report: VerifyReport) -> None:
    tables = {
        side: sql.Identifier("read", model.table(generation))
        for side, generation in (("live", report.live), ("rebuilt", report.rebuilt))
    }
    columns = sql.SQL(", ").join(map(sql.Identifier, model.column_names))
    order = sql.SQL(", ").join(map(sql.Identifier, model.key))
    hashes: dict[str, str] = {}
    for side, table in tables.items():
        row = connection.execute(
            sql.SQL(
                "select count(*), coalesce(md5(string_agg(md5(r::text), '' order by {order})), '') "
                "from (select {columns} from {table}) as r"
            ).format(order=order, columns=columns, table=table)
        ).fetchone()
        if row is not None:
            report.rows[f"{model.name} ({side})"], hashes[side] = row
    report.hashes[model.name] = hashes["live"]
    if hashes["live"] == hashes["rebuilt"]:
        return
    for side, other in (("live", "rebuilt"), ("rebuilt", "live")):
        rows = connection.execute(
            sql.SQL(
                "select r::text from (select {columns} from {one} "
                "except all select {columns} from {two}) as r limit {n}"
            ).format(columns=columns, one=tables[side], two=tables[other], n=MAX_SHOWN)
        ).fetchall()
        report.differences += [OneSidedRow(model.name, "", side, row[0]) for row in rows]
    if report.is_equal:
        report.differences.append(OneSidedRow(model.name, "", "both", "equal as values, not as text"))


def _compare(
    clickhouse: ClickHouse, table: ClickHouseTable, live: int, rebuilt: int, condition: str, report: VerifyReport
) -> None:
    names = {"live": table_name(table.name, live), "rebuilt": table_name(table.name, rebuilt)}
    if table.within:
        condition = f"({condition}) AND ({table.within.format(now=instants.literal(datetime.now(UTC)))})"
    contents = {side: _periods(clickhouse, table, name, condition) for side, name in names.items()}
    for side, periods in contents.items():
        report.rows[f"{table.name} ({side})"] = sum(count for count, *_ in periods.values())
    if isinstance(table, Rollup) and table.sums:
        totals = {side: _totals(clickhouse, table, name, condition) for side, name in names.items()}
        report.sums[table.name] = {
            column: (totals["live"][place], totals["rebuilt"][place]) for place, column in enumerate(table.sums)
        }
    hashed = sum(values[1] for values in contents["live"].values()) % 2**64
    report.hashes[table.name] = f"{hashed:016x}"
    different = sorted(
        period
        for period in contents["live"].keys() | contents["rebuilt"].keys()
        if contents["live"].get(period) != contents["rebuilt"].get(period)
    )
    for period in different:
        report.differences += _rows_that_differ(clickhouse, table, names, condition, period)


def _periods(
    clickhouse: ClickHouse, table: ClickHouseTable, name: str, condition: str
) -> dict[str, tuple[int, int, int]]:
    """Count and two hashes of a table's content by period, of merged cells where it is a rollup."""
    columns = ", ".join(_columns(table))
    rows = clickhouse.rows(
        f"SELECT toString({table.period}) AS period, count(), sum(cityHash64({columns})), "
        f"groupBitXor(sipHash64({columns})) FROM ({_content(table, name, condition)}) GROUP BY period"
    )
    return {str(row[0]): (int(row[1]), int(row[2]), int(row[3])) for row in rows}


def _totals(clickhouse: ClickHouse, table: Rollup, name: str, condition: str) -> list[int]:
    """The total of each summed column over the whole table."""
    columns = ", ".join(f"sum({column})" for column in table.sums)
    return [int(value) for value in clickhouse.rows(f"SELECT {columns} FROM {name} WHERE {condition}")[0]]


def _rows_that_differ(
    clickhouse: ClickHouse, table: ClickHouseTable, names: dict[str, str], condition: str, period: str
) -> list[OneSidedRow]:
    within = f"toString({table.period}) = '{period}'"
    columns = ", ".join(_columns(table))
    selects = {
        side: f"SELECT {columns} FROM ({_content(table, name, condition)}) WHERE {within}"
        for side, name in names.items()
    }
    one_sided: list[OneSidedRow] = []
    for side, other in (("live", "rebuilt"), ("rebuilt", "live")):
        rows = clickhouse.rows(
            f"SELECT toString(tuple(*)) FROM ({selects[side]} EXCEPT {selects[other]}) LIMIT {MAX_SHOWN}"
        )
        one_sided += [OneSidedRow(table.name, period, side, str(row[0])) for row in rows]
    return one_sided or [OneSidedRow(table.name, period, "both", "the same rows, another number of times")]


def _content(table: ClickHouseTable, name: str, condition: str) -> str:
    """A table's rows as they count: merged where it is a rollup.

    The bytes of a set of visitors depend on the order in which it grew, and ClickHouse switches it to an estimate at
    256 visitors or one repeated visitor later. So the states are compared in one form: merged with a fixed large set,
    which makes both of them registers, and by their count as long as it is certainly exact.
    """
    if not isinstance(table, Rollup) or not (table.sums or table.uniques):
        return f"SELECT {', '.join(table.column_names)} FROM {name} WHERE {condition}"
    keys = ", ".join(table.keys)
    values = [f"sum({column}) AS {column}_sum" for column in table.sums]
    values += [f"uniqCombinedMergeState(12)({column}) AS {column}_state" for column in table.uniques]
    merged = f"SELECT {keys}, {', '.join(values)} FROM {name} WHERE {condition} GROUP BY {keys}"
    if not table.uniques:
        return merged
    selected = [f"{column}_sum" for column in table.sums]
    for column in table.uniques:
        state = f"{column}_state"
        selected.append(f"least(finalizeAggregation({state}), {MAX_EXACT}) AS {column}_count")
        selected.append(
            f"cityHash64(arrayReduce('uniqCombinedMergeState(12)', [{state}, {_LARGE_SET}])) AS {column}_hash"
        )
    return f"SELECT {keys}, {', '.join(selected)} FROM ({merged})"


def _columns(table: ClickHouseTable) -> Sequence[str]:
    if not isinstance(table, Rollup) or not (table.sums or table.uniques):
        return table.column_names
    uniques = [f"{name}_{part}" for name in table.uniques for part in ("count", "hash")]
    return (*table.keys, *(f"{name}_sum" for name in table.sums), *uniques)


def _rollup_generation(connection: Connection[Any], name: str, source: int) -> int:
    rows = [b for b in generations.rows(connection, name) if b.is_live and b.source_generation == source]
    if not rows:
        raise NotAllowed(f"{name} has no live generation fed by generation {source}.")
    return rows[0].generation


def _note_places(hold: Barrier, report: VerifyReport) -> None:
    report.at = {f"{place.topic}[{place.partition}]": offset for place, offset in hold.places.items()}
