"""Generations: rebuilt beside the live one, proven equal, promoted and rolled back by a switch; faults are found."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import count
from threading import Event, Thread
from uuid import UUID, uuid4

import pytest

from infra.kernel.subscriptions import dead_letters
from infra.kernel.subscriptions.dead_letters import FailedRecord
from infra.kernel.subscriptions.positions import WorkerKey
from projectors.engine.generations import request_rebuild
from projectors.engine.projection import Registry
from projectors.engine.read_model import ReadModel
from projectors.engine.schema import create
from projectors.engine.tables import create_feed
from projectors.registry import REGISTRY
from projectors.schema import create_schema
from schemas.base import DomainEvent
from schemas.events.links import LinkCreated, LinkUpdated
from schemas.topics import DOMAIN
from schemas.tracking import Suspicion
from tests.support.projection_bench import ProjectionBench, click, moment
from tests.support.stack import wait_for


@contextmanager
def traffic(projecting: ProjectionBench, start: int) -> Iterator[None]:
    """Events that keep coming while the block runs."""
    stopping = Event()

    def send() -> None:
        number = start
        while not stopping.is_set():
            projecting.publish([click(one) for one in range(number, number + 20)], content=b"x")
            number += 10
            stopping.wait(0.05)

    thread = Thread(target=send)
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join()


def test_events_are_rebuilt_under_load_equal_and_switched(
    projecting: ProjectionBench, capsys: pytest.CaptureFixture[str]
) -> None:
    projecting.publish([click(number) for number in range(3000)], content=b"x")
    with projecting.running("events"):
        with traffic(projecting, 10_000):
            projecting.wait_near()
            assert projecting.command("projections", "rebuild", "events", "--json") == 0
            assert projecting.command("projections", "verify", "events", "--json") == 0
            before = projecting.one("SELECT count() FROM events")[0]
            assert projecting.command("projections", "promote", "events", "--json") == 0
            assert projecting.one("SELECT count() FROM events")[0] >= before
        projecting.wait()
        projecting.exact()
        promoted = projecting.one("SELECT count() FROM events")
        projecting.publish([click(number) for number in range(20_000, 20_100)], content=b"x")
        projecting.wait()
        assert projecting.command("projections", "rollback", "events", "--json") == 0
        assert projecting.one("SELECT count() FROM events") == (promoted[0] + 100,)
        projecting.exact()
    capsys.readouterr()


def test_a_rollup_is_rebuilt_from_the_raw_table_under_load(projecting: ProjectionBench) -> None:
    projecting.publish(
        [click(number, occurred_at=f"2026-{1 + number % 9:02d}-01 00:00:00.000") for number in range(3000)]
    )
    with projecting.running("events"):
        projecting.wait()
        for name in ("visitors_15m", "recent_events"):
            with traffic(projecting, 50_000):
                assert projecting.command("projections", "rebuild", name, "--json") == 0
                assert projecting.command("projections", "verify", name, "--json") == 0
                assert projecting.command("projections", "promote", name, "--json") == 0
        projecting.wait()
        projecting.exact()
        assert projecting.command("projections", "rollback", "visitors_15m", "--json") == 0
        projecting.exact()


def test_a_planted_difference_is_found_and_listed(
    projecting: ProjectionBench, capsys: pytest.CaptureFixture[str]
) -> None:
    projecting.publish([click(number) for number in range(200)])
    with projecting.running("events"):
        projecting.wait()
        projecting.clickhouse.run(
            "ALTER TABLE events__g1 UPDATE path = '/altered' WHERE _offset = 3 AND _partition = 0 "
            "SETTINGS mutations_sync = 2"
        )
        projecting.clickhouse.run(
            "INSERT INTO traffic_15m__g1 (website_id, bucket, clicks) "
            "VALUES (generateUUIDv4(), '2026-11-01 00:00:00', 1)"
        )
        assert projecting.command("projections", "rebuild", "events", "--json") == 0
        capsys.readouterr()
        assert projecting.command("projections", "verify", "events", "--json") == 2
        report = json.loads(capsys.readouterr().out)
        assert not report["equal"]
        assert {(one["table"], one["side"]) for one in report["differences"]} == {
            ("events", "live"),
            ("events", "rebuilt"),
            ("traffic_15m", "live"),
        }
        assert projecting.command("projections", "cancel", "events", "--json") == 0
        wait_for(
            lambda: projecting.sql(
                "select 1 from engine.build where generation = 2 and name = 'events' and dropped_at is not null"
            ),
            "the drop",
        )
        left = projecting.rows(
            "SELECT name FROM system.tables WHERE database = currentDatabase() AND name LIKE '%__g2%'"
        )
        assert left == []
        assert not (projecting.settings.data_dir / "projector" / "events" / "2").exists()


def test_sets_of_visitors_are_equal_however_they_grew(projecting: ProjectionBench) -> None:
    """256 is where ClickHouse turns from counting to estimating, depending on the order."""
    visits = [click(number, visitor=number % 256 + 1, occurred_at="2026-11-01 00:00:00.000") for number in range(600)]
    with projecting.running("events"):
        for page in range(0, 600, 100):
            projecting.publish(visits[page : page + 100])
            projecting.wait()
        assert projecting.command("projections", "rebuild", "events", "--json") == 0
        assert projecting.command("projections", "verify", "events", "--json") == 0
        projecting.clickhouse.run(
            "INSERT INTO visitors_15m__g1 SELECT website_id, bucket, is_bot, uniqCombinedState(12)(toUInt64(7777777)), "
            "uniqCombinedState(12)(toUInt64(7777777)) FROM visitors_15m__g1 GROUP BY website_id, bucket, is_bot"
        )
        assert projecting.command("projections", "verify", "events", "--json") == 2


def test_a_difference_in_a_read_model_is_found(projecting: ProjectionBench, capsys: pytest.CaptureFixture[str]) -> None:
    with projecting.running("partner_terms"):
        assert projecting.command("projections", "rebuild", "partner_terms", "--json") == 0
        projecting.connection.execute("insert into read.partner_terms__g1 values (gen_random_uuid(), now(), '{}')")
        capsys.readouterr()
        assert projecting.command("projections", "verify", "partner_terms", "--json") == 2
    assert [one["side"] for one in json.loads(capsys.readouterr().out)["differences"]] == ["live"]


def test_a_read_model_of_another_version_is_rebuilt_and_stays_readable(projecting: ProjectionBench) -> None:
    website, partner, link = uuid4(), uuid4(), uuid4()
    first = link_created(link, website, partner, "first")
    projecting.decide(first)
    with projecting.running("links"):
        projecting.wait("links")
    # As an earlier version of the program left it: one column fewer, in the table and in the view.
    model = REGISTRY.projections["links"]
    assert isinstance(model, ReadModel)
    older = replace(model, columns=tuple(line for line in model.columns if not line.startswith("routing ")))
    assert len(older.columns) < len(model.columns)
    projecting.connection.execute("drop view read.links cascade")
    projecting.connection.execute("alter table read.links__g1 drop column routing")
    for statement in older.create_view(1):
        projecting.connection.execute(statement.encode())
    projecting.connection.execute("update engine.build set version = version - 1 where name = 'links'")

    create_schema(projecting.settings)
    assert projecting.sql("select slug, routing -> 'rules' from read.links") == [("first", [])], "the view has it"
    projecting.decide(link_created(uuid4(), website, partner, "second"))
    with projecting.running("links"):
        wait_for(lambda: projecting.sql(LIVE, "links") == [(2, model.version)], "the new generation to be live")
        projecting.wait("links")
    assert projecting.sql("select slug, routing ->> 'fallback' is null from read.links order by slug") == [
        ("first", True),
        ("second", True),
    ]
    assert projecting.sql("select slug from read.links__g1") == [("first",)], "nobody writes to the old one"
    create_schema(projecting.settings)  # and the next start finds everything as it shall be
    with projecting.running("links"):
        assert projecting.sql(LIVE, "links") == [(2, model.version)]


def test_letters_of_a_replaced_generation_are_superseded(projecting: ProjectionBench) -> None:
    """A new version reads one event that the old one could not, and cannot read the other one either."""
    website, partner, cured, spoiled = uuid4(), uuid4(), uuid4(), uuid4()
    model = REGISTRY.projections["links"]
    assert isinstance(model, ReadModel)
    projecting.decide(
        link_created(cured, website, partner, "twice"),
        link_created(spoiled, website, partner, "nul \x00 byte"),
        updated(cured, "LATER"),
    )
    projecting.connection.execute("alter table read.links__g1 add check (slug <> 'twice')")
    with projecting.running("links"):
        projecting.wait("links")
        assert letters(projecting) == [
            (1, "refused_by_handler", "open"),
            (1, "refused_by_handler", "open"),
            (1, "parked", "open"),
        ]
    projecting.connection.execute("update engine.build set version = version - 1 where name = 'links'")
    create_schema(projecting.settings)
    with projecting.running("links"):
        wait_for(lambda: projecting.sql(LIVE, "links") == [(2, model.version)], "the new generation to be live")
        assert projecting.sql("select slug, coupon from read.links") == [("twice", "LATER")]
        assert letters(projecting) == [
            (1, "refused_by_handler", "superseded"),
            (1, "refused_by_handler", "superseded"),
            (1, "parked", "superseded"),
            (2, "refused_by_handler", "open"),
        ]
        undecided = "select count(*) from engine.dead_letter where state = 'superseded' and decided_at is null"
        assert projecting.sql(undecided) == [(0,)]
        assert projecting.command("dlq", "skip", "--projection", "links", "--json") == 0
    assert {state for _, _, state in letters(projecting)} == {"superseded", "skipped"}


def test_a_rollback_opens_the_letters_of_its_generation_again(projecting: ProjectionBench) -> None:
    link, website, partner = uuid4(), uuid4(), uuid4()
    projecting.decide(link_created(link, website, partner, "no"))
    projecting.connection.execute("alter table read.links__g1 add constraint no_no check (slug <> 'no')")
    with projecting.running("links"):
        projecting.wait("links")
        assert projecting.command("projections", "rebuild", "links", "--json") == 0
        assert projecting.command("projections", "promote", "links", "--json") == 0
        assert letters(projecting) == [(1, "refused_by_handler", "superseded")]
        projecting.decide(updated(link, "PARKED"))
        projecting.wait("links")
        assert projecting.command("projections", "rollback", "links", "--json") == 0
        wait_for(lambda: projecting.sql(LIVE, "links")[0][0] == 1, "the generation before")
        assert letters(projecting) == [(1, "refused_by_handler", "open"), (1, "parked", "open")]
        projecting.connection.execute("alter table read.links__g1 drop constraint no_no")
        assert projecting.command("dlq", "retry", "--projection", "links", "--json") == 0
    assert projecting.sql("select slug, coupon from read.links") == [("no", "PARKED")]


def test_what_crashed_the_generation_before_waits_in_the_next_one(projecting: ProjectionBench) -> None:
    """Neither a read model nor a table of ClickHouse tries it again, and neither leaves it out without a trace."""
    spoiled, healthy, website, partner = uuid4(), uuid4(), uuid4(), uuid4()
    projecting.decide(*(link_created(each, website, partner, each.hex) for each in (spoiled, healthy)))
    with projecting.running("links", "events"):
        projecting.wait("links")
        projecting.wait("events")
    # As the process that ended on it three times left it: without its row, and with its letter.
    projecting.connection.execute("delete from read.links__g1 where id = %s", (spoiled,))
    for name in ("links", "events"):
        key, bad = WorkerKey(name, 1, DOMAIN.name, 0), projecting.log.source(DOMAIN.name, 0, 0)
        with closing(bad):
            [record] = bad.read(1, 30.0)
        dead_letters.write(projecting.connection, key, [FailedRecord(record, dead_letters.CRASHES, "ended")])
    with projecting.running("links", "events"):
        projecting.decide(updated(spoiled, "LATER"))
        projecting.wait("links")
        for name in ("links", "events"):
            assert projecting.command("projections", "rebuild", name, "--json") == 0
            assert projecting.command("projections", "promote", name, "--json") == 0
        assert projecting.sql("select id from read.links") == [(healthy,)]
        crashed = "select projection, generation, state from engine.dead_letter where reason = %s order by 1 desc, 2"
        assert projecting.sql(crashed, dead_letters.CRASHES) == [
            ("links", 1, "superseded"),
            ("links", 2, "open"),
            ("events", 1, "superseded"),
            ("events", 2, "open"),
        ]
        assert projecting.command("dlq", "retry", "--projection", "links", "--json") == 0
    assert projecting.sql("select coupon from read.links where id = %s", spoiled) == [("LATER",)]


def letters(projecting: ProjectionBench) -> list[tuple[int, str, str]]:
    found = (
        "select generation, reason, state from engine.dead_letter where projection = 'links'"
        ' order by generation, "offset"'
    )
    return [(row[0], row[1], row[2]) for row in projecting.sql(found)]


def test_what_a_newer_version_builds_is_left_to_it(projecting: ProjectionBench) -> None:
    """Its read model has a column that today's handlers do not fill; one of its projections is not known at all."""
    projecting.decide(link_created(uuid4(), uuid4(), uuid4(), "first"))
    model = REGISTRY.projections["links"]
    assert isinstance(model, ReadModel)
    newer = replace(model, version=model.version + 1)
    unknown = replace(REGISTRY.rollups["delivery_minute"][1], name="of_the_future")
    family = replace(REGISTRY.clickhouse[0], rollups=(*REGISTRY.clickhouse[0].rollups, unknown))
    projecting.publish([click(1)])
    with projecting.running("events"):
        projecting.wait()
    create(projecting.connection, projecting.clickhouse, Registry((family,), ()))
    generation = request_rebuild(projecting.connection, Registry((), (newer,)), "links", promote=True)
    assert projecting.sql(STATES) == [("links", "building"), ("of_the_future", "building")]
    with projecting.running():
        projecting.decide(link_created(uuid4(), uuid4(), uuid4(), "second"))
        projecting.wait("links")
        # The leader advances a build of its own meanwhile: it looked at every other one as often.
        assert projecting.command("projections", "rebuild", "partners", "--json") == 0
    assert projecting.sql(STATES) == [("links", "building"), ("of_the_future", "building"), ("partners", "ready")]
    assert projecting.sql("select to_regclass(%s)", f"read.links__g{generation}") == [(None,)]
    assert projecting.sql("select slug from read.links order by slug") == [("first",), ("second",)]


def test_a_rollup_of_another_version_is_rebuilt_and_keeps_running(projecting: ProjectionBench) -> None:
    # As an earlier version of the program left it: suspicious events were counted with those of bots.
    rollup = REGISTRY.rollups["delivery_minute"][1]
    projecting.clickhouse.run("DROP VIEW delivery_minute__g1_feed SYNC")
    older = replace(rollup, select=rollup.select.replace("'suspicious'", "'bot'"))
    projecting.clickhouse.run(create_feed(older, 1, "events__g1"))
    projecting.connection.execute("update engine.build set version = version - 1 where name = 'delivery_minute'")
    suspicious = {"is_bot": True, "bot_reason": Suspicion.CHANGING_AGENTS}
    outcomes = "SELECT outcome, sum(events) FROM delivery_minute GROUP BY outcome ORDER BY outcome"

    create_schema(projecting.settings)
    projecting.publish([click(1), click(2, **suspicious), click(3, is_bot=True, bot_reason="crawler")])
    with projecting.running("events"):
        wait_for(
            lambda: projecting.sql(LIVE, "delivery_minute") == [(2, rollup.version)], "the new generation to be live"
        )
        projecting.publish([click(4, **suspicious)])
        projecting.wait()
        projecting.exact()
    assert projecting.rows(outcomes) == [("accepted", 1), ("bot", 1), ("suspicious", 2)]
    assert {row[0] for row in projecting.rows("SELECT outcome FROM delivery_minute__g1")} == {"accepted", "bot"}


def test_tables_of_another_version_are_rebuilt_and_stay_writable(projecting: ProjectionBench) -> None:
    """As an installation comes up whose rollups add money up as Int64: a rollup alone, then the raw table and all."""
    projecting.publish([click(number) for number in range(100)])
    with projecting.running("events"):
        projecting.wait()
    for name, live in (("traffic_15m", {("traffic_15m", 2)}), ("events", {("events", 3), ("traffic_15m", 3)})):
        table = f"{name}__g{live_generation(projecting, name)}"
        projecting.connection.execute("update engine.build set version = version - 1 where name = %s", (name,))
        if name == "traffic_15m":
            column = "ALTER TABLE {} MODIFY COLUMN c_pending SimpleAggregateFunction(sum, Int64)"
            projecting.clickhouse.run(column.format(table))
        create_schema(projecting.settings)
        projecting.publish([click(number) for number in range(1000 * len(live), 1000 * len(live) + 50)])
        with projecting.running("events"):
            wait_for(
                lambda live=live: live <= {(one, live_generation(projecting, one)) for one, _ in live},  # type: ignore[misc]
                "the new generations to be live",
            )
            projecting.wait()
            projecting.exact()
    columns = projecting.rows("SELECT name, type FROM system.columns WHERE table = 'traffic_15m__g3'")
    assert dict(columns)["c_pending"] == "SimpleAggregateFunction(sum, Int128)"
    assert projecting.one("SELECT count() FROM events") == (200,)
    with projecting.running():  # and the next start finds everything as it shall be
        assert live_generation(projecting, "events") == 3


def test_a_month_at_rest_becomes_one_part_in_tables_of_earlier_versions_too(projecting: ProjectionBench) -> None:
    names = "min_age_to_force_merge_seconds, min_age_to_force_merge_on_partition_only"
    projecting.clickhouse.run(f"ALTER TABLE traffic_15m__g1 RESET SETTING {names}")
    numbers = count()
    with projecting.running("events"):
        for _ in range(3):
            projecting.publish([click(next(numbers), occurred_at="2026-02-03 10:00:00.000")])
            projecting.wait()
        assert projecting.one(PARTS) == (3,)

        create_schema(projecting.settings)
        settings = (
            "SELECT engine_full FROM system.tables WHERE database = currentDatabase() AND name = 'traffic_15m__g1'"
        )
        assert "min_age_to_force_merge_seconds = 3600" in projecting.one(settings)[0]
        projecting.clickhouse.run("ALTER TABLE traffic_15m__g1 MODIFY SETTING min_age_to_force_merge_seconds = 1")

        def is_merged() -> bool:
            # What arrives for other months makes the engine look for merges.
            projecting.publish([click(next(numbers), occurred_at="2026-04-05 10:00:00.000")])
            projecting.wait()
            return bool(projecting.one(PARTS) == (1,))

        wait_for(is_merged, "the merge of the month")
        projecting.exact()


PARTS = (
    "SELECT count() FROM system.parts WHERE active AND database = currentDatabase() AND table = 'traffic_15m__g1'"
    " AND partition = '202602'"
)


def live_generation(projecting: ProjectionBench, name: str) -> int:
    [(found,)] = projecting.sql("select live_generation from engine.projection where name = %s", name)
    return int(found)


def updated(link: UUID, coupon: str) -> DomainEvent:
    return LinkUpdated(originator_id=link, originator_version=2, timestamp=moment(), coupon=coupon)


def link_created(link: UUID, website: UUID, partner: UUID, slug: str) -> LinkCreated:
    return LinkCreated(
        originator_id=link,
        originator_version=1,
        timestamp=moment(),
        website_id=website,
        partner_id=partner,
        slug=slug,
        code=link.int % 2**47,
        destination="https://partner.example/",
    )


STATES = "select name, state from engine.build where state in ('building', 'catching_up', 'ready') order by name"
LIVE = (
    "select p.live_generation, b.version from engine.projection p join engine.build b"
    " on b.name = p.name and b.generation = p.live_generation where p.name = %s"
)


def test_pause_and_resume(projecting: ProjectionBench, capsys: pytest.CaptureFixture[str]) -> None:
    with projecting.running("events"):
        projecting.publish([click(1)])
        projecting.wait()
        assert projecting.command("projections", "pause", "events", "--reason", "a look", "--json") == 0
        assert projecting.command("projections", "pause", "traffic_15m") == 1
        assert projecting.command("projections", "pause", "nothing") == 1
        wait_for(
            lambda: (
                not projecting.sql("select 1 from engine.position where projection = 'events' and owner is not null")
            ),
            "the workers to end",
        )
        projecting.publish([click(2)])
        assert projecting.command("lag", "--check") == 2
        assert projecting.one("SELECT count() FROM events") == (1,)
        assert projecting.command("projections", "resume", "events", "--json") == 0
        projecting.wait()
        assert projecting.command("lag", "--check") == 0
        assert projecting.command("projections", "resume", "events") == 1
    capsys.readouterr()
    assert projecting.command("projections", "rebuild", "events") == 1
    assert "no projectors are running" in capsys.readouterr().err


def test_what_was_retired_a_week_ago_is_dropped(projecting: ProjectionBench) -> None:
    with projecting.running("links"):
        for _ in range(2):
            assert projecting.command("projections", "rebuild", "links", "--json") == 0
            assert projecting.command("projections", "promote", "links", "--json") == 0
    projecting.connection.execute(
        "update engine.build set retired_at = now() - interval '8 days' where generation = 1 and name = 'links'"
    )
    with projecting.running("links"):
        wait_for(lambda: projecting.sql("select to_regclass('read.links__g1') is null")[0][0], "the drop")
        assert projecting.sql("select to_regclass('read.links__g2') is null")[0][0] is False


def test_any_event_is_found_with_its_place(projecting: ProjectionBench, capsys: pytest.CaptureFixture[str]) -> None:
    with projecting.running("events"):
        projecting.publish([click(1), click(2, path="/two")])
        projecting.wait()
    capsys.readouterr()
    assert projecting.command("events", "show", click(2)["event_id"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["path"] == shown["record"]["value"]["path"] == "/two"
    place = f"{shown['_topic']}[{shown['_partition']}]@{shown['_offset']}"
    assert shown["record"]["place"] == place
    assert projecting.command("events", "show", place) == 0
    assert json.loads(capsys.readouterr().out)["value"]["path"] == "/two"
    assert projecting.command("events", "search", "--type", "pageview", "--json") == 0
    assert json.loads(capsys.readouterr().out)["path"] == "/two"
    assert projecting.command("events", "tail", "--no-follow", "--json") == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert projecting.command("events", "show", "clicks[0]@99") == 1
    assert projecting.command("events", "show", "whatever") == 1
