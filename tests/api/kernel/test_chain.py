"""One journey on a whole stack: click, conversion, commission and statement are one chain, and one trace."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from itertools import permutations
from typing import Any
from uuid import uuid4

import httpx
import pytest

from schemas.click_id import event_id
from tests.support.collector import Collector, collector
from tests.support.rounds import first_of
from tests.support.stack import Stack, stack, wait_for
from tests.support.user_agents import BROWSER

ADMIN = {"ALTHING_ADMIN_EMAIL": "admin@althing.example", "ALTHING_ADMIN_PASSWORD": "correct horse battery"}


@dataclass
class Journey:
    """What a visitor, a website and its owner did."""

    stack: Stack
    collector: Collector
    owner: httpx.Client
    click_id: str
    conversion: str

    @property
    def click(self) -> str:
        return str(event_id(self.click_id))

    @cached_property
    def chain(self) -> list[dict[str, Any]]:
        """The chain of the conversion."""
        return self.shown(self.conversion)

    def shown(self, what: str) -> list[dict[str, Any]]:
        """The chain as `althing events show` prints it."""
        done = self.stack.run("events", "show", what, "--json")
        assert done.returncode == 0, done.stderr
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        return [row for row in rows if "causation_id" in row]


@pytest.fixture(scope="module")
def journey() -> Iterator[Journey]:
    with collector() as spans:
        traced = {"OTEL_EXPORTER_OTLP_ENDPOINT": spans.address, "OTEL_BSP_SCHEDULE_DELAY": "200"}
        with stack({**ADMIN, **traced}) as made, httpx.Client(base_url=made.app, timeout=60) as owner:
            yield travel(made, spans, owner)


def travel(made: Stack, spans: Collector, owner: httpx.Client) -> Journey:
    email, password = ADMIN.values()
    signed = owner.post("/api/platform/login", json={"email": email, "password": password}).raise_for_status()
    owner.headers["Authorization"] = f"Bearer {signed.json()['token']}"
    site = create(owner, "/api/platform/websites", domain="shop.example", timezone="UTC", currency="USD")
    partner = create(owner, "/api/admin/partners", name="VPN", baseUrl="https://vpn.example", commission=10)
    link = create(owner, "/api/platform/links", websiteId=site["id"], partnerId=partner["id"])
    headers = {"User-Agent": BROWSER, "Accept-Language": "en"}
    followed = wait_for(
        lambda: click if (click := httpx.get(f"{made.tracking}/go/{link['slug']}", headers=headers)).is_redirect else 0,
        "the link",
    )
    click_id = followed.cookies["aff_click_id"]
    report = {"click_id": click_id, "txid": "order-1", "amount": 4990, "currency": "USD"}
    secret = {"Authorization": f"Bearer {site['secretKey']}"}
    sold = httpx.post(f"{made.tracking}/track/sale", json=report, headers=secret, timeout=60).raise_for_status()
    found = Journey(made, spans, owner, click_id, sold.json()["id"])
    wait_for(lambda: explanation(found) is not None, "the conversion")
    owner.post(f"/api/platform/conversions/{found.conversion}/approve", json={}).raise_for_status()
    wait_for(lambda: (explanation(found) or {})["conversion"]["status"] == "approved", "the approval")
    return found


def create(owner: httpx.Client, path: str, **body: Any) -> dict[str, Any]:
    answer = owner.post(path, json=body).raise_for_status()
    owner.headers["X-Wait-For"] = answer.headers["X-Position"]
    made: dict[str, Any] = answer.json()
    return made


def explanation(journey: Journey) -> dict[str, Any] | None:
    answer = journey.owner.get(f"/api/platform/conversions/{journey.conversion}/explain")
    found: dict[str, Any] | None = answer.json() if answer.status_code == 200 else None
    return found


def test_the_chain_leads_from_the_click_to_the_statement(journey: Journey) -> None:
    steps = journey.chain
    names = [step["event"] for step in steps]
    assert names[:3] == ["click", "conversion.recorded", "conversion.approved"]
    click, recorded, approved, booked = steps
    assert (click["id"], click["correlation_id"]) == (journey.click, journey.click)
    assert recorded["correlation_id"] == journey.click
    assert recorded["causation_id"] and recorded["command_id"] and recorded["actor"] == "system"
    assert approved["actor"] == "account" and approved["command_id"] != recorded["command_id"]
    assert booked["event"].startswith("statement 20") and booked["event"].endswith("4.99 USD")
    assert booked["causation_id"] == approved["id"]


def test_the_chain_is_the_same_from_each_of_its_ids(journey: Journey) -> None:
    for what in (journey.click_id, journey.chain[1]["id"], journey.chain[2]["correlation_id"]):
        assert journey.shown(what) == journey.chain, what


def test_an_admins_explanation_has_the_same_chain(journey: Journey) -> None:
    found = explanation(journey)
    assert found is not None
    decided = [step for step in journey.chain if "@" in step["id"]]
    told = [(one["id"], one["commandId"], one["correlationId"], one["causationId"]) for one in found["messages"]]
    assert told == [(step["id"], step["command_id"], step["correlation_id"], step["causation_id"]) for step in decided]
    assert [one["statement"] is not None for one in found["messages"]] == [False, True]


def test_the_collector_has_one_trace_of_the_journey(journey: Journey) -> None:
    trace = journey.click.replace("-", "")
    expected = {
        ("althing-ingest", "GET /go"),
        ("althing-ingest", "POST /track/sale"),
        ("althing-command", "policy:attribution"),
        ("althing-command", "relay"),
        ("althing-projectors", "project events"),
        ("althing-projectors", "project conversion_steps"),
    }
    wait_for(lambda: expected <= journey.collector.trace(trace), f"the trace {trace}")


def test_a_request_and_its_command_are_in_one_trace(journey: Journey) -> None:
    def command() -> Any:
        return next((span for span in journey.collector.spans if span.name == "ApproveConversion"), None)

    found = wait_for(command, "the command's span")
    services = {service for service, _ in journey.collector.trace(found.trace)}
    wait_for(lambda: {"althing-web", "althing-command"} <= services, "the request's spans")
    request = next(span for span in journey.collector.spans if span.id == found.parent)
    assert request.name == "POST /api/platform/conversions/{id}/approve"
    gateway = next(span for span in journey.collector.spans if span.id == request.parent)
    assert (gateway.service, gateway.parent) == ("althing-web", "")


def test_a_test_conversion_takes_every_step_and_counts_nowhere(journey: Journey) -> None:
    site = journey.owner.get("/api/platform/websites").json()[0]["id"]
    [link] = journey.owner.get("/api/platform/links", params={"websiteId": site}).json()
    overview = {"websiteId": site, "timeRange": "24h"}
    before = journey.owner.get("/api/platform/analytics/overview", params=overview).json()
    answer = journey.owner.post(f"/api/platform/links/{link['id']}/test").raise_for_status().json()
    failed = answer["steps"][0]
    assert (answer["passed"], failed["name"], failed["state"]) == (False, "redirect", "failed")
    assert "{click_id}" in failed["fix"]
    assert [step["state"] for step in answer["steps"][1:]] == ["skipped"] * 3
    body = {"destination": "https://vpn.example/?c={click_id}"}
    journey.owner.patch(f"/api/platform/links/{link['id']}", json=body).raise_for_status()

    def passed() -> list[str] | None:
        told = journey.owner.post(f"/api/platform/links/{link['id']}/test").raise_for_status().json()
        return [step["text"] for step in told["steps"]] if told["passed"] else None

    texts = wait_for(passed, "the changed link to pass")
    assert texts[3] == "A sale of 100.00 USD would earn 10.00 USD."
    after = journey.owner.get("/api/platform/analytics/overview", params=overview).json()
    names = ("clicks", "conversions", "revenue", "pageviews", "visitors")
    assert {name: after[name] for name in names} == {name: before[name] for name in names}
    listed = journey.owner.get("/api/platform/conversions", params={"websiteId": site}).json()
    assert [row["id"] for row in listed] == [journey.conversion]


def test_a_refused_report_is_replayed_once_its_partner_exists(journey: Journey) -> None:
    owner = journey.owner
    site = create(owner, "/api/platform/websites", domain="late.example", timezone="UTC", currency="USD")
    report = {"token": site["postbackToken"], "partner": "late-vpn", "customer_id": "c-17", "sub1": "anna@example.com"}
    sent = [
        {**report, "txid": "R-1", "payout": "12.50"},
        {**report, "txid": "R-2", "payout": "7.00"},
        {"token": site["postbackToken"], "preset": "keitarro", "tid": "R-3", "payout": "3.00"},
    ]
    for each in sent:
        assert httpx.get(f"{journey.stack.tracking}/postback", params=each, timeout=60).status_code == 400
    shown = {"websiteId": site["id"], "timeRange": "1h"}

    def refused() -> dict[str, dict[str, Any]] | None:
        found = owner.get("/api/platform/analytics/delivery", params=shown).raise_for_status().json()["refusals"]
        kept = {
            txid: one for one in found if one["isReplayable"] for txid in ("R-1", "R-2", "R-3") if txid in one["sample"]
        }
        return kept if len(kept) == len(sent) else None

    kept = wait_for(refused, "the refused reports")
    path = f"/api/platform/websites/{site['id']}/refused-reports"

    def replay(txid: str, **body: str) -> httpx.Response:
        return owner.post(f"{path}/{kept[txid]['id']}/replay", json=body)

    early = replay("R-1")
    assert (early.status_code, early.json()["code"]) == (409, "still_refused")
    create(
        owner, "/api/admin/partners", name="Late VPN", slug="late-vpn", baseUrl="https://late.example", commission=10
    )
    first = wait_for(lambda: answer if (answer := replay("R-1")).is_success else None, "ingest to know the partner")
    again = replay("R-1")
    assert (first.json()["isNew"], again.json()["isNew"]) == (True, False)
    assert again.json()["conversionId"] == first.json()["conversionId"]
    assert replay("R-2").json()["isNew"] and replay("R-3", preset="keitaro").json()["isNew"]

    def counted() -> list[dict[str, Any]] | None:
        found = owner.get("/api/platform/conversions", params={"websiteId": site["id"]}).json()
        return found if len(found) == len(sent) else None

    rows = {row["txid"]: row for row in wait_for(counted, "the three sales")}
    assert sorted(rows) == ["R-1", "R-2", "R-3"]
    when = datetime.fromisoformat(kept["R-1"]["at"])
    assert abs(datetime.fromisoformat(rows["R-1"]["occurredAt"]) - when) < timedelta(seconds=1)
    refusal = wait_for(refused, "the refusals")
    assert len(refusal) == len(sent), "a replay that is refused leaves no further refusal"
    assert owner.post(f"{path}/{uuid4()}/replay", json={}).status_code == 404


@pytest.mark.parametrize("every", first_of(6, 1))
def test_reports_of_one_sale_come_to_the_same_in_every_order(journey: Journey, every: int) -> None:
    """A pixel's claim, the shop, the network, and a reversal of a part, each by its own endpoint; each of them first.
    `unit/command_api/conversions/test_report_order` tries all orders, too."""
    owner, tracking = journey.owner, journey.stack.tracking
    site = create(owner, "/api/platform/websites", domain=f"orders-{every}.example", timezone="UTC", currency="USD")
    partner = create(
        owner, "/api/admin/partners", name=f"Orders {every}", baseUrl="https://orders.example", commission=10
    )
    link = create(owner, "/api/platform/links", websiteId=site["id"], partnerId=partner["id"])
    wait_for(lambda: httpx.get(f"{tracking}/go/{link['slug']}").is_redirect, "the link")
    orders = list(permutations(("pixel", "shop", "network", "reversal")))[::every]

    def send(number: int) -> None:
        with httpx.Client(base_url=tracking, headers={"User-Agent": BROWSER}, timeout=60) as client:
            click = client.get(f"/go/{link['slug']}").cookies["aff_click_id"]
            sale = {"txid": f"P-{number}", "currency": "USD"}
            query = {**sale, "token": site["postbackToken"], "partner": partner["slug"]}
            for name in orders[number]:
                if name in ("pixel", "shop"):
                    more = {"amount": 12_000, "click_id": click} if name == "pixel" else {"amount": 10_000}
                    headers = {"Authorization": f"Bearer {site['siteKey' if name == 'pixel' else 'secretKey']}"}
                    answer = client.post("/track/sale", json={**sale, **more}, headers=headers)
                else:
                    payout = {"payout": "12.00", "click_id": click}
                    part = {"payout": "3.00", "status": "reversed"}
                    answer = client.get("/postback", params={**query, **(payout if name == "network" else part)})
                assert answer.status_code in (200, 202, 409), answer.text

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(send, range(len(orders))))

    def rows(position: int = 0) -> dict[str, dict[str, Any]]:
        """At this position of the log, or after it."""
        answer = owner.get(
            "/api/platform/conversions",
            params={"websiteId": site["id"], "limit": 100},
            headers={"X-Wait-For": f"domain@{position}"},
        )
        assert "X-Stale" not in answer.headers
        return {row["txid"]: row for row in answer.json()}

    def last_position() -> int | None:
        """Of the decisions, once each sale has those of all its reports. The list is another projection."""
        explained = [owner.get(f"/api/platform/conversions/{row['id']}/explain").json() for row in rows().values()]
        is_whole = len(explained) == len(orders) and all(len(sale["reports"]) == 4 for sale in explained)
        return max(step["position"] for sale in explained for step in sale["events"]) if is_whole else None

    found = rows(wait_for(last_position, "every report to be decided", 60))
    by_order = {orders[int(txid[2:])]: [row[name] for name in SAME] for txid, row in found.items()}
    assert all(told == by_order[orders[0]] for told in by_order.values()), by_order
    [row, *_] = found.values()
    assert (row["status"], row["amount"]["amount"], row["commission"]["amount"]) == ("pending", 10_000, 900)


SAME = (
    "status",
    "amount",
    "commission",
    "reversed",
    "reversedCommission",
    "conflicts",
    "partnerId",
    "keyKind",
    "unread",
)
