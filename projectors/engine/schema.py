"""The tables of every projection's live generation: created by `althing migrate`, referenced by the stable views.

`create_schema` may run again at any time: existing tables stay. A projection that is new gets generation 1, live at
once; a rollup that is new beside a raw table with history is filled from it by the running service. A table of
another version than the program's is not altered: the running service builds a new generation and makes it live.
"""

from __future__ import annotations

from typing import Any, Final

import psycopg

from infra.kernel.config.settings import Settings
from infra.kernel.log import partitions
from infra.kernel.postgres.pool import required_url
from infra.kernel.subscriptions import positions
from infra.kernel.subscriptions.positions import WorkerKey
from projectors.engine.clickhouse import ClickHouse, HttpClickHouse
from projectors.engine.projection import ClickHouseProjection, Projection, Registry, topic_partitions
from projectors.engine.read_model import ReadModel
from projectors.engine.tables import (
    ClickHouseTable,
    Rollup,
    create_feed,
    create_table,
    create_view,
    drop_table,
    merge_when_at_rest,
    table_name,
)

_LOCK: Final = 7_265_402
_SETTINGS: Final = "SELECT engine_full FROM system.tables WHERE database = currentDatabase() AND name = {table:String}"
_COLUMNS: Final = "SELECT name FROM system.columns WHERE database = currentDatabase() AND table = {table:String}"


def create_schema(settings: Settings, registry: Registry) -> None:
    """Creates the missing schema. Raises `psycopg.Error` or `engine.clickhouse.Unavailable`."""
    clickhouse = HttpClickHouse(settings)
    with psycopg.connect(required_url(settings), autocommit=True, connect_timeout=5) as connection:
        connection.execute("select pg_advisory_lock(%s)", (_LOCK,))
        create(connection, clickhouse, registry)


def create(connection: psycopg.Connection[Any], clickhouse: ClickHouse, registry: Registry) -> None:
    """The same with its tools given; one caller at a time."""
    for model in registry.postgres:
        _register(connection, model.name, "postgres", model.version)
        names = sorted(event_class.NAME for event_class in model.handlers)
        connection.execute(
            "update engine.projection set event_names = %s where name = %s and event_names <> %s",
            (names, model.name, names),
        )
        generation = live_generation(connection, model.name)
        if not is_of_version(connection, model.name, model.version, generation):
            # Stays, and is read with the columns of today, until the service has built a generation of this version.
            point_read_model(connection, model, generation)
            continue
        create_read_model(connection, model, generation, indexes=True)
        point_read_model(connection, model, generation)
        create_positions(connection, model, generation)
    for family in registry.clickhouse:
        _create_family(connection, clickhouse, family)


def _create_family(connection: psycopg.Connection[Any], clickhouse: ClickHouse, family: ClickHouseProjection) -> None:
    is_new = _register(connection, family.name, "clickhouse", family.version)
    generation = live_generation(connection, family.name)
    for table in (family.main, *family.others):
        create_clickhouse_table(clickhouse, table, generation)
    for rollup in family.rollups:
        has_history = not is_new and _has_history(connection, family, generation)
        _register(
            connection,
            rollup.name,
            "rollup",
            rollup.version,
            generation=generation,
            source_generation=generation,
            state="building" if has_history else "live",
        )
        connection.execute(
            "update engine.projection set family = %s where name = %s and family is distinct from %s",
            (family.name, rollup.name, family.name),
        )
        live = live_generation(connection, rollup.name)
        source = _source_of(connection, rollup.name, live)
        create_clickhouse_table(clickhouse, rollup, live)
        if not _is_building(connection, rollup.name, live):
            feed(clickhouse, rollup, live, family.main, source)
    point_family(connection, clickhouse, family)
    create_positions(connection, family, generation)


def is_of_version(connection: psycopg.Connection[Any], name: str, version: int, generation: int) -> bool:
    """Returns whether a generation was built by this version of the projection."""
    row = connection.execute(
        "select version from engine.build where name = %s and generation = %s", (name, generation)
    ).fetchone()
    return row is not None and row[0] == version


def create_read_model(connection: psycopg.Connection[Any], model: ReadModel, generation: int, *, indexes: bool) -> None:
    """The table of a generation with its row-level security, and its secondary indexes if wanted."""
    connection.execute(model.create_table(generation).encode())
    protect_read_model(connection, model, generation)
    if indexes:
        for statement in model.create_indexes(generation):
            connection.execute(statement.encode())


def protect_read_model(connection: psycopg.Connection[Any], model: ReadModel, generation: int) -> None:
    """Gives a generation's table the policies of today, if it does not have them; a made table needs no lock then."""
    table = model.table(generation)
    with connection.transaction():
        policies = connection.execute(
            "select policyname from pg_policies where schemaname = 'read' and tablename = %s", (table,)
        ).fetchall()
        if {name for (name,) in policies} == {"others", model.policy}:
            return
        for (name,) in policies:
            connection.execute(f'drop policy "{name}" on read.{table}'.encode())
        for statement in model.protect(generation):
            connection.execute(statement.encode())


def point_read_model(connection: psycopg.Connection[Any], model: ReadModel, generation: int) -> None:
    """Points the stable view at a generation, if it is not there already with every column."""
    target = connection.execute(
        "select 1 from information_schema.view_table_usage where view_schema = 'read' and view_name = %s "
        "and table_name = %s and exists (select from pg_class where oid = to_regclass('read.' || view_name) "
        "and 'security_invoker=true' = any(reloptions))",
        (model.name, model.table(generation)),
    ).fetchone()
    if target is None or not _columns_of(connection, model.name).issuperset(model.column_names):
        with connection.transaction():
            make_view(connection, model, generation)


def make_view(connection: psycopg.Connection[Any], model: ReadModel, generation: int) -> None:
    """Points the stable view at a generation, which may lack columns: an older version made it."""
    for statement in model.create_view(generation, _columns_of(connection, model.table(generation))):
        connection.execute(statement.encode())


def _columns_of(connection: psycopg.Connection[Any], relation: str) -> set[str]:
    rows = connection.execute(
        "select attname from pg_attribute where attrelid = to_regclass('read.' || %s) and attnum > 0"
        " and not attisdropped",
        (relation,),
    ).fetchall()
    return {name for (name,) in rows}


def create_clickhouse_table(clickhouse: ClickHouse, table: ClickHouseTable, generation: int) -> None:
    """Makes the table of a generation; of one that exists, only when it is merged may change."""
    for statement in create_table(table, generation, clickhouse.cluster):
        clickhouse.run(statement)
    if table.is_merged_at_rest:
        stored = table_name(table.name, generation) + ("_local" if clickhouse.cluster else "")
        for (settings,) in clickhouse.rows(_SETTINGS, {"table": stored}):
            if "min_age_to_force_merge_seconds" not in settings:
                clickhouse.run(merge_when_at_rest(table, generation, clickhouse.cluster))


def drop_clickhouse_table(clickhouse: ClickHouse, table: ClickHouseTable, generation: int) -> None:
    """Removes the table of a generation, with its feed."""
    for statement in drop_table(table, generation, clickhouse.cluster):
        clickhouse.run(statement)


def feed(clickhouse: ClickHouse, rollup: Rollup, generation: int, raw: ClickHouseTable, source: int) -> None:
    """Feeds a rollup's generation from generation `source` of the raw table from now on."""
    clickhouse.run(create_feed(rollup, generation, table_name(raw.name, source), clickhouse.cluster))


def point_family(connection: psycopg.Connection[Any], clickhouse: ClickHouse, family: ClickHouseProjection) -> None:
    """Points every stable view of the family at the live generation in Postgres."""
    generation = live_generation(connection, family.name)
    for table in (family.main, *family.others):
        absent = absent_columns(clickhouse, table, generation)
        clickhouse.run(create_view(table.name, generation, clickhouse.cluster, absent))
    for rollup in family.rollups:
        clickhouse.run(create_view(rollup.name, live_generation(connection, rollup.name), clickhouse.cluster))


def absent_columns(clickhouse: ClickHouse, table: ClickHouseTable, generation: int) -> tuple[str, ...]:
    """The DDL lines of the columns that the table of a generation lacks: it was made before they were declared."""
    existing = {row[0] for row in clickhouse.rows(_COLUMNS, {"table": table_name(table.name, generation)})}
    return tuple(line for line in table.columns if line.split(maxsplit=1)[0] not in existing)


def create_positions(connection: psycopg.Connection[Any], projection: Projection, generation: int) -> None:
    """Makes a position for every partition that the projection reads; existing ones stay."""
    for place in topic_partitions(projection, partitions.counts(connection)):
        positions.create(connection, WorkerKey(projection.name, generation, place.topic, place.partition))


def live_generation(connection: psycopg.Connection[Any], name: str) -> int:
    """The generation that readers see. Raises `LookupError` for a name that is not registered."""
    row = connection.execute("select live_generation from engine.projection where name = %s", (name,)).fetchone()
    if row is None:
        raise LookupError(f"no projection is named {name!r}; run `althing migrate`")
    return int(row[0])


def _register(
    connection: psycopg.Connection[Any],
    name: str,
    kind: str,
    version: int,
    *,
    generation: int = 1,
    source_generation: int | None = None,
    state: str = "live",
) -> bool:
    """Registers a projection; returns whether it was new."""
    with connection.transaction():
        new = connection.execute(
            "insert into engine.projection (name, kind, version, live_generation) values (%s, %s, %s, %s) "
            "on conflict do nothing",
            (name, kind, version, generation),
        )
        if new.rowcount:
            connection.execute(
                "insert into engine.build (name, generation, state, version, source_generation, promoted_at, "
                "promote_when_ready) values (%s, %s, %s, %s, %s, now(), %s)",
                (name, generation, state, version, source_generation, state == "building"),
            )
        return bool(new.rowcount)


def _has_history(connection: psycopg.Connection[Any], family: ClickHouseProjection, generation: int) -> bool:
    row = connection.execute(
        "select coalesce(max(greatest(next_offset, intent_to)), 0) from engine.position "
        "where projection = %s and generation = %s",
        (family.name, generation),
    ).fetchone()
    return bool(row and row[0])


def _source_of(connection: psycopg.Connection[Any], name: str, generation: int) -> int:
    row = connection.execute(
        "select source_generation from engine.build where name = %s and generation = %s", (name, generation)
    ).fetchone()
    if row is None or row[0] is None:
        raise LookupError(f"{name}, generation {generation}, does not say what feeds it")
    return int(row[0])


def _is_building(connection: psycopg.Connection[Any], name: str, generation: int) -> bool:
    row = connection.execute(
        "select state = 'building' from engine.build where name = %s and generation = %s", (name, generation)
    ).fetchone()
    return bool(row and row[0])
