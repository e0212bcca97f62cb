"""Given several reads in one request, when it is sent, then each has the answer that it has alone."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import pytest

from query_api.kernel.combined_reads import MAX_READS, PATH
from tests.support.query import Person, QueryService

WEBSITES = "/api/platform/websites"


@dataclass(frozen=True)
class Answered:
    status: int
    headers: Mapping[str, str]
    body: Any


def combined(service: QueryService, person: Person, *reads: str, **options: Any) -> list[Answered]:
    """The answers in the order of `reads`."""
    query = urlencode([("read", read) for read in reads])
    response = service.get(f"{PATH}?{query}", person, **options)
    assert response.status_code == 200, response.text
    lines = response.text.splitlines()
    heads = [json.loads(line) for line in lines[::2]]
    assert sorted(head["read"] for head in heads) == list(range(len(reads)))
    by_read = {
        head["read"]: Answered(head["status"], head["headers"], json.loads(body))
        for head, body in zip(heads, lines[1::2], strict=True)
    }
    return [by_read[number] for number in range(len(reads))]


def test_each_read_has_the_answer_that_it_has_alone(query_service: QueryService) -> None:
    person = query_service.person()
    website = query_service.website(person)
    reads = [
        WEBSITES,
        f"/api/platform/analytics/overview?websiteId={website}&timeRange=yesterday",
        f"/api/platform/analytics/breakdown?websiteId={website}&timeRange=yesterday&by=page"
        "&filter=page:is:/a&filter=country:is:DE",
    ]
    answers = combined(query_service, person, *reads)
    alone = [query_service.get(read, person) for read in reads]
    assert [(one.status, one.body) for one in answers] == [(one.status_code, one.json()) for one in alone]
    assert "x-as-of" in answers[1].headers and "x-as-of" not in answers[0].headers


def test_a_read_that_fails_leaves_the_others(query_service: QueryService) -> None:
    person, other = query_service.person(), query_service.person()
    foreign = query_service.website(other)
    answers = combined(
        query_service,
        person,
        f"/api/platform/analytics/overview?websiteId={foreign}",
        WEBSITES,
        "/api/platform/analytics/overview?websiteId=none",
        "/api/platform/../../metrics",
        f"{WEBSITES}?a=1&a=2",
    )
    assert [one.status for one in answers] == [404, 200, 400, 404, 400]
    assert answers[0].body["code"] == "not_found"


def test_each_read_waits_for_the_callers_own_changes(query_service: QueryService) -> None:
    person = query_service.person()
    website = query_service.website(person)
    position = 6 * 10**9 + time.time_ns() % 10**9
    query_service.advance("partners", "domain", 0, 0, position - 1)
    read = f"/api/platform/annotations?websiteId={website}&timeRange=7d"
    [stale, _] = combined(query_service, person, read, WEBSITES, headers={"X-Wait-For": f"domain@{position}"})
    assert (stale.status, stale.headers.get("x-stale")) == (200, "1")


def test_only_who_is_signed_in_reads(query_service: QueryService) -> None:
    assert query_service.get(f"{PATH}?read={WEBSITES}").status_code == 401


@pytest.mark.parametrize(
    "read",
    [
        "/api/admin/accounts",
        "/metrics",
        "https://other.example/api/platform/websites",
        f"{PATH}?read={WEBSITES}",
        "/api/platform/analytics/live?websiteId=x",
        "/api/platform/analytics/overview.csv?websiteId=x",
        "/api/platform/web%73ites/é",
        "",
    ],
)
def test_what_is_no_json_read_of_the_platform_is_refused(query_service: QueryService, read: str) -> None:
    person = query_service.person()
    response = query_service.get(f"{PATH}?{urlencode({'read': read})}", person)
    assert (response.status_code, response.json()["code"]) == (400, "invalid")


def test_a_request_has_a_limited_number_of_reads(query_service: QueryService) -> None:
    person = query_service.person()
    for count, status in ((MAX_READS, 200), (MAX_READS + 1, 400)):
        query = urlencode([("read", WEBSITES)] * count)
        assert query_service.get(f"{PATH}?{query}", person).status_code == status
    assert query_service.get(PATH, person).status_code == 400
