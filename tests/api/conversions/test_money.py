"""From terms to a statement: tiers under races, decisions in bulk, statements to the cent, and why; on real engines."""

from __future__ import annotations

import csv
import io
import os
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Any
from uuid import uuid4

import orjson
import psycopg
import pytest

from command_api.conversions import decisions, model
from command_api.conversions.automatic_approval import approve_due
from command_api.conversions.tiers import month_of
from command_api.kernel.decision import CommandContext
from command_api.kernel.leader_election import connect
from infra.kernel.postgres.pool import required_url
from schemas.base import DomainEvent
from schemas.events.conversions import (
    ConversionStatus,
)
from schemas.events.partners import Terms
from schemas.tracking import log_time
from tests.support.accounting import MONTHS, Accounting, PastMonths, this_month
from tests.support.policies import Shop

SEED = os.environ.get("BOOKS_SEED", "1")
"""Of the years that are made by chance; another one is tried out with `BOOKS_SEED`."""


def dollars(amount: int) -> dict[str, Any]:
    return {"amount": amount, "currency": "USD"}


def test_each_tier_pays_exactly_as_many_as_it_should_however_many_decide_at_once(books: Accounting) -> None:
    shop = books.shop(tiers=[{"atLeast": 10, "percent": 15}, {"atLeast": 25, "percent": 20}])
    conversions = books.sales(shop, 40)
    states = [books.made.decided(conversion) for conversion in conversions]
    assert Counter(state.commission for state in states) == {1000: 10, 1500: 15, 2000: 15}
    assert {(state.tier.number, state.commission) for state in states if state.tier} == {
        (0, 1000),
        (1, 1500),
        (2, 2000),
    }
    assert books.world.postgres.execute(
        "SELECT conversions, revenue FROM lookup.monthly_total WHERE website_id = %s", (shop.website_id,)
    ).fetchall() == [(40, 10_000 + 22_500 + 30_000)]


def test_rejected_and_reversed_sales_count_for_no_tier(books: Accounting) -> None:
    shop = books.shop(tiers=[{"atLeast": 4, "percent": 20}])
    first, second, *_ = books.sales(shop, 3)
    steps = {f"{first}/reject": {"reason": "fraud"}, f"{second}/reverse": {"reason": "sent back"}}

    def decide(step: tuple[str, Any]) -> int:
        return books.world.call(
            "POST", f"/api/platform/conversions/{step[0]}", books.world.owner, json=step[1]
        ).status_code

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(decide, steps.items())) == [200, 200]
    third, fourth, fifth, sixth = (books.made.decided(one) for one in books.sales(shop, 4))
    assert sorted(state.commission for state in (third, fourth, fifth, sixth)) == [1000, 1000, 1000, 2000]


def test_a_bulk_approval_returns_the_result_of_each_conversion(books: Accounting) -> None:
    shop, other = books.shop(holdDays=30), books.world.person()
    conversions = books.sales(shop, 12)
    gone, *rest = conversions
    assert books.post(f"{gone}/reject", {"reason": "fraud"}).status_code == 200
    foreign = books.world.website(other)
    assert foreign["id"]
    unknown = uuid4()
    wanted = [*rest[:10], gone, unknown, rest[0]]
    key = {"Idempotency-Key": "approve-ten"}
    answer = books.post("approve", {"ids": [str(one) for one in wanted]}, headers=key)
    assert answer.status_code == 200
    results = answer.json()["results"]
    assert [result["id"] for result in results] == [str(one) for one in wanted[:-1]]
    assert [result["ok"] for result in results] == [True] * 10 + [False] * 2
    assert [result["changed"] for result in results] == [True] * 10 + [False] * 2
    assert {result["changed"] for result in books.post("approve", {"ids": [str(rest[0])]}).json()["results"]} == {False}
    assert [result["code"] for result in results[10:]] == ["already_rejected", "not_found"]
    assert books.post("approve", {"ids": [str(one) for one in wanted]}, headers=key).content == answer.content
    stolen = books.post("reject", {"ids": [str(rest[0])], "reason": "mine"}, other).json()["results"]
    assert [(result["ok"], result["code"]) for result in stolen] == [(False, "not_found")]
    row = books.get(f"/api/platform/conversions/{rest[0]}").json()
    assert (row["status"], row["commission"]) == ("approved", dollars(1000))
    payable = datetime.fromisoformat(row["payableAt"]) - datetime.fromisoformat(row["occurredAt"])
    assert payable == timedelta(days=30)


def test_by_a_filter_only_what_is_pending_and_theirs_is_decided(books: Accounting) -> None:
    shop, other = books.shop(), books.world.person()
    conversions = books.sales(shop, 3)
    rows = books.get("/api/platform/conversions", websiteId=shop.site["id"]).json()
    days = sorted(row["occurredAt"][:10] for row in rows)
    named = {"websiteId": shop.site["id"], "from": days[0], "to": days[-1], "partnerId": shop.partner["id"]}
    assert books.post("approve", {"filter": named}, other).status_code == 404
    nothing = books.post("reject", {"filter": {**named, "partnerId": str(uuid4())}, "reason": "x"}).json()
    assert nothing == {"results": [], "more": False}
    assert books.post("reject", {"filter": named, "reason": "  "}).status_code == 400
    assert books.post("approve", {"ids": [str(conversions[0])]}).status_code == 200
    found = books.post("reject", {"filter": named, "reason": "closed"}).json()
    assert {result["id"] for result in found["results"]} == {str(one) for one in conversions[1:]}
    assert books.post("approve", {"filter": named}).json()["results"] == []
    earned = {**named, "status": "approved"}
    assert books.post("approve", {"filter": earned}).status_code == 400
    wrong = books.post("reject", {"filter": earned, "reason": "the partner withdrew"}).json()
    assert [(result["id"], result["changed"]) for result in wrong["results"]] == [(str(conversions[0]), True)]
    assert books.post("reject", {"filter": earned, "reason": "again"}).json() == {"results": [], "more": False}
    assert books.get(f"/api/platform/conversions/{conversions[0]}").json()["status"] == "rejected"


@pytest.mark.parametrize(
    "body",
    [{}, {"ids": []}, {"ids": ["x"]}, {"ids": [str(uuid4())] * 501}, {"ids": [str(uuid4())], "all": True}],
)
def test_a_bulk_request_names_ids_or_a_filter(books: Accounting, body: dict[str, Any]) -> None:
    path = "/api/platform/conversions/approve"
    assert books.world.call("POST", path, books.world.owner, json=body).status_code == 400


def test_the_statement_of_the_month_shows_it_to_the_cent(books: Accounting) -> None:
    shop = books.shop(percent=12.5, holdDays=7)
    conversions = books.sales(shop, 4, amount=dollars(1999))
    ids = [str(one) for one in conversions]
    assert books.post("approve", {"ids": ids[:3]}).status_code == 200
    assert books.post(f"{ids[0]}/reverse", {"reason": "=<b>one item", "amount": 700}).status_code == 200
    assert books.post(f"{ids[1]}/reject", {"reason": "fraud"}).status_code == 200
    month = books.statement(shop)
    assert (month["isOver"], month["isFinal"], month["timezone"]) == (False, False, "UTC")
    [statement] = month["statements"]
    assert statement["partnerId"] == shop.partner["id"]
    sums = {name: statement[name]["amount"] for name in ("opening", "approved", "takenBack", "adjustments", "closing")}
    assert sums == {"opening": 0, "approved": 750, "takenBack": 88 + 250, "adjustments": 0, "closing": 412}
    assert (statement["held"], statement["payable"], statement["conversions"]) in [
        (dollars(412), dollars(0), 3),
        (dollars(0), dollars(412), 3),
    ]
    place = {"websiteId": shop.site["id"], "month": this_month()}
    file = books.get(f"/api/platform/statements/{shop.partner['id']}.csv", **place)
    assert "attachment" in file.headers["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(file.text)))
    assert [row["booking"] for row in rows] == ["opening", *["approved"] * 3, "reversed", "reversed", "closing"]
    assert [row["amount"] for row in rows] == ["0.00", "2.50", "2.50", "2.50", "-0.88", "-2.50", "4.12"]
    assert rows[4]["reason"] == "'=<b>one item"
    page = books.get(f"/api/platform/statements/{shop.partner['id']}.html", **place)
    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert "4.12 USD" in page.text and shop.partner["name"] in page.text and "<script" not in page.text
    assert "=&lt;b&gt;one item" in page.text and "Payouts are listed on their own page" in page.text
    before = books.statement(shop, "2020-01")
    assert (before["isOver"], before["isFinal"], before["statements"]) == (True, True, [])
    # While something in the log was not read, nothing is final.
    books.world.postgres.execute("INSERT INTO engine.log_end (topic, partition, end_offset) VALUES ('domain', 0, 10^9)")
    unread = books.statement(shop, "2020-01")
    books.world.postgres.execute("DELETE FROM engine.log_end")
    assert (unread["isOver"], unread["isFinal"]) == (True, False)


@pytest.mark.parametrize("currency", ["USD", "JPY", "KWD"])
def test_conversions_statements_dashboard_and_explanations_say_the_same(books: Accounting, currency: str) -> None:
    past = PastMonths(books, random.Random(f"{currency} {SEED}"), currency)
    cut = datetime(2025, 7, 1, tzinfo=UTC)
    past.project([event for event in past.events if event.timestamp < cut])
    shown = past.statements()
    closed = MONTHS[:6]
    printed = {month: past.files(shown[month], month) for month in closed}
    # The website moves, and half a year goes on. Nothing that was printed changes.
    past.move("America/New_York", cut + timedelta(days=3))
    past.project([event for event in past.events if event.timestamp >= cut])
    later = past.statements()
    for month in closed:
        assert later[month] == shown[month]
        assert past.files(shown[month], month) == printed[month]
    balances: dict[str, int] = {}
    for month in MONTHS:
        for one in later[month]:
            assert one["opening"]["amount"] == balances.get(one["partnerId"], 0)
            added = one["approved"]["amount"] - one["takenBack"]["amount"] - one["adjustments"]["amount"]
            assert one["closing"]["amount"] == one["opening"]["amount"] + added
            assert one["closing"]["amount"] == one["held"]["amount"] + one["payable"]["amount"]
            assert min(one["held"]["amount"], one["payable"]["amount"], one["adjustments"]["amount"]) >= 0
            balances[one["partnerId"]] = one["closing"]["amount"]
    assert any(one["adjustments"]["amount"] for month in later.values() for one in month)
    past.compare_accountant_file(later)
    assert sum(one["conversions"] for month in later.values() for one in month) == past.approvals()
    balances = {partner: balance for partner, balance in balances.items() if balance}
    states = [state for state in past.states if state.is_attributed]
    assert balances == past.sums(state for state in states if state.status is ConversionStatus.APPROVED)
    assert balances == {
        partner: int(total)
        for partner, total in books.world.postgres.execute(
            "SELECT partner_id::text, sum(commission) FROM read.conversions WHERE website_id = %s"
            " AND status = 'approved' GROUP BY 1 HAVING sum(commission) <> 0",
            (past.website,),
        ).fetchall()
    }
    past.compare_dashboard(states)
    for state in past.rng.sample(states, 15):
        told = books.get(f"/api/platform/conversions/{state.id}/explain").json()
        assert told["working"]["agrees"] is True, told["working"]
        moved = [
            sum((step[kind] or {"amount": 0})["amount"] for step in told["events"]) for kind in ("pending", "earned")
        ]
        kept = {"pending": [state.net_commission, 0], "approved": [0, state.net_commission]}
        assert moved == kept.get(state.status.value, [0, 0])


def test_balances_have_no_greatest_number(books: Accounting) -> None:
    shop = books.shop()
    books.project()
    most = 2**63 - 1
    row = {"website_id": shop.site["id"], "partner_id": shop.partner["id"], "currency": "USD", "month": "2020-01-01"}
    books.query.insert("statement_months", {**row, "id": uuid4(), "earned": 3 * most})
    assert books.statement(shop)["statements"][0]["opening"]["amount"] == 3 * most
    books.world.postgres.execute(
        "INSERT INTO lookup.monthly_total VALUES (%s, %s, %s, 1, %s)",
        (shop.site["id"], shop.partner["id"], month_of(datetime.now(UTC)), most),
    )
    [conversion] = books.sales(shop, 1)
    assert books.made.decided(conversion).net_commission == 1000


def test_statements_are_for_the_websites_owner(books: Accounting) -> None:
    shop, other = books.shop(), books.world.person()
    place = {"websiteId": shop.site["id"], "month": this_month()}
    for path in ("", f"/{shop.partner['id']}.csv", f"/{shop.partner['id']}.html"):
        assert books.get(f"/api/platform/statements{path}", other, **place).status_code == 404
    assert books.get(f"/api/platform/statements/{uuid4()}.csv", **place).status_code == 404
    for month in ("2026-13", "2026-1", "1989-12", "2026-11-01", "", "２０２６-１１", "2026-1\n"):
        assert books.get("/api/platform/statements", websiteId=shop.site["id"], month=month).status_code == 400


def test_every_amount_explains_itself(books: Accounting) -> None:
    shop = books.shop(percent=12.5)
    path = f"/api/admin/partners/{shop.partner['id']}"
    later = {"terms": {"kind": "flat", "amount": 500, "currency": "USD"}}
    assert books.world.call("PATCH", path, books.world.admin, json=later).status_code == 200
    rate = {"base": "EUR", "quote": "USD", "rate": "1.0832", "on": "2020-01-01"}
    assert books.world.call("POST", "/api/admin/exchange-rates", books.world.admin, json=rate).status_code == 201
    [conversion] = books.sales(shop, 1, amount={"amount": 1999, "currency": "EUR"})
    books.post(f"{conversion}/approve", {})
    books.post(f"{conversion}/reverse", {"reason": "one item", "amount": 999})
    answer = books.get(f"/api/platform/conversions/{conversion}/explain")
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert (told["rule"]["by"], told["rule"]["text"], told["rule"]["version"]) == ("terms", "12.5% of the sale", 1)
    assert told["rate"] == {"rate": "1.0832", "of": "EUR", "to": "USD", "on": "2020-01-01", "derivation": "own"}
    assert told["working"]["text"] == "19.99 EUR × 12.5% × 1.0832 USD per EUR = 2.706646 USD, rounded 2.71 USD"
    assert told["working"]["agrees"] is True
    click = told["click"]
    assert (click["by"], click["country"], click["subs"]) == ("click_id", "IS", {"sub1": "banner"})
    assert (click["link"], click["place"]["topic"]) == (shop.link["slug"], "clicks")
    steps = told["events"]
    assert [step["name"] for step in steps] == ["conversion.recorded", "conversion.approved", "conversion.reversed"]
    assert [step["by"] for step in steps] == ["system", "you", "you"]
    records = {record.offset: record for record in books.world.records("domain")}
    for step in steps:
        record = records[step["place"]["offset"]]
        assert (record.key, dict(record.headers)["event"]) == (str(conversion).encode(), step["name"].encode())
    assert [step["earned"] for step in steps] == [None, dollars(271), dollars(-135)]
    [report] = told["reports"]
    assert (report["stands"], report["amount"]) == (True, {"amount": 1999, "currency": "EUR"})
    assert report["place"]["topic"] == "conversions"
    place = report["place"]
    with closing(books.world.log.source("conversions", place["partition"], place["offset"])) as source:
        assert orjson.loads(source.read(1, 5)[0].value)["conversion_id"] == str(conversion)
    other = books.world.person()
    assert books.get(f"/api/platform/conversions/{conversion}/explain", other).status_code == 404


def test_the_list_and_a_decision_by_filter_mean_the_same_days(books: Accounting) -> None:
    """Havana's clock showed 00:00 twice on 2025-11-02, an hour apart."""
    site = books.world.website(timezone="America/Havana")
    partner = books.world.partner(terms={"kind": "percent", "percent": 10})
    shop = Shop(site, partner, books.world.link(site, partner))
    midnight = datetime(2025, 11, 2, 4, tzinfo=UTC)
    for minutes in (-1, 0, 59, 60, 25 * 60 - 1, 25 * 60):
        occurred = log_time(midnight + timedelta(minutes=minutes))
        books.sales(shop, 1, occurred_at=occurred, received_at=occurred)
    seen: list[str] = []
    for day in ("2025-11-01", "2025-11-02", "2025-11-03"):
        named = {"websiteId": site["id"], "from": day, "to": day}
        listed = {row["id"] for row in books.get("/api/platform/conversions", **named).json()}
        decided = {row["id"] for row in books.post("reject", {"filter": named, "reason": "test"}).json()["results"]}
        assert listed == decided, day
        seen += listed
    assert len(seen) == len(set(seen)) == 6
    for end in ("0001-01-01", "9999-12-31"):
        named = {"websiteId": site["id"], "to": end}
        assert books.post("reject", {"filter": named, "reason": "test"}).status_code == 400


def test_a_report_that_disagrees_is_shown_and_the_first_one_stands(books: Accounting) -> None:
    shop = books.shop()
    [conversion] = books.sales(shop, 1, txid="T-7")
    again = books.made.report(shop, txid="T-7", amount=dollars(12_000), reported_by="postback")
    assert again == conversion
    books.made.decided(conversion, version=2)
    books.project()
    row = books.get(f"/api/platform/conversions/{conversion}").json()
    assert (row["conflicts"], row["amount"]) == (1, dollars(10_000))
    told = books.get(f"/api/platform/conversions/{conversion}/explain").json()
    assert [(report["amount"]["amount"], report["reportedBy"], report["stands"]) for report in told["reports"]] == [
        (10_000, "sale", True),
        (12_000, "postback", False),
    ]


def test_every_report_is_listed_with_what_it_brought(books: Accounting) -> None:
    shop = books.shop()
    [conversion] = books.sales(shop, 1, txid="T-8")
    said = {
        "payout": dollars(700),
        "coupon": "SAVE",
        "customer": "c" * 8,
        "status": "approved",
        "unread": {"amount": "1,234"},
    }
    books.made.report(shop, txid="T-8", amount=None, reported_by="postback", key_kind="postback", **said)
    books.made.report(
        shop, txid="T-8", amount=dollars(350), reported_by="postback", key_kind="postback", status="reversed"
    )
    books.made.caught_up()
    books.project()
    first, network, part = books.get(f"/api/platform/conversions/{conversion}/explain").json()["reports"]
    assert (first["stands"], first["status"], first["payout"], first["unread"]) == (True, None, None, [])
    assert first["clickId"] and not first["namesCustomer"]
    assert (network["amount"], network["stands"], network["payout"]) == (None, None, dollars(700))
    assert (network["status"], network["coupon"], network["unread"]) == ("approved", "SAVE", ["amount"])
    assert network["namesCustomer"] and network["clickId"] is None and network["keyKind"] == "postback"
    assert (part["status"], part["amount"]) == ("reversed", dollars(350))


def test_what_nobody_decides_is_approved_in_time_and_only_once(books: Accounting) -> None:
    shop, never = books.shop(autoApproveDays=0), books.shop()
    due, other = books.sales(shop, 3), books.sales(never, 1)
    stop = Event()
    url = required_url(books.world.settings)
    with connect(url, "one") as one, connect(url, "two") as two, ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda connection: approve_due(books.world.core, connection, stop), (one, two)))
        approve_due(books.world.core, one, stop)
    books.project()
    for conversion in due:
        assert books.world.events(conversion) == ["conversion.recorded.v1", "conversion.approved.v1"]
        assert books.get(f"/api/platform/conversions/{conversion}").json()["approvesAt"] is None
    assert books.world.events(other[0]) == ["conversion.recorded.v1"]


def test_a_sale_whose_transaction_id_was_a_placeholder_waits_for_its_owner(books: Accounting) -> None:
    shop = books.shop(autoApproveDays=0)
    network = {"key_kind": "postback", "reported_by": "postback"}
    [uncertain] = books.sales(shop, 1, unread={"txid": "{transaction_id}"}, **network)
    [of_click] = books.sales(shop, 1, unread={"coupon": "x" * 99}, **network)
    with connect(required_url(books.world.settings), "in time") as connection:
        approve_due(books.world.core, connection, Event())
    books.project()
    assert books.world.events(of_click) == ["conversion.recorded.v1", "conversion.approved.v1"]
    assert books.world.events(uncertain) == ["conversion.recorded.v1"]
    path = f"/api/platform/conversions/{uncertain}"
    row, told = books.get(path).json(), books.get(f"{path}/explain").json()["conversion"]
    for shown in (row, told):
        assert (shown["status"], shown["approvesAt"], shown["unread"]) == ("pending", None, ["txid"])
    table = "SELECT approves_at FROM read.conversions WHERE id = %s"
    assert books.world.postgres.execute(table, (uncertain,)).fetchone() == (None,)
    answer = books.world.call("POST", f"{path}/approve", books.world.owner, json={})
    assert (answer.status_code, answer.json()["status"]) == (200, "approved"), answer.text
    assert books.world.events(uncertain) == ["conversion.recorded.v1", "conversion.approved.v1"]


def test_a_conversion_that_cannot_be_approved_in_time_blocks_no_other(
    books: Accounting, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop, stop = books.shop(autoApproveDays=0), Event()
    approve = decisions.approve_automatically

    def meanwhile(state: model.Conversion, present: Terms, asked: CommandContext) -> list[DomainEvent]:
        if state.facts.txid == "BAD":
            raise psycopg.DataError("nobody thought of this")
        if state.facts.txid == "DECIDED" and state.status is ConversionStatus.PENDING:
            assert books.world.call(
                "POST", f"/api/platform/conversions/{state.id}/reject", books.world.owner, json={"reason": "fraud"}
            ).is_success
        return approve(state, present, asked)

    # The world's own leader approves in time as well.
    monkeypatch.setattr(decisions, "approve_automatically", meanwhile)
    [bad], [decided] = books.sales(shop, 1, txid="BAD"), books.sales(shop, 1, txid="DECIDED")
    good = books.sales(shop, 2)
    assert books.world.call("DELETE", f"/api/admin/partners/{shop.partner['id']}", books.world.admin).is_success
    with connect(required_url(books.world.settings), "in time") as connection:
        approve_due(books.world.core, connection, stop)
    assert books.world.events(bad) == ["conversion.recorded.v1"]
    assert books.world.events(decided) == ["conversion.recorded.v1", "conversion.rejected.v1"]
    # What a program that was removed had brought is approved all the same.
    for conversion in good:
        assert books.world.events(conversion) == ["conversion.recorded.v1", "conversion.approved.v1"]


def test_terms_are_given_shown_and_kept_over_time(books: Accounting) -> None:
    shop = books.shop(percent=5, autoApproveDays=14)
    path = f"/api/admin/partners/{shop.partner['id']}"
    admin = books.world.admin
    given = {"kind": "per_lead", "amount": 750, "currency": "EUR", "holdDays": 3}
    changed = books.world.call("PATCH", path, admin, json={"terms": given}).json()
    assert (changed["commission"], changed["terms"]["amount"], changed["terms"]["holdDays"]) == (None, 750, 3)
    plain = books.world.call("PATCH", path, admin, json={"commission": 8}).json()
    assert (plain["terms"]["percent"], plain["terms"]["holdDays"], plain["terms"]["autoApproveDays"]) == (8, 3, None)
    for bad in ({"kind": "percent"}, {"kind": "flat", "amount": 5}, {"kind": "percent", "percent": 1, "holdDays": 366}):
        assert books.world.call("PATCH", path, admin, json={"terms": bad}).status_code == 400
    books.project()
    history = books.get(f"{path}/terms", admin).json()
    assert [since["terms"]["text"] for since in history] == [
        "8% of the sale; payable 3 days after the sale",
        "7.50 EUR for each lead; payable 3 days after the sale",
        "5% of the sale; auto-approved after 14 days",
    ]
