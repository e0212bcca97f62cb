"""`POST /track`, the pixel, the script: every documented answer, on a real log."""

from __future__ import annotations

import gzip
import json
import socket
import time
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx
import msgspec
import pytest

from ingest.clock import DAY_MS
from schemas.tracking import Refusal, TrackedEvent
from tests.support.engines import wait_until
from tests.support.ingest_service import IngestService, Site, Tail, bearer
from tests.support.user_agents import IPHONE

EVENT = {"type": "pageview", "url": "https://own.example/a?utm_source=news&utm_medium=email&email=me@x.example"}


def test_an_event_is_in_the_log_when_it_is_answered(client: httpx.Client, site: Site, clicks: Tail) -> None:
    answer = client.post("/track", json={**EVENT, "site": site.site_key, "referrer": "https://www.google.com/"})
    assert (answer.status_code, answer.json()) == (202, {"accepted": 1, "rejected": []})
    assert answer.headers["access-control-allow-origin"] == "*"
    value = clicks.now()
    assert len(value) == 1
    event = msgspec.convert(value[0], TrackedEvent)
    assert (event.website_id, event.path, event.hostname) == (str(site.id), "/a", "own.example")
    assert (event.source, event.channel, event.referrer_host) == ("news", "email", "google.com")
    assert (event.browser, event.os, event.device, event.is_bot) == ("Chrome", "Linux", "desktop", False)
    assert event.visitor and clicks.records[0].headers == () and clicks.records[0].key == event.event_id.encode()
    stored = clicks.records[0].value
    assert b"127.0.0.1" not in stored and b"Mozilla" not in stored and b"me@x" not in stored


def test_a_page_learns_what_its_links_need(client: httpx.Client, ingest_service: IngestService) -> None:
    site = ingest_service.add_site(link_click_ids=True, link_impressions_every=10)
    page = {"origin": "https://example.com"}
    body, batch = {**EVENT, "site": site.site_key}, [{**EVENT, "site": site.site_key}, {"type": "NO"}]
    given = [client.post("/track", json=sent, headers=page).json()["links"] for sent in (body, batch)]
    ids = [text for links in given for text in links["click_ids"]]
    assert [links["impressions_every"] for links in given] == [10, 10] and len(set(ids)) == len(ids) == 6
    click = {"type": "click", "site": site.site_key, "click_id": ids[0]}
    assert client.post("/track", json=click, headers=page).status_code == 202
    assert "links" not in client.post("/track", json=body).json(), "no page sent it"
    secret = {**page, **bearer(site.secret_key)}
    assert "links" not in client.post("/track", json=EVENT, headers=secret).json()
    other = ingest_service.add_site()
    assert "links" not in client.post("/track", json={**EVENT, "site": other.site_key}, headers=page).json()
    stolen = client.post("/track", json={**click, "site": other.site_key}, headers=page)
    assert (stolen.status_code, stolen.json()["code"]) == (400, "foreign_click_id")


@pytest.mark.parametrize("way", ["bearer site", "bearer secret", "query", "body", "each item"])
def test_ways_to_name_the_website(client: httpx.Client, site: Site, clicks: Tail, way: str) -> None:
    url, headers, body = "/track", {}, dict(EVENT)
    sent: Any = body
    if way.startswith("bearer"):
        headers = bearer(site.site_key if way.endswith("site") else site.secret_key)
    elif way == "query":
        url = f"/track?site={site.site_key}"
    else:
        body["site"] = site.site_key
        sent = [body, body] if way == "each item" else body
    assert client.post(url, json=sent, headers=headers).status_code == 202
    assert {value["website_id"] for value in clicks.take(1)} == {str(site.id)}


def test_a_batch_keeps_the_good_ones(client: httpx.Client, site: Site, clicks: Tail, rejected: Tail) -> None:
    body = (
        b'[{"type":"pageview"},{"type":"pageview","value":NaN},{"type":"NO"},{"type":"click","id":"x"},{"type":"ok"}]'
    )
    answer = client.post(
        "/track", content=body, headers={**bearer(site.secret_key), "content-type": "application/json"}
    )
    assert answer.status_code == 202
    assert answer.json()["accepted"] == 2
    assert [(r["index"], r["code"]) for r in answer.json()["rejected"]] == [
        (1, "bad_json"),
        (2, "bad_type"),
        (3, "bad_id"),
    ]
    assert [value["type"] for value in clicks.now()] == ["pageview", "ok"]
    refusal = Refusal.model_validate(rejected.find(website_id=str(site.id), code="bad_id"))
    assert (refusal.endpoint, refusal.key_kind, refusal.count) == ("/track", "secret", 1)


@pytest.mark.parametrize("kind", ["application/x-ndjson", "text/plain"])
def test_bodies_that_browsers_and_servers_send(client: httpx.Client, site: Site, clicks: Tail, kind: str) -> None:
    body = b'{"type":"a"}\n{"type":"b"}\n' if "ndjson" in kind else b'[{"type":"a"},{"type":"b"}]'
    url = f"/track?site={site.site_key}"
    assert client.post(url, content=body, headers={"content-type": kind}).json()["accepted"] == 2
    packed = {"content-type": kind, "content-encoding": "gzip"}
    assert client.post(url, content=gzip.compress(body), headers=packed).json()["accepted"] == 2
    assert len(clicks.take(4)) == 4


def test_ten_thousand_events_at_once(client: httpx.Client, site: Site, clicks: Tail) -> None:
    body = ("[" + ",".join(['{"type":"pageview"}'] * 10_000) + "]").encode()
    assert client.post("/track", content=body, headers=bearer(site.secret_key)).json()["accepted"] == 10_000
    assert len(clicks.take(10_000)) == 10_000


ODD: dict[str, tuple[bytes, dict[str, str], int, str]] = {
    "not json": (b"{", {}, 400, "bad_json"),
    "empty body": (b"", {}, 400, "bad_json"),
    "empty array": (b"[]", {}, 400, "empty"),
    "nan": (b'{"type":"x","value":NaN}', {}, 400, "bad_json"),
    "1e400": (b'{"type":"x","value":1e400}', {}, 400, "bad_value"),
    "beyond 2^63": (b'{"type":"x","value":9223372036854775808}', {}, 400, "bad_value"),
    "deep": (b"[" * 10_000 + b"]" * 10_000, {}, 400, "not_an_event"),
    "deep and large": (b"[" * 100_000 + b"]" * 100_000, {}, 413, "event_too_large"),
    "bad utf-8": (b'{"type":"x","title":"\xff"}', {}, 400, "bad_json"),
    "nul": (b'{"type":"x\\u0000"}', {}, 400, "bad_type"),
    "lone surrogate": (b'{"type":"\\udc00"}', {}, 400, "bad_json"),
    "one bad in an array": (b'[{"type":"NO"}]', {}, 400, "bad_type"),
    "all bad": (b'[{"type":"NO"},{"type":5}]', {}, 400, "bad_type"),
    "reserved": (b'{"type":"conversion"}', {}, 400, "reserved_type"),
    "1970": (b'{"type":"x","occurred_at":"1970-01-01T00:00:00Z"}', {}, 400, "too_old"),
    "form": (b"type=x", {"content-type": "application/x-www-form-urlencoded"}, 415, "unsupported_media_type"),
    "brotli": (b"x", {"content-encoding": "br"}, 415, "unsupported_encoding"),
    "not gzip": (b"x", {"content-encoding": "gzip"}, 400, "bad_gzip"),
    "gzip bomb": (gzip.compress(bytes(100 * 2**20)), {"content-encoding": "gzip"}, 413, "too_large"),
    "too many": (b"[" + b",".join([b'{"type":"x"}'] * 10_001) + b"]", {}, 413, "too_large"),
    "large item alone": (b'{"type":"x","title":"' + b"t" * 40_000 + b'"}', {}, 413, "event_too_large"),
    "1 MiB and more": (b" " * (2**20 + 1), {}, 413, "too_large"),
    "override": (b'{"type":"x","ip":"1.1.1.1"}', {}, 403, "override_not_allowed"),
}


@pytest.mark.parametrize(("body", "headers", "status", "code"), ODD.values(), ids=ODD)
def test_odd_bodies_get_their_answer(
    client: httpx.Client, site: Site, rejected: Tail, body: bytes, headers: dict[str, str], status: int, code: str
) -> None:
    answer = client.post(
        f"/track?site={site.site_key}", content=body, headers={"content-type": "application/json", **headers}
    )
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["access-control-allow-origin"] == "*" and answer.json()["message"]
    assert rejected.find(code=code)["message"]


def test_a_chunked_body_above_the_limit_is_413(client: httpx.Client, site: Site, rejected: Tail) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(40):
            yield b" " * 65536

    try:
        answer = client.post(f"/track?site={site.site_key}", content=endless())
        assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (413, "*")
    except (httpx.WriteError, httpx.ReadError, httpx.RemoteProtocolError):
        pass  # the connection was closed while the rest was still being sent, perhaps before the answer was read
    assert rejected.find(outcome="too_large")["endpoint"] == "/track"


def test_a_large_item_in_a_batch_costs_only_itself(client: httpx.Client, site: Site, clicks: Tail) -> None:
    body = json.dumps([{"type": "a"}, {"type": "b", "title": "t" * 40_000}, {"type": "c"}])
    answer = client.post("/track", content=body, headers=bearer(site.site_key)).json()
    assert (answer["accepted"], answer["rejected"][0]["code"]) == (2, "event_too_large")
    assert [value["type"] for value in clicks.take(2)] == ["a", "c"]


def test_keys_decide_what_is_allowed(ingest_service: IngestService, client: httpx.Client, site: Site) -> None:
    def status(key: str, **more: Any) -> tuple[int, str]:
        answer = client.post("/track", json={**EVENT, **more}, headers=bearer(key))
        return answer.status_code, answer.json().get("code", "")

    assert status("pk_nobody") == (401, "unknown_key")
    assert status("x" * 500) == (401, "unknown_key")
    assert status(site.token) == (403, "key_not_allowed")
    assert client.post("/track", json=EVENT).json()["code"] == "missing_key"
    assert client.post("/track", json=EVENT).status_code == 401
    assert client.post("/track", json=EVENT, headers={"authorization": "Basic x"}).status_code == 401
    two_days_ago = int(time.time() * 1000) - 2 * DAY_MS
    assert status(site.site_key, occurred_at=two_days_ago) == (400, "too_old")
    assert status(site.secret_key, occurred_at=two_days_ago)[0] == 202
    other = ingest_service.add_site("other.example")
    assert status(site.secret_key, site=other.site_key) == (403, "site_mismatch")
    assert status(site.secret_key, site=site.site_key)[0] == 202
    ingest_service.execute("UPDATE read.website_keys SET revoked_at = now() WHERE website_id = %s", site.id)
    ingest_service.execute("SELECT pg_notify('projection', 'website_keys:domain:0:1:1')")
    wait_until(lambda: status(site.site_key) == (401, "unknown_key"), 60, "the revoked key to be refused")


def test_allowed_origins_hold_for_the_site_key(
    ingest_service: IngestService, client: httpx.Client, rejected: Tail
) -> None:
    site = ingest_service.add_site("own.example", origins=["https://own.example"])
    url = f"/track?site={site.site_key}"
    assert client.post(url, json=EVENT, headers={"origin": "https://own.example"}).status_code == 202
    answer = client.post(url, json=EVENT, headers={"origin": "https://evil.example"})
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (403, "https://evil.example")
    assert rejected.find(outcome="origin_not_allowed", website_id=str(site.id))["key_kind"] == "site"
    assert client.post("/track", json=EVENT, headers=bearer(site.secret_key)).status_code == 202


def test_overrides_with_a_secret_key(client: httpx.Client, site: Site, clicks: Tail) -> None:
    answer = client.post(
        "/track",
        json=[{**EVENT, "ip": "8.8.8.8", "user_agent": IPHONE}, {**EVENT, "ip": "nonsense"}],
        headers={**bearer(site.secret_key), "x-debug-request": "true"},
    ).json()
    assert answer["rejected"][0]["code"] == "bad_ip"
    debug = answer["debug"][0]
    assert (debug["device"], debug["outcome"], len(debug["visitor"])) == ("mobile", "accepted", 8)
    value = clicks.take(1)[0]
    assert value["os"] == "iOS" and "8.8.8.8" not in json.dumps(value)


def test_future_times_are_clamped_and_flagged(client: httpx.Client, site: Site, clicks: Tail) -> None:
    ahead = int(time.time() * 1000) + 600_000
    assert client.post("/track", json={**EVENT, "occurred_at": ahead}, headers=bearer(site.site_key)).status_code == 202
    value = clicks.take(1)[0]
    assert value["occurred_at"] == value["received_at"] and value["flags"] == "future_clamped"


def test_an_id_of_the_site_is_the_records_key_and_its_copies_meet(
    client: httpx.Client, site: Site, clicks: Tail
) -> None:
    identity = uuid4()
    event = {**EVENT, "id": str(identity).upper()}
    for _ in range(2):
        assert client.post("/track", json=event, headers=bearer(site.site_key)).status_code == 202
    assert client.post("/track", json=[{**event, "value": 1}], headers=bearer(site.site_key)).status_code == 202
    clicks.take(3)
    assert {record.key for record in clicks.records} == {str(identity).encode()}
    assert len({record.partition for record in clicks.records}) == 1
    hashes = [dict(record.headers)["h"] for record in clicks.records]
    assert hashes[0] == hashes[1] != hashes[2] and len(hashes[0]) == 8


def test_bots_are_kept_and_flagged(client: httpx.Client, site: Site, clicks: Tail) -> None:
    url = f"/track?site={site.site_key}"
    client.post(url, json=EVENT, headers={"user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1)"})
    client.post(url, json=EVENT, headers={"sec-purpose": "prefetch"})
    client.post(url, json={**EVENT, "referrer": "http://semalt.com/"})
    reasons = {value.get("bot_reason") for value in clicks.take(3)}
    assert reasons == {"crawler", "prefetch", "spam_referrer"}


def test_the_rate_of_a_website_is_held(ingest_service: IngestService, rejected: Tail) -> None:
    """On an ingest of its own, whose rate no machine is too slow for."""
    slow = IngestService(ingest_service.postgres, ingest_service.folder / "slow", {"ALTHING_SITE_RATE": "100"})
    slow.folder.mkdir(exist_ok=True)
    site = slow.add_site("busy.example")
    body = ("[" + ",".join(['{"type":"pageview"}'] * 10_000) + "]").encode()
    slow.start()
    try:
        with slow.client() as client:
            first, throttled = (client.post("/track", content=body, headers=bearer(site.site_key)) for _ in range(2))
            assert (first.status_code, throttled.status_code) == (202, 429)
            assert int(throttled.headers["retry-after"]) >= 1
            assert throttled.headers["access-control-allow-origin"] == "*"
            other = bearer(slow.add_site().site_key)
            assert client.post("/track", json=EVENT, headers=other).status_code == 202
    finally:
        assert slow.stop() == 0
    assert rejected.find(outcome="throttled", website_id=str(site.id))["count"] == 10_000, "every event counts"


def test_preflight_and_methods(client: httpx.Client) -> None:
    asked = {"origin": "https://own.example", "access-control-request-method": "POST"}
    answer = client.options("/track", headers=asked)
    assert answer.status_code == 204 and int(answer.headers["access-control-max-age"]) > 0
    assert "authorization" in answer.headers["access-control-allow-headers"]
    for allowing in (answer, client.post("/track", json=EVENT, headers={"origin": "https://own.example"})):
        assert allowing.headers["access-control-allow-origin"] == "https://own.example"
        assert (allowing.headers["access-control-allow-credentials"], allowing.headers["vary"]) == ("true", "origin")
    shared = client.get("/t.js", headers={"origin": "https://own.example"})
    assert shared.headers["access-control-allow-origin"] == "*", "caches keep one script for all"
    assert client.get("/track").status_code == 405
    assert client.get("/nothing").status_code == 404


def test_the_pixel_is_counted_as_a_pageview(client: httpx.Client, site: Site, clicks: Tail) -> None:
    good = client.get(
        "/t.gif", params={"site": site.site_key, "value": "5"}, headers={"referer": "https://own.example/p"}
    )
    assert (good.status_code, good.headers["content-type"]) == (200, "image/gif") and good.content[:3] == b"GIF"
    value = clicks.take(1)[0]
    assert (value["path"], value["value"], value["origin"], value["type"]) == ("/p", 5, "pixel", "pageview")
    for params, status in (({"site": "pk_no"}, 401), ({"site": site.secret_key}, 403), ({}, 401)):
        bad = client.get("/t.gif", params=params)
        assert bad.status_code == status and bad.content[:3] == b"GIF"
    assert client.head("/t.gif", params={"site": site.site_key}).status_code == 200
    assert clicks.take(1)[0]["bot_reason"] == "head"


def test_the_script_is_small_and_cached(client: httpx.Client) -> None:
    answer = client.get("/t.js", headers={"accept-encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip" and int(answer.headers["content-length"]) <= 4096
    assert answer.headers["content-type"].startswith("text/javascript")
    again = client.get("/t.js", headers={"if-none-match": answer.headers["etag"]})
    assert again.status_code == 304


def test_health_and_metrics(client: httpx.Client) -> None:
    assert client.get("/livez").status_code == 200
    assert client.get("/readyz").json()["parts"]["log"] == "ok"
    assert "althing_ingest_outcomes_total" in client.get("/metrics").text
    assert client.get("/metrics", headers={"x-forwarded-for": "127.0.0.1"}).status_code == 404


def raw(ingest_service: IngestService, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", ingest_service.port), timeout=60) as connection:
        connection.sendall(request)
        answer = b""
        while b"\r\n\r\n" not in answer or b"100 Continue" in answer.split(b"\r\n\r\n")[-2]:
            part = connection.recv(65536)
            if not part:
                break
            answer += part
        return answer


def test_requests_of_strange_clients_are_understood(ingest_service: IngestService, site: Site) -> None:
    body = b'{"type":"pageview"}'
    line = b"POST /track?site=" + site.site_key.encode()
    length = b"content-length: %d\r\n" % len(body)
    assert b" 202 " in raw(ingest_service, line + b" HTTP/1.0\r\n" + length + b"\r\n" + body)
    assert b" 202 " in raw(
        ingest_service, line + b" HTTP/1.1\r\nHOST: x\r\nCONTENT-LENGTH: %d\r\n\r\n" % len(body) + body
    )
    chunked = b" HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n"
    assert b" 202 " in raw(ingest_service, line + chunked)
    expecting = line + b" HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\n" + length + b"\r\n" + body
    assert b" 202 " in raw(ingest_service, expecting)
    both = b" HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n" + length + b"\r\n" + body
    assert b" 400 " in raw(ingest_service, line + both)
    assert b" 431 " in raw(ingest_service, line + b" HTTP/1.1\r\nhost: x\r\nx-large: " + b"a" * 65536 + b"\r\n\r\n")
    assert b" 405 " in raw(ingest_service, b"GET /track HTTP/1.1\r\nhost: x\r\n" + length + b"\r\n" + body)
    assert b" 202 " in raw(ingest_service, line + b" HTTP/1.1\r\nhost: x\r\n" + length + b"\r\n" + body)
