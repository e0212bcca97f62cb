"""Results over tables of single events say from which day on these are there, where a website's have expired."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Final

import pytest

from query_api.kernel.kept_from import KEPT_FROM
from tests.api.sql.test_saved_queries import PINS, _pin, _query
from tests.support.analysts import AnalystWorld, Asker

DAY: Final = date(2026, 3, 1)
LATER: Final = date(2026, 5, 1)
OF_EVENTS: Final = [
    "SELECT count() FROM clicks",
    "SELECT count() FROM pageviews WHERE occurred_at > now() - INTERVAL 1 DAY",
    "WITH e AS (SELECT visitor FROM althing.events) SELECT count() FROM (SELECT 1 UNION ALL SELECT visitor FROM e)",
    "SELECT c.bucket, count() FROM traffic_15m AS c JOIN events AS e USING (website_id) GROUP BY c.bucket",
    "SELECT a, count() FROM (SELECT arrayJoin(range(200000)) AS a) AS x CROSS JOIN events GROUP BY a",
]
OF_SUMS: Final = [
    "SELECT 1",
    "SELECT 'events, clicks'",
    "SELECT sum(clicks) FROM traffic_15m",
    "SELECT count() FROM conversions",
    "SELECT domain, events_kept_from FROM websites",
]


@pytest.fixture(scope="module")
def zoe(world: AnalystWorld) -> Asker:
    """Has a website whose events are all there, and two that have lost some."""
    zoe = world.asker("analyst")
    for domain, before in (("all.example", None), ("some.example", DAY), ("few.example", LATER)):
        website = world.website(zoe, domain)
        if before is not None:
            row = {"website_id": website, "before": before, "expired_at": datetime.now(UTC)}
            world.service.insert("event_expiries", row)
    return zoe


def said(world: AnalystWorld, asker: Asker, sql: str) -> set[str | None]:
    """The header through each entry point and in each format."""
    answers = [
        *(world.post(asker, {"sql": sql, "format": format_}) for format_ in ("json", "csv", "ndjson", "parquet")),
        *(world.ask(asker, sql, default_format=name) for name in ("TSV", "Native", "JSON", "Parquet")),
        world.ask(asker, sql, wait_end_of_query="1"),
    ]
    assert {answer.status_code for answer in answers} == {200}, answers[0].text
    return {answer.headers.get(KEPT_FROM) for answer in answers}


@pytest.mark.parametrize("sql", OF_EVENTS)
def test_a_result_of_single_events_says_from_when_on_it_is_whole(world: AnalystWorld, zoe: Asker, sql: str) -> None:
    assert said(world, zoe, sql) == {LATER.isoformat()}
    assert said(world, world.ada, sql) == {None}, "none of hers have expired"


@pytest.mark.parametrize("sql", OF_SUMS)
def test_what_does_not_expire_has_no_such_note(world: AnalystWorld, zoe: Asker, sql: str) -> None:
    assert said(world, zoe, sql) == {None}


def test_neither_has_what_tells_the_columns(world: AnalystWorld, zoe: Asker) -> None:
    for sql in ("DESCRIBE TABLE events", "SHOW TABLES", "EXPLAIN SELECT count() FROM events"):
        answer = world.ask(zoe, sql)
        assert (answer.status_code, answer.headers.get(KEPT_FROM)) == (200, None)


def test_a_pinned_chart_says_it_also_when_its_result_is_stored(world: AnalystWorld, zoe: Asker) -> None:
    query = _query(world.service, zoe.person, "Kept", sql="SELECT count() AS clicks FROM clicks")
    path = f"{PINS}/{_pin(world.service, zoe, query)}/result"
    for _ in range(2):
        assert world.service.get(path, zoe.person).headers[KEPT_FROM] == LATER.isoformat()
