"""A partner's month by postbacks, a network's file and payouts: each planted difference is found with its reason."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import httpx2
import pytest

from infra.kernel.config.settings import Settings
from schemas.tracking import log_time
from tests.api.networks.test_imports import Importer, sale
from tests.support.command import Person
from tests.support.policies import Policies, policies, project
from tests.support.query import QueryService, serving

PATH = "/api/platform/reconciliation"
AT = datetime.now(UTC) - timedelta(hours=3)
MONTH = f"{AT:%Y-%m}"
BEFORE = AT.replace(day=1, hour=12) - timedelta(days=10)
TABLES = ("reconciled_sales", "conversions", "payouts", "accepted_months")


@dataclass
class Books:
    led: Policies
    query: QueryService
    seen: int = 0

    def project(self) -> None:
        self.led.caught_up()
        self.led.relayed()
        self.seen = project(self.led.world, *TABLES, since=self.seen)


@dataclass
class Month:
    """A website's month with one partner, whose sales arrive by postback and by report."""

    books: Books
    importer: Importer
    rows: list[dict[str, Any]] = field(default_factory=list)

    def tracked(self, payout: int, currency: str = "EUR", **changes: Any) -> str:
        """A sale by postback, in minor units; gives its transaction id."""
        txid, led = self.importer.txid(), self.books.led
        click = led.click(self.importer.shop, timedelta(days=1))
        led.report(self.importer.shop, **{
            "txid": txid, "reported_by": "postback", "key_kind": "postback", "click_id": click, "amount": None,
            "payout": {"amount": payout, "currency": currency}, "status": "approved", "occurred_at": log_time(AT),
            "time_named": True, **changes,
        })  # fmt: skip
        return txid

    def reported(self, txid: str, commission: float, status: str = "approved", **more: Any) -> str:
        """A row of the network's file, which `upload` sends."""
        self.rows.append(sale(txid, commission, status, **{"at": AT, **more}))
        return txid

    def both(self, minor: int) -> str:
        return self.reported(self.tracked(minor), minor / 100)

    def upload(self) -> str:
        self.books.led.caught_up()
        return str(self.importer.upload(self.rows, apply=True)["importId"])

    def pay(self, amount: int, **changes: Any) -> None:
        body = {
            "websiteId": str(self.importer.site_id), "partnerId": self.importer.partner["id"],
            "amount": {"amount": amount, "currency": "EUR"}, "paidOn": f"{AT:%Y-%m-%d}", **changes,
        }  # fmt: skip
        world = self.books.led.world
        answer = world.call("POST", "/api/platform/payouts", world.owner, json=body)
        assert answer.status_code == 201, answer.text

    def get(self, path: str = PATH, person: Person | None = None, **params: str) -> httpx.Response:
        self.books.project()
        named = {"websiteId": str(self.importer.site_id), "partnerId": self.importer.partner["id"], "month": MONTH}
        chosen = named if path != f"{PATH}/partners" else {"websiteId": named["websiteId"]}
        headers = (person or self.books.led.world.owner).headers
        address = f"{self.books.query.address}{path}"
        return httpx.get(address, params={**chosen, **params}, headers=headers, timeout=20)

    def read(self, month: str = MONTH) -> dict[str, Any]:
        answer = self.get(month=month)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def decide(self, action: str, *, person: Person | None = None, status: int = 200, **body: str) -> None:
        named = {"websiteId": str(self.importer.site_id), "partnerId": self.importer.partner["id"], "month": MONTH}
        world = self.books.led.world
        answer = world.call("POST", f"{PATH}/{action}", person or world.owner, json={**named, **body})
        assert answer.status_code == status, answer.text

    def partner(self) -> dict[str, Any]:
        found = self.get(f"{PATH}/partners").json()
        [partner] = found["partners"]
        return dict(partner)


@pytest.fixture(scope="module")
def ledgers(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[Books]:
    with policies(embedded_postgres, embedded_clickhouse) as led, serving(led.world.settings) as query:
        rate = {"base": "USD", "quote": "EUR", "on": "2020-01-01", "rate": "0.9"}
        made: httpx2.Response = led.world.call("POST", "/api/admin/exchange-rates", led.world.admin, json=rate)
        assert made.status_code == 201, made.text
        yield Books(led, query)


@pytest.fixture
def month(ledgers: Books) -> Month:
    importer = Importer(ledgers.led)
    project(ledgers.led.world, "exchange_rates")
    return Month(ledgers, importer)


def found(answer: dict[str, Any]) -> dict[str | None, tuple[str, int]]:
    return {one["transaction"]: (one["reason"], one["amount"]["amount"]) for one in answer["differences"]}


def test_planted_differences_are_found_with_their_reasons(month: Month) -> None:
    month.both(1_000)
    planted: dict[str | None, tuple[str, int]] = {
        month.reported(month.importer.txid(), 7): ("not_tracked", -700),
        month.tracked(600): ("not_reported", 600),
        month.reported(month.tracked(500), 5, "declined"): ("declined", 500),
        month.reported(month.tracked(400), 3.5): ("amount", 50),
        month.reported(month.tracked(1_000, "USD"), 10): ("currency", -100),
        month.reported(month.tracked(2_000, "USD"), 17.9): ("rate", 10),
        month.reported(month.tracked(300), 3, at=BEFORE): ("month", 300),
    }
    month.upload()
    month.pay(1_000)
    answer = month.read()
    owed = answer["reported"]["amount"] - 1_000
    assert found(answer) == {**planted, None: ("paid_short", owed + 300)}, "the oldest month is paid first"
    assert (answer["state"], answer["differenceCount"], answer["notDue"]["amount"]) == ("open", 8, 0)
    sums = {name: answer[name] for name in ("tracked", "reported", "paid")}
    assert sums == {
        "tracked": {"amount": 1_000 + 600 + 500 + 400 + 900 + 1_800 + 300, "currency": "EUR"},
        "reported": {"amount": 1_000 + 700 + 350 + 1_000 + 1_790, "currency": "EUR"},
        "paid": {"amount": 700, "currency": "EUR"},
    }
    gap = sums["tracked"]["amount"] - sums["paid"]["amount"]
    assert gap == sum(one["amount"]["amount"] for one in answer["differences"])
    [other] = [one for one in answer["differences"] if one["reason"] == "currency"]
    assert (other["tracked"], other["reported"]) == (
        {"amount": 1_000, "currency": "USD"}, {"amount": 1_000, "currency": "EUR"},
    )  # fmt: skip
    before = month.read(month=f"{BEFORE:%Y-%m}")
    assert [one["reason"] for one in before["differences"]] == ["month"]


def test_a_month_agrees_once_everything_is_paid_and_opens_again_when_something_changes(month: Month) -> None:
    first, second = month.both(1_000), month.both(500)
    month.upload()
    owed = month.read()
    assert (found(owed), owed["state"]) == ({None: ("paid_short", 1_500)}, "open")
    assert owed["since"] == f"{datetime.now(UTC):%Y-%m-%d}"
    month.pay(1_500)
    assert (month.read()["differences"], month.read()["state"]) == ([], "agreed")
    assert (month.partner()["openMonths"], month.partner()["open"]["amount"]) == (0, 0)
    corrected = [sale(first, 9, "approved", at=AT, amended=True), sale(second, 5, "approved", at=AT)]
    for row in corrected:
        row["validationDate"] = f"{AT + timedelta(days=9):%Y-%m-%dT%H:%M:%S}"
    imported = month.importer.upload(corrected, apply=True)
    reopened = month.read()
    assert reopened["state"] == "open"
    assert found(reopened) == {first: ("amount", 100), None: ("paid_over", -100)}
    month.importer.call(imported["importId"], "undo")
    month.importer.until(imported["importId"], "undone")
    assert (month.read()["differences"], month.read()["state"]) == ([], "agreed")


def test_accepted_differences_close_a_month_until_its_figures_change(month: Month) -> None:
    month.both(1_000)
    month.reported(month.tracked(400), 3.5)
    month.upload()
    month.pay(1_350)
    seen = month.read()
    assert (seen["state"], seen["isAccepted"]) == ("open", False)
    month.decide("accept", fingerprint=seen["fingerprint"])
    accepted = month.read()
    assert (accepted["state"], accepted["isAccepted"], accepted["differenceCount"]) == ("agreed", True, 1)
    assert month.partner()["openMonths"] == 0
    month.decide("reopen")
    assert month.read()["state"] == "open"
    month.decide("accept", fingerprint=seen["fingerprint"])
    month.reported(month.tracked(200), 1)
    month.upload()
    again = month.read()
    assert (again["state"], again["isAccepted"]) == ("open", False)
    assert again["fingerprint"] != seen["fingerprint"]


def test_a_stranger_accepts_nothing(month: Month) -> None:
    stranger = month.books.led.world.person()
    month.decide("accept", person=stranger, status=404, fingerprint="a" * 64)
    month.decide("reopen", person=stranger, status=404)
    month.decide("accept", status=400, fingerprint="none")
    month.decide("accept", status=404, fingerprint="a" * 64, partnerId="0197a1b2-0000-7000-8000-000000000005")


def test_more_than_is_owed_is_paid_over(month: Month) -> None:
    month.both(1_000)
    month.upload()
    month.pay(1_200)
    assert found(month.read()) == {None: ("paid_over", -200)}


def test_a_partner_that_sends_no_reports_owes_what_was_tracked(month: Month) -> None:
    month.tracked(1_000)
    answer = month.read()
    assert (answer["reported"], found(answer)) == (None, {None: ("paid_short", 1_000)})
    month.pay(1_000)
    assert month.read()["state"] == "agreed"


def test_pending_sales_are_not_due_yet(month: Month) -> None:
    month.reported(month.tracked(800, status=""), 8, "pending")
    month.upload()
    answer = month.read()
    assert (answer["differences"], answer["notDue"]["amount"], answer["state"]) == ([], 800, "open")


def test_the_page_shows_who_owes_what_since_when(month: Month) -> None:
    month.both(1_000)
    month.reported(month.tracked(300), 2)
    month.upload()
    partner = month.partner()
    assert (partner["partnerId"], partner["open"]["amount"]) == (month.importer.partner["id"], 1_200)
    assert (partner["since"], partner["aged"]["days0to30"]) == (f"{datetime.now(UTC):%Y-%m-%d}", 1_200)
    [open_month] = partner["months"]
    detail = month.read()
    assert {name: detail[name] for name in open_month} == open_month
    assert (partner["disputed"]["amount"], partner["openMonths"]) == (100, 1)


def test_the_differences_as_csv_and_as_a_text_for_the_partner(month: Month) -> None:
    month.both(1_000)
    lost = month.tracked(600)
    month.upload()
    month.pay(900)
    answer = month.get(f"{PATH}.csv")
    assert answer.headers["content-disposition"].endswith(f'-{MONTH}.csv"')
    lines = list(csv.DictReader(io.StringIO(answer.text)))
    assert [(line["reason"], line["transaction"], line["tracked"], line["open"]) for line in lines] == [
        ("paid_short", "", "", "1.00"), ("not_reported", lost, "6.00", "6.00"),
    ]  # fmt: skip
    text = month.get(f"{PATH}.txt")
    assert text.headers["content-type"] == "text/plain; charset=utf-8"
    name = month.importer.partner["name"]
    assert text.text.splitlines()[0] == f"Reconciliation {MONTH}: {month.importer.shop.site['domain']} and {name}"
    assert f"- {lost}: tracked 6.00 EUR, reported nothing" in text.text
    assert "Due and not paid: 1.00 EUR" in text.text


def test_a_stranger_reads_no_reconciliation(month: Month) -> None:
    month.both(1_000)
    month.upload()
    stranger = month.books.led.world.person()
    for path in (PATH, f"{PATH}.csv", f"{PATH}.txt", f"{PATH}/partners"):
        assert month.get(path, stranger).status_code == 404, path
    assert month.get(month="2026-13").status_code == 400
