"""Projections under test: separate databases on shared engines, the service as a thread or a real process.

`ProjectionBench` publishes to the log, waits for positions and reads tables. It uses the log on Postgres, which passes
the same contract tests as Kafka.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from threading import Event, Thread
from typing import Any
from uuid import UUID

import orjson
import psycopg
import pytest

from infra.kernel.config.settings import Settings
from infra.kernel.log import Log, Record
from projectors import service
from projectors.cli import main
from projectors.engine import status
from projectors.engine.clickhouse import HttpClickHouse
from projectors.registry import REGISTRY
from schemas import envelope
from schemas.base import DomainEvent
from schemas.topics import CLICKS, DOMAIN
from tests.support.commands import Command, begin_command
from tests.support.databases import create_clickhouse_tables
from tests.support.engines import ROOT
from tests.support.pipeline import pipeline
from tests.support.some_projections import only
from tests.support.stack import wait_for

WEBSITE = UUID("0190a1b2-0000-7000-8000-000000000001")
PARTNER = UUID("0190a1b2-0000-7000-8000-0000000000aa")
MASTER_KEY = "ab" * 32


@dataclass
class ProjectionBench:
    """One set of databases, with the log on them. ClickHouse's tables are made for the first who needs them."""

    settings: Settings
    log: Log
    connection: psycopg.Connection[Any]
    positions: int = 0

    @cached_property
    def clickhouse(self) -> HttpClickHouse:
        create_clickhouse_tables(self.settings)
        return HttpClickHouse(self.settings)

    def publish(self, rows: Iterable[Mapping[str, Any] | bytes], *, content: bytes | None = None) -> None:
        """Appends to `clicks`; `content` is the header of ids that a client chose."""
        headers = () if content is None else (("h", content.ljust(8, b"\0")),)
        self.log.publish([_record(row, headers) for row in rows]).result(30)

    def decide(self, *events: DomainEvent) -> None:
        """Appends to `domain` as the relay does."""
        records = []
        for event in events:
            self.positions += 1
            records.append(domain_record(event, self.positions))
        self.log.publish(records).result(30)

    def rows(self, query: str) -> list[Any]:
        return [tuple(row) for row in self.clickhouse.rows(query)]

    def one(self, query: str) -> Any:
        return self.rows(query)[0]

    def sql(self, query: str, *values: Any) -> list[Any]:
        return self.connection.execute(query.encode(), values).fetchall()

    def wait(self, name: str = "events", generation: int | None = None, timeout_s: float = 60.0) -> None:
        """Until every partition of a generation (default: the live one) has read the log to its end."""
        wait_for(lambda: self.has_caught_up(name, generation), f"{name} to catch up", timeout_s)

    def wait_near(self, name: str = "events") -> None:
        """Until the live generation has read most of a log that goes on growing."""
        query = (
            "select sum(p.next_offset) from engine.position p join engine.projection j on j.name = p.projection "
            "and j.live_generation = p.generation where p.projection = %s"
        )
        goal = self.sql("select sum(next_offset) from log.partition where topic = 'clicks'")[0][0]
        wait_for(lambda: self.sql(query, name)[0][0] >= goal, f"{name} to come near")

    def has_caught_up(self, name: str, generation: int | None = None) -> bool:
        """Whether every partition has read the log to its end."""
        found = self.sql(
            "select topic, partition, next_offset, intent_to from engine.position where projection = %s and "
            "generation = coalesce(%s, (select live_generation from engine.projection where name = %s))",
            name,
            generation,
            name,
        )
        return bool(found) and all(
            intent is None and next_offset >= self.log.end_offset(topic, partition)
            for topic, partition, next_offset, intent in found
        )

    @contextmanager
    def running(self, *names: str) -> Iterator[None]:
        """The service in a thread of the test, with these projections alone, or with all: some hundred workers."""
        stopping = Event()
        registry = only(*names) if names else REGISTRY
        if registry.clickhouse:
            self.clickhouse.ready()
        thread = Thread(target=service.run, args=(self.settings, stopping, None, registry), name="service")
        thread.start()
        try:
            with psycopg.connect(str(self.settings.postgres_url)) as connection:
                wait_for(lambda: status.is_running(connection), "the service to run")
            yield
        finally:
            stopping.set()
            thread.join(30)
            assert not thread.is_alive()

    def start(self, failpoint: str = "", *names: str) -> Command:
        """The service as a process, with these projections alone or with all; dies at `failpoint`."""
        chosen = {"TEST_FAILPOINT": failpoint, "TEST_PROJECTIONS": " ".join(names)}
        return begin_command(("serve", "projectors"), ROOT, {**self.environment, **chosen})

    @property
    def environment(self) -> dict[str, str]:
        self.clickhouse.ready()
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith("ALTHING_")},
            "PYTHONPATH": str(ROOT),
            "POSTGRES_URL": str(self.settings.postgres_url),
            "CLICKHOUSE_URL": str(self.settings.clickhouse_url),
            "ALTHING_LOG": "postgres",
            "ALTHING_DATA_DIR": str(self.settings.data_dir),
            "ALTHING_MASTER_KEY": MASTER_KEY,
        }

    def command(self, *arguments: str) -> int:
        """`althing …` in the test's own process; its exit code."""
        with _environment(self.environment):
            return main.main(list(arguments))

    def exact(self) -> None:
        """Every row once, and every rollup what the raw rows say."""
        rows, places, ids = self.one(
            "SELECT count(), uniqExact(_topic, _partition, _offset), uniqExact(website_id, event_id) FROM events"
        )
        assert rows == places == ids
        clicks = "sum(type = 'click'), sum(type = 'pageview'), sum(c_pending)"
        assert self.one("SELECT sum(clicks), sum(pageviews), sum(c_pending) FROM traffic_15m") == self.one(
            f"SELECT {clicks} FROM events"
        )
        assert self.one("SELECT sum(clicks), sum(pageviews), sum(c_pending) FROM country_15m") == self.one(
            f"SELECT {clicks} FROM events"
        )
        assert self.one("SELECT sum(clicks), sum(c_pending) FROM partner_15m") == self.one(
            "SELECT sum(type = 'click'), sum(c_pending) FROM events WHERE partner_id <> toUUID('"
            + str(UUID(int=0))
            + "')"
        )
        assert self.one("SELECT uniqCombinedMerge(12)(visitors) FROM visitors_15m") == self.one(
            "SELECT uniqCombined(12)(visitor) FROM events WHERE type <> 'conversion' AND visitor <> 0"
        )
        assert self.one("SELECT sum(events) FROM delivery_minute") == self.one(
            "SELECT count() FROM events WHERE type <> 'conversion'"
        )


def click(number: int, **changes: Any) -> dict[str, Any]:
    """A tracked event as ingest writes it; `number` makes its id and visitor."""
    at = f"2026-11-{1 + number % 20:02d} {number % 24:02d}:{number % 60:02d}:00.{number % 1000:03d}"
    return {
        "event_id": str(UUID(int=number + 1, version=4)),
        "website_id": str(WEBSITE),
        "type": "click" if number % 2 else "pageview",
        "occurred_at": at,
        "received_at": at,
        "visitor": number % 97 + 1,
        "country": "DE",
        "partner_id": str(PARTNER),
        **changes,
    }


def domain_record(event: DomainEvent, position: int) -> Record:
    """The record that the relay would write for `event`."""
    headers = envelope.headers(event.NAME, event.VERSION, position, event.originator_id, event.originator_version)
    value = orjson.dumps(event.model_dump(mode="json", exclude={"originator_id", "originator_version"}))
    return Record(DOMAIN.name, str(event.originator_id).encode(), value, headers)


def moment(day: int = 20, hour: int = 12) -> datetime:
    return datetime(2026, 11, day, hour, tzinfo=UTC)


def end(process: Command, number: signal.Signals = signal.SIGTERM) -> int:
    """Ends a service process and gives its exit code."""
    if process.poll() is None:
        process.send_signal(number)
    return process.wait(30)


@contextmanager
def bench(postgres: Settings, clickhouse: Settings, folder: Path) -> Iterator[ProjectionBench]:
    """A fresh `ProjectionBench` on these engines."""
    with pipeline(replace(postgres, master_key=MASTER_KEY), clickhouse, folder, lambda _: None) as made:
        url = made.settings.postgres_url
        assert url is not None
        with psycopg.connect(url, autocommit=True) as connection:
            yield ProjectionBench(made.settings, made.log, connection)


@pytest.fixture
def projecting(embedded_postgres: Settings, embedded_clickhouse: Settings, tmp_path: Path) -> Iterator[ProjectionBench]:
    """Fresh tables, an empty log, nothing running."""
    with bench(embedded_postgres, embedded_clickhouse, tmp_path) as made:
        yield made


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _record(row: Mapping[str, Any] | bytes, headers: Sequence[tuple[str, bytes]]) -> Record:
    if isinstance(row, bytes):
        return Record(CLICKS.name, b"bad", row, tuple(headers))
    return Record(CLICKS.name, str(row["event_id"]).encode(), json.dumps(row).encode(), tuple(headers))
