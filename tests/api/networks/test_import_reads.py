"""What an import did, read by its owner: the list, one import, the rows behind each number; nobody else reads them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx
import pytest

from infra.kernel.config.settings import Settings
from schemas.identity import conversion_id
from tests.api.networks.test_imports import IMPORTS, Importer, sale
from tests.support.command import Person
from tests.support.policies import Policies, policies, project
from tests.support.query import QueryService, serving


@dataclass(frozen=True)
class Reads:
    led: Policies
    query: QueryService

    def get(self, path: str, person: Person | None = None, **params: Any) -> httpx.Response:
        self.led.relayed()
        project(self.led.world, "network_imports", "conversions", "conversion_steps")
        headers = (person or self.led.world.owner).headers
        return httpx.get(f"{self.query.address}{path}", params=params, headers=headers, timeout=20)


@pytest.fixture(scope="module")
def reads(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[Reads]:
    with policies(embedded_postgres, embedded_clickhouse) as led, serving(led.world.settings) as query:
        yield Reads(led, query)


def test_the_rows_behind_each_number_are_listed(reads: Reads) -> None:
    importer = Importer(reads.led)
    known = importer.txid()
    importer.upload([sale(known, 4)], apply=True)
    rows = [sale(known, 5, "approved"), *(sale(importer.txid(), 1) for _ in range(60)), {"id": 1}]
    preview = importer.upload(rows)
    found = reads.get(f"{IMPORTS}/{preview['importId']}").json()
    assert (found["state"], found["new"], found["changed"], found["rejectedCount"]) == ("ready", 60, 1, 1)
    assert found["rejected"][0]["line"] == 62
    assert found["layout"]["format"] == "json"
    path = f"{IMPORTS}/{preview['importId']}/rows"
    [changed] = reads.get(path, kind="changed").json()
    assert (changed["txid"], changed["commission"], changed["status"]) == (known, "5", "approved")
    first = reads.get(path, kind="new", limit=50)
    assert len(first.json()) == 50
    rest = httpx.get(
        f"{reads.query.address}{first.links['next']['url']}", headers=reads.led.world.owner.headers, timeout=20
    ).json()
    assert len(rest) == 10
    assert {row["line"] for row in first.json()}.isdisjoint({row["line"] for row in rest})


def test_imports_are_listed_the_newest_first(reads: Reads) -> None:
    importer = Importer(reads.led)
    made = [importer.upload([sale(importer.txid(), 1)])["importId"] for _ in range(3)]
    listed = reads.get(IMPORTS, websiteId=str(importer.site_id)).json()
    assert [one["importId"] for one in listed] == made[::-1]
    assert (listed[0]["fileName"], listed[0]["network"]) == ("awin.json", "awin")


def test_a_stranger_reads_no_import(reads: Reads) -> None:
    importer, stranger = Importer(reads.led), reads.led.world.person()
    preview = importer.upload([sale(importer.txid(), 1)])
    for path in (f"{IMPORTS}/{preview['importId']}", f"{IMPORTS}/{preview['importId']}/rows"):
        assert reads.get(path, stranger).status_code == 404
    assert reads.get(IMPORTS, stranger).json() == []
    assert reads.get(IMPORTS, stranger, websiteId=str(importer.site_id)).status_code == 404


def test_sales_are_found_by_their_import_and_leave_the_list_with_it(reads: Reads) -> None:
    importer = Importer(reads.led)
    of_both, of_first, of_second = importer.txid(), importer.txid(), importer.txid()
    first = importer.upload([sale(of_both, 4), sale(of_first, 5)], apply=True)["importId"]
    second = importer.upload([sale(of_both, 4.5), sale(of_second, 6)], apply=True)["importId"]
    preview = importer.upload([sale(of_both, 9)])["importId"]

    def txids(**query: Any) -> set[str]:
        rows = reads.get("/api/platform/conversions", websiteId=str(importer.site_id), **query).json()
        return {row["txid"] for row in rows}

    assert txids(importId=first) == {of_both, of_first}
    assert txids(importId=second) == {of_both, of_second}
    assert txids(importId=preview) == set()
    assert txids(network="awin") == {of_both, of_first, of_second}
    importer.call(first, "undo")
    importer.until(first, "undone")
    assert txids() == {of_both, of_second}
    assert txids(undone="yes") == {of_first}
    stranger = reads.led.world.person()
    assert reads.get("/api/platform/conversions", stranger, importId=second).json() == []

    # A later file has the sale again.
    importer.upload([sale(of_first, 5)], apply=True)
    assert txids() == {of_both, of_first, of_second}
    assert txids(undone="yes") == set()


def test_a_decision_about_an_import_is_about_its_sales_alone(reads: Reads) -> None:
    importer = Importer(reads.led)
    one, other = importer.txid(), importer.txid()
    first = importer.upload([sale(one, 4)], apply=True)["importId"]
    importer.upload([sale(other, 5)], apply=True)
    reads.get(IMPORTS)  # the read models have the sales
    filtered = {"websiteId": str(importer.site_id), "network": "awin", "importId": first}
    body = {"filter": filtered, "reason": "not ours"}
    answer = reads.led.world.call("POST", "/api/platform/conversions/reject", reads.led.world.owner, json=body)
    assert answer.status_code == 200, answer.text
    assert len(answer.json()["results"]) == 1
    assert importer.conversion(one).status.value == "rejected"
    assert importer.conversion(other).status.value == "pending"


def test_each_field_of_a_sale_has_its_source_down_to_the_line(reads: Reads) -> None:
    importer, led = Importer(reads.led), reads.led
    txid, click = importer.txid(), led.click(importer.shop, timedelta(days=30))
    led.report(
        importer.shop, txid=txid, reported_by="sale", key_kind="secret", amount={"amount": 9000, "currency": "EUR"},
        coupon="SPRING",
    )  # fmt: skip
    led.report(
        importer.shop, txid=txid, reported_by="postback", key_kind="postback", click_id=click, amount=None,
        payout={"amount": 700, "currency": "EUR"},
    )  # fmt: skip
    led.caught_up()
    rows = [sale(importer.txid(), 1), sale(txid, 8, "approved", click=click)]
    imported = importer.upload(rows, apply=True)["importId"]

    def explained() -> tuple[dict[str, tuple[str, str | None]], list[tuple[str, int]]]:
        found = reads.get(f"/api/platform/conversions/{conversion_id(importer.site_id, 'sale', txid)}/explain").json()
        sources = {one["field"]: (one["source"], one["network"]) for one in found["sources"]}
        return sources, [(line["importId"], line["line"]) for line in found["lines"]]

    sources, lines = explained()
    assert sources == {
        "amount": ("shop", None),
        "coupon": ("shop", None),
        "click_id": ("network", None),
        "payout": ("import", "awin"),
        "status": ("import", "awin"),
        "occurred_at": ("import", "awin"),
    }
    assert lines == [(imported, 2)]
    importer.call(imported, "undo")
    importer.until(imported, "undone")
    sources, lines = explained()
    assert (sources["payout"], "status" in sources, lines) == (("network", None), False, [])
