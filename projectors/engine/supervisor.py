"""The running service: keeps a worker for every partition of every running generation, and moves builds along.

What should run is in Postgres (`engine.build`); this loop looks four times a second and starts or stops workers to
match. Several processes may run: each starts the same workers, and advisory locks decide who works. The one that holds
the lock `leader` also moves builds from state to state, fills rollups and drops what is no longer wanted.
"""

from __future__ import annotations

import logging
import os
import shutil
import socket
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from threading import Event, Thread
from time import monotonic
from typing import Any, Final
from uuid import uuid4

import psycopg
from psycopg import Connection

from infra.log import LogUnavailable
from infra.settings import Settings
from projectors.engine import backfill, generations, holding, metrics, schema
from projectors.engine.clickhouse import BACKFILL_TIMEOUT_S, HttpClickHouse, Unavailable
from projectors.engine.clickhouse_worker import ClickHouseWorker
from projectors.engine.generations import KEPT_DAYS, PARAMETERS, RUNNING, Build
from projectors.engine.operations import Operations
from projectors.engine.positions import Key
from projectors.engine.postgres_worker import PostgresWorker
from projectors.engine.projection import Catalogue, ClickHouseProjection, Projection, places
from projectors.engine.read_model import ReadModel
from projectors.engine.samples import Sampler
from projectors.engine.status import Ends, Lag, lags
from projectors.engine.tables import create_feed, drop_table, table_name
from projectors.engine.worker import TRANSIENT, Runtime, Worker

log = logging.getLogger(__name__)

LOOK_EVERY_S: Final = 0.25
BEAT_EVERY_S: Final = 1.0
TIDY_EVERY_S: Final = 600.0
DRAIN_S: Final = 10.0
NEARLY_THERE: Final = 10_000
READY_EVENTS: Final = 1_000
READY_S: Final = 5.0
LEADER: Final = "leader"


PARAMETERS_EVERY_S: Final = 2.0


class Fleet:
    """`run` blocks until `stopping` is set, then lets the workers end their steps."""

    def __init__(self, settings: Settings, catalogue: Catalogue, runtime: Runtime) -> None:
        self._settings, self._catalogue, self._runtime = settings, catalogue, runtime
        self._cluster = settings.clickhouse_cluster
        self._id = uuid4()
        self._workers: dict[Key, Worker] = {}
        self._prepared: set[tuple[str, int]] = set()
        self._backfills: dict[tuple[str, int], Thread] = {}
        self._failures: list[tuple[Key, str]] = []
        self._ends = Ends(runtime.log)
        self._operations = Operations(settings, catalogue, self._ends)
        self._sampler = Sampler(self._ends)
        self._last_beat = 0.0
        self._last_tidy = 0.0
        self._last_parameters = 0.0
        self._changes_seen = False
        self._pointed: frozenset[tuple[str, int]] | None = None
        self.last_look = monotonic()

    def run(self, stopping: Event) -> None:
        while not stopping.is_set():
            try:
                self._look(stopping)
                self.last_look = monotonic()
            except (*TRANSIENT, holding.HoldLost) as error:
                log.warning("the fleet waits: %s: %s", type(error).__name__, error)
                stopping.wait(1.0)
            except Exception:
                log.exception("the fleet met an error that nothing here expects")
                stopping.wait(1.0)
            stopping.wait(LOOK_EVERY_S)
        self._drain()

    @property
    def has_workers(self) -> bool:
        """Whether anything is projected, here or as a standby."""
        return bool(self._workers)

    def _look(self, stopping: Event) -> None:
        with self._runtime.pool.connection() as connection:
            connection.autocommit = True
            try:
                self._store_failures(connection)
                self._beat(connection)
                found = generations.builds(connection)
                is_leader = self._runtime.ownership.acquire(LEADER)
                if is_leader:
                    self._see_changes(connection)
                    self._point_views(connection, found)
                    self._operations.look(connection, stopping)
                else:
                    self._pointed = None
                self._match_workers(connection, found)
                self._hand_out_retries(connection)
                if is_leader:
                    self._move_builds(connection, found, stopping)
                    self._tidy(connection, found)
            finally:
                with suppress(psycopg.Error):
                    connection.autocommit = False

    def _match_workers(self, connection: Connection[Any], found: list[Build]) -> None:
        wanted: dict[Key, Build] = {}
        for build in found:
            projection = self._catalogue.projections.get(build.name)
            if projection is None or build.state not in RUNNING or _is_of_old(projection, build):
                continue
            self._prepare(connection, build)
            for place in places(projection):
                wanted[Key(build.name, build.generation, place.topic, place.partition)] = build
        for key, worker in list(self._workers.items()):
            if key not in wanted:
                worker.stop()
            if not worker.is_alive():
                del self._workers[key]
        for key, build in wanted.items():
            worker = self._workers.get(key) or self._start(key)
            worker.is_live = build.is_live
            worker.publishes = build.is_live or build.state == "ready"

    def _start(self, key: Key) -> Worker:
        projection = self._catalogue.projections[key.projection]
        worker: Worker
        if isinstance(projection, ReadModel):
            worker = PostgresWorker(key, projection, self._runtime, self._note_failure)
        else:
            worker = ClickHouseWorker(key, projection, self._runtime, self._note_failure)
        self._workers[key] = worker
        worker.start()
        return worker

    def _prepare(self, connection: Connection[Any], build: Build) -> None:
        """Makes the tables of a build that starts; running it again changes nothing."""
        if build.is_live or (build.name, build.generation) in self._prepared:
            return
        projection = self._catalogue.projections[build.name]
        if isinstance(projection, ReadModel):
            schema.create_read_model(connection, projection, build.generation, indexes=False)
        else:
            for table in projection.tables:
                schema.create_clickhouse_table(self._runtime.clickhouse, table, build.generation, self._cluster)
            source = table_name(projection.main.name, build.generation)
            for rollup in projection.rollups:
                self._runtime.clickhouse.run(create_feed(rollup, build.generation, source, self._cluster))
        schema.create_positions(connection, projection, build.generation)
        self._prepared.add((build.name, build.generation))

    def _move_builds(self, connection: Connection[Any], found: list[Build], stopping: Event) -> None:
        behind: dict[tuple[str, int], list[Lag]] | None = None
        for build in found:
            if build.kind == "rollup":
                if (
                    build.state == "building" and build.source_generation != build.generation
                ) or build.promote_when_ready:
                    self._fill_rollup(connection, build, stopping)
            elif build.state in generations.ACTIVE and (build.state != "ready" or build.promote_when_ready):
                behind = _by_build(lags(connection, self._ends)) if behind is None else behind
                self._move(connection, build, behind.get(build_key(build), []))

    def _move(self, connection: Connection[Any], build: Build, behind: list[Lag]) -> None:
        if not behind or any(lag.events is None for lag in behind):
            return
        events = sum(lag.events or 0 for lag in behind)
        if build.state == "building" and events < NEARLY_THERE:
            projection = self._catalogue.projections[build.name]
            if isinstance(projection, ReadModel):
                schema.create_read_model(connection, projection, build.generation, indexes=True)
                connection.execute(f"analyze read.{projection.table(build.generation)}".encode())
            self._set_state(connection, build, "catching_up")
        elif build.state == "catching_up" and events < READY_EVENTS and all(lag.seconds < READY_S for lag in behind):
            self._set_state(connection, build, "ready")
            log.info("%s, generation %d is ready", build.name, build.generation)
        elif build.state == "ready" and build.promote_when_ready:
            self._switch(connection, build)

    def _set_state(self, connection: Connection[Any], build: Build, state: str) -> None:
        generations.set_state(connection, build, state)
        projection = self._catalogue.projections[build.name]
        if isinstance(projection, ClickHouseProjection):
            connection.execute(
                "update engine.build set state = %s, ready_at = case when %s = 'ready' then now() end "
                "where name = any(%s) and generation = %s and source_generation = %s and state = any(%s)",
                (
                    state,
                    state,
                    [rollup.name for rollup in projection.rollups],
                    build.generation,
                    build.generation,
                    list(generations.ACTIVE),
                ),
            )

    def _fill_rollup(self, connection: Connection[Any], build: Build, stopping: Event) -> None:
        if build.state == "ready" and build.promote_when_ready:
            self._switch(connection, build)
            return
        thread = self._backfills.get(build_key(build))
        if build.state == "building" and (thread is None or not thread.is_alive()):
            thread = Thread(target=self._backfill, args=(build, stopping), name=f"backfill {build.name}", daemon=True)
            self._backfills[build_key(build)] = thread
            thread.start()

    def _switch(self, connection: Connection[Any], build: Build) -> None:
        try:
            generations.switch(connection, self._runtime.clickhouse, self._catalogue, build, self._cluster)
        except generations.NotAllowed as refused:
            log.info("not switched: %s", refused)

    def _backfill(self, build: Build, stopping: Event) -> None:
        family, rollup = self._catalogue.rollups[build.name]
        try:
            clickhouse = HttpClickHouse(self._settings, answer_timeout_s=BACKFILL_TIMEOUT_S)
            with psycopg.connect(self._settings.postgres_url or "", autocommit=True, connect_timeout=3) as connection:
                backfill.run(connection, clickhouse, family, rollup, build, self._cluster, stopping)
        except backfill.Interrupted:
            return
        except (*TRANSIENT, holding.HoldLost) as error:
            log.warning("filling %s waits: %s", build.name, error)
            stopping.wait(1.0)
        except Exception as error:
            log.exception("filling %s failed", build.name)
            with suppress(psycopg.Error), self._runtime.pool.connection() as connection:
                generations.fail(connection, build.name, build.generation, f"{type(error).__name__}: {error}")

    def _tidy(self, connection: Connection[Any], found: list[Build]) -> None:
        """Drops what was cancelled, and generations that were retired a week ago."""
        for build in found:
            if build.state == "cancelled" and not build.is_live and not self._is_worked_on(build):
                self._drop(connection, build)
        if monotonic() - self._last_tidy < TIDY_EVERY_S:
            return
        self._last_tidy = monotonic()
        for name, generation in expired(connection):
            for build in found:
                if build_key(build) == (name, generation):
                    generations.drop_expired(connection, build, partial(self._drop, connection, build))

    def _is_worked_on(self, build: Build) -> bool:
        thread = self._backfills.get(build_key(build))
        return (thread is not None and thread.is_alive()) or any(
            (key.projection, key.generation) == build_key(build) for key in self._workers
        )

    def _drop(self, connection: Connection[Any], build: Build) -> None:
        log.info("dropping %s, generation %d", build.name, build.generation)
        name, generation = build_key(build)
        projection = self._catalogue.projections.get(name)
        if isinstance(projection, ReadModel):
            connection.execute(f"drop table if exists read.{projection.table(generation)}".encode())
        elif isinstance(projection, ClickHouseProjection):
            for other in generations.builds(connection):
                if other.source_generation == generation and other.name in self._catalogue.rollups:
                    self._drop_rollup(connection, other)
            for table in (*projection.others, projection.main):
                for statement in drop_table(table, generation, self._cluster):
                    self._runtime.clickhouse.run(statement)
            shutil.rmtree(self._runtime.data_dir / "projector" / name / str(generation), ignore_errors=True)
        elif name in self._catalogue.rollups:
            self._drop_rollup(connection, build)
        named = (name, generation)
        connection.execute("delete from engine.position where projection = %s and generation = %s", named)
        connection.execute("delete from engine.dead_letter where projection = %s and generation = %s", named)
        _note_drop(connection, name, generation)
        self._prepared.discard((name, generation))

    def _drop_rollup(self, connection: Connection[Any], build: Build) -> None:
        rollup = self._catalogue.rollups[build.name][1]
        for statement in drop_table(rollup, build.generation, self._cluster):
            self._runtime.clickhouse.run(statement)
        _note_drop(connection, build.name, build.generation)

    def _hand_out_retries(self, connection: Connection[Any]) -> None:
        rows = connection.execute(
            "select distinct projection, generation, topic, partition from engine.dead_letter "
            "where state = 'open' and retry_requested_at is not null"
        ).fetchall()
        for row in rows:
            worker = self._workers.get(Key(*row))
            if worker is not None:
                worker.has_retries.set()

    def _see_changes(self, connection: Connection[Any]) -> None:
        if not self._changes_seen:
            generations.rebuild_changed(connection, self._catalogue)
            self._changes_seen = True
        if monotonic() - self._last_parameters > PARAMETERS_EVERY_S:
            self._last_parameters = monotonic()
            generations.rebuild_with_new_parameters(connection, self._catalogue)

    def _point_views(self, connection: Connection[Any], found: list[Build]) -> None:
        """What came between the switch in Postgres and the one in ClickHouse, a crash of ours or of a command, or an
        engine that was away, is mended here: else readers would stay at tables that nobody writes to any more."""
        live = frozenset(build_key(build) for build in found if build.is_live and build.kind != "postgres")
        if live == self._pointed:
            return
        for family in self._catalogue.clickhouse:
            schema.point_family(connection, self._runtime.clickhouse, family, self._cluster)
        self._pointed = live

    def _beat(self, connection: Connection[Any]) -> None:
        if monotonic() - self._last_beat < BEAT_EVERY_S:
            return
        self._last_beat = monotonic()
        connection.execute(
            "insert into engine.runner (id, host, pid) values (%s, %s, %s) "
            "on conflict (id) do update set seen_at = now()",
            (self._id, socket.gethostname(), os.getpid()),
        )
        connection.execute("delete from engine.runner where seen_at < now() - interval '1 hour'")
        self._runtime.ownership.check()
        with suppress(LogUnavailable, Unavailable):
            found = lags(connection, self._ends)
            metrics.show(found)
            if self._runtime.ownership.holds(LEADER):
                self._sampler.look(connection, found)

    def _note_failure(self, key: Key, error: str) -> None:
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


def _is_of_old(projection: Projection, build: Build) -> bool:
    """A read model that another version of the program built: today's handlers would not find its columns."""
    return isinstance(projection, ReadModel) and build.is_live and build.version != projection.version


def build_key(build: Build) -> tuple[str, int]:
    return build.name, build.generation


def _by_build(found: Iterable[Lag]) -> dict[tuple[str, int], list[Lag]]:
    by_build: dict[tuple[str, int], list[Lag]] = {}
    for lag in found:
        by_build.setdefault((lag.projection, lag.generation), []).append(lag)
    return by_build


def expired(connection: Connection[Any]) -> list[tuple[str, int]]:
    """Retired generations that nobody will roll back to any more; soon those of other parameters than the live one's,
    since a rollback to them would only be followed by another build."""
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
