"""The list of conversions: one paste finds one, every order pages right, and the totals are those of the filter."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from psycopg.types.json import Jsonb

from infra.domain.conversion_filter import ConversionFilter
from tests.support.query import QueryService

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
PATH = "/api/platform/conversions"


class Ledger:
    """A website with conversions that the tests name."""

    def __init__(self, service: QueryService) -> None:
        self.service, self.owner = service, service.person()
        self.website = service.website(self.owner)
        self.acme, self.zeta = service.partner("acme"), service.partner("Zeta")

    def add(self, txid: str, **changes: Any) -> str:
        conversion = uuid4()
        row = {
            "id": conversion, "website_id": self.website, "kind": "sale", "event": "sale", "txid": txid,
            "status": "pending", "amount": 1000, "currency": "USD", "commission": 100, "commission_currency": "USD",
            "partner_id": self.acme, "reported_by": "postback", "occurred_at": NOW, "recorded_at": NOW, **changes,
        }  # fmt: skip
        self.service.insert("conversions", row)
        return str(conversion)

    def get(self, path: str = PATH, **query: Any) -> Any:
        parameters = {"websiteId": str(self.website), **query}
        return self.service.get(path, self.owner, params=parameters)

    def txids(self, **query: Any) -> list[str]:
        return [row["txid"] for row in self.get(**query).json()]


@pytest.fixture
def ledger(query_service: QueryService) -> Ledger:
    return Ledger(query_service)


def test_a_paste_of_transaction_click_or_customer_finds_one(ledger: Ledger) -> None:
    ledger.add("ORDER-10")
    ledger.add("ORDER-1", click_id="clk_7Qx", customer="c-91")
    ledger.add("100%_\\", customer="C-91")
    assert ledger.txids(search="clk_7Qx") == ledger.txids(search="c-91") == ["ORDER-1"]
    assert set(ledger.txids(search=" ORDER-1 ")) == {"ORDER-1", "ORDER-10"}
    assert ledger.txids(search="ORDER-10") == ["ORDER-10"]
    assert ledger.txids(search="100%_\\") == ["100%_\\"]
    assert ledger.txids(search="%") == ledger.txids(search="RDER") == []


def test_the_search_reads_an_index(ledger: Ledger) -> None:
    postgres = ledger.service.postgres
    terms, bound = ConversionFilter([ledger.website], search="ORDER-77").conditions("c")
    with postgres.transaction(force_rollback=True):
        postgres.execute(
            "INSERT INTO read.conversions__g1 (id, website_id, kind, event, txid, status, amount, currency,"
            " commission_currency, reported_by, occurred_at, recorded_at, click_id, customer)"
            " SELECT gen_random_uuid(), %s, 'sale', 'sale', 'ORDER-' || n, 'pending', n, 'USD', 'USD', 'sale', now(),"
            " now(), 'click-' || n, 'person-' || n FROM generate_series(1, 20000) AS n",
            (ledger.website,),
        )
        postgres.execute("ANALYZE read.conversions__g1")
        postgres.execute("SET LOCAL ROLE query_reader")
        postgres.execute("SELECT set_config('app.reader', 'admin', true)")
        sql = f"EXPLAIN SELECT c.id FROM read.conversions AS c WHERE {' AND '.join(terms)}"
        plan = "\n".join(line for (line,) in postgres.execute(sql.encode(), bound).fetchall())
    assert plan.count("~>=~ 'ORDER-77'") >= 3 and plan.count("Bitmap Index Scan") == 3, plan


def test_sales_of_a_network_are_those_that_it_stated_or_that_its_partner_pays(ledger: Ledger) -> None:
    awin = ledger.service.partner("awin-shop")
    ledger.service.postgres.execute("UPDATE read.partners__g1 SET postback_preset = 'awin' WHERE id = %s", (awin,))
    ledger.add("by file", network="awin", network_txid="7001")
    ledger.add("by postback", partner_id=awin)
    ledger.add("by another network", network="cj", partner_id=awin)
    ledger.add("by nobody", partner_id=None)
    assert set(ledger.txids(network="awin")) == {"by file", "by postback"}
    assert ledger.txids(network="cj") == ["by another network"]
    [stated] = ledger.get(network="cj").json()
    assert (stated["network"], stated["isVoid"]) == ("cj", False)


def test_sales_of_undone_imports_are_left_out_unless_they_are_wanted(ledger: Ledger) -> None:
    ledger.add("kept", status="rejected")
    ledger.add("undone", status="rejected", is_void=True)
    assert ledger.txids() == ledger.txids(status="rejected") == ["kept"]
    assert ledger.txids(undone="yes") == ["undone"]
    assert set(ledger.txids(undone="all")) == {"kept", "undone"}
    for undone, count in (("", 1), ("yes", 1), ("all", 2)):
        totals = ledger.get(f"{PATH}/totals", undone=undone).json()
        assert totals["count"] == count
        assert len(list(csv.DictReader(io.StringIO(ledger.get(f"{PATH}.csv", undone=undone).text)))) == count
    assert ledger.get(undone="perhaps").status_code == 400


@pytest.mark.parametrize("sort", ["date", "amount", "commission", "status", "partner"])
@pytest.mark.parametrize("sign", ["", "-"])
def test_every_order_pages_without_gap_or_repeat(ledger: Ledger, sort: str, sign: str) -> None:
    for number in range(23):
        ledger.add(
            f"T{number:02d}",
            amount=number % 4,
            commission=number % 3,
            status=["pending", "approved", "rejected"][number % 3],
            partner_id=[ledger.acme, ledger.zeta, None][number % 3],
            occurred_at=NOW + timedelta(minutes=number % 5),
        )
    whole = ledger.get(sort=f"{sign}{sort}", limit=100).json()
    paged: list[Any] = []
    cursor: str | None = ""
    while cursor is not None:
        answer = ledger.get(sort=f"{sign}{sort}", limit=5, **({"cursor": cursor} if cursor else {}))
        paged += answer.json()
        cursor = answer.links["next"]["url"].split("cursor=")[1] if "next" in answer.links else None
    assert [row["id"] for row in paged] == [row["id"] for row in whole]
    assert len({row["id"] for row in paged}) == 23
    values: dict[str, Callable[[Any], Any]] = {
        "date": lambda row: row["occurredAt"],
        "amount": lambda row: row["amount"]["amount"],
        "commission": lambda row: row["commission"]["amount"],
        "status": lambda row: row["status"],
        "partner": lambda row: (row["partnerName"] or "").lower(),
    }
    found = [values[sort](row) for row in paged]
    assert found == sorted(found, reverse=bool(sign))


def test_a_cursor_of_another_order_is_refused(ledger: Ledger) -> None:
    for number in range(3):
        ledger.add(f"T{number}")
    cursor = ledger.get(limit=1).links["next"]["url"].split("cursor=")[1]
    refused = ledger.get(sort="amount", cursor=cursor)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "cursor")
    unknown = ledger.get(sort="colour")
    assert unknown.status_code == 400 and "commission" in unknown.json()["message"]


def test_filters_take_any_value_as_it_is(ledger: Ledger) -> None:
    odd = ["a,b", "-minus", "(none)", "two words", "日本語", "x" * 2000, "'; DROP TABLE x; --", "%s"]
    for number, value in enumerate(odd):
        ledger.add(f"T{number}", source=value, coupon=value, device=value, subs=Jsonb({"sub3": value}))
    for number, value in enumerate(odd):
        for name in ("source", "coupon", "device", "sub3"):
            assert ledger.txids(**{name: value}) == [f"T{number}"], (name, value)
    assert ledger.get(source="a\x00b").status_code == 400


def test_unattributed_ones_are_a_filter_and_a_number(ledger: Ledger) -> None:
    ledger.add("T1")
    ledger.add("T2", partner_id=None, commission=0)
    assert (ledger.txids(attributed="no"), ledger.txids(attributed="yes")) == (["T2"], ["T1"])
    assert ledger.get(f"{PATH}/totals").json()["unattributed"] == 1
    assert ledger.get(attributed="maybe").status_code == 400


def test_totals_are_those_of_the_filter_by_currency_and_status(ledger: Ledger) -> None:
    ledger.add("T1", amount=1000, commission=100)
    ledger.add("T2", amount=500, currency="EUR", commission=50)
    ledger.add("T3", amount=7, status="approved", commission=3, link_id=uuid4(), kind="lead", reported_by="lead")
    ledger.add("T4", amount=2, status="rejected", commission=0, partner_id=None)
    totals = ledger.get(f"{PATH}/totals").json()
    assert (totals["count"], totals["unattributed"]) == (4, 1)
    assert totals["amounts"] == [{"amount": 500, "currency": "EUR"}, {"amount": 1009, "currency": "USD"}]
    assert {one["status"]: (one["count"], one["commission"]["amount"]) for one in totals["statuses"]} == {
        "pending": (2, 150), "approved": (1, 3), "rejected": (1, 0),
    }  # fmt: skip
    for query in ({"kind": "lead"}, {"reportedBy": "lead"}, {"status": "approved"}, {"search": "T3"}):
        assert ledger.get(f"{PATH}/totals", **query).json()["count"] == 1, query
    for query in ({"from": "2026-11-21"}, {"to": "2026-11-19"}, {"partnerId": str(ledger.zeta)}):
        nothing = ledger.get(f"{PATH}/totals", **query).json()
        assert (nothing["count"], nothing["amounts"], nothing["statuses"]) == (0, [], []), query


def test_the_file_holds_the_filtered_list_in_its_order(ledger: Ledger) -> None:
    ledger.add("T1", amount=5, subs=Jsonb({"sub1": "banner", "sub2": "=cmd"}), source="news", country="DE")
    ledger.add("T2", amount=9)
    ledger.add("T3", amount=1, status="approved")
    file = ledger.get(f"{PATH}.csv", status="pending", sort="-amount").text
    rows = list(csv.DictReader(io.StringIO(file)))
    assert [row["transaction"] for row in rows] == ["T2", "T1"]
    assert (rows[1]["subs"], rows[1]["country"], rows[1]["source"]) == ("sub1=banner; sub2==cmd", "DE", "news")


def test_nobody_reads_totals_of_another_account(ledger: Ledger) -> None:
    ledger.add("T1")
    other = ledger.service.person()
    path = f"{PATH}/totals?websiteId={ledger.website}"
    assert ledger.service.get(path, other).status_code == 404
    assert ledger.service.get(f"{PATH}/totals", other).json()["count"] == 0
