"""`GET /api/admin/projections`: the state of every projection, the recent course of its lag, and the operations on
it."""

# ruff: noqa: S608 - own text; values are bound

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path

from infra.kernel.http.problems import Problem
from query_api.kernel.authorization import require_existing
from query_api.kernel.clickhouse_reader import Query, Row
from query_api.kernel.dependencies import AdminScope, Context
from query_api.kernel.postgres_reader import PostgresReader
from query_api.operations.projection_schemas import (
    Build,
    PartitionPosition,
    PlaceSeries,
    Projection,
    ProjectionDetail,
    RebuildEstimate,
    RequestShown,
    progress_of,
)

router = APIRouter(tags=["admin"])

SERIES_POINTS: Final = 90
EVERY_S: Final = 10
LAST_REQUESTS: Final = 20

_WHICH: Final = " (%(name)s::text IS NULL OR {column} = %(name)s)"
_PROJECTIONS: Final = (
    "SELECT p.name, p.kind, p.family, p.version, p.live_generation, (SELECT count(*) FROM engine.dead_letter AS d"
    " WHERE d.projection = p.name AND d.state = 'open') AS open_dead_letters"
    " FROM engine.projection AS p WHERE" + _WHICH.format(column="p.name") + " ORDER BY p.kind, p.name"
)
_BUILDS: Final = (
    "SELECT name, generation, state, resume_state AS paused_in, version, source_generation, progress,"
    " promote_when_ready AS promotes_when_ready, reason, error, created_at, ready_at, promoted_at, retired_at,"
    " dropped_at IS NOT NULL AS is_dropped FROM engine.build"
    " WHERE (dropped_at IS NULL AND state <> 'cancelled' OR %(all)s) AND"
    + _WHICH.format(column="name")
    + " ORDER BY name, generation DESC"
)
_POSITIONS: Final = (
    "SELECT p.projection, p.generation, p.topic, p.partition, p.next_offset, p.domain_position, p.processed, p.error,"
    " p.updated_at, p.record_at, p.owner, greatest(e.end_offset, p.next_offset) AS end_offset,"
    " greatest(e.end_offset - p.next_offset, 0) AS lag_events,"
    " CASE WHEN e.end_offset > p.next_offset THEN p.rate ELSE 0 END AS rate,"
    " CASE WHEN e.end_offset > p.next_offset"
    " THEN greatest(extract(epoch FROM now() - coalesce(p.record_at, p.updated_at)), 0)"
    " ELSE 0 END::float8 AS lag_seconds"
    " FROM engine.position AS p LEFT JOIN engine.log_end AS e ON e.topic = p.topic AND e.partition = p.partition"
    " ORDER BY p.topic, p.partition"
)
_SERIES: Final = (
    "SELECT s.projection, s.at, sum(s.end_offset - s.next_offset)::bigint AS lag FROM engine.sample AS s"
    " JOIN engine.projection AS p ON p.name = s.projection AND p.live_generation = s.generation"
    " WHERE s.at > now() - make_interval(secs => %(seconds)s) GROUP BY 1, 2 ORDER BY 1, 2"
)
_PLACES: Final = (
    "SELECT topic, partition, at, end_offset - next_offset AS lag FROM engine.sample WHERE projection = %(name)s"
    " AND generation = %(generation)s AND at > now() - make_interval(secs => %(seconds)s) ORDER BY topic, partition, at"
)
_REQUESTS: Final = (
    "SELECT r.id, r.projection, r.action, r.reason, r.force, r.state, r.generation, r.progress, r.result, r.error,"
    " r.requested_at, r.finished_at, r.recorded_at, coalesce(nullif(a.name, ''), r.operator) AS actor"
    " FROM engine.request AS r LEFT JOIN read.accounts AS a ON a.id = r.actor_id WHERE r.dead_letter_id IS NULL"
)
_OPEN: Final = _REQUESTS + (
    " AND (r.state IN ('waiting', 'running') OR r.finished_at > now() - interval '1 minute') ORDER BY r.requested_at"
)
_LAST: Final = _REQUESTS + " AND r.projection = %(name)s ORDER BY r.requested_at DESC LIMIT %(limit)s"
_DIFFERING: Final = (
    "SELECT name FROM (SELECT DISTINCT ON (r.projection) r.projection AS name, r.generation, r.result"
    " FROM engine.request AS r WHERE r.action = 'verify' AND r.state = 'done' AND"
    + _WHICH.format(column="r.projection")
    + " ORDER BY r.projection, r.requested_at DESC) AS last JOIN engine.build AS b USING (name, generation)"
    " WHERE last.result ->> 'isEqual' = 'false' AND b.dropped_at IS NULL"
    " AND coalesce(b.resume_state, b.state) IN ('building', 'catching_up', 'ready')"
)
_IS_RUNNING: Final = (
    "SELECT EXISTS (SELECT 1 FROM engine.runner WHERE seen_at > now() - interval '10 seconds') AS is_running"
)
_LAST_BUILD: Final = (
    "SELECT extract(epoch FROM b.ready_at - b.created_at)::float8 AS seconds, (SELECT sum(p.processed) FROM"
    " engine.position AS p WHERE p.projection = b.name AND p.generation = b.generation)::bigint AS records"
    " FROM engine.build AS b WHERE b.name = %(name)s AND b.ready_at IS NOT NULL ORDER BY b.ready_at DESC LIMIT 1"
)
_TABLE_BYTES: Final = (
    "SELECT sum(pg_total_relation_size(c.oid))::bigint AS bytes FROM pg_class AS c"
    " JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = 'read' AND c.relname = %(table)s"
)
_PARTS: Final = (
    "SELECT table, sum(bytes_on_disk) AS bytes FROM system.parts"
    " WHERE active AND database = currentDatabase() GROUP BY table"
)


@router.get("/api/admin/projections")
def get_projections(admin: AdminScope) -> list[Projection]:
    """All projections."""
    return _read(admin.reader)


@router.get("/api/admin/projections/{name}")
def get_projection(name: Annotated[str, Path(max_length=100)], context: Context, admin: AdminScope) -> ProjectionDetail:
    """One projection: partitions with their lag, generations, operators' requests and outcomes, a rebuild's cost."""
    [projection] = require_existing(_read(admin.reader, name), "projection")
    source = projection.family or name
    generation = _live_source(projection)
    bound = {"name": source, "generation": generation, "seconds": SERIES_POINTS * EVERY_S}
    series: dict[tuple[str, int], list[int]] = defaultdict(list)
    for row in admin.reader.rows(_PLACES, bound):
        series[row["topic"], row["partition"]].append(row["lag"])
    requests = admin.reader.rows(_LAST, {"name": name, "limit": LAST_REQUESTS})
    return ProjectionDetail(
        **projection.model_dump(exclude={"requests"}),
        requests=[RequestShown.of_request(row) for row in requests],
        places=[PlaceSeries(topic=topic, partition=partition, lag=lag) for (topic, partition), lag in series.items()],
        rebuild=_estimate(context, admin.reader, projection),
    )


def _read(reader: PostgresReader, name: str | None = None) -> list[Projection]:
    bound = {"name": name, "all": name is not None}
    projections, builds, positions = (reader.rows(sql, bound) for sql in (_PROJECTIONS, _BUILDS, _POSITIONS))
    requests = reader.rows(_OPEN)
    differing = {row["name"] for row in reader.rows(_DIFFERING, bound)}
    [running] = reader.rows(_IS_RUNNING)
    lag_of: dict[str, list[int]] = defaultdict(list)
    for row in reader.rows(_SERIES, {"seconds": SERIES_POINTS * EVERY_S}):
        lag_of[row["projection"]].append(row["lag"])
    places: dict[tuple[str, int], list[PartitionPosition]] = defaultdict(list)
    for row in positions:
        places[row["projection"], row["generation"]].append(PartitionPosition.of_row(row))
    return [
        _projection(
            row,
            [build for build in builds if build["name"] == row["name"]],
            places,
            lag_of[row["family"] or row["name"]],
            [one for one in requests if one["projection"] == row["name"]],
            is_running=running["is_running"],
            differs=row["name"] in differing,
        )
        for row in projections
    ]


def _projection(
    row: Row,
    builds: Sequence[Row],
    places: Mapping[tuple[str, int], list[PartitionPosition]],
    series: list[int],
    requests: Sequence[Row],
    *,
    is_running: bool,
    differs: bool,
) -> Projection:
    shown_builds = [_build(row, build, places) for build in builds]
    live = next((build for build in shown_builds if build.generation == row["live_generation"]), None)
    own = live.positions if live is not None else []
    return Projection.of_row(
        row,
        state=live.state if live is not None else "missing",
        is_running=is_running,
        differs=differs,
        is_retrying=any(place.error for place in own),
        lag_events=live.lag_events if live is not None else None,
        lag_seconds=max((place.lag_seconds for place in own), default=0.0),
        rate=sum(place.rate for place in own),
        error=(live.error if live is not None else "") or next((place.error for place in own if place.error), ""),
        updated_at=max((place.updated_at for place in own), default=None),
        lag_series=series,
        lag_every_seconds=EVERY_S,
        builds=shown_builds,
        requests=[RequestShown.of_request(one) for one in requests],
    )


def _build(projection: Row, row: Row, places: Mapping[tuple[str, int], list[PartitionPosition]]) -> Build:
    """A rollup has no positions of its own: its family's feed it."""
    fed = projection["family"] is not None
    name, generation = (projection["family"], row["source_generation"]) if fed else (row["name"], row["generation"])
    own = [] if row["is_dropped"] else places.get((name, generation), [])
    behind = None if any(place.lag_events is None for place in own) else sum(place.lag_events or 0 for place in own)
    rate = sum(place.rate for place in own)
    active = row["state"] in ("building", "catching_up")
    return Build.of_row(
        row,
        lag_events=behind,
        rate=rate,
        progress=progress_of(
            row,
            own,
            alone=fed and row["source_generation"] != row["generation"],
            log_end=_log_end(places.get((name, projection["live_generation"]), [])),
        ),
        eta_seconds=behind / rate if active and behind and rate else None,
        positions=own,
    )


def _log_end(live: Sequence[PartitionPosition]) -> int:
    """Records in the log, by the partitions that the live generation reads."""
    return sum(place.end_offset or place.next_offset for place in live)


def _live_source(shown: Projection) -> int:
    live = next((build for build in shown.builds if build.generation == shown.live_generation), None)
    fed = shown.family is not None and live is not None and live.source_generation is not None
    return live.source_generation or 0 if fed and live is not None else shown.live_generation


def _estimate(context: Context, reader: PostgresReader, shown: Projection) -> RebuildEstimate:
    """Estimates the cost of building another generation, by the last build's own measure."""
    last = reader.row(_LAST_BUILD, {"name": shown.name})
    live = next((build for build in shown.builds if build.generation == shown.live_generation), None)
    events = sum(place.end_offset or place.next_offset for place in live.positions) if live is not None else 0
    seconds = None
    if last is not None and last["seconds"]:
        seconds = last["seconds"] * events / last["records"] if last["records"] else last["seconds"]
    tables, size = [shown.name], None
    if shown.kind == "postgres":
        row = reader.row(_TABLE_BYTES, {"table": f"{shown.name}__g{shown.live_generation}"})
        size = (row or {}).get("bytes") or 0
    else:
        if shown.kind == "clickhouse":
            rows = reader.rows("SELECT name FROM engine.projection WHERE family = %s ORDER BY name", (shown.name,))
            tables += [row["name"] for row in rows]
        with suppress(Problem):  # the page is wanted most while ClickHouse is away
            sizes = {row["table"]: int(row["bytes"]) for row in context.clickhouse.rows(Query(_PARTS, {}))}
            size = sum(sizes.get(_live_table(reader, table), 0) for table in tables)
    return RebuildEstimate(events=events, seconds=seconds, bytes=size, tables=tables)


def _live_table(reader: PostgresReader, name: str) -> str:
    row: dict[str, Any] | None = reader.row("SELECT live_generation FROM engine.projection WHERE name = %s", (name,))
    return f"{name}__g{row['live_generation'] if row else 1}"
