"""What is stored of a person beside what they did, and what an erasure of the person does with it: reports that are
not decided yet, counts of claims, texts of the website's owner, and what is on its way to others."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx
import psycopg
import pytest

from tests.e2e.conftest import AGENT, PASSWORD, PATIENCE_S, connect, partner_with_link
from tests.e2e.test_ad_click_ids import is_rebuilt
from tests.e2e.test_erasure import files_with, holds, rows_of, tables_of
from tests.e2e.test_visitor_data import Shop, counts, member, opened_log, send
from tests.support.stack import Stack, wait_for
from tests.support.visitor_data import erase_visitor


@dataclass(frozen=True)
class Buyer:
    """The ids of one person, each of them in nothing that others sent."""

    visitor: str
    customer: str
    order: str
    sub: str
    click_id: str


@pytest.fixture(scope="module")
def shop(admin_stack: Stack, admin: httpx.Client) -> Iterator[Shop]:
    with member(admin_stack, admin) as owner:
        site = connect(owner, f"gisli-{uuid4().hex[:8]}.example")
        yield Shop(admin_stack, owner, site, site, "")


@pytest.fixture(scope="module")
def admin(admin_stack: Stack) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=admin_stack.app, timeout=PATIENCE_S) as client:
        answer = client.post("/api/platform/login", json={"email": "admin@althing.example", "password": PASSWORD})
        client.headers["Authorization"] = f"Bearer {answer.json()['token']}"
        yield client


@pytest.fixture(scope="module")
def link(shop: Shop, admin: httpx.Client) -> dict[str, Any]:
    _, made = partner_with_link(admin, shop.site["id"], f"Haukadal {uuid4().hex[:6]}", 10, shop.owner)
    return made


def buyer(shop: Shop, link: dict[str, Any]) -> Buyer:
    """A person who viewed a page and followed a link."""
    name = uuid4().hex[:8]
    sub, visitor = f"sub-gisli-{name}", f"visitor-gisli-{name}"
    headers = {"User-Agent": f"{AGENT} {name}"}
    followed = httpx.get(link["url"], params={"sub1": sub}, headers=headers, timeout=PATIENCE_S)
    view = {"type": "pageview", "url": "https://gisli.example/", "visitor_id": visitor}
    send(shop.stack, shop.site, "/track", [view], 202)
    return Buyer(visitor, f"customer-gisli-{name}", f"ORDER-GISLI-{name}", sub, followed.cookies["aff_click_id"])


def report(shop: Shop, person: Buyer, *wanted: int, **said: Any) -> dict[str, Any]:
    body = {"txid": person.order, "amount": 10_000, "currency": "USD", "click_id": person.click_id, **said}
    answer: dict[str, Any] = send(shop.stack, shop.site, "/track/sale", body, *(wanted or (202,)))
    return answer


def send_refused(shop: Shop, person: Buyer) -> None:
    """A postback that names the person's click and order, of a partner who is not known."""
    said = {"token": shop.site["postbackToken"], "partner": "nobody-here", "txid": person.order}
    said["click_id"] = person.click_id
    refused = httpx.get(f"{shop.stack.tracking}/postback", params=said, timeout=PATIENCE_S)
    assert refused.status_code >= 400, refused.text


def asked_to_erase(shop: Shop, kind: str, value: str) -> httpx.Response:
    return shop.owner.post(f"{shop.path}/erase", json={"kind": kind, "value": value, "password": PASSWORD})


def erase(shop: Shop, kind: str, value: str) -> dict[str, int]:
    return erase_visitor(shop.owner, shop.site["id"], {"kind": kind, "value": value, "password": PASSWORD})


@contextmanager
def postgres_of(shop: Shop) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(shop.stack.environment["POSTGRES_URL"], autocommit=True) as connection:
        yield connection


def held(postgres: psycopg.Connection[Any], *words: str) -> set[str]:
    """Tables of Postgres, without their generations, that hold a word; the event store and what the planner knows of
    columns aside."""
    found = {table.partition("__g")[0] for table, text in rows_of(postgres) if holds(text, [w.lower() for w in words])}
    return found - {"events.stored_events", "pg_catalog.pg_statistic"}


def test_a_report_that_waits_for_a_rate_is_found_and_erased_when_it_is_decided(
    shop: Shop, admin: httpx.Client, link: dict[str, Any]
) -> None:
    """The sale counts all the same: its click decides who earned it, and is erased in the same transaction."""
    person, other = buyer(shop, link), buyer(shop, link)
    for each in (person, other):
        said = {"customer_id": each.customer, "visitor_id": each.visitor, "props": {"note": each.sub}}
        report(shop, each, currency="VUV", **said)
    ids = {"visitor_id": person.visitor, "customer_id": person.customer, "order_id": person.order}
    ids["click_id"] = person.click_id

    def found_by_all() -> bool:
        return all(counts(shop.find(kind, value)).get("awaiting_rate") == 1 for kind, value in ids.items())

    wait_for(found_by_all, "the waiting report to be found by every id")
    wait_for(lambda: counts(shop.find("order_id", person.order)).get("clicks"), "the click")
    assert erase(shop, "visitor_id", person.visitor)["undecided_reports"] == 1
    with postgres_of(shop) as postgres:
        kept = "SELECT report::text FROM conversions.awaiting_exchange_rate WHERE txid = %s"
        [(left,)] = postgres.execute(kept, (person.order,)).fetchall()
        [(whole,)] = postgres.execute(kept, (other.order,)).fetchall()
        assert (person.sub in left, other.sub in whole) == (False, True)
        told = json.loads(shop.stack.run("audit", "--json", "--timeout", "60", timeout_s=300).stdout)
        assert (told["missing"], told["duplicate"], told["wrong"]) == (0, 0, 0), told["examples"]
        rate = {"base": "VUV", "quote": "USD", "rate": "0.008", "on": "2020-01-01"}
        assert admin.post("/api/admin/exchange-rates", json=rate).status_code == 201
        wait_for(lambda: conversion(shop, person) and conversion(shop, other), "both sales to be decided")
        decided, untouched = conversion(shop, person), conversion(shop, other)
        assert decided["commission"] == untouched["commission"]
        assert decided["commission"]["amount"] > 0
        wait_for(lambda: person.click_id not in str(conversion(shop, person)), "the read model")
        assert held(postgres, person.sub, person.customer) == set()
        assert held(postgres, other.click_id) >= {"read.conversions"}
        tables = held(postgres, person.click_id)
        assert tables == set(), tables
    for kind in ("visitor_id", "customer_id", "click_id"):  # its own rows until the tables are built again
        found = counts(shop.find(kind, ids[kind])).keys()
        assert not {"conversions", "awaiting_rate", "conversion_steps"} & found, kind


def test_an_id_that_nothing_can_store_is_refused(shop: Shop) -> None:
    for value in ('"a\\u0000b"', '"\\ud800"'):
        body = f'{{"kind":"order_id","value":{value}}}'
        for call in ("find", "export"):
            headers = {"Content-Type": "application/json"}
            answer = shop.owner.post(f"{shop.path}/{call}", content=body, headers=headers)
            assert answer.status_code == 400, answer.text


def test_what_a_refused_claim_says_is_found_and_erased(shop: Shop, link: dict[str, Any]) -> None:
    """It is no conversion, and may become one: a report with a secret that names it later counts without the click."""
    person = buyer(shop, link)
    claim = {"txid": person.order, "amount": 10**9, "currency": "USD", "click_id": person.click_id}
    headers = {"Authorization": f"Bearer {shop.site['siteKey']}", "User-Agent": AGENT}
    body = {**claim, "visitor_id": person.visitor, "customer_id": person.customer}
    sent = httpx.post(f"{shop.stack.tracking}/track/sale", json=body, headers=headers, timeout=PATIENCE_S)
    assert sent.status_code == 202, sent.text
    ids = {"visitor_id": person.visitor, "click_id": person.click_id, "order_id": person.order}

    def found_by_all() -> bool:
        return all(counts(shop.find(kind, value)).get("rejected_reports") == 1 for kind, value in ids.items())

    wait_for(found_by_all, "the claim to be found by every id")
    assert erase(shop, "order_id", person.order)["undecided_reports"] == 1
    with postgres_of(shop) as postgres:
        assert held(postgres, person.click_id) == set()
    assert "rejected_reports" not in counts(shop.find("visitor_id", person.visitor))
    report(shop, person, 200, 202, click_id="")
    wait_for(lambda: conversion(shop, person), "the sale that the shop confirms")
    assert conversion(shop, person)["commission"]["amount"] == 0


def test_claims_are_limited_without_their_click_ids(shop: Shop, link: dict[str, Any]) -> None:
    person = buyer(shop, link)
    headers = {"Authorization": f"Bearer {shop.site['siteKey']}", "User-Agent": AGENT}

    def claim(order: str) -> None:
        body = {"txid": order, "amount": 100, "currency": "USD", "click_id": person.click_id}
        sent = httpx.post(f"{shop.stack.tracking}/track/sale", json=body, headers=headers, timeout=PATIENCE_S)
        assert sent.status_code == 202, sent.text

    for number in range(5):
        claim(f"{person.order}-{number}")
    wait_for(lambda: counts(shop.find("click_id", person.click_id)).get("conversions") == 5, "five claims")
    erase(shop, "click_id", person.click_id)
    with postgres_of(shop) as postgres:
        wait_for(lambda: held(postgres, person.click_id) == set(), "the read models")
        for number in range(5, 11):  # an erasure takes the claims that it forgets out of the count
            claim(f"{person.order}-{number}")
        refused = "SELECT count(*) FROM conversions.rejected_report WHERE website_id = %s AND code = 'too_many_claims'"
        site = (shop.site["id"],)
        wait_for(lambda: postgres.execute(refused, site).fetchone() == (1,), "the sixth claim to be refused")


def test_texts_of_the_owner_that_have_an_id_are_named_and_stay(shop: Shop, link: dict[str, Any]) -> None:
    person, site = buyer(shop, link), shop.site["id"]
    report(shop, person, customer_id=person.customer, visitor_id=person.visitor)
    wait_for(lambda: counts(shop.find("visitor_id", person.visitor)).get("conversions"), "the sale")
    assert shop.find("visitor_id", person.visitor)["ownTexts"] == []
    note = {"websiteId": site, "at": "2026-11-01T12:00:00Z", "text": f"{person.order} came back"}
    written(shop, "annotations", note)
    written(shop, "links", {"websiteId": site, "partnerId": link["partnerId"], "sub3": person.visitor})
    written(shop, "views", {"websiteId": site, "name": f"Saw {person.click_id}", "state": VIEW})
    amount = {"amount": {"amount": 100, "currency": "USD"}, "paidOn": "2026-11-01"}
    paid = {"websiteId": site, "partnerId": link["partnerId"], "reference": f"for {person.order}", **amount}
    payout = written(shop, "payouts", paid)
    begin, end = person.order[:5].encode(), person.order[5:].encode()
    content = zlib.compress(b"BT [(%b)-20(%b)] TJ ET" % (begin, end))
    document = b"%PDF-1.7\n1 0 obj\n<</Filter/FlateDecode>>\nstream\n" + content + b"\nendstream\nendobj\n"
    sent = shop.owner.post(
        f"/api/platform/payouts/{payout['id']}/file", content=document, headers={"Content-Type": "application/pdf"}
    )
    assert sent.status_code == 201, sent.text
    ids = {"visitor_id": person.visitor, "order_id": person.order}
    wanted = {
        "visitor_id": {
            "Link",
            "Change of a link",
            "Note on a chart",
            "Saved view",
            "Payout",
            "Step of a payout",
            "File of a payout",
        },
        "order_id": {"Note on a chart", "Saved view", "Payout", "Step of a payout", "File of a payout"},
    }

    def found_by_all() -> bool:
        return {kind: named(shop, kind, value) for kind, value in ids.items()} == wanted

    wait_for(found_by_all, "all texts to be found by each id")
    assert {text["path"] for text in shop.find("order_id", person.order)["ownTexts"]} == {"/analytics", "/payouts"}
    erase(shop, "visitor_id", person.visitor)
    assert named(shop, "visitor_id", person.visitor) == {"Link", "Change of a link"}, "the owner's own text stays"
    assert named(shop, "order_id", person.order[:-1]) == set(), "a part of an id is none"


VIEW = {"timeRange": "30d"}


def written(shop: Shop, call: str, body: dict[str, Any]) -> dict[str, Any]:
    """A text of the owner's, saved by a call of the app."""
    answer = shop.owner.post(f"/api/platform/{call}", json=body)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def named(shop: Shop, kind: str, value: str) -> set[str]:
    return {text["what"] for text in shop.find(kind, value)["ownTexts"]}


def conversion(shop: Shop, person: Buyer) -> dict[str, Any]:
    """The sale as its owner sees it; empty: it is not decided."""
    found = shop.owner.get("/api/platform/conversions", params={"websiteId": shop.site["id"], "q": person.order})
    rows: list[dict[str, Any]] = [row for row in found.json() if row["txid"] == person.order]
    return rows[0] if rows else {}


def test_an_erasure_waits_for_what_is_on_its_way(shop: Shop, link: dict[str, Any]) -> None:
    """Refused requests are gathered before they are in the log, sales are decided later, and tables lag."""
    person, late = buyer(shop, link), buyer(shop, link)
    report(shop, person, customer_id=person.customer, visitor_id=person.visitor)
    send_refused(shop, person)
    found = erase(shop, "order_id", person.order)
    assert (found["conversions"], found["samples"]) == (1, 1), found
    assert (found["pageviews"], found["clicks"]) == (1, 1), found
    projections(shop, "pause")
    try:
        send_refused(shop, late)
        answer = asked_to_erase(shop, "click_id", late.click_id)
        assert (answer.status_code, answer.json()["code"]) == (503, "tables_behind"), answer.text
        assert int(answer.headers["retry-after"]) > 0
    finally:
        projections(shop, "resume")
    assert erase(shop, "click_id", late.click_id)["samples"] == 1
    words = (person.click_id, person.sub, late.click_id, late.sub)
    assert [topic for topic, _, text in opened_log(shop.stack) if holds(text, [word.lower() for word in words])] == []


def projections(shop: Shop, action: str) -> None:
    done = shop.stack.run("projections", action, "refusals")
    assert done.returncode == 0, done.stderr
    at_work = "SELECT 1 FROM engine.position WHERE projection = 'refusals' AND owner IS NOT NULL"
    with postgres_of(shop) as postgres:
        is_paused = action == "pause"
        wait_for(lambda: (postgres.execute(at_work).fetchone() is None) == is_paused, f"the workers to {action}")


@pytest.mark.slow  # `test_visitor_data` has the same of a person with less around them
def test_after_an_erasure_no_table_or_file_names_the_person(shop: Shop, link: dict[str, Any]) -> None:
    """With a sale of so many reports that its state is stored as a snapshot, a refused postback, a report that is
    pending, and answers that are kept for repeated calls. The log and the event store are not looked at."""
    person, other = buyer(shop, link), buyer(shop, link)
    title = f"Title of {person.sub}"
    view = {"type": "pageview", "url": "https://gisli.example/", "visitor_id": person.visitor, "title": title}
    send(shop.stack, shop.site, "/track", [{**view, "props": {"who": person.sub}}], 202)
    said = {"customer_id": person.customer, "visitor_id": person.visitor, "props": {"note": person.sub}}
    report(shop, person, **said)
    report(shop, other)
    send_refused(shop, person)
    sale = wait_for(lambda: conversion(shop, person), "the sale")
    for number in range(55):
        report(shop, person, 202, 409, amount=20_000 + number, **said)
    rejected = shop.owner.post(
        f"/api/platform/conversions/{sale['id']}/reject",
        json={"reason": "returned"},
        headers={"Idempotency-Key": uuid4().hex},
    )
    assert rejected.status_code == 200, rejected.text
    words = (person.sub, person.click_id, title, person.visitor, person.customer)
    erasures = f"{shop.path}/erasures"
    with postgres_of(shop) as postgres:
        snapshot = "SELECT 1 FROM events.snapshots WHERE originator_id = %s"
        wait_for(lambda: postgres.execute(snapshot, (sale["id"],)).fetchone(), "a snapshot of the sale")
        wait_for(lambda: counts(shop.find("order_id", person.order)).get("samples"), "the refused postback")
        before = held(postgres, *words)
        assert before >= {"read.conversions", "read.conversion_steps", "ingest.conversion_key"}, before
        assert erase(shop, "order_id", person.order)["samples"] >= 1
        wait_for(lambda: is_rebuilt(shop.owner, erasures, postgres), "tables without the person", 240)
        postgres.execute("UPDATE engine.build SET retired_at = retired_at - interval '2 hours' WHERE state = 'retired'")
        shop.stack.kill("projectors")
        wait_for(lambda: shop.owner.get(erasures).json()[0]["state"] == "done", "old tables to be dropped", 120)
        assert held(postgres, *words) == set()
        assert held(postgres, other.click_id) >= {"read.conversions"}, "the search would not find anything"
    tables = {table for table, text in tables_of(shop.stack) if holds(text, [word.lower() for word in words])}
    assert tables == set()
    assert any(holds(text, [other.sub]) for _, text in tables_of(shop.stack))
    folders = [path for path in shop.stack.data_dir.iterdir() if path.name not in ("kafka", "postgres", "clickhouse")]
    assert folders
    assert [found for folder in folders for found in files_with(folder, [word.lower() for word in words])] == []
