"""The supervisor: keeps a worker for every partition of every running generation, and moves generations on.

The wanted state is in Postgres (`engine.build`); the loop reads it four times a second while something changes, else
once a second, and starts or stops workers to match. Several processes may run: each starts the same workers, and
advisory locks choose the active ones. The holder of the lock `leader` also moves generations on, fills rollups, drops
tables that are no longer needed.
"""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from threading import Event, Thread
from time import monotonic
from typing import Any, Final
from uuid import uuid4

import psycopg
import structlog
from psycopg import Connection

from infra.kernel.config.settings import Settings
from infra.kernel.log import LogUnavailable, partitions
from infra.kernel.observability import logging
from infra.kernel.subscriptions import dead_letters
from infra.kernel.subscriptions.positions import WorkerKey
from projectors.engine import backfill, barrier, generations, samples, schema
from projectors.engine.clickhouse import BACKFILL_TIMEOUT_S, HttpClickHouse, Unavailable
from projectors.engine.clickhouse_worker import ClickHouseWorker
from projectors.engine.garbage import GarbageCollector
from projectors.engine.generations import KEPT_DAYS, PARAMETERS, RUNNING, GenerationRow
from projectors.engine.operations import Operations
from projectors.engine.postgres_worker import PostgresWorker
from projectors.engine.projection import ClickHouseProjection, Registry, topic_partitions
from projectors.engine.read_model import ReadModel
from projectors.engine.status import Ends, Lag, lags
from projectors.engine.worker import TRANSIENT, Runtime, Worker

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 0.25
IDLE_LOOK_EVERY_S: Final = 1.0
BUSY_S: Final = 10.0
"""For this time after a generation or an operation was last seen to change, the next change is expected soon."""
BACKOFF_S: Final = 1.0
BEAT_EVERY_S: Final = 1.0
IDLE_BEAT_EVERY_S: Final = 3.0
"""While no position and no end of the log moves. Who looks for a running service allows ten seconds."""
TIDY_EVERY_S: Final = 600.0
DRAIN_S: Final = 10.0
NEARLY_THERE: Final = 10_000
READY_EVENTS: Final = 1_000
READY_S: Final = 5.0
LEADER: Final = "leader"


PARAMETERS_EVERY_S: Final = 2.0


class Beats:
    """Schedules when the supervisor reports that it runs and notes the ends of the log: rarely while nothing moves."""

    def __init__(self) -> None:
        self._last = float("-inf")
        self._places: Sequence[tuple[int, int | None]] = ()
        self._is_moving = True

    def is_due(self, now: float) -> bool:
        """Returns whether a beat comes now; then the next one is due after its time."""
        if now - self._last < (BEAT_EVERY_S if self._is_moving else IDLE_BEAT_EVERY_S):
            return False
        self._last = now
        return True

    def note(self, places: Sequence[tuple[int, int | None]]) -> None:
        """Takes each worker's position and the end of its partition, always in the same order."""
        self._is_moving, self._places = places != self._places, places


class WorkerSupervisor:
    """`run` blocks until `stopping` is set, then lets the workers end their steps."""

    def __init__(self, settings: Settings, registry: Registry, runtime: Runtime) -> None:
        self._settings, self._registry, self._runtime = settings, registry, runtime
        self._id = uuid4()
        self._workers: dict[WorkerKey, Worker] = {}
        self._prepared: set[tuple[str, int]] = set()
        self._backfills: dict[tuple[str, int], Thread] = {}
        self._failures: list[tuple[WorkerKey, str]] = []
        self._ends = Ends(runtime.log)
        self._operations = Operations(settings, registry, self._ends)
        self._sampler = samples.Sampler(self._ends)
        self._beats = Beats()
        self._garbage = GarbageCollector()
        self._last_tidy = 0.0
        self._last_parameters = 0.0
        self._changes_seen = False
        self._pointed: frozenset[tuple[str, int]] | None = None
        self._generations: list[GenerationRow] = []
        self._busy_until = monotonic() + BUSY_S
        self.last_look = monotonic()

    def run(self, stopping: Event) -> None:
        """Matches workers to generations, time and again; an error delays the next round, and ends nothing."""
        logging.begin_context(component="supervisor")
        while not stopping.is_set():
            try:
                self._look(stopping)
                self.last_look = monotonic()
            except (*TRANSIENT, barrier.BarrierLost) as error:
                log.warning("supervisor_backoff", delay_s=BACKOFF_S, error=error)
                stopping.wait(BACKOFF_S)
            except Exception:
                log.exception("unexpected_error")
                stopping.wait(BACKOFF_S)
            self._garbage.look(monotonic())
            stopping.wait(LOOK_EVERY_S if monotonic() < self._busy_until else IDLE_LOOK_EVERY_S)
        self._drain()

    @property
    def has_workers(self) -> bool:
        """Returns whether anything is projected, here or as a standby."""
        return bool(self._workers)

    def _look(self, stopping: Event) -> None:
        with self._runtime.pool.connection() as connection:
            connection.autocommit = True
            try:
                self._store_failures(connection)
                self._beat(connection)
                rows = [row for row in generations.rows(connection) if row.name in self._registry.names]
                is_leader = self._runtime.ownership.acquire(LEADER)
                if is_leader:
                    self._see_changes(connection)
                    self._point_views(connection, rows)
                    self._operations.look(connection, stopping)
                else:
                    self._pointed, self._changes_seen = None, False
                self._match_workers(connection, rows)
                self._note_changes(rows)
                self._hand_out_retries(connection)
                if is_leader:
                    self._move_generations(connection, rows, stopping)
                    self._tidy(connection, rows)
            finally:
                with suppress(psycopg.Error):
                    connection.autocommit = False

    def _note_changes(self, found: list[GenerationRow]) -> None:
        is_building = any(not row.is_live and row.state in generations.ACTIVE for row in found)
        has_ended = any(not worker.is_alive() for worker in self._workers.values())
        if is_building or has_ended or found != self._generations or self._operations.are_running or self._failures:
            self._busy_until = monotonic() + BUSY_S
        self._generations = found

    def _match_workers(self, connection: Connection[Any], found: list[GenerationRow]) -> None:
        needed: dict[WorkerKey, GenerationRow] = {}
        counts = partitions.counts(connection)
        for row in found:
            projection = self._registry.projections.get(row.name)
            if projection is None or row.state not in RUNNING or self._is_of_other(row):
                continue
            self._prepare(connection, row)
            for place in topic_partitions(projection, counts):
                needed[WorkerKey(row.name, row.generation, place.topic, place.partition)] = row
        for key, worker in list(self._workers.items()):
            if key not in needed:
                worker.stop()
            if not worker.is_alive():
                del self._workers[key]
        for key, row in needed.items():
            worker = self._workers.get(key) or self._start(key)
            worker.is_live = row.is_live
            worker.publishes = row.is_live or row.state == "ready"

    def _is_of_other(self, row: GenerationRow) -> bool:
        """Returns whether another version of the program makes the generation: handlers of this one would not fit its
        columns.

        A live table of ClickHouse is filled by any version until its rebuild is done.
        """
        version = self._registry.versions[row.name]
        return row.version != version and not (row.is_live and row.kind != "postgres")

    def _start(self, key: WorkerKey) -> Worker:
        projection = self._registry.projections[key.projection]
        worker: Worker
        if isinstance(projection, ReadModel):
            worker = PostgresWorker(key, projection, self._runtime, self._note_failure)
        else:
            worker = ClickHouseWorker(key, projection, self._runtime, self._note_failure)
        self._workers[key] = worker
        worker.start()
        return worker

    def _prepare(self, connection: Connection[Any], row: GenerationRow) -> None:
        """Makes the tables of a generation that starts; running it again changes nothing."""
        if row.is_live or (row.name, row.generation) in self._prepared:
            return
        projection = self._registry.projections[row.name]
        if isinstance(projection, ReadModel):
            schema.create_read_model(connection, projection, row.generation, indexes=False)
        else:
            for table in projection.tables:
                schema.create_clickhouse_table(self._runtime.clickhouse, table, row.generation)
            for rollup in projection.rollups:
                schema.feed(self._runtime.clickhouse, rollup, row.generation, projection.main, row.generation)
        schema.create_positions(connection, projection, row.generation)
        self._prepared.add((row.name, row.generation))

    def _move_generations(self, connection: Connection[Any], found: list[GenerationRow], stopping: Event) -> None:
        behind: list[Lag] | None = None
        for row in found:
            if self._is_of_other(row):
                continue
            if row.kind == "rollup":
                if (row.state == "building" and row.source_generation != row.generation) or row.promote_when_ready:
                    self._fill_rollup(connection, row, stopping)
            elif row.state in generations.ACTIVE and (row.state != "ready" or row.promote_when_ready):
                behind = lags(connection, self._ends) if behind is None else behind
                own = [lag for lag in behind if (lag.projection, lag.generation) == generation_key(row)]
                self._move(connection, row, own)

    def _move(self, connection: Connection[Any], row: GenerationRow, behind: list[Lag]) -> None:
        if not behind or any(lag.events is None for lag in behind):
            return
        events = sum(lag.events or 0 for lag in behind)
        if row.state == "building" and events < NEARLY_THERE:
            projection = self._registry.projections[row.name]
            if isinstance(projection, ReadModel):
                schema.create_read_model(connection, projection, row.generation, indexes=True)
                connection.execute(f"analyze read.{projection.table(row.generation)}".encode())
            self._set_state(connection, row, "catching_up")
        elif row.state == "catching_up" and events < READY_EVENTS and all(lag.seconds < READY_S for lag in behind):
            self._set_state(connection, row, "ready")
            log.info("generation_ready", projection=row.name, generation=row.generation)
        elif row.state == "ready" and row.promote_when_ready:
            self._switch(connection, row)

    def _set_state(self, connection: Connection[Any], row: GenerationRow, state: str) -> None:
        generations.set_state(connection, row, state)
        projection = self._registry.projections[row.name]
        if isinstance(projection, ClickHouseProjection):
            connection.execute(
                "update engine.build set state = %s, ready_at = case when %s = 'ready' then now() end "
                "where name = any(%s) and generation = %s and source_generation = %s and state = any(%s)",
                (
                    state,
                    state,
                    [rollup.name for rollup in projection.rollups],
                    row.generation,
                    row.generation,
                    list(generations.ACTIVE),
                ),
            )

    def _fill_rollup(self, connection: Connection[Any], row: GenerationRow, stopping: Event) -> None:
        if row.state == "ready" and row.promote_when_ready:
            self._switch(connection, row)
            return
        thread = self._backfills.get(generation_key(row))
        if row.state == "building" and (thread is None or not thread.is_alive()):
            thread = Thread(target=self._backfill, args=(row, stopping), name=f"backfill {row.name}", daemon=True)
            self._backfills[generation_key(row)] = thread
            thread.start()

    def _switch(self, connection: Connection[Any], row: GenerationRow) -> None:
        try:
            generations.switch(connection, self._runtime.clickhouse, self._registry, row)
        except generations.NotAllowed as refused:
            log.info("generation_switch_refused", projection=row.name, generation=row.generation, error=refused)

    def _backfill(self, row: GenerationRow, stopping: Event) -> None:
        logging.begin_context(component="backfill", projection=row.name, generation=row.generation)
        family, rollup = self._registry.rollups[row.name]
        try:
            clickhouse = HttpClickHouse(self._settings, answer_timeout_s=BACKFILL_TIMEOUT_S)
            with psycopg.connect(self._settings.postgres_url or "", autocommit=True, connect_timeout=3) as connection:
                backfill.run(connection, clickhouse, family, rollup, row, stopping)
        except backfill.Interrupted:
            return
        except (*TRANSIENT, barrier.BarrierLost) as error:
            log.warning("backfill_postponed", delay_s=BACKOFF_S, error=error)
            stopping.wait(BACKOFF_S)
        except Exception as error:
            log.exception("backfill_failed")
            with suppress(psycopg.Error), self._runtime.pool.connection() as connection:
                generations.fail(connection, row.name, row.generation, f"{type(error).__name__}: {error}")

    def _tidy(self, connection: Connection[Any], found: list[GenerationRow]) -> None:
        """Drops cancelled generations, and those that were retired a week ago."""
        for row in found:
            if row.state == "cancelled" and not row.is_live and not self._is_worked_on(row):
                self._drop(connection, row)
        if monotonic() - self._last_tidy < TIDY_EVERY_S:
            return
        self._last_tidy = monotonic()
        dead_letters.supersede(connection)
        for name, generation in expired(connection):
            for row in found:
                if generation_key(row) == (name, generation):
                    generations.drop_expired(connection, row, partial(self._drop, connection, row))

    def _is_worked_on(self, row: GenerationRow) -> bool:
        thread = self._backfills.get(generation_key(row))
        return (thread is not None and thread.is_alive()) or any(
            (key.projection, key.generation) == generation_key(row) for key in self._workers
        )

    def _drop(self, connection: Connection[Any], row: GenerationRow) -> None:
        log.info("generation_dropping", projection=row.name, generation=row.generation)
        name, generation = generation_key(row)
        projection = self._registry.projections.get(name)
        if isinstance(projection, ReadModel):
            connection.execute(f"drop table if exists read.{projection.table(generation)}".encode())
        elif isinstance(projection, ClickHouseProjection):
            for other in generations.rows(connection):
                if other.source_generation == generation and other.name in self._registry.rollups:
                    self._drop_rollup(connection, other)
            for table in (*projection.others, projection.main):
                schema.drop_clickhouse_table(self._runtime.clickhouse, table, generation)
            shutil.rmtree(self._runtime.data_dir / "projector" / name / str(generation), ignore_errors=True)
        elif name in self._registry.rollups:
            self._drop_rollup(connection, row)
        named = (name, generation)
        connection.execute("delete from engine.position where projection = %s and generation = %s", named)
        connection.execute("delete from engine.dead_letter where projection = %s and generation = %s", named)
        _note_drop(connection, name, generation)
        self._prepared.discard((name, generation))

    def _drop_rollup(self, connection: Connection[Any], row: GenerationRow) -> None:
        rollup = self._registry.rollups[row.name][1]
        schema.drop_clickhouse_table(self._runtime.clickhouse, rollup, row.generation)
        _note_drop(connection, row.name, row.generation)

    def _hand_out_retries(self, connection: Connection[Any]) -> None:
        rows = connection.execute(
            "select distinct projection, generation, topic, partition from engine.dead_letter "
            "where state = 'open' and retry_requested_at is not null"
        ).fetchall()
        for row in rows:
            worker = self._workers.get(WorkerKey(*row))
            if worker is not None:
                worker.has_retries.set()

    def _see_changes(self, connection: Connection[Any]) -> None:
        if not self._changes_seen:
            generations.rebuild_changed(connection, self._registry)
            self._changes_seen = True
        if monotonic() - self._last_parameters > PARAMETERS_EVERY_S:
            self._last_parameters = monotonic()
            generations.rebuild_with_new_parameters(connection, self._registry)

    def _point_views(self, connection: Connection[Any], found: list[GenerationRow]) -> None:
        """Repairs views after a crash, or an engine's downtime, between the switch in Postgres and the one in
        ClickHouse: otherwise readers would read tables that have no writer any more."""
        live = frozenset(generation_key(row) for row in found if row.is_live and row.kind != "postgres")
        if live == self._pointed:
            return
        for family in self._registry.clickhouse:
            schema.point_family(connection, self._runtime.clickhouse, family)
        self._pointed = live

    def _beat(self, connection: Connection[Any]) -> None:
        if not self._beats.is_due(monotonic()):
            return
        connection.execute(
            "insert into engine.runner (id, host, pid) values (%s, %s, %s) "
            "on conflict (id) do update set seen_at = now()",
            (self._id, socket.gethostname(), os.getpid()),
        )
        connection.execute("delete from engine.runner where seen_at < now() - interval '1 hour'")
        self._runtime.ownership.check()
        with suppress(LogUnavailable, Unavailable):
            current_lags = lags(connection, self._ends)
            self._beats.note([(lag.next_offset, lag.end_offset) for lag in current_lags])
            samples.show(current_lags)
            if self._runtime.ownership.holds(LEADER):
                self._sampler.look(connection, current_lags)

    def _note_failure(self, key: WorkerKey, error: str) -> None:
        self._failures.append((key, error))

    def _store_failures(self, connection: Connection[Any]) -> None:
        while self._failures:
            key, error = self._failures[0]
            generations.fail(connection, key.projection, key.generation, error)
            self._failures.pop(0)

    def _drain(self) -> None:
        deadline = monotonic() + DRAIN_S
        for worker in self._workers.values():
            worker.stop()
        for worker in self._workers.values():
            worker.join(max(0.0, deadline - monotonic()))
        for thread in self._backfills.values():
            thread.join(max(0.0, deadline - monotonic()))
        self._operations.drain()
        with suppress(psycopg.Error), self._runtime.pool.connection(timeout=1) as connection:
            connection.execute("delete from engine.runner where id = %s", (self._id,))
        self._runtime.ownership.close()


def generation_key(row: GenerationRow) -> tuple[str, int]:
    """Identifies a generation by its projection and number, as `engine.build` does."""
    return row.name, row.generation


def expired(connection: Connection[Any]) -> list[tuple[str, int]]:
    """Retired generations past the rollback period; sooner those whose parameters differ from the live one's, since a
    rollback to them would only start another generation."""
    return connection.execute(
        "select b.name, b.generation from engine.build b join engine.projection p on p.name = b.name "
        "join engine.build l on l.name = p.name and l.generation = p.live_generation "
        "where b.state = 'retired' and b.dropped_at is null and (b.retired_at < now() - make_interval(days => %s) "
        "or (b.retired_at < now() - interval '1 hour' and coalesce(b.progress -> %s, '[]'::jsonb) "
        "<> coalesce(l.progress -> %s, '[]'::jsonb)))",
        (KEPT_DAYS, PARAMETERS, PARAMETERS),
    ).fetchall()


def _note_drop(connection: Connection[Any], name: str, generation: int) -> None:
    connection.execute(
        "update engine.build set dropped_at = now(), "
        "state = case when state = 'cancelled' then state else 'retired' end where name = %s and generation = %s",
        (name, generation),
    )
