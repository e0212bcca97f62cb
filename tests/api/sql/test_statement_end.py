"""A statement that ended in any way is not running: its end is recorded before its client has the last of the answer.

The tests hold back the record of the end: until it may be written, no client has a whole answer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

import httpx
import psycopg
import pytest

from tests.api.sql.test_entry_points import SLOW
from tests.support.analysts import AnalystWorld, Asker
from tests.support.engines import wait_until

LOCK: Final = 3_616
UNFINISHED_S: Final = 0.2
"""How long a client that must not have a whole answer is given for it."""

SHORT: Final = "SELECT 'DE' AS country, 3 AS n"
LONG: Final = "SELECT a AS n, repeat('x', 30) AS t FROM (SELECT arrayJoin(range(100000)) AS a) AS x"
BROKEN: Final = "SELECT intDiv(1, 500000 - a) AS n FROM (SELECT arrayJoin(range(1000000)) AS a) AS x"
"""Fails after rows that have been sent."""

_FUNCTION: Final = (
    "CREATE FUNCTION held_back() RETURNS trigger LANGUAGE plpgsql AS"
    f" $$ BEGIN PERFORM pg_advisory_xact_lock_shared({LOCK}); RETURN NEW; END $$"
)
_TRIGGER: Final = (
    "CREATE TRIGGER held_back BEFORE UPDATE ON sql.statement FOR EACH ROW WHEN (OLD.outcome = 'running')"
    " EXECUTE FUNCTION held_back()"
)
_WAITING: Final = f"SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = {LOCK} AND NOT granted"


@dataclass
class Reading:
    """A client that reads an answer as it comes."""

    ask: Callable[[], Any]
    received: bytearray = field(default_factory=bytearray)
    status: int = 0

    def __post_init__(self) -> None:
        self.thread = threading.Thread(target=self._read)
        self.thread.start()

    def _read(self) -> None:
        with suppress(httpx.RemoteProtocolError), self.ask() as answer:
            self.status = answer.status_code
            for part in answer.iter_raw():
                self.received += part


@pytest.fixture(scope="module")
def held(world: AnalystWorld) -> Iterator[Callable[[], Any]]:
    """A context manager while which no end of a statement can be recorded."""
    postgres, url = world.service.postgres, world.service.settings.postgres_url or ""

    @contextmanager
    def hold() -> Iterator[None]:
        with psycopg.connect(url, autocommit=True) as holder:
            holder.execute(f"SELECT pg_advisory_lock({LOCK})")
            yield

    postgres.execute(_FUNCTION)
    postgres.execute(_TRIGGER)
    yield hold
    postgres.execute("DROP TRIGGER held_back ON sql.statement")
    postgres.execute("DROP FUNCTION held_back()")


def page(world: AnalystWorld, asker: Asker, sql: str, format_: str) -> Reading:
    address, body = f"{world.service.address}/api/platform/sql", {"sql": sql, "format": format_, "maxRows": 10_000}
    return Reading(lambda: httpx.stream("POST", address, json=body, headers=asker.person.headers, timeout=90))


def port(world: AnalystWorld, asker: Asker, sql: str, format_: str, more: Mapping[str, str]) -> Reading:
    asked = {"default_format": format_, **more}
    coded = {"Accept-Encoding": "gzip"} if "enable_http_compression" in more else {}
    address = world.clickhouse.address
    return Reading(
        lambda: httpx.stream("POST", address, content=sql, params=asked, headers=coded, auth=asker.auth, timeout=90)
    )


def recorded(world: AnalystWorld, asker: Asker) -> list[tuple[UUID, str]]:
    sql = "SELECT id, outcome FROM sql.statement WHERE account_id = %s"
    return world.service.postgres.execute(sql, (asker.person.account_id,)).fetchall()


def ends(world: AnalystWorld, asker: Asker, held: Callable[[], Any], read: Callable[[], Reading], *, stop: bool) -> Any:
    """The reading, and how its statement ended: while that cannot be recorded, the client has no whole answer."""
    with held():
        reading = read()

        def is_ending() -> bool:
            if stop:
                for statement, _ in recorded(world, asker):
                    world.cancel(asker, statement)
            return world.service.postgres.execute(_WAITING).fetchone() is not None

        wait_until(is_ending, 60, "the statement to end")
        reading.thread.join(UNFINISHED_S)
        assert reading.thread.is_alive(), "the client knows of an end that is not recorded"
        before = len(reading.received)
    reading.thread.join(60)
    [(statement, outcome)] = recorded(world, asker)
    assert world.cancel(asker, statement).status_code == 404
    return reading, before, outcome


@pytest.mark.parametrize("sql", [SHORT, LONG], ids=["short", "long"])
@pytest.mark.parametrize("format_", ["json", "csv", "ndjson", "parquet"])
def test_the_page_has_the_last_of_a_result_after_its_end(
    world: AnalystWorld, held: Callable[[], Any], format_: str, sql: str
) -> None:
    asker = world.asker("analyst")
    reading, before, outcome = ends(world, asker, held, lambda: page(world, asker, sql, format_), stop=False)
    assert (reading.status, outcome) == (200, "done")
    assert before < len(reading.received)


@pytest.mark.parametrize("sql", [SHORT, LONG], ids=["short", "long"])
@pytest.mark.parametrize(
    ("format_", "more"),
    [
        ("TSV", {}),
        ("CSVWithNames", {"enable_http_compression": "1"}),
        ("Native", {"compress": "1"}),
        ("JSON", {}),
        ("JSONEachRow", {"wait_end_of_query": "1"}),
        ("Parquet", {}),
    ],
)
def test_a_clickhouse_client_has_the_last_of_a_result_after_its_end(
    world: AnalystWorld, held: Callable[[], Any], format_: str, more: Mapping[str, str], sql: str
) -> None:
    asker = world.asker("analyst")
    reading, before, outcome = ends(world, asker, held, lambda: port(world, asker, sql, format_, more), stop=False)
    assert (reading.status, outcome) == (200, "done")
    assert before < len(reading.received)


@pytest.mark.parametrize("sql", ["SELECT intDiv(1, 0)", BROKEN, SLOW], ids=["failed", "broken off", "canceled"])
@pytest.mark.parametrize("door", ["json", "csv", "port"])
def test_a_client_learns_of_a_failure_after_its_end(
    world: AnalystWorld, held: Callable[[], Any], door: str, sql: str
) -> None:
    asker = world.asker("analyst")

    def read() -> Reading:
        return port(world, asker, sql, "CSV", {}) if door == "port" else page(world, asker, sql, door)

    reading, _, outcome = ends(world, asker, held, read, stop=sql is SLOW)
    assert outcome == ("cancelled" if sql is SLOW else "failed")
    assert reading.status != 200 or b"__exception__" in reading.received or door == "csv"
