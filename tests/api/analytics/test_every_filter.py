"""Every analytics call takes every filter, alone and with others, and answers what the raw rows give; and what a
request may hold at most is answered, one more is refused with the limit.

A part has every filter, on some calls; all parts together have it on many, and are run by `make test-slow`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import cycle
from typing import Any, Final
from urllib.parse import urlencode

import httpx
import pytest

from infra.domain.visits.dimensions import NAMES
from query_api.analytics import filters
from query_api.analytics.filters import COLUMNS, Operator
from query_api.kernel.dependencies import MAX_QUERY_BYTES
from tests.api.analytics.test_agreement import FIRST, LAST, Measured
from tests.support.query import QueryService
from tests.support.rounds import first_of

Parameters = list[tuple[str, str]]
PREFIX: Final = "/api/platform/analytics/"
FROM_ROWS: Final = ("sub2", "-no such value")
"""Leaves nothing out; no rollup has the column, so that rows answer."""
NO_ID: Final = "00000000-0000-0000-0000-000000000000"
VALUES: Final = {
    "country": "DE", "device": "mobile", "source": "google", "reason": "crawler", "sub1": "a", "page": "/1",
    "event": "click", "weekday_hour": "1-10", "hostname": "shop.example", "browser": "Firefox", "os": "Linux",
}  # fmt: skip

PARTS: Final = 5
each_part: Final = pytest.mark.parametrize("part", first_of(0, *range(1, PARTS)))


@pytest.fixture(scope="module")
def measured(query_service: QueryService) -> Measured:
    return Measured(query_service, 41)


@pytest.fixture(scope="module")
def calls(query_service: QueryService) -> list[str]:
    """Every call that takes filters of a website, as JSON and as a file; by its present name."""
    paths: dict[str, Any] = query_service.get("/api/openapi.json").json()["paths"]
    found = []
    for path, operations in paths.items():
        read = operations.get("get", {})
        names = {parameter["name"] for parameter in read.get("parameters", ())}
        if "deprecated" not in read and {"websiteId", *COLUMNS, "filter"} <= names:
            found.append(path)
    assert {
        f"{PREFIX}{name}" for name in ("overview", "events", "excluded-traffic", "excluded-traffic.csv", "breakdown")
    } < {*found}
    return found


def answer(service: QueryService, measured: Measured, path: str, parameters: Parameters) -> httpx.Response:
    span = {"timeRange": "custom", "from": FIRST.isoformat(), "to": LAST.isoformat()}
    query = urlencode([("websiteId", str(measured.website)), *span.items(), *parameters])
    return service.get(f"{path}?{query}", measured.owner)


def check(service: QueryService, measured: Measured, path: str, parameters: Parameters) -> None:
    usual = answer(service, measured, path, parameters)
    assert usual.status_code == 200, (path, parameters, usual.text)
    of_rows = answer(service, measured, path, [*parameters, FROM_ROWS])
    assert usual.content == of_rows.content, (path, parameters)


def singles(measured: Measured) -> list[Parameters]:
    """Each filter: a value, all but the value, no value, all but none."""
    found: list[Parameters] = []
    for name in sorted(COLUMNS.keys() - {FROM_ROWS[0]}):
        value = str(measured.partners[0]) if name == "partner" else NO_ID if name == "link" else VALUES.get(name, "a")
        more = [("bots", "include")] if name == "reason" else []
        found += [[(name, text), *more] for text in (value, f"-{value}", "(none)", "-(none)")]
    return found


def dimension_filters(measured: Measured) -> Iterator[tuple[str, str]]:
    for name in (*NAMES, "prop:plan"):
        value = str(measured.partners[0]) if name == "partner" else VALUES.get(name, "a")
        for operator in Operator:
            yield "filter", f"{name}:{operator}:{value}|"


@each_part
def test_each_filter_alone_gives_what_the_rows_give(
    query_service: QueryService, measured: Measured, calls: list[str], part: int
) -> None:
    """Each call gets a third of them, the next call the next third; in a part a fifth of that."""
    assert len(calls) >= 3 * PARTS, "else a part has not every filter"
    for number, path in enumerate(calls):
        for parameters in singles(measured)[(number + 3 * part) % (3 * PARTS) :: 3 * PARTS]:
            check(query_service, measured, path, parameters)


@each_part
def test_each_dimension_and_operator_is_answered(
    query_service: QueryService, measured: Measured, calls: list[str], part: int
) -> None:
    """A call for each condition, in turn. A part has every dimension, with one operator after the other."""
    operators = len(Operator)
    for number, (condition, path) in enumerate(zip(dimension_filters(measured), cycle(calls), strict=False)):
        if (number % operators - number // operators) % PARTS == part:
            check(query_service, measured, path, [condition])


@pytest.mark.parametrize("seed", first_of(0, 1, 2))
def test_filters_together_give_what_the_rows_give(
    query_service: QueryService, measured: Measured, calls: list[str], seed: int
) -> None:
    chance = random.Random(seed)
    of_events, of_visits = singles(measured), list(dimension_filters(measured))
    for _ in range(40):
        chosen = {name: value for each in chance.sample(of_events, chance.randint(1, 3)) for name, value in each}
        conditions = chance.sample(of_visits, chance.choice([0, 0, 1, 3]))
        check(query_service, measured, chance.choice(calls), [*chosen.items(), *conditions])


@each_part
@pytest.mark.parametrize("operator", list(Operator))
def test_as_many_filters_and_values_as_documented_are_answered_and_one_more_is_refused(
    query_service: QueryService, measured: Measured, calls: list[str], operator: Operator, part: int
) -> None:
    values = "|".join(f"/{number}" for number in range(filters.MAX_VALUES))
    most = [("filter", f"page:{operator}:{values}")] * filters.MAX_FILTERS
    for path in calls[(list(Operator).index(operator) + part) % PARTS :: PARTS]:
        found = answer(query_service, measured, path, most)
        assert found.status_code == 200, (path, found.text)
    for refused in ([*most, most[0]], [("filter", f"page:{operator}:{values}|/more")]):
        found = answer(query_service, measured, calls[0], refused)
        assert found.status_code == 400 and found.json()["errors"][0]["field"] == "filter", found.text
        assert str(filters.MAX_FILTERS) in found.text or str(filters.MAX_VALUES) in found.text


def test_a_query_string_of_the_documented_length_is_answered_and_a_longer_one_refused(
    query_service: QueryService, measured: Measured
) -> None:
    start = f"websiteId={measured.website}&" + "&".join(f"sub{number}={'x' * 200}" for number in range(1, 9))
    values = ",".join(["y" * 250] * 30)
    start += f"&sub9={values}&sub10={values}&filter=page:is:"
    last = MAX_QUERY_BYTES - len(start)
    rest = "|".join(["z" * 200] * (last // 201)) + "z" * (last % 201 + 1)
    path = f"{PREFIX}overview?{start}{rest}"
    assert len(path.partition("?")[2]) == MAX_QUERY_BYTES
    assert query_service.get(path, measured.owner).status_code == 200
    refused = query_service.get(f"{path}z", measured.owner)
    assert refused.status_code == 400 and refused.json()["code"] == "query_too_long"
    assert f"{MAX_QUERY_BYTES:,}" in refused.json()["message"]
    much = query_service.get(path + "z" * 10_000, measured.owner)
    assert much.status_code == 431 and much.json()["code"] == "head_too_large"
