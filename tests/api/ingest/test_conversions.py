"""Redirects and reported conversions: `/go`, `/track/sale`, `/track/lead`, `/postback`, `/track/conversions`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID, uuid4

import httpx
import msgspec
import pytest

from infra.kernel.config.settings import Settings
from infra.kernel.security.encryption import derived_key
from schemas import click_id, topics
from schemas.identity import conversion_id
from schemas.tracking import NO_ID, ConversionReported, TrackedEvent
from tests.support.ingest_service import MASTER_KEY, IngestService, Site, Tail, bearer
from tests.support.user_agents import BROWSER

KEY = derived_key(Settings(master_key=MASTER_KEY), "click-id")


@pytest.fixture
def reports(ingest_service: IngestService) -> Iterator[Tail]:
    with ingest_service.tail(topics.CONVERSIONS) as tail:
        yield tail


@pytest.fixture
def partner(ingest_service: IngestService) -> tuple[UUID, str]:
    slug = "p" + uuid4().hex[:8]
    return ingest_service.add_partner(slug, preset="voluum"), slug


@pytest.fixture
def click(ingest_service: IngestService, client: httpx.Client, site: Site, partner: tuple[UUID, str]) -> str:
    slug = ingest_service.add_link(site, partner[0], "https://shop.example/?c={click_id}")
    return parse_qs(urlsplit(client.get(f"/go/{slug}").headers["location"]).query)["c"][0]


@pytest.mark.parametrize(
    ("preset", "destination", "went"),
    [
        ("awin", "https://shop.example/p?a=%20b#top", "https://shop.example/p?a=%20b&clickref={}#top"),
        ("partnerize", "https://shop.example/c/1", "https://shop.example/c/1/pubref:{}"),
        ("awin", "https://shop.example/?clickref=mine", "https://shop.example/?clickref=mine"),
        ("", "https://shop.example/?a=1", "https://shop.example/?a=1"),
    ],
)
def test_a_link_passes_the_click_id_in_the_parameter_of_the_partners_network(
    ingest_service: IngestService,
    client: httpx.Client,
    site: Site,
    clicks: Tail,
    preset: str,
    destination: str,
    went: str,
) -> None:
    partner = ingest_service.add_partner("p" + uuid4().hex[:8], preset=preset)
    slug = ingest_service.add_link(site, partner, destination)
    location = client.get(f"/go/{slug}").headers["location"]
    click = clicks.find(website_id=str(site.id))
    assert location == went.format(click["click_id"])


def test_a_redirect_records_the_click_and_sends_on(
    ingest_service: IngestService, client: httpx.Client, site: Site, partner: tuple[UUID, str], clicks: Tail
) -> None:
    destination = (
        "https://shop.example/p?c={click_id}&d={clickid}&a={sub1}&b={sub2}&l={link}&w={website}&cc={country}"
        "&dev={device}&t={timestamp}&r={random}&x={unknown}"
    )
    slug = ingest_service.add_link(site, partner[0], destination, subs={"sub1": "a b&c"})
    answer = client.get(
        f"/go/{slug}?sub2=ü&utm_source=blog&url=https://evil.example", headers={"referer": "https://own.example/post"}
    )
    assert (answer.status_code, answer.headers["cache-control"]) == (302, "no-store")
    went = urlsplit(answer.headers["location"])
    assert (went.hostname, went.path) == ("shop.example", "/p") and "evil.example" not in answer.headers["location"]
    query = {name: values[0] for name, values in parse_qs(went.query).items()}
    assert (query["a"], query["b"], query["l"], query["w"]) == ("a b&c", "ü", slug, "own.example")
    assert (query["dev"], query["x"]) == ("desktop", "{unknown}") and query["t"].isdigit() and query["r"].isdigit()
    text = query["c"]
    assert text == query["d"] and text.isalnum() and len(text) <= 40
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"aff_click_id={text};") and f"Max-Age={7 * 86400}" in cookie and "Path=/" in cookie
    opened = click_id.read(KEY, text)
    assert opened.is_of(site.id) and opened.device == "desktop"
    event = msgspec.convert(clicks.find(website_id=str(site.id), click_id=text), TrackedEvent)
    assert (event.type, event.origin, event.click_id) == ("click", "redirect", text)
    assert event.event_id == str(click_id.event_id(text)) and event.partner_id == str(partner[0])
    assert (event.sub1, event.sub2, event.utm_source, event.is_bot) == ("a b&c", "ü", "blog", False)
    assert event.visitor


def test_an_event_with_a_click_id_belongs_to_the_partner_of_the_variant_that_the_click_took(
    ingest_service: IngestService, client: httpx.Client, site: Site, partner: tuple[UUID, str], clicks: Tail
) -> None:
    other = ingest_service.add_partner("p" + uuid4().hex[:8])
    own, others = "https://shop.example/?c={click_id}", "https://other.example/?c={click_id}"
    slug = ingest_service.add_link(site, partner[0], own, variants=[(own, None), (others, other)])
    taken = set[str]()
    for browser in range(100, 124):
        agent = {"user-agent": BROWSER.replace("Chrome/", f"Chrome/{browser}")}
        went = urlsplit(client.get(f"/go/{slug}", headers=agent).headers["location"])
        text = parse_qs(went.query)["c"][0]
        event = {"type": "signup", "url": "https://own.example/thanks", "site": site.site_key, "click_id": text}
        assert client.post("/track", json=event).status_code == 202
        sent = clicks.find(website_id=str(site.id), click_id=text, type="signup")
        assert sent["partner_id"] == {"shop.example": str(partner[0]), "other.example": str(other)}[went.hostname or ""]
        taken.add(sent["partner_id"])
    assert taken == {str(partner[0]), str(other)}, "both variants were tried"


CUBOT = (
    "Mozilla/5.0 (Linux; Android 9; CUBOT X19) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile"
    " Safari/537.36"
)


def test_machines_are_flagged_and_sent_on(
    ingest_service: IngestService, client: httpx.Client, site: Site, partner: tuple[UUID, str], clicks: Tail
) -> None:
    slug = ingest_service.add_link(site, partner[0], "https://shop.example/")
    for method, headers, reason in (
        ("HEAD", {}, "head"),
        ("GET", {"user-agent": "curl/8.5.0"}, "crawler"),
        ("GET", {"user-agent": ""}, "no_user_agent"),
        ("GET", {"sec-purpose": "prefetch"}, "prefetch"),
        ("GET", {"user-agent": "Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app)"}, "crawler"),
        ("GET", {"user-agent": "Mozilla/4.0 (compatible; ms-office; MSOffice 16)"}, "crawler"),
        ("GET", {"user-agent": "MyApp/1 CFNetwork/1490.0.4 Darwin/23.2.0"}, "crawler"),
        ("GET", {"user-agent": "Dalvik/2.1.0 (Linux; U; Android 13; SM-S911B)"}, "crawler"),
        ("GET", {"user-agent": CUBOT}, ""),
    ):
        assert client.request(method, f"/go/{slug}", headers=headers).status_code == 302
        assert clicks.take(1)[0].get("bot_reason", "") == reason
    for agent in ("MyApp/1 CFNetwork/1490.0.4 Darwin/23.2.0", CUBOT):
        sent = client.post("/track", json={"type": "a"}, headers={**bearer(site.site_key), "user-agent": agent})
        assert sent.status_code == 202 and clicks.take(1)[0].get("bot_reason", "") == ""


def test_links_that_do_not_redirect(
    ingest_service: IngestService, client: httpx.Client, site: Site, partner: tuple[UUID, str]
) -> None:
    unknown = client.get("/go/nothing-here")
    assert (unknown.status_code, unknown.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert client.get("/go/").status_code == 404 and client.get("/go/%00").status_code == 404
    assert client.get("/go/" + "x" * 400).status_code == 404
    off = ingest_service.add_link(site, partner[0], "https://shop.example/", is_active=False)
    assert client.get(f"/go/{off}").status_code == 410
    closed = ingest_service.add_partner("closed" + uuid4().hex[:6], is_active=False)
    assert client.get(f"/go/{ingest_service.add_link(site, closed, 'https://shop.example/')}").status_code == 410


def a_sale(**changes: Any) -> dict[str, Any]:
    return {"txid": uuid4().hex, "amount": 1099, "currency": "USD", **changes}


def test_a_sale_is_reported_once_whatever_is_sent_again(
    client: httpx.Client, site: Site, click: str, reports: Tail, rejected: Tail
) -> None:
    sale = a_sale(click_id=click, customer_id="buyer-7", payout=100, props={"sku": "x"})
    first = client.post("/track/sale", json=sale, headers=bearer(site.secret_key))
    assert (first.status_code, first.json()["status"]) == (202, "pending")
    assert first.json()["id"] == str(conversion_id(site.id, "sale", sale["txid"]))
    report = ConversionReported.model_validate(reports.now()[0])
    assert report.amount is not None and report.payout is not None
    assert (report.amount.amount, report.payout.amount, report.kind, report.reported_by) == (1099, 100, "sale", "sale")
    assert report.click_id == click and report.customer and b"buyer-7" not in reports.records[0].value
    again = client.post("/track/sale", json=sale, headers=bearer(site.secret_key))
    assert (again.status_code, again.json()["id"]) == (200, first.json()["id"])
    other = client.post("/track/sale", json={**sale, "amount": 1}, headers=bearer(site.secret_key))
    assert (other.status_code, other.json()["code"]) == (409, "amount_conflict")
    assert (
        client.post("/track/sale", json={**sale, "currency": "EUR"}, headers=bearer(site.secret_key)).status_code == 409
    )
    assert rejected.find(website_id=str(site.id), code="amount_conflict")["endpoint"] == "/track/sale"
    # What contradicts is in the log, once, so that it is shown with the conversion.
    contradicting = [(report["amount"]["amount"], report["amount"]["currency"]) for report in reports.take(2)]
    assert contradicting == [(1, "USD"), (1099, "EUR")]
    assert client.post("/track/sale", json={**sale, "amount": 1}, headers=bearer(site.secret_key)).status_code == 409
    assert reports.now() == []


def test_every_report_that_says_something_new_is_published(
    client: httpx.Client, site: Site, click: str, reports: Tail
) -> None:
    """Pixel, server and network of one order: none is refused, and each says its part."""
    txid = uuid4().hex
    pixel = {"txid": txid, "amount": 1500, "currency": "USD", "click_id": click}
    assert client.post("/track/sale", json=pixel, headers=bearer(site.site_key)).status_code == 202
    server = {"txid": txid, "amount": 1099, "currency": "USD", "customer_id": "b"}
    assert client.post("/track/sale", json=server, headers=bearer(site.secret_key)).status_code == 200
    network = {"token": site.token, "txid": txid, "amount": "10.50", "payout": "2.00", "status": "approved"}
    assert client.get("/postback", params=network).status_code == 200
    assert client.post("/track/sale", json=pixel, headers=bearer(site.site_key)).status_code == 409
    found = [ConversionReported.model_validate(report) for report in reports.take(3)]
    assert [(one.key_kind, one.amount and one.amount.amount) for one in found] == [
        ("site", 1500),
        ("secret", 1099),
        ("postback", 1050),
    ]
    assert found[2].payout is not None and len({one.conversion_id for one in found}) == 1


def test_a_status_that_comes_first_does_not_fix_the_amount(client: httpx.Client, site: Site, reports: Tail) -> None:
    txid = uuid4().hex
    status = {"token": site.token, "txid": txid, "status": "approved"}
    assert client.get("/postback", params=status).status_code == 202
    sale = {"txid": txid, "amount": 20_000, "currency": "USD"}
    assert client.post("/track/sale", json=sale, headers=bearer(site.secret_key)).status_code == 200
    assert [report["amount"] and report["amount"]["amount"] for report in reports.take(2)] == [None, 20_000]


def test_a_report_whose_acknowledgement_was_lost_is_published_again(
    ingest_service: IngestService, client: httpx.Client, site: Site, reports: Tail
) -> None:
    sale = a_sale()
    identity = client.post("/track/sale", json=sale, headers=bearer(site.secret_key)).json()["id"]
    first = reports.take(1)[0]
    ingest_service.execute("UPDATE ingest.conversion_key SET acked = false WHERE conversion_id = %s", identity)
    assert client.post("/track/sale", json=sale, headers=bearer(site.secret_key)).status_code == 202
    assert reports.take(1)[0]["report_id"] == first["report_id"]
    assert client.post("/track/sale", json=sale, headers=bearer(site.secret_key)).status_code == 200


BAD_SALES: dict[str, tuple[dict[str, Any] | bytes, int, str]] = {
    "huge": (a_sale(amount=2**63), 400, "amount_too_large"),
    "more than one sale may be": (a_sale(amount=10**15 + 1), 400, "amount_too_large"),
    "more than one payout may be": (a_sale(payout=10**15 + 1), 400, "amount_too_large"),
    "nan": (b'{"txid":"t","amount":NaN,"currency":"USD"}', 400, "bad_json"),
    "no currency": ({"txid": "t", "amount": 1}, 400, "missing_currency"),
    "no amount": ({"txid": "t", "currency": "USD"}, 400, "missing_amount"),
    "no txid": ({"amount": 1, "currency": "USD"}, 400, "missing_txid"),
    "nul in txid": (a_sale(txid="a\0b"), 400, "bad_txid"),
    "long txid": (a_sale(txid="x" * 200), 400, "bad_txid"),
    "old": (a_sale(occurred_at="2001-01-01"), 400, "too_old"),
    "array": (b"[]", 400, "not_a_report"),
}


@pytest.mark.parametrize(("body", "status", "code"), BAD_SALES.values(), ids=BAD_SALES)
def test_a_bad_sale_is_refused_with_its_code(
    client: httpx.Client, site: Site, rejected: Tail, body: dict[str, Any] | bytes, status: int, code: str
) -> None:
    sent: dict[str, Any] = {"content": body} if isinstance(body, bytes) else {"json": body}
    answer = client.post("/track/sale", **sent, headers=bearer(site.secret_key) | {"content-type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert rejected.find(website_id=str(site.id), code=code)["endpoint"] == "/track/sale"


def test_who_may_report(ingest_service: IngestService, client: httpx.Client, site: Site, click: str) -> None:
    def code(key: str, **changes: Any) -> str | None:
        answer = client.post("/track/sale", json=a_sale(**changes), headers=bearer(key))
        assert answer.status_code in (202, 400, 401, 403)
        found: str | None = answer.json().get("code")
        return found

    assert code(site.site_key) == "click_id_needed"
    assert code(site.site_key, click_id=click, payout=5) == "secret_key_needed"
    assert code(site.site_key, click_id=click, status="approved") == "secret_key_needed"
    assert code(site.site_key, click_id=click) is None
    assert code(site.token) is None
    assert code("sk_nobody") == "unknown_key"
    third = ingest_service.add_site("third.example")
    assert code(third.site_key, click_id=click) == "foreign_click_id", (
        "with a site key the click is the sale's only proof"
    )
    assert code(third.site_key, click_id="A" * 39) == "forged_click_id"
    assert code(third.secret_key, click_id=click) is None


def test_a_lead_needs_no_amount(client: httpx.Client, site: Site, click: str, reports: Tail) -> None:
    answer = client.post("/track/lead", json={"click_id": click}, headers=bearer(site.site_key))
    assert answer.status_code == 202
    report = ConversionReported.model_validate(reports.take(1)[0])
    assert (report.kind, report.event, report.txid, report.amount) == ("lead", "lead", click, None)
    assert report.key_kind == "site"
    assert client.post("/track/lead", json={"click_id": click}, headers=bearer(site.site_key)).status_code == 200


def decide(ingest_service: IngestService, site: Site, identity: str, status: str = "approved") -> None:
    ingest_service.execute(
        "INSERT INTO read.conversions (id, website_id, kind, event, txid, status, amount, currency, commission,"
        " commission_currency, click_id, attributed_by, reason, occurred_at, recorded_at)"
        " VALUES (%s, %s, 'sale', 'sale', 't', %s, 1099, 'USD', 110, 'USD', '', 'coupon', '', now(), now())",
        identity,
        site.id,
        status,
    )


def test_the_status_of_a_conversion_can_be_read(
    ingest_service: IngestService, client: httpx.Client, site: Site, click: str
) -> None:
    sale = a_sale()
    identity = client.post("/track/sale", json=sale, headers=bearer(site.secret_key)).json()["id"]
    url = f"/track/conversions/{identity}"
    assert client.get(url, headers=bearer(site.secret_key)).json() == {"id": identity, "status": "pending"}
    decide(ingest_service, site, identity)
    shown = client.get(url, headers=bearer(site.secret_key)).json()
    assert (shown["status"], shown["commission"]) == ("approved", {"amount": 110, "currency": "USD"})
    assert client.get(url, headers=bearer(ingest_service.add_site("x.example").secret_key)).status_code == 404
    assert client.get(f"/track/conversions/{uuid4()}", headers=bearer(site.secret_key)).status_code == 404
    assert client.get("/track/conversions/nonsense", headers=bearer(site.secret_key)).status_code == 404
    assert client.get(url, headers=bearer(site.site_key)).status_code == 403
    assert client.get(url).status_code == 401
    waited = client.post("/track/sale?wait=true", json=sale, headers=bearer(site.secret_key))
    assert (waited.status_code, waited.json()["status"]) == (200, "approved")
    for path, key in (("/track/sale", site.token), ("/track/lead", site.site_key)):
        asked = {"txid": sale["txid"], "event": "sale", "click_id": click}
        told = client.post(
            f"{path}?wait=true", json={**sale, **asked} if key == site.token else asked, headers=bearer(key)
        )
        assert told.json() == {"id": identity, "status": "approved", "reason": None}, (
            "who may only report sees no money"
        )
    new = client.post("/track/sale?wait=true", json=a_sale(), headers=bearer(site.secret_key))
    assert (new.status_code, new.json()["status"]) == (202, "pending")


def test_a_reversal_contradicts_no_amount(client: httpx.Client, site: Site, click: str, reports: Tail) -> None:
    """Its amount is a part of the sale, or its sender's own figure, and no 409 that networks never repeat."""
    query = {"token": site.token, "click_id": click, "txid": "r1"}
    before = client.get("/postback", params={**query, "txid": "r0", "amount": "95.00", "status": "reversed"})
    assert before.status_code == 202
    sale = {"click_id": click, "amount": 10_000, "currency": "USD"}
    for txid, first in (("r0", 200), ("r1", 202)):
        answer = client.post("/track/sale", json={**sale, "txid": txid}, headers=bearer(site.secret_key))
        assert answer.status_code == first
    for amount in ("95.00", "20.00"):
        assert client.get("/postback", params={**query, "amount": amount, "status": "reversed"}).status_code == 200
    part = {**sale, "txid": "r1", "amount": 2_000, "status": "reversed"}
    assert client.post("/track/sale", json=part, headers=bearer(site.secret_key)).status_code == 200
    told = reports.take(6)
    assert not any(one["is_conflict"] for one in told)
    for txid, statuses in (("r0", ["reversed", ""]), ("r1", ["", *["reversed"] * 3])):
        assert [one["status"] for one in told if one["txid"] == txid] == statuses, "a transaction's are in their order"


def test_a_postback_in_our_own_names(client: httpx.Client, site: Site, click: str, reports: Tail) -> None:
    query = {"token": site.token, "click_id": click, "txid": "n1", "amount": "12.50", "payout": "1.25", "sub3": "s"}
    first = client.get("/postback", params=query)
    assert (first.status_code, first.json()["status"]) == (202, "pending")
    report = ConversionReported.model_validate(reports.take(1)[0])
    assert report.amount is not None and report.payout is not None
    assert (report.amount.amount, report.payout.amount, report.amount.currency) == (1250, 125, "USD")
    assert (report.reported_by, report.subs, report.click_id) == ("postback", {"sub3": "s"}, click)
    assert client.get("/postback", params=query).status_code == 200
    assert client.get("/postback", params={**query, "amount": "13"}).status_code == 409
    assert [report["amount"]["amount"] for report in reports.take(1)] == [1300]
    changed = client.get("/postback", params={"token": site.token, "txid": "n1", "status": "3"})
    assert (changed.status_code, changed.json()["id"]) == (200, first.json()["id"])
    update = ConversionReported.model_validate(reports.take(1)[0])
    assert (update.status, update.amount) == ("rejected", None) and update.report_id != report.report_id


def test_a_dry_run_is_checked_like_any_postback_but_recorded_nowhere(
    client: httpx.Client, site: Site, partner: tuple[UUID, str], click: str, reports: Tail, rejected: Tail
) -> None:
    query = {"token": site.token, "partner": partner[1], "cid": click, "txid": "dry", "payout": "3", "dry_run": "1"}
    answer = client.get("/postback", params=query)
    assert (answer.status_code, answer.json()["status"]) == (200, "dry_run")
    wrong = client.get("/postback", params={**query, "cid": "forged"})
    assert (wrong.status_code, wrong.json()["unread"]) == (200, ["click_id"])
    assert client.get("/postback", params={**query, "token": "pb_nobody"}).status_code == 401
    assert client.get("/postback", params={"token": site.token, "txid": "real", "amount": "1"}).status_code == 202
    assert client.get("/postback", params={"token": site.token, "txid": "x", "preset": "nope"}).status_code == 400
    assert [report["txid"] for report in reports.take(1)] == ["real"]
    assert rejected.find(website_id=str(site.id))["code"] == "unknown_preset"


@pytest.mark.parametrize(("digit", "status"), [("1", "approved"), ("2", "pending"), ("3", "rejected"), ("5", "hold")])
def test_a_digit_of_a_network_is_a_status(
    client: httpx.Client, site: Site, reports: Tail, digit: str, status: str
) -> None:
    query = {"token": site.token, "txid": uuid4().hex, "amount": "1", "status": digit}
    assert client.get("/postback", params=query).status_code == 202
    assert reports.take(1)[0]["status"] == status


def test_a_partners_preset(
    client: httpx.Client, site: Site, partner: tuple[UUID, str], click: str, reports: Tail
) -> None:
    query = {"token": site.token, "partner": partner[1], "cid": click, "et": "lead", "payout": "3", "currency": "JPY"}
    assert client.post("/postback", data=query).status_code == 202
    report = ConversionReported.model_validate(reports.take(1)[0])
    assert report.payout is not None
    assert (report.click_id, report.kind, report.partner_id) == (click, "lead", partner[0])
    assert (report.payout.amount, report.payout.currency, report.txid) == (3, "JPY", click)
    everflow = {"preset": "everflow", "transaction_id": click, "order_id": "o1", "amount": "5"}
    assert client.post("/postback", json=everflow, headers=bearer(site.token)).status_code == 202
    assert reports.take(1)[0]["txid"] == "o1"


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ({"txid": "a", "token": "pb_nobody"}, 401, "unknown_key"),
        ({"txid": "a", "token": ""}, 401, "missing_key"),
        ({}, 400, "missing_txid"),
        ({"txid": "a", "preset": "nope"}, 400, "unknown_preset"),
        ({"txid": "a", "partner": "nope"}, 400, "unknown_partner"),
        ({"click_id": "forged"}, 400, "forged_click_id"),
    ],
)
def test_bad_postbacks_are_answered_and_kept(
    client: httpx.Client, site: Site, rejected: Tail, query: dict[str, str], status: int, code: str
) -> None:
    answer = client.get("/postback", params={"token": site.token, **query})
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    refusal = rejected.find(code=code, endpoint="/postback")
    assert site.token[3:] not in refusal["sample"]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"txid": "a", "partner": "nope"}, "unknown_partner"),
        ({"txid": "a", "preset": "nope"}, "unknown_preset"),
        ({"txid": "a", "order_id": "b", "preset": "everflow"}, "repeated_field"),
    ],
)
def test_the_owner_sees_a_postback_that_fails_before_its_token_is_read(
    client: httpx.Client, site: Site, rejected: Tail, query: dict[str, str], code: str
) -> None:
    assert client.get("/postback", params={"token": site.token, **query}).json()["code"] == code
    refusal = rejected.find(code=code, website_id=str(site.id))
    assert (refusal["key_kind"], refusal["partner"]) == ("postback", query.get("partner", ""))
    assert client.get("/postback", params={"token": "pb_nobody", **query}).json()["code"] == code
    assert rejected.find(code=code)["website_id"] == str(NO_ID)


def test_a_private_partner_is_unknown_to_websites_of_other_accounts(
    ingest_service: IngestService, client: httpx.Client, reports: Tail, clicks: Tail
) -> None:
    """Given a private partner, when another member's website names it by slug or id, then nothing is recorded."""
    owner, slug = uuid4(), "private" + uuid4().hex[:8]
    partner = ingest_service.add_partner(slug, account_id=owner)
    own = ingest_service.add_site("own.example", account_id=owner)
    others = [ingest_service.add_site("eve.example", account_id=account) for account in (uuid4(), None)]
    for name in (slug, str(partner)):
        for site in others:
            answer = client.get("/postback", params={"token": site.token, "txid": uuid4().hex, "partner": name})
            assert (answer.status_code, answer.json()["code"]) == (400, "unknown_partner")
            event = {"type": "click", "partner": name, "url": "https://eve.example/"}
            answer = client.post("/track", json=event, headers=bearer(site.secret_key))
            assert (answer.status_code, answer.json()["code"]) == (400, "unknown_partner")
        answer = client.get("/postback", params={"token": own.token, "txid": uuid4().hex, "partner": name})
        assert answer.status_code == 202
        event = {"type": "click", "partner": name, "url": "https://own.example/"}
        assert client.post("/track", json=event, headers=bearer(own.secret_key)).status_code == 202
    assert {report["partner_id"] for report in reports.take(2)} == {str(partner)}
    assert {(click["website_id"], click["partner_id"]) for click in clicks.take(2)} == {(str(own.id), str(partner))}


def test_repeats_of_a_report_are_noted_with_their_partner(
    client: httpx.Client, site: Site, partner: tuple[UUID, str], reports: Tail, rejected: Tail
) -> None:
    query = {"token": site.token, "partner": partner[1], "transaction_id": "", "txid": uuid4().hex, "payout": "3"}
    statuses = [client.get("/postback", params=query).status_code for _ in range(3)]
    assert statuses == [202, 200, 200]
    assert [report["txid"] for report in reports.take(1)] == [query["txid"]]
    repeats = [rejected.find(website_id=str(site.id), code="repeated_report")]
    while sum(one["count"] for one in repeats) < 2:  # one record for each second
        repeats.append(rejected.find(website_id=str(site.id), code="repeated_report"))
    assert {(one["outcome"], one["endpoint"], one["partner"]) for one in repeats} == {
        ("duplicate", "/postback", partner[1])
    }


def test_a_report_with_another_amount_is_marked_in_the_log(client: httpx.Client, site: Site, reports: Tail) -> None:
    sale = a_sale()
    for amount in (1099, 1):
        client.post("/track/sale", json={**sale, "amount": amount}, headers=bearer(site.secret_key))
    assert [(report["amount"]["amount"], report["is_conflict"]) for report in reports.take(2)] == [
        (1099, False),
        (1, True),
    ]


def test_a_site_key_is_no_postback_token(client: httpx.Client, site: Site) -> None:
    assert client.get("/postback", params={"token": site.site_key, "txid": "a"}).status_code == 403


UNREAD: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "a float": ({"amount": 10.99}, {"amount": "10.99"}),
    "a boolean": ({"amount": True}, {"amount": "true"}),
    "digits of either unit": ({"amount": "10"}, {"amount": "10"}),
    "a negative amount": ({"amount": -1}, {"amount": "-1"}),
    "no number": ({"amount": b"1e400"}, {"amount": "1e400"}),
    "two amounts": ({"amount": "1,234"}, {"amount": "1,234"}),
    "another currency's sign": ({"amount": "€ 5.00"}, {"amount": "€ 5.00"}),
    "a payout": ({"payout": 1.5}, {"payout": "1.5"}),
    "a currency": ({"currency": "XXX"}, {"currency": "XXX", "amount": "1099"}),
    "a status": ({"status": "storniert"}, {"status": "storniert"}),
    "an event": ({"event": "регистрация"}, {"event": "регистрация"}),
    "an altered click": ({"click_id": "A" * 39}, {"click_id": "A" * 39}),
    "a placeholder": ({"click_id": "{click_id}"}, {"click_id": "{click_id}"}),
    "a list": ({"coupon": ["a"]}, {"coupon": '["a"]'}),
    "a long coupon": ({"coupon": "x" * 65}, {"coupon": "x" * 65}),
    "a customer": ({"customer_id": "x" * 256}, {"customer_id": ""}),
    "a time": ({"occurred_at": "yesterday"}, {"occurred_at": "yesterday"}),
    "properties": ({"props": "none"}, {"props": "none"}),
}


@pytest.mark.parametrize(("said", "unread"), UNREAD.values(), ids=UNREAD)
def test_what_cannot_be_read_is_kept_with_the_sale(
    client: httpx.Client, site: Site, reports: Tail, said: dict[str, Any], unread: dict[str, str]
) -> None:
    raw = said.get("amount")
    body = json.dumps(a_sale(**(said | {"amount": 0} if isinstance(raw, bytes) else said))).encode()
    if isinstance(raw, bytes):
        body = body.replace(b'"amount": 0', b'"amount": ' + raw)
    answer = client.post("/track/sale", content=body, headers=bearer(site.secret_key))
    assert (answer.status_code, answer.json()["unread"]) == (202, sorted(unread))
    report = reports.take(1)[0]
    assert report["unread"] == unread and report["conversion_id"] == answer.json()["id"]
    assert all(not report.get(name) for name in unread if name not in ("event", "occurred_at", "currency"))
    assert client.post("/track/sale", content=body, headers=bearer(site.secret_key)).status_code == 200


FORMS: dict[str, tuple[dict[str, str], int, str]] = {
    " 12.00 ": ({"currency": " usd "}, 1200, ""),
    "+12.00": ({}, 1200, ""),
    ".5": ({}, 50, ""),
    "12,50": ({"currency": "eur"}, 1250, ""),
    "$12.00": ({}, 1200, ""),
    "1.234,56": ({}, 123456, ""),
    "1 234,56 €": ({}, 123456, ""),
    "0.035": ({}, 4, "3.5"),
    "1.005": ({}, 100, "100.5"),
    "7.25": ({"currency": "JPY"}, 7, "7.25"),
    "1.2345": ({"currency": "KWD"}, 1234, "1234.5"),
}


@pytest.mark.parametrize(("text", "more", "minor", "exact"), [(text, *form) for text, form in FORMS.items()])
def test_both_endpoints_read_the_same_forms(
    client: httpx.Client, site: Site, reports: Tail, text: str, more: dict[str, str], minor: int, exact: str
) -> None:
    query = {"token": site.token, "txid": uuid4().hex, "amount": text, "payout": text, "status": " Confirmed", **more}
    assert client.get("/postback", params=query).status_code == 202
    sale = {"txid": uuid4().hex, "amount": text, "payout": text, "currency": "USD", "status": " Confirmed", **more}
    if "€" in text:
        del sale["currency"]
    assert client.post("/track/sale", json=sale, headers=bearer(site.secret_key)).status_code == 202
    for report in reports.take(2):
        assert (report["amount"], report["status"], "unread" in report) == (report["payout"], "approved", False)
        assert report["amount"]["amount"] == minor
        assert report.get("exact") == ({"amount": exact, "payout": exact} if exact else None)


def test_words_of_any_network_are_read(client: httpx.Client, site: Site, reports: Tail) -> None:
    query = {"token": site.token, "txid": uuid4().hex, "payout": "3", "event": "First Deposit", "status": "PAID"}
    answer = client.get("/postback", params=query)
    assert answer.json()["id"] == str(conversion_id(site.id, "first_deposit", query["txid"]))
    again = client.get("/postback", params=query | {"preset": "keitaro", "status": " Rebill "})
    assert (again.status_code, again.json()["id"]) == (200, answer.json()["id"])
    assert [(report["event"], report["status"]) for report in reports.take(2)] == [("first_deposit", "approved")] * 2


def test_what_awin_pushes_is_a_report(client: httpx.Client, site: Site, click: str, reports: Tail) -> None:
    pushed = {"transactionId": 987654321, "transactionAmount": 120.5, "commission": 6.025, "clickRef": click}
    push = json.dumps(pushed | {"transactionCurrency": "GBP", "products": [{"sku": "a"}], "ip": "192.0.2.1"})
    answer = client.post(f"/postback?token={site.token}", data={"AwinTransactionPush": push})
    assert answer.status_code == 202
    report = reports.take(1)[0]
    assert (report["txid"], report["click_id"], report["exact"]) == ("987654321", click, {"payout": "602.5"})
    assert (report["amount"], report["payout"]["amount"]) == ({"amount": 12_050, "currency": "GBP"}, 602)
    assert client.post(f"/postback?token={site.token}", data={"AwinTransactionPush": "{"}).json()["code"] == "bad_json"


@pytest.fixture
def clicks_of_site(
    ingest_service: IngestService, client: httpx.Client, site: Site, partner: tuple[UUID, str]
) -> list[str]:
    slug = ingest_service.add_link(site, partner[0], "https://shop.example/?c={click_id}")
    went = [client.get(f"/go/{slug}").headers["location"] for _ in range(3)]
    return [parse_qs(urlsplit(location).query)["c"][0] for location in went]


@pytest.mark.parametrize("preset", ["keitaro", "voluum", "binom", "redtrack", "affise", "default"])
def test_one_transaction_id_of_three_clicks_is_three_sales_where_ids_are_unique_within_a_click(
    ingest_service: IngestService, client: httpx.Client, reports: Tail, preset: str
) -> None:
    site = ingest_service.add_site("scoped.example", txid_scope="click")
    slug = ingest_service.add_link(
        site, ingest_service.add_partner("p" + uuid4().hex[:8]), "https://a.example/?c={click_id}"
    )
    went = [client.get(f"/go/{slug}").headers["location"] for _ in range(3)]
    query = {"token": site.token, "preset": preset, "txid": "1"}
    answers = [
        client.get("/postback", params=query | {"click_id": parse_qs(urlsplit(one).query)["c"][0], "payout": payout})
        for one, payout in zip(went, ("20", "35", "20"), strict=True)
    ]
    assert [answer.status_code for answer in answers] == [202, 202, 202]
    assert len({answer.json()["id"] for answer in answers}) == 3
    found = reports.take(3)
    assert {(report["txid"], report["txid_scope"]) for report in found} == {("1", "click")}
    again = client.get("/postback", params=query | {"click_id": found[1]["click_id"], "payout": "35"})
    assert (again.status_code, again.json()["id"]) == (200, answers[1].json()["id"])
    unclear = client.get("/postback", params=query | {"status": "approved"})
    assert (unclear.status_code, unclear.json()["code"]) == (409, "ambiguous_txid")
    clear = client.get("/postback", params=query | {"status": "approved", "click_id": found[2]["click_id"]})
    assert (clear.status_code, clear.json()["id"]) == (200, answers[2].json()["id"])


def test_two_reports_of_one_transaction_that_name_two_clicks_contradict_each_other(
    client: httpx.Client, site: Site, clicks_of_site: list[str], reports: Tail, rejected: Tail
) -> None:
    first, second, _ = clicks_of_site
    query = {"token": site.token, "txid": uuid4().hex, "payout": "20"}
    assert client.get("/postback", params=query | {"click_id": first}).status_code == 202
    other = client.get("/postback", params=query | {"click_id": second})
    assert (other.status_code, other.json()["code"]) == (409, "click_conflict")
    assert [report["is_conflict"] for report in reports.take(2)] == [False, True]
    assert rejected.find(website_id=str(site.id), code="click_conflict")["endpoint"] == "/postback"
    assert client.get("/postback", params=query | {"click_id": first}).status_code == 200
    claim = {"txid": query["txid"], "amount": 5, "currency": "USD", "click_id": second}
    assert client.post("/track/sale", json=claim, headers=bearer(site.site_key)).status_code == 200, "less trust"


@pytest.mark.parametrize(
    "text", ["{transaction_id}", "[TID]", "%7Btid%7D", "null", "undefined", "0", "", "  ", "!!!id!!!"]
)
def test_a_placeholder_is_no_transaction_id_and_each_sale_is_stored_separately(
    client: httpx.Client, site: Site, clicks_of_site: list[str], reports: Tail, text: str
) -> None:
    said = [(clicks_of_site[0], "20"), (clicks_of_site[0], "35"), (clicks_of_site[1], "20"), ("", "20")]
    query = {"token": site.token, "txid": text}
    sales = [query | {"click_id": click, "payout": payout} for click, payout in said]
    answers = [client.get("/postback", params=sale) for sale in sales]
    assert [(answer.status_code, answer.json()["unread"]) for answer in answers] == [(202, ["txid"])] * 4
    assert len({answer.json()["id"] for answer in answers}) == 4
    assert {report["unread"]["txid"] for report in reports.take(4)} == {text}
    again = client.get("/postback", params=sales[1] | {"status": "approved"})
    assert (again.status_code, again.json()["id"]) == (200, answers[1].json()["id"]), (
        "a change of status is the same sale"
    )
    sale = {"txid": text, "amount": 5, "currency": "USD"}
    shop = client.post("/track/sale", json=sale, headers=bearer(site.secret_key))
    assert (shop.status_code, shop.json()["unread"]) == (202, ["txid"])


def test_blanks_around_a_transaction_id_make_no_other_sale(client: httpx.Client, site: Site) -> None:
    txid = uuid4().hex
    sent = [a_sale(txid=text) for text in (txid, f"{txid} ", f" {txid}", f"{txid}\u00a0")]
    answers = [client.post("/track/sale", json=sale, headers=bearer(site.secret_key)) for sale in sent]
    assert [answer.status_code for answer in answers] == [202, 200, 200, 200]
    assert {answer.json()["id"] for answer in answers} == {str(conversion_id(site.id, "sale", txid))}


def test_a_sale_without_an_exchange_rate_waits_and_every_answer_says_so(
    ingest_service: IngestService, client: httpx.Client
) -> None:
    site = ingest_service.add_site("euro.example", "EUR")
    sales = {currency: a_sale(currency=currency) for currency in ("EUR", "THB", "ZAR", "SEK")}
    for pair in (("EUR", "THB"), ("ZAR", "EUR"), ("USD", "GBP")):
        ingest_service.execute("INSERT INTO read.exchange_rates VALUES (%s, %s, '2020-01-01', '2')", *pair)

    def said(currency: str) -> str:
        answer = client.post("/track/sale", json=sales[currency], headers=bearer(site.secret_key))
        assert answer.status_code in (200, 202)
        return str(answer.json()["status"])

    assert [said(currency) for currency in sales] == ["pending", "pending", "pending", "awaiting_rate"]
    identity = str(conversion_id(site.id, "sale", sales["SEK"]["txid"]))
    ingest_service.execute(
        "INSERT INTO conversions.rejected_report (report_id, conversion_id, website_id, code, message, at)"
        " VALUES (%s, %s, %s, 'currency_unknown', 'There is no rate.', now())", uuid4(), identity, site.id,
    )  # fmt: skip
    ingest_service.execute(
        "INSERT INTO conversions.awaiting_exchange_rate (report_id, conversion_id, report) VALUES (%s, %s, '{}')",
        uuid4(),
        identity,
    )
    shown = client.get(f"/track/conversions/{identity}", headers=bearer(site.secret_key)).json()
    assert (shown["status"], said("SEK")) == ("awaiting_rate", "awaiting_rate") and "reason" not in shown
