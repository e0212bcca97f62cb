"""The way from topic `clicks` into ClickHouse: exact, with repeated ids, bad records and refused blocks."""

from __future__ import annotations

import json
from collections import Counter
from itertools import count
from threading import Lock
from typing import Any

import pytest

from infra.kernel.log import Record
from infra.kernel.subscriptions import limits
from projectors.engine.clickhouse import HttpClickHouse, Unavailable
from schemas.topics import CLICKS, REJECTED
from tests.support.projection_bench import PARTNER, WEBSITE, ProjectionBench, click
from tests.support.stack import wait_for


def test_a_click_is_in_every_table_at_once(projecting: ProjectionBench) -> None:
    with projecting.running("events"):
        projecting.publish([click(1)])
        projecting.wait()
    assert projecting.one("SELECT website_id, type, partner_id, country, _topic FROM events") == (
        WEBSITE,
        "click",
        PARTNER,
        "DE",
        CLICKS.name,
    )
    assert projecting.one("SELECT sum(clicks) FROM traffic_15m") == (1,)
    projecting.exact()


def test_who_listens_hears_where_the_live_generation_is(projecting: ProjectionBench) -> None:
    projecting.connection.execute("listen projection")
    with projecting.running("events"):
        projecting.publish([click(1)])
        heard = next(projecting.connection.notifies(timeout=30)).payload
    name, topic, partition, next_offset, domain_position = heard.split(":")
    assert (name, topic, next_offset, domain_position) == ("events", CLICKS.name, "1", "0")
    assert projecting.log.end_offset(CLICKS.name, int(partition)) == 1


def test_an_id_that_a_client_repeats_counts_once(projecting: ProjectionBench) -> None:
    same, other = [click(number) for number in range(50)], [click(number, path="/other") for number in range(10)]
    with projecting.running("events", "refusals"):
        projecting.publish([*same, *same[:20]], content=b"same")
        projecting.wait()
        projecting.publish(same[:30], content=b"same")
        projecting.publish(other, content=b"other")
        projecting.wait()
        wait_for(lambda: projecting.one("SELECT count() FROM refusals") == (10,), "the conflicts to be reported")
    assert projecting.one("SELECT count() FROM events") == (50,)
    assert projecting.one("SELECT count(), countIf(is_conflict) FROM duplicates") == (60, 10)
    assert projecting.one("SELECT uniqExact(outcome, code), any(code) FROM refusals") == (1, "id_conflict")
    projecting.exact()


def test_ids_that_the_server_minted_are_not_compared(projecting: ProjectionBench) -> None:
    with projecting.running("events"):
        projecting.publish([click(1), click(1)])
        projecting.wait()
    assert projecting.one("SELECT count() FROM events") == (2,)


def test_an_id_is_free_again_after_35_days(projecting: ProjectionBench) -> None:
    def sent(day: str) -> dict[str, Any]:
        return click(7, received_at=f"{day} 00:00:00.000")

    with projecting.running("events"):
        for day in ("2026-01-01", "2026-01-02", "2026-02-05", "2026-02-06", "2026-03-13", "2026-03-14"):
            projecting.publish([sent(day)], content=b"x")
        projecting.wait()
    received = projecting.rows("SELECT toString(toDate(received_at)) FROM events ORDER BY 1")
    assert [row[0] for row in received] == ["2026-01-01", "2026-02-06", "2026-03-14"]


BAD_CHANGES: tuple[dict[str, Any], ...] = (
    {"visitor": -1},
    {"visitor": 2**64},
    {"value": 2**63},
    {"value": 1.5},
    {"value": float("nan")},
    {"value": float("inf")},
    {"unknown": 1},
    {"type": "Has Space"},
    {"country": "Germany"},
    {"occurred_at": "2026-02-31 00:00:00.000"},
    {"occurred_at": "1969-12-31 23:59:59.999"},
    {"received_at": "2107-01-01 00:00:00.000"},
    {"occurred_at": "2026-01-01T00:00:00.000Z"},
    {"website_id": "nobody"},
    {"path": None},
    {"is_bot": 1},
)
BAD = (
    b"",
    b"{",
    b"null",
    b"[]",
    b"[" * 100_000,
    b"\xff\xfe",
    b'{"event_id": 1}',
    *(json.dumps(click(number, **change)).encode() for number, change in enumerate(BAD_CHANGES, start=1000)),
    json.dumps(click(2000)).replace('"DE"', '"\\ud800"').encode(),
    json.dumps(click(2001)).replace('"country"', '"value": 1e400, "country"').encode(),
)


def test_bad_records_become_dead_letters_and_stop_nobody(projecting: ProjectionBench) -> None:
    with projecting.running("events"):
        projecting.publish([click(number) for number in range(4000)])
        projecting.publish(BAD)
        projecting.publish([click(number) for number in range(4000, 4100)])
        projecting.wait()
    assert projecting.one("SELECT count() FROM events") == (4100,)
    kept = projecting.sql('select value, reason, topic, partition, "offset" from engine.dead_letter')
    assert sorted(bytes(row[0]) for row in kept) == sorted(BAD)
    assert Counter(row[1] for row in kept) == {"invalid": len(BAD) - 1, "newer_version": 1}
    assert len({row[2:] for row in kept}) == len(BAD)
    projecting.exact()


def test_a_row_that_only_clickhouse_refuses_is_dead_lettered_alone(projecting: ProjectionBench) -> None:
    twice = json.dumps(click(500)).replace('"country": "DE"', '"country": "DE", "country": "DE"').encode()
    with projecting.running("events"):
        projecting.publish([*(click(number) for number in range(200)), twice, *(click(n) for n in range(200, 300))])
        projecting.wait()
    assert projecting.one("SELECT count() FROM events") == (300,)
    assert projecting.sql("select value, reason from engine.dead_letter") == [(twice, "refused_by_clickhouse")]
    projecting.exact()


def test_a_hundred_bad_records_in_a_row_stop_the_projection_loudly(projecting: ProjectionBench) -> None:
    with projecting.running("events"):
        projecting.publish([b"nonsense"] * 150)
        wait_for(lambda: projecting.sql("select 1 from engine.build where state = 'failed'"), "the stop")
        assert projecting.sql("select count(*) from engine.dead_letter") == [(0,)]
        assert "in a row" in projecting.sql("select error from engine.build where name = 'events'")[0][0]
        assert projecting.command("lag", "--check", "--json") == 2
        assert projecting.command("projections", "resume", "events", "--accept-bad", "--json") == 0
        projecting.wait()
        projecting.publish([click(1)])
        projecting.wait()
    assert projecting.sql("select count(*) from engine.dead_letter") == [(150,)]
    assert projecting.one("SELECT count() FROM events") == (1,)


def test_a_materialized_view_that_fails_once_changes_no_number(projecting: ProjectionBench) -> None:
    with projecting.running("events"):
        projecting.publish([click(1)])
        projecting.wait()
        projecting.clickhouse.run("RENAME TABLE country_15m__g1 TO country_15m__away")
        projecting.publish([click(number) for number in range(2, 40)])
        wait_for(lambda: projecting.sql("select 1 from engine.position where error <> ''"), "the failure to show")
        projecting.clickhouse.run("RENAME TABLE country_15m__away TO country_15m__g1")
        projecting.wait()
    assert projecting.one("SELECT count() FROM events") == (39,)
    projecting.exact()


def test_answers_that_were_lost_change_no_number(projecting: ProjectionBench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every third insert is done and its answer lost; every fifth does not arrive. Rows span many months."""
    insert, calls, gate = HttpClickHouse.insert, count(1), Lock()

    def unreliable(self: HttpClickHouse, table: str, lines: bytes, token: str) -> None:
        with gate:
            call = next(calls)
        if call % 5 == 0:
            raise Unavailable("it did not arrive")
        insert(self, table, lines, token)
        if call % 3 == 0:
            raise Unavailable("its answer was lost")

    monkeypatch.setattr(HttpClickHouse, "insert", unreliable)
    monkeypatch.setattr(limits, "MIN_WAIT_S", 0.01)
    monkeypatch.setattr(limits, "MAX_WAIT_S", 0.01)
    with projecting.running("events"):
        for page in range(2):
            at = [f"202{number % 6}-{1 + number % 12:02d}-01 00:00:00.000" for number in range(400)]
            rows = [click(1000 * page + number, occurred_at=at[number]) for number in range(400)]
            projecting.publish([*rows, *rows[:100]], content=b"x")
            projecting.wait()
    assert projecting.one("SELECT count() FROM events") == (800,)
    assert projecting.one("SELECT count() FROM duplicates") == (200,)
    projecting.exact()


def test_rows_that_the_sink_lost_are_noticed_at_the_start(projecting: ProjectionBench) -> None:
    with projecting.running("events"):
        projecting.publish([click(number) for number in range(100)], content=b"x")
        projecting.wait()
    projecting.clickhouse.run("TRUNCATE TABLE events__g1")
    with projecting.running("events"):
        wait_for(lambda: projecting.sql("select 1 from engine.build where state = 'failed'"), "the gap to be found")
    assert "rebuild" in projecting.sql("select error from engine.build where name = 'events'")[0][0]


def test_a_position_behind_the_logs_end_is_refused(projecting: ProjectionBench) -> None:
    projecting.connection.execute("update engine.position set next_offset = 99 where projection = 'refusals'")
    with projecting.running("refusals"):
        wait_for(lambda: projecting.sql("select 1 from engine.build where state = 'failed'"), "the refusal")
    assert REJECTED.name in projecting.sql("select error from engine.build where name = 'refusals'")[0][0]


def test_lost_ids_are_read_from_the_log_again(projecting: ProjectionBench) -> None:
    rows = [click(number) for number in range(60)]
    with projecting.running("events"):
        projecting.publish(rows, content=b"x")
        projecting.wait()
    for file in (projecting.settings.data_dir / "projector").rglob("data.mdb"):
        file.write_bytes(b"not a database")
    with projecting.running("events"):
        projecting.publish(rows, content=b"x")
        projecting.wait()
    assert projecting.one("SELECT count() FROM events") == (60,)
    assert projecting.one("SELECT count() FROM duplicates") == (60,)


def test_a_dead_letter_is_taken_once_it_can_be(projecting: ProjectionBench) -> None:
    row = click(5)
    record = Record(CLICKS.name, row["event_id"].encode(), b"nonsense", (("h", b"12345678"),))
    with projecting.running("events"):
        projecting.log.publish([record]).result(30)
        projecting.wait()
        assert projecting.command("dlq", "retry", "--projection", "events", "--json") == 2
        projecting.connection.execute("update engine.dead_letter set value = %s", (json.dumps(row).encode(),))
        assert projecting.command("dlq", "retry", "--projection", "events", "--json") == 0
        assert projecting.command("dlq", "retry", "--projection", "events", "--json") == 1
        projecting.publish([row], content=b"12345678")
        projecting.wait()
    assert projecting.one("SELECT count(), sum(_offset) FROM events") == (1, 0)
    assert projecting.one("SELECT count(), sum(_offset) FROM duplicates") == (1, 1)
    projecting.exact()
