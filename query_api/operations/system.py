"""`GET /api/admin/system`: the machine and the engines under the figures, for those who keep them running.

Freshness is measured twice: on what comes, from the log's timestamp of the last record of a batch to the commit that
made it visible; and on the canary (`infra.ops.jobs.canary`), from a request to the row that can be read.
"""

from __future__ import annotations

import platform
import re
import threading
import time
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Final
from uuid import UUID

import structlog
from fastapi import APIRouter
from pydantic import Field

from infra.kernel.config.paths import KAFKA_JARS
from infra.kernel.config.settings import Settings
from infra.kernel.config.version import product_version
from infra.kernel.http.problems import Problem
from infra.kernel.log import kafka_probe
from infra.kernel.observability import processes, stack_state
from query_api.kernel.clickhouse_reader import Query
from query_api.kernel.dependencies import AdminScope, Context, Services
from query_api.kernel.postgres_reader import PostgresReader
from schemas.http.responses import ResponseModel

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)
router = APIRouter(tags=["admin"])

DISK_EVERY_S: Final = 60.0
FRESH_MINUTES: Final = 15


class ProcessShown(ResponseModel):
    """A process of the stack. `memoryBytes`: with its children, shared pages by share."""

    name: str
    pid: int | None
    state: str
    restarts: int
    uptime_seconds: float
    memory_bytes: int


class EngineShown(ResponseModel):
    """An engine and whether it is available. `version` is null where unknown."""

    name: str
    version: str | None
    answers: bool
    note: str


class DiskShown(ResponseModel):
    """The file system of the data directory; `folders` are looked at once a minute."""

    total: int
    used: int
    free: int
    folders: dict[str, int]


class ReaderLag(ResponseModel):
    """A live projection on one partition."""

    projection: str
    lag_events: int


class LogPartition(ResponseModel):
    """One partition of the log, and who reads it."""

    topic: str
    partition: int
    end_offset: int
    seen_at: datetime
    readers: list[ReaderLag]


class Freshness(ResponseModel):
    """Seconds from the log to visible, of batches within the last quarter of an hour; null without any."""

    last_seconds: float | None
    median_seconds: float | None
    worst_seconds: float | None
    measured_at: datetime | None
    steps: int


class CanaryPoint(ResponseModel):
    """One canary. `seconds` is null while it is not readable."""

    at: datetime
    seconds: float | None


class Canary(ResponseModel):
    """Test page views, sent every 15 seconds: from the request to the row that can be read."""

    is_on: bool
    last_seconds: float | None = Field(description="Of the newest that is readable")
    p95_seconds: float | None = Field(description="Over the last hour; records that timed out count as ten minutes")
    readable_at: datetime | None = Field(description="When the newest readable one was sent")
    is_late: bool = Field(description="None that was sent within the last minute is readable")
    points: list[CanaryPoint] = Field(description="The last hour, oldest first")


class Throughput(ResponseModel):
    """One minute: records written to the log, and records that projections took, a second."""

    at: datetime
    in_per_second: float
    out_per_second: float


class Backup(ResponseModel):
    """One backup that was begun."""

    id: UUID
    started_at: datetime
    finished_at: datetime | None
    state: str
    folder: str
    bytes: int
    events: int
    error: str
    verified_at: datetime | None = Field(description="When it was read again and found whole")
    restored_at: datetime | None = Field(description="When a restore of it was last proven")
    drill_error: str = Field(description="Why the last drill with it failed; empty: it did not")


class System(ResponseModel):
    """How the installation stands now."""

    version: str
    python: str
    is_stack: bool = Field(description="Whether the processes are those of one stack on this machine")
    processes: list[ProcessShown]
    engines: list[EngineShown]
    disk: DiskShown | None
    log: list[LogPartition]
    projectors: int = Field(description="Processes that run projections, seen within ten seconds")
    freshness: Freshness
    canary: Canary
    throughput: list[Throughput] = Field(description="The last hour by minutes, oldest first")
    backups: list[Backup] = Field(description="The last ten, newest first; empty: none was made")


_ENDS: Final = (
    "SELECT e.topic, e.partition, e.end_offset, e.seen_at, p.projection,"
    " greatest(0, e.end_offset - p.next_offset) AS lag_events FROM engine.log_end AS e"
    " LEFT JOIN (engine.position AS p JOIN engine.projection AS j ON j.name = p.projection"
    " AND j.live_generation = p.generation) ON p.topic = e.topic AND p.partition = e.partition"
    " ORDER BY e.topic, e.partition, p.projection"
)
_FRESHNESS: Final = (
    "WITH step AS (SELECT DISTINCT ON (s.topic, s.partition, s.processed) s.at, s.visible_after_s AS seconds"
    " FROM engine.sample AS s JOIN engine.projection AS p ON p.name = s.projection AND p.live_generation = s.generation"
    " WHERE s.projection = 'events' AND s.topic = 'clicks' AND s.visible_after_s IS NOT NULL"
    " AND s.at > now() - make_interval(mins => %(minutes)s)"
    " ORDER BY s.topic, s.partition, s.processed, s.at),"
    # What stood there at the first look was read before.
    " first AS (SELECT min(at) AS at FROM step)"
    " SELECT (array_agg(seconds ORDER BY step.at DESC))[1] AS last_seconds, max(seconds) AS worst_seconds,"
    " percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS median_seconds, max(step.at) AS measured_at,"
    " count(*) AS steps"
    " FROM step, first WHERE step.at > first.at"
)
_THROUGHPUT: Final = (
    "WITH minute AS (SELECT generate_series(date_trunc('minute', now()) - interval '60 minutes',"
    " date_trunc('minute', now()) - interval '1 minute', interval '1 minute') AS at),"
    " written AS (SELECT date_trunc('minute', at) AS at, sum(more) AS more, sum(span) AS span FROM ("
    " SELECT at, sum(end_offset) - lag(sum(end_offset)) OVER (ORDER BY at) AS more,"
    " extract(epoch FROM at - lag(at) OVER (ORDER BY at)) AS span"
    " FROM engine.log_sample GROUP BY at) AS w GROUP BY 1),"
    " taken AS (SELECT date_trunc('minute', at) AS at, sum(more) AS more FROM ("
    " SELECT at, greatest(0, processed - lag(processed) OVER (PARTITION BY projection, generation, topic, partition"
    " ORDER BY at)) AS more FROM engine.sample) AS t GROUP BY 1)"
    " SELECT minute.at, coalesce(written.more / nullif(written.span, 0), 0)::float8 AS in_per_second,"
    " coalesce(taken.more / nullif(written.span, 0), 0)::float8 AS out_per_second"
    " FROM minute LEFT JOIN written ON written.at = minute.at LEFT JOIN taken ON taken.at = minute.at ORDER BY 1"
)
_BACKUPS: Final = (
    "SELECT id, started_at, finished_at, state, folder, bytes, events, error, verified_at, restored_at, drill_error"
    " FROM operations.backup ORDER BY started_at DESC LIMIT 10"
)
_CANARY: Final = (
    "SELECT sent_at AS at, seen_after_s::float8 AS seconds FROM operations.canary"
    " WHERE sent_at > now() - interval '1 hour' ORDER BY sent_at DESC LIMIT 300"
)
_CANARY_STATE: Final = (
    "SELECT (SELECT max(sent_at) FROM operations.canary WHERE seen_after_s IS NOT NULL) AS readable_at,"
    " (SELECT seen_after_s::float8 FROM operations.canary WHERE seen_after_s IS NOT NULL"
    " ORDER BY sent_at DESC LIMIT 1) AS last_seconds,"
    " (SELECT percentile_cont(0.95) WITHIN GROUP (ORDER BY seen_after_s) FROM operations.canary"
    " WHERE sent_at > now() - interval '1 hour') AS p95_seconds,"
    # One that has just been sent, and none before it, is not late.
    " coalesce((SELECT min(sent_at) FROM operations.canary) < now() - interval '1 minute', false) AND NOT EXISTS"
    " (SELECT FROM operations.canary WHERE seen_after_s IS NOT NULL AND sent_at > now() - interval '1 minute')"
    " AS is_late"
)
_RUNNERS: Final = "SELECT count(*) AS n FROM engine.runner WHERE seen_at > now() - interval '10 seconds'"


@router.get("/api/admin/system")
def get_system(context: Context, admin: AdminScope) -> System:
    """Processes, engines, disk, log, freshness, throughput and backups."""
    reader = admin.reader
    data_dir = context.settings.data_dir.resolve()
    running = processes.processes(data_dir)
    return System(
        version=product_version(),
        python=platform.python_version(),
        is_stack=running is not None,
        processes=[ProcessShown.of_row(asdict(one), uptime_seconds=one.uptime_s) for one in running or ()],
        engines=_engines(context, reader),
        disk=_DISK.look(data_dir),
        log=_log(reader),
        projectors=reader.rows(_RUNNERS)[0]["n"],
        freshness=_freshness(reader),
        canary=_canary(reader, is_on=context.settings.canary),
        throughput=[Throughput.of_row(row) for row in reader.rows(_THROUGHPUT)],
        backups=[Backup.of_row(row) for row in reader.rows(_BACKUPS)],
    )


class DiskLooks:
    """Reads disk usage, cached for `DISK_EVERY_S`. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._at = 0.0
        self._found: DiskShown | None = None

    def look(self, data_dir: Path) -> DiskShown | None:
        """Returns the usage of the disk; none where there is no such directory on this machine."""
        with self._lock:
            if self._found is None or time.monotonic() - self._at > DISK_EVERY_S:
                try:
                    disk = processes.disk(data_dir)
                except OSError as error:
                    log.info("data_directory_unavailable", error=error)
                    return None
                self._found = DiskShown.model_validate(disk, from_attributes=True)
                self._at = time.monotonic()
            return self._found


_DISK: Final = DiskLooks()


def _engines(context: Services, reader: PostgresReader) -> list[EngineShown]:
    [row] = reader.rows("SELECT current_setting('server_version') AS version")
    postgres = EngineShown(name="postgres", version=row["version"].split()[0], answers=True, note="")
    try:
        [version_row] = context.clickhouse.rows(Query("SELECT version() AS version", {}))
        clickhouse = EngineShown(name="clickhouse", version=version_row["version"], answers=True, note="")
    except Problem as problem:
        clickhouse = EngineShown(name="clickhouse", version=None, answers=False, note=problem.message)
    return [_log_engine(context.settings, reader), postgres, clickhouse]


def _log_engine(settings: Settings, reader: PostgresReader) -> EngineShown:
    """Returns the state of the log. A log in Postgres answers when Postgres does. The projectors report on Kafka; while
    none runs, it is queried."""
    stack = stack_state.read(settings.data_dir.resolve())
    if settings.log == "postgres" or (stack is not None and stack.log == "postgres"):
        return EngineShown(name="log", version=None, answers=True, note="The log is in Postgres.")
    embedded = stack is not None and stack_state.is_running(stack)
    version = _kafka_version() if embedded else None
    note = "" if embedded else "Your own Kafka; it does not tell its version."
    rows = reader.rows("SELECT max(seen_at) > now() - interval '15 seconds' AS seen FROM engine.log_end")
    if rows and rows[0]["seen"]:
        return EngineShown(name="kafka", version=version, answers=True, note=note)
    note = f"{note} No projector has looked at it for a while.".strip()
    return EngineShown(name="kafka", version=version, answers=_kafka_answers(settings), note=note)


def _kafka_answers(settings: Settings) -> bool:
    """Returns whether one of the named servers answers; behind TLS or a sign-in, whether it can be reached."""
    plain = (settings.kafka_security_protocol or "PLAINTEXT") == "PLAINTEXT"
    for server in (settings.kafka_bootstrap_servers or "").split(","):
        host, _, port = server.rpartition(":")
        if host and port.isdecimal() and kafka_probe.answers(int(port), host.strip("[]"), plain=plain):
            return True
    return False


def _kafka_version() -> str | None:
    """Returns the version in the name of the jar that the embedded one runs from."""
    matches = [re.fullmatch(r"kafka_[\d.]+-([\d.]+)\.jar", jar.name) for jar in KAFKA_JARS.glob("kafka_*.jar")]
    return next((each[1] for each in matches if each), None)


def _log(reader: PostgresReader) -> list[LogPartition]:
    partitions: dict[tuple[str, int], LogPartition] = {}
    for row in reader.rows(_ENDS):
        key = row["topic"], row["partition"]
        if key not in partitions:
            partitions[key] = LogPartition.of_row(row, readers=[])
        if row["projection"] is not None:
            partitions[key].readers.append(ReaderLag.of_row(row))
    return list(partitions.values())


def _freshness(reader: PostgresReader) -> Freshness:
    [row] = reader.rows(_FRESHNESS, {"minutes": FRESH_MINUTES})
    return Freshness.of_row(row)


def _canary(reader: PostgresReader, *, is_on: bool) -> Canary:
    [row] = reader.rows(_CANARY_STATE)
    points = list(reversed(reader.rows(_CANARY)))
    return Canary.of_row(row, is_on=is_on, is_late=is_on and row["is_late"], points=points)
