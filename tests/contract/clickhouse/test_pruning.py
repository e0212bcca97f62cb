"""The engine's index over times: which comparisons it answers rightly, and the smallest case that it answers wrongly.

`schemas.instants` and `infra.domain.sql_access.limits.EXACT` exist because of the latter.
"""

from __future__ import annotations

from datetime import UTC, datetime

import httpx
import pytest

from infra.domain.sql_access import limits
from schemas import instants
from tests.support.clickhouse import ask

LAST_SECOND = "2031-03-31 23:59:59.500"
MIDNIGHT = int(datetime(2031, 4, 1, tzinfo=UTC).timestamp())
SECOND_BEFORE = MIDNIGHT - 1


@pytest.fixture(scope="module")
def table(http: httpx.Client) -> str:
    """One part with one row, cut and ordered as the raw table is."""
    ask(
        http,
        "CREATE OR REPLACE TABLE moments (website UInt8, at DateTime64(3, 'UTC')) ENGINE = MergeTree"
        " PARTITION BY toYYYYMM(at) ORDER BY (website, toDate(at))",
    ).raise_for_status()
    ask(http, f"INSERT INTO moments VALUES (1, '{LAST_SECOND}')").raise_for_status()
    return "moments"


def found(http: httpx.Client, condition: str, **settings: str) -> int:
    answer = ask(http, f"SELECT count() FROM moments WHERE {condition}", **settings)
    answer.raise_for_status()
    return int(answer.text)


COMPARED = {
    "at < {midnight}": 1,
    "at <= {midnight}": 1,
    "at > {before}": 1,
    "at >= {before}": 1,
    "at = {before}": 0,
    "at <= {before}": 0,
    "at >= {midnight}": 0,
    "NOT (at >= {midnight})": 1,
    "website = 1 AND at >= {before} AND at < {midnight}": 1,
    "at + INTERVAL 1 DAY < {midnight} + INTERVAL 1 DAY": 1,
    "at BETWEEN {before} AND {midnight}": 1,
}


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("condition", COMPARED)
def test_instants_of_the_columns_type_are_compared_rightly(http: httpx.Client, condition: str) -> None:
    asked = condition.format(midnight=instants.bound("midnight"), before=instants.bound("before"))
    values = {"param_midnight": str(MIDNIGHT), "param_before": str(SECOND_BEFORE)}
    assert found(http, asked, **values) == COMPARED[condition]


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("condition", COMPARED)
def test_analysts_may_compare_with_whole_seconds(http: httpx.Client, condition: str) -> None:
    asked = condition.format(midnight=f"toDateTime({MIDNIGHT}, 'UTC')", before=f"toDateTime({SECOND_BEFORE}, 'UTC')")
    assert found(http, asked, **limits.EXACT) == COMPARED[condition]


@pytest.mark.usefixtures("table")
def test_the_engine_still_prunes_wrongly(http: httpx.Client) -> None:
    """Fails when the engine is cured: `limits.EXACT` is then only a cost."""
    assert found(http, f"at < toDateTime({MIDNIGHT}, 'UTC')") == 0
    assert found(http, f"at > toDateTime({SECOND_BEFORE}, 'UTC')") == 0


@pytest.mark.usefixtures("table")
def test_analysts_statements_still_skip_other_months_and_days(http: httpx.Client) -> None:
    plan = f"EXPLAIN indexes = 1 SELECT count() FROM moments WHERE at >= toDateTime({MIDNIGHT}, 'UTC')"
    answer = ask(http, plan, **limits.EXACT)
    answer.raise_for_status()
    assert "Parts: 0/1" in answer.text
