"""`GET /api/admin/system`: the machine and the engines under the figures, for those who keep them running.

Freshness is measured twice: on what comes, from the log's timestamp of the last record of a batch to the commit that
made it visible; and on the canary (`infra.canary`), from a request to the row that can be read.
"""

from __future__ import annotations

import logging
import platform
import re
import threading
import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from fastapi import APIRouter
from pydantic import BaseModel, Field

from infra.problems import Problem
from infra.settings import Settings
from infra.stack import running, state
from infra.stack.engines import kafka
from infra.stack.tools import KAFKA_JARS
from query_api.columnar import Query
from query_api.context import AsAdmin, Context, Services
from query_api.platform.account import product_version
from query_api.reader import Reader

log = logging.getLogger(__name__)
router = APIRouter(tags=["admin"])

DISK_EVERY_S: Final = 60.0
FRESH_MINUTES: Final = 15


class ProcessShown(BaseModel):
    """A process of the stack. `memoryBytes`: with its children, shared pages by share."""

    name: str
    pid: int | None
    state: str
    restarts: int
    uptimeSeconds: float
    memoryBytes: int


class EngineShown(BaseModel):
    """An engine and whether it answers now. `version` is null where the engine does not tell it."""

    name: str
    version: str | None
    answers: bool
    note: str


class DiskShown(BaseModel):
    """The file system of the data directory; `folders` are looked at once a minute."""

    total: int
    used: int
    free: int
    folders: dict[str, int]


class ReaderLag(BaseModel):
    """A live projection on one partition."""

    projection: str
    lagEvents: int


class LogPartition(BaseModel):
    """One partition of the log, and who reads it."""

    topic: str
    partition: int
    endOffset: int
    seenAt: datetime
    readers: list[ReaderLag]


class Freshness(BaseModel):
    """Seconds from the log to visible, of batches within the last quarter of an hour; null without any."""

    lastSeconds: float | None
    medianSeconds: float | None
    worstSeconds: float | None
    measuredAt: datetime | None
    steps: int


class CanaryPoint(BaseModel):
    """One canary. `seconds` is null while it is not readable."""

    at: datetime
    seconds: float | None


class Canary(BaseModel):
    """Page views of nobody's, sent every 15 seconds: from the request to the row that can be read."""

    isOn: bool
    lastSeconds: float | None = Field(description="Of the newest that is readable")
    p95Seconds: float | None = Field(description="Over the last hour; what was given up counts as ten minutes")
    readableAt: datetime | None = Field(description="When the newest readable one was sent")
    isLate: bool = Field(description="None that was sent within the last minute is readable")
    points: list[CanaryPoint] = Field(description="The last hour, oldest first")


class Throughput(BaseModel):
    """One minute: records written to the log, and records that projections took, a second."""

    at: datetime
    inPerSecond: float
    outPerSecond: float


class Backup(BaseModel):
    """One backup that was begun."""

    id: UUID
    startedAt: datetime
    finishedAt: datetime | None
    state: str
    folder: str
    bytes: int
    events: int
    error: str
    verifiedAt: datetime | None = Field(description="When it was read again and found whole")
    restoredAt: datetime | None = Field(description="When a restore of it was last proven")
    drillError: str = Field(description="Why the last drill with it failed; empty: it did not")


class System(BaseModel):
    """How the installation stands now."""

    version: str
    python: str
    isStack: bool = Field(description="Whether the processes are those of one stack on this machine")
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
    " greatest(0, e.end_offset - p.next_offset) AS lag FROM engine.log_end AS e"
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
    " SELECT (array_agg(seconds ORDER BY step.at DESC))[1] AS last, max(seconds) AS worst, count(*) AS steps,"
    " percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS median, max(step.at) AS at"
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
    " SELECT minute.at, coalesce(written.more / nullif(written.span, 0), 0)::float8 AS written,"
    " coalesce(taken.more / nullif(written.span, 0), 0)::float8 AS taken"
    " FROM minute LEFT JOIN written ON written.at = minute.at LEFT JOIN taken ON taken.at = minute.at ORDER BY 1"
)
_BACKUPS: Final = (
    'SELECT id, started_at AS "startedAt", finished_at AS "finishedAt", state, folder, bytes, events, error,'
    ' verified_at AS "verifiedAt", restored_at AS "restoredAt", drill_error AS "drillError"'
    " FROM ops.backup ORDER BY started_at DESC LIMIT 10"
)
_CANARY: Final = (
    "SELECT sent_at AS at, seen_after_s::float8 AS seconds FROM ops.canary"
    " WHERE sent_at > now() - interval '1 hour' ORDER BY sent_at DESC LIMIT 300"
)
_CANARY_STATE: Final = (
    "SELECT (SELECT max(sent_at) FROM ops.canary WHERE seen_after_s IS NOT NULL) AS readable,"
    " (SELECT seen_after_s::float8 FROM ops.canary WHERE seen_after_s IS NOT NULL"
    " ORDER BY sent_at DESC LIMIT 1) AS last,"
    " (SELECT percentile_cont(0.95) WITHIN GROUP (ORDER BY seen_after_s) FROM ops.canary"
    " WHERE sent_at > now() - interval '1 hour') AS p95,"
    # One that has just been sent, and none before it, is not late.
    " coalesce((SELECT min(sent_at) FROM ops.canary) < now() - interval '1 minute', false) AND NOT EXISTS ("
    " SELECT FROM ops.canary WHERE seen_after_s IS NOT NULL AND sent_at > now() - interval '1 minute') AS late"
)
_RUNNERS: Final = "SELECT count(*) AS n FROM engine.runner WHERE seen_at > now() - interval '10 seconds'"


@router.get("/api/admin/system")
def get_system(context: Context, admin: AsAdmin) -> System:
    """Processes, engines, disk, log, freshness, throughput and backups."""
    reader = admin.reader
    data_dir = context.settings.data_dir.resolve()
    found = running.processes(data_dir)
    return System(
        version=product_version(),
        python=platform.python_version(),
        isStack=found is not None,
        processes=[
            ProcessShown(
                name=row.name,
                pid=row.pid,
                state=row.state,
                restarts=row.restarts,
                uptimeSeconds=row.uptime_s,
                memoryBytes=row.memory_bytes,
            )
            for row in found or ()
        ],
        engines=_engines(context, reader),
        disk=_DISK.look(data_dir),
        log=_log(reader),
        projectors=reader.rows(_RUNNERS)[0]["n"],
        freshness=_freshness(reader),
        canary=_canary(reader, is_on=context.settings.canary),
        throughput=[
            Throughput(at=row["at"], inPerSecond=row["written"], outPerSecond=row["taken"])
            for row in reader.rows(_THROUGHPUT)
        ],
        backups=[Backup(**row) for row in reader.rows(_BACKUPS)],
    )


class DiskLooks:
    """Looks at the disk now and then. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._at = 0.0
        self._found: DiskShown | None = None

    def look(self, data_dir: Path) -> DiskShown | None:
        """None where there is no such directory on this machine."""
        with self._lock:
            if self._found is None or time.monotonic() - self._at > DISK_EVERY_S:
                try:
                    disk = running.disk(data_dir)
                except OSError as error:
                    log.info("the data directory cannot be looked at: %s", error)
                    return None
                self._found = DiskShown(total=disk.total, used=disk.used, free=disk.free, folders=disk.folders)
                self._at = time.monotonic()
            return self._found


_DISK: Final = DiskLooks()


def _engines(context: Services, reader: Reader) -> list[EngineShown]:
    [row] = reader.rows("SELECT current_setting('server_version') AS version")
    postgres = EngineShown(name="postgres", version=row["version"].split()[0], answers=True, note="")
    try:
        [told] = context.columnar.rows(Query("SELECT version() AS version", {}))
        clickhouse = EngineShown(name="clickhouse", version=told["version"], answers=True, note="")
    except Problem as problem:
        clickhouse = EngineShown(name="clickhouse", version=None, answers=False, note=problem.message)
    return [_log_engine(context.settings, reader), postgres, clickhouse]


def _log_engine(settings: Settings, reader: Reader) -> EngineShown:
    """A log in Postgres answers when Postgres does. Of Kafka the projectors tell; while none runs, it is asked."""
    stack = state.read(settings.data_dir.resolve())
    if settings.log == "postgres" or (stack is not None and stack.log == "postgres"):
        return EngineShown(name="log", version=None, answers=True, note="The log is in Postgres.")
    embedded = stack is not None and state.is_running(stack)
    version = _kafka_version() if embedded else None
    note = "" if embedded else "Your own Kafka; it does not tell its version."
    rows = reader.rows("SELECT max(seen_at) > now() - interval '15 seconds' AS seen FROM engine.log_end")
    if rows and rows[0]["seen"]:
        return EngineShown(name="kafka", version=version, answers=True, note=note)
    note = f"{note} No projector has looked at it for a while.".strip()
    return EngineShown(name="kafka", version=version, answers=_kafka_answers(settings), note=note)


def _kafka_answers(settings: Settings) -> bool:
    """Whether one of the named servers answers; behind TLS or a sign-in, whether it can be reached."""
    for server in (settings.kafka_bootstrap_servers or "").split(","):
        host, _, port = server.rpartition(":")
        if host and port.isdecimal() and kafka.answers(int(port), host.strip("[]"), plain=_is_plain(settings)):
            return True
    return False


def _is_plain(settings: Settings) -> bool:
    return (settings.kafka_security_protocol or "PLAINTEXT") == "PLAINTEXT"


def _kafka_version() -> str | None:
    """Of the jar that the embedded one runs from."""
    found = [re.fullmatch(r"kafka_[\d.]+-([\d.]+)\.jar", jar.name) for jar in KAFKA_JARS.glob("kafka_*.jar")]
    return next((each[1] for each in found if each), None)


def _log(reader: Reader) -> list[LogPartition]:
    partitions: dict[tuple[str, int], LogPartition] = {}
    for row in reader.rows(_ENDS):
        key = row["topic"], row["partition"]
        if key not in partitions:
            partitions[key] = LogPartition(
                topic=key[0], partition=key[1], endOffset=row["end_offset"], seenAt=row["seen_at"], readers=[]
            )
        if row["projection"] is not None:
            partitions[key].readers.append(ReaderLag(projection=row["projection"], lagEvents=row["lag"]))
    return list(partitions.values())


def _freshness(reader: Reader) -> Freshness:
    row: Mapping[str, Any] = reader.rows(_FRESHNESS, {"minutes": FRESH_MINUTES})[0]
    return Freshness(
        lastSeconds=row["last"],
        medianSeconds=row["median"],
        worstSeconds=row["worst"],
        measuredAt=row["at"],
        steps=row["steps"],
    )


def _canary(reader: Reader, *, is_on: bool) -> Canary:
    [row] = reader.rows(_CANARY_STATE)
    points = [CanaryPoint(at=each["at"], seconds=each["seconds"]) for each in reversed(reader.rows(_CANARY))]
    return Canary(
        isOn=is_on,
        lastSeconds=row["last"],
        p95Seconds=row["p95"],
        readableAt=row["readable"],
        isLate=is_on and row["late"],
        points=points,
    )
