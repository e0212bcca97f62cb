"""An analyst with as many websites as an account may have: every way to run a statement, and its row filters."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from infra.domain.sql_access import limits
from infra.domain.sql_access.parameters import MAX_VALUE_BYTES
from tests.api.sql.test_saved_queries import PINS, _pin, _query
from tests.support.analysts import AnalystWorld, Asker
from tests.support.query import event, this_moment
from tests.support.stack import wait_for

WEBSITES = 500
COUNTED = "SELECT uniqExact(website_id) AS sites, count() AS clicks FROM clicks"


@pytest.fixture(scope="module")
def many(world: AnalystWorld) -> tuple[Asker, list[UUID]]:
    """An analyst with 500 websites, each with a click."""
    mia, at = world.asker("analyst"), this_moment()
    sites = [world.service.website(mia.person, domain=f"s{number}.example") for number in range(WEBSITES)]
    world.service.events([event(site, at - timedelta(minutes=1), visitor=1, country="FR") for site in sites])
    return mia, sites


def outcomes(world: AnalystWorld, asker: Asker) -> set[str]:
    return {row[1] for row in world.audited(asker)}


def test_every_way_to_run_a_statement_sees_all_websites(world: AnalystWorld, many: tuple[Asker, list[UUID]]) -> None:
    mia, sites = many
    service = world.service
    for _ in range(limits.RUNNING + 1):
        assert world.post(mia, {"sql": COUNTED}).json()["rows"] == [[str(WEBSITES), str(WEBSITES)]]
        assert world.ask(mia, COUNTED).text == f"{WEBSITES}\t{WEBSITES}\n"
    pin = _pin(service, mia, _query(service, mia.person, "All", sql=COUNTED))
    assert service.get(f"{PINS}/{pin}/result", mia.person).json()["rows"] == [[str(WEBSITES), str(WEBSITES)]]
    named = "SELECT count(), uniqExact(w.domain) FROM clicks AS c JOIN websites AS w ON w.id = c.website_id"
    for format_ in ("csv", "ndjson", "parquet"):
        assert world.post(mia, {"sql": named, "format": format_}).status_code == 200
    one = {"sql": f"{COUNTED} WHERE website_id = {{site:UUID}}", "parameters": {"site": str(sites[7])}}
    assert world.post(mia, one).json()["rows"] == [["1", "1"]]
    wait_for(lambda: outcomes(world, mia) == {"done"}, "the last one's end to be recorded")


def test_as_many_tables_as_a_statement_may_name(world: AnalystWorld, many: tuple[Asker, list[UUID]]) -> None:
    """The longest statements: each table brings its columns, and none of the websites."""
    mia, _ = many
    each = " UNION ALL ".join(["SELECT count() AS n FROM conversions"] * (limits.TABLES - 1))
    sql = f"SELECT sum(n) FROM (SELECT count() AS n FROM clicks UNION ALL {each})"
    assert world.post(mia, {"sql": sql}).json()["rows"] == [[str(WEBSITES)]]
    assert world.ask(mia, sql).text == f"{WEBSITES}\n"


def test_the_filters_hold_for_many_and_for_no_websites(world: AnalystWorld, many: tuple[Asker, list[UUID]]) -> None:
    mia, _ = many
    nobody = world.asker("analyst")
    for asker, sees in ((mia, True), (world.ada, True), (nobody, False)):
        text = world.ask(asker, "SELECT website_id FROM events UNION ALL SELECT website_id FROM traffic_15m").text
        assert bool(text) is sees and str(world.eve_site) not in text
        told = world.post(asker, {"sql": "SELECT id FROM websites"}).json()["rows"]
        assert [str(world.eve_site)] not in told and bool(told) is sees
    assert str(many[1][0]) not in world.ask(world.eve, "SELECT website_id FROM events").text


def test_what_is_too_long_is_refused_and_not_running(world: AnalystWorld, many: tuple[Asker, list[UUID]]) -> None:
    mia, zoe = many[0], world.asker("analyst")
    long = {"sql": "SELECT length({text:String}) AS n", "parameters": {"text": "x" * MAX_VALUE_BYTES}}
    lists: dict[str, Any] = {f"p{number}": "ü\\'\n" * 5_000 for number in range(20)}
    for _ in range(limits.RUNNING + 2):
        assert world.post(zoe, long).json()["rows"] == [[str(MAX_VALUE_BYTES)]]
        longer = world.post(zoe, {**long, "parameters": {"text": "x" * (MAX_VALUE_BYTES + 1)}})
        assert (longer.status_code, longer.json()["code"]) == (400, "bad_parameter")
        all_ = {"sql": f"SELECT {', '.join(f'length({{{name}:String}})' for name in lists)}", "parameters": lists}
        assert world.post(zoe, all_).json()["rows"] == [["25000"] * 20]
        assert world.post(zoe, {"sql": "SELECT 1", "parameters": {"a b\r\nc": "x", "ü": "1"}}).status_code == 200
        text = world.post(mia, {"sql": f"SELECT {'x' * (limits.TEXT_BYTES - 7)}"})
        assert text.status_code == 400, text.text[:200]
    assert "running" not in outcomes(world, zoe) | outcomes(world, mia)
