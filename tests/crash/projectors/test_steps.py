"""`kill -9` of the projectors at every step of the way into ClickHouse and Postgres: no number changes."""

from __future__ import annotations

import json
import signal
from functools import partial
from uuid import UUID

import psycopg
import pytest

from infra.kernel.log import Record
from projectors.engine.clickhouse import HttpClickHouse
from schemas.events.partners import PartnerRegistered, PartnerUpdated, Terms
from schemas.topics import CLICKS
from tests.support.commands import Command
from tests.support.projection_bench import ProjectionBench, click, end, moment
from tests.support.stack import wait_for

pytestmark = pytest.mark.crash

CLICKHOUSE_STEPS = ("after_intent", "after_making", "between_tables", "after_insert", "after_advance")
POSTGRES_STEPS = ("before_advance", "after_advance")
READ_MODELS = ("activity", "partners", "partner_terms")


def test_killed_at_every_step_into_clickhouse(projecting: ProjectionBench) -> None:
    expected = repeats = 0
    for number, step in enumerate(CLICKHOUSE_STEPS):
        fresh = [click(1000 * number + place) for place in range(300)]
        projecting.publish([*fresh, *fresh[:40]], content=b"same")
        expected, repeats = expected + 300, repeats + 40
        crashing_process = projecting.start(step, "events")
        assert crashing_process.wait(60) == -signal.SIGKILL, step
    with projecting.running("events"):
        projecting.wait()
    assert projecting.one("SELECT count() FROM events") == (expected,)
    assert projecting.one("SELECT count(), uniqExact(_partition, _offset) FROM duplicates") == (repeats, repeats)
    projecting.exact()


@pytest.mark.parametrize("table", ["events", "duplicates"])
def test_rows_whose_insert_alone_was_kept_are_added_when_it_is_repeated(
    projecting: ProjectionBench, table: str
) -> None:
    """ClickHouse, killed between the token of an insert and its rows, drops the same insert permanently."""
    fresh = [click(place) for place in range(300)]
    projecting.publish([*fresh, *fresh[:40]], content=b"same")
    crashing_process = projecting.start("after_insert", "events")
    assert crashing_process.wait(60) == -signal.SIGKILL
    was = projecting.one(f"SELECT count() FROM {table}__g1")
    intended = [row[0] for row in projecting.sql("select partition from engine.position where intent_to is not null")]
    lose = f"ALTER TABLE {table}__g1 DELETE WHERE _partition IN {intended} AND _offset % 3 <> 1"
    HttpClickHouse(projecting.settings).run(lose, {"mutations_sync": 1})
    assert 0 < projecting.one(f"SELECT count() FROM {table}__g1")[0] < was[0]
    with projecting.running("events"):
        projecting.wait()
    assert projecting.one("SELECT count() FROM events") == (300,)
    assert projecting.one("SELECT count(), uniqExact(_partition, _offset) FROM duplicates") == (40, 40)
    assert projecting.one("SELECT count() FROM system.tables WHERE name LIKE '%lacking%'") == (0,)
    projecting.exact()


def test_killed_at_every_step_into_postgres(projecting: ProjectionBench) -> None:
    partners = [UUID(int=number + 1) for number in range(len(POSTGRES_STEPS))]
    for number, step in enumerate(POSTGRES_STEPS):
        projecting.decide(*_partner(partners[number], name=f"Partner {number}"))
        crashing_process = projecting.start(f"{step}:activity:1:domain:0", *READ_MODELS)
        assert crashing_process.wait(60) == -signal.SIGKILL, step
    with projecting.running(*READ_MODELS):
        for name in READ_MODELS:
            projecting.wait(name)
    assert projecting.sql("select name from read.partners order by id") == [("Renamed 0",), ("Renamed 1",)]
    assert projecting.sql("select count(*) from read.partner_terms") == [(2,)]
    assert projecting.sql("select position from read.activity order by position") == [(1,), (3,)]


def test_killed_at_any_moment_under_load(projecting: ProjectionBench) -> None:
    for number in range(4):
        process = projecting.start("", "events")
        projecting.publish([click(5000 * number + place) for place in range(3000)], content=b"x")
        reached = 3000 * number + 500 * (number + 1)
        wait_for(
            partial(_has_read, projecting, reached),
            "some progress",
        )
        end(process, signal.SIGKILL)
    with projecting.running("events"):
        projecting.wait()
    assert projecting.one("SELECT count() FROM events") == (12_000,)
    projecting.exact()


def test_an_orderly_stop_leaves_nothing_open(projecting: ProjectionBench) -> None:
    process = projecting.start("", "events")
    projecting.publish([click(place) for place in range(2000)])
    projecting.wait()
    assert end(process) == 0
    assert projecting.sql("select count(*) from engine.position where intent_to is not null or owner is not null") == [
        (0,)
    ]
    assert projecting.sql("select count(*) from engine.runner") == [(0,)]


def test_two_runners_share_the_work_and_a_zombie_does_no_harm(projecting: ProjectionBench) -> None:
    first = projecting.start("", "events")
    projecting.publish([click(place) for place in range(200)], content=b"x")
    projecting.wait()
    second = projecting.start("", "events")
    first.send_signal(signal.SIGSTOP)
    _end_sessions(projecting, first.pid)
    projecting.publish([click(place) for place in range(150, 500)], content=b"x")
    projecting.wait()
    first.send_signal(signal.SIGCONT)
    projecting.publish([click(place) for place in range(400, 700)], content=b"x")
    projecting.wait()
    assert [end(process) for process in (first, second)] == [0, 0]
    assert projecting.one("SELECT count() FROM events") == (700,)
    assert projecting.one("SELECT count() FROM duplicates") == (150,)
    projecting.exact()


def test_a_record_that_kills_the_process_is_found_and_quarantined(projecting: ProjectionBench) -> None:
    """The stand-in for a fault in a library: a test-only record on which the process kills itself."""
    poison = click(77, path="/poison")
    projecting.publish([click(place) for place in range(40)])
    projecting.log.publish([Record(CLICKS.name, b"k", _bytes(poison))]).result(30)
    projecting.publish([click(place) for place in range(100, 140)])
    for _ in range(10):
        process = projecting.start("poison", "events")
        wait_for(partial(_is_over, process, projecting), "an end")
        if process.poll() is None:
            break
    projecting.wait()
    assert projecting.command("dlq", "retry", "--projection", "events", "--json") == 2, "it would end it again"
    assert end(process) == 0
    assert projecting.sql("select reason, convert_from(value, 'UTF8') like '%%/poison%%' from engine.dead_letter") == [
        ("crashes_the_process", True)
    ]
    assert projecting.one("SELECT count() FROM events") == (80,)
    projecting.exact()


def test_a_rebuild_killed_midway_goes_on_and_is_equal(projecting: ProjectionBench) -> None:
    projecting.publish([click(place) for place in range(4000)], content=b"x")
    projecting.publish([click(place) for place in range(500)], content=b"y")
    with projecting.running("events", "refusals"):
        projecting.wait()
        projecting.wait("refusals")
    crashing_process = projecting.start("after_insert:events:2:clicks:1", "events", "refusals")
    wait_for(lambda: projecting.sql("select 1 from engine.runner where pid = %s", crashing_process.pid), "the service")
    assert projecting.command("projections", "rebuild", "events", "--detach", "--json") == 0
    assert crashing_process.wait(60) == -signal.SIGKILL
    with projecting.running("events", "refusals"):
        wait_for(
            lambda: projecting.sql("select 1 from engine.build where generation = 2 and state = 'ready'"), "the end"
        )
        projecting.publish([click(place) for place in range(4000, 4300)], content=b"x")
        assert projecting.command("projections", "verify", "events", "--json") == 0
        assert projecting.command("projections", "rebuild", "events", "--json") == 1
        assert projecting.command("projections", "promote", "events", "--json") == 0
        projecting.publish([click(place) for place in range(4300, 4400)], content=b"x")
        projecting.wait()
    assert projecting.one("SELECT count() FROM events") == (4400,)
    assert projecting.one("SELECT count(), countIf(is_conflict) FROM duplicates") == (500, 500)
    assert projecting.one("SELECT count() FROM refusals") == (500,)
    projecting.exact()


def _has_read(projecting: ProjectionBench, records: int) -> bool:
    return int(projecting.sql("select sum(next_offset) from engine.position")[0][0]) > records


def _is_over(process: Command, projecting: ProjectionBench) -> bool:
    return process.poll() is not None or projecting.has_caught_up("events")


def _partner(partner_id: UUID, name: str) -> tuple[PartnerRegistered, PartnerUpdated]:
    return (
        PartnerRegistered(
            originator_id=partner_id,
            originator_version=1,
            timestamp=moment(),
            name=name,
            slug=name.lower().replace(" ", "-"),
            base_url="https://partner.example",
            terms=Terms(rate_bp=1000),
        ),
        PartnerUpdated(
            originator_id=partner_id, originator_version=2, timestamp=moment(), name=name.replace("Partner", "Renamed")
        ),
    )


def _bytes(row: dict[str, object]) -> bytes:
    return json.dumps(row).encode()


def _end_sessions(projecting: ProjectionBench, pid: int) -> None:
    """What Postgres does to a client that does not answer: its sessions end, and with them its locks."""
    url = projecting.settings.postgres_url
    assert url is not None
    owner = projecting.sql("select distinct owner from engine.position where owner like %s", f"%:{pid}")
    assert owner
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and database = "
            "(select oid from pg_database where datname = current_database())"
        )
