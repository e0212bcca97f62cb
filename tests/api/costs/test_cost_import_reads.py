"""What an import of costs did, read by its owner: the list, one import, the lines behind each number; nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from command_api.costs.imports import routes
from infra.kernel.config.settings import Settings
from tests.api.costs.test_cost_imports import AUTUMN, IMPORTS, SPRING, CostImporter, google
from tests.support.command import Person
from tests.support.policies import Policies, policies, project
from tests.support.query import QueryService, serving


@dataclass(frozen=True)
class Reads:
    led: Policies
    query: QueryService

    def get(self, path: str, person: Person | None = None, **params: Any) -> httpx.Response:
        self.led.relayed()
        project(self.led.world, "websites", "cost_imports")
        headers = (person or self.led.world.owner).headers
        return httpx.get(f"{self.query.address}{path}", params=params, headers=headers, timeout=20)


@pytest.fixture(scope="module")
def reads(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[Reads]:
    with (
        policies(embedded_postgres, embedded_clickhouse) as led,
        serving(led.world.settings) as query,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(routes, "READ_WAIT_S", 60.0)  # what begins to work beside is slower than a file
        yield Reads(led, query)


def test_the_lines_behind_each_number_are_listed(reads: Reads) -> None:
    importer = CostImporter(reads.led)
    importer.upload(google((*SPRING, "1.00")), apply=True)
    days = [(f"2026-10-{day:02}", "Spring", "2.00") for day in range(1, 31)]
    found_id = importer.upload(google((*SPRING, "1.50"), *days, *days, (*AUTUMN, "five")))["importId"]
    found = reads.get(f"{IMPORTS}/{found_id}").json()
    assert {name: found[name] for name in ("state", "rows", "new", "changed", "rejectedCount")} == {
        "state": "ready", "rows": 62, "new": 60, "changed": 1, "rejectedCount": 1,
    }  # fmt: skip
    assert (found["layout"]["columns"]["day"], found["platform"], found["fileName"]) == (
        "Day",
        "google_ads",
        "costs.csv",
    )
    assert found["delta"] == [{"amount": 12_050, "currency": "EUR"}]
    path = f"{IMPORTS}/{found_id}/rows"
    [changed] = reads.get(path, kind="changed").json()
    assert (changed["day"], changed["campaign"], changed["source"], changed["amount"]) == (
        *SPRING,
        *("Google", {"amount": 150, "currency": "EUR"}),
    )
    [rejected] = reads.get(path, kind="rejected").json()
    assert (rejected["line"], rejected["code"], rejected["day"]) == (65, "bad_amount", None)
    first = reads.get(path, kind="new", limit=20)
    assert [(row["lines"], row["amount"]["amount"]) for row in first.json()] == [(2, 400)] * 20
    rest = httpx.get(
        f"{reads.query.address}{first.links['next']['url']}", headers=reads.led.world.owner.headers, timeout=20
    ).json()
    assert len(rest) == 10
    assert {row["line"] for row in first.json()}.isdisjoint({row["line"] for row in rest})


def test_imports_are_listed_the_newest_first_to_their_owner(reads: Reads) -> None:
    importer, stranger = CostImporter(reads.led), reads.led.world.person()
    made = [importer.upload(google((*SPRING, f"{number}.00")))["importId"] for number in range(3)]
    listed = reads.get(IMPORTS, websiteId=str(importer.site_id)).json()
    assert [one["importId"] for one in listed] == made[::-1]
    for path in (f"{IMPORTS}/{made[0]}", f"{IMPORTS}/{made[0]}/rows"):
        assert reads.get(path, stranger).status_code == 404
    assert reads.get(IMPORTS, stranger).json() == []
    assert reads.get(IMPORTS, stranger, websiteId=str(importer.site_id)).status_code == 404
