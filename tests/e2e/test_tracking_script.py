"""`/t.js` in a real browser: page views, single-page navigation, clicks, own events, opt-out, the retry queue."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest
from playwright.sync_api import BrowserContext, Page

from schemas import topics
from tests.e2e.conftest import PATIENCE_S, Publisher
from tests.support.ingest_service import IngestService, Site, running_ingest

HTML = """<!doctype html><title>Home</title>
<script async src="{ingest_service}/t.js" data-site="{key}"></script>
<a id="partner" href="https://partner.example/x?y" data-partner="acme" target="_blank">Partner</a>
<button id="own" data-event="signup" data-event-plan="pro">Join</button>"""


@pytest.fixture(scope="module")
def tracking() -> Iterator[IngestService]:
    with running_ingest() as ingest_service:
        ingest_service.add_partner("acme")
        yield ingest_service


@pytest.fixture
def site(tracking: IngestService, publisher: Publisher) -> Site:
    site = tracking.add_site("127.0.0.1")
    publisher.html = HTML.format(ingest_service=tracking.url, key=site.site_key)
    return site


def test_what_the_script_sends(tracking: IngestService, site: Site, publisher: Publisher, page: Page) -> None:
    with tracking.tail(topics.CLICKS) as clicks:
        page.goto(publisher.url + "/start?utm_source=news&email=me@x.example")
        first = clicks.take(1)[0]
        assert (first["type"], first["path"], first["utm_source"], first["title"]) == (
            "pageview",
            "/start",
            "news",
            "Home",
        )
        assert first["website_id"] == str(site.id) and first["origin"] == "script" and first["session"]
        assert "is_bot" not in first and dict(clicks.records[0].headers).get("h")

        page.evaluate("history.pushState({}, '', '/second')")
        page.evaluate("history.replaceState({}, '', '/second')")
        second = clicks.take(1)[0]
        assert (second["path"], second["channel"], second["session"]) == ("/second", "internal", first["session"])
        page.go_back()
        assert clicks.take(1)[0]["path"] == "/start"

        page.click("#own")
        own = clicks.take(1)[0]
        assert (own["type"], own["props"]) == ("signup", '{"plan":"pro"}')
        page.evaluate("althing('bought', {items: 2})")
        assert clicks.take(1)[0]["props"] == '{"items":2}'
        page.evaluate("document.getElementById('partner').addEventListener('click', e => e.preventDefault())")
        page.click("#partner")
        click = clicks.take(1)[0]
        assert (click["type"], click["props"]) == ("click", '{"url":"partner.example/x"}') and click["partner_id"]


@pytest.mark.usefixtures("site")
def test_the_script_resends_an_event_that_ingest_did_not_accept(
    tracking: IngestService, publisher: Publisher, context: BrowserContext
) -> None:
    page, answers = context.new_page(), [503, 429]

    def busy(route: Any) -> None:
        if answers:
            headers = {"retry-after": "1", "access-control-allow-origin": "*"}
            headers["access-control-expose-headers"] = "Retry-After"
            route.fulfill(status=answers.pop(), headers=headers)
        else:
            route.continue_()

    context.route("**/track", busy)
    with tracking.tail(topics.CLICKS) as clicks:
        page.goto(publisher.url + "/again")
        page.wait_for_function("localStorage.althing_q == '[]'")
        assert [event["path"] for event in clicks.take(1)] == ["/again"] and not answers
        assert clicks.now() == []


LEAVING = """<!doctype html><title>Home</title>
<script async src="{ingest_service}/t.js" data-api="{gate}" data-site="{key}"></script>
<a id="away" href="/next" onclick="althing('left', {{from: 'here'}})">Away</a>
<script>addEventListener("pagehide", () => althing("bye"))</script>"""


@dataclass
class Gate:
    """A proxy before ingest that closes the connection of the first request with an event of each of these types."""

    ingest_service: IngestService
    refuses: set[str]
    url: str = ""
    refused: list[str] = field(default_factory=list)
    """Ids of the events that got no answer."""

    def take(self, body: bytes, headers: dict[str, str]) -> httpx.Response | None:
        sent = json.loads(body)
        met = self.refuses & {event["type"] for event in sent}
        if met:
            self.refuses -= met
            self.refused += [event["id"] for event in sent]
            return None
        return httpx.post(self.ingest_service.url + "/track", content=body, headers=headers, timeout=PATIENCE_S)


@contextmanager
def gate(ingest_service: IngestService, *refuses: str) -> Iterator[Gate]:
    made = Gate(ingest_service, set(refuses))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            kept = ("User-Agent", "Origin", "Content-Type", "Accept-Language", "Sec-Fetch-Site")
            answer = made.take(body, {name: self.headers[name] for name in kept if name in self.headers})
            if answer is None:
                self.close_connection = True
                return
            self.send_response(answer.status_code)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Content-Length", str(len(answer.content)))
            self.end_headers()
            self.wfile.write(answer.content)

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_own_events_of_a_page_that_goes_away_are_sent_again_by_the_next_one(
    tracking: IngestService, site: Site, publisher: Publisher, context: BrowserContext
) -> None:
    page = context.new_page()
    with gate(tracking, "left", "bye") as before, tracking.tail(topics.CLICKS) as clicks:
        publisher.html = LEAVING.format(ingest_service=tracking.url, gate=before.url, key=site.site_key)
        page.goto(publisher.url + "/start")
        page.wait_for_function("localStorage.althing_q == '[]'")
        page.click("#away")
        page.wait_for_url("**/next")
        page.wait_for_function("localStorage.althing_q == '[]'")
        found: dict[str, dict[str, Any]] = {}
        while len(found) < 4:  # one may come twice, as the same event
            found |= {event["event_id"]: event for event in clicks.take(1)}
        assert sorted(event["type"] for event in found.values()) == ["bye", "left", "pageview", "pageview"]
        assert not before.refuses and set(before.refused) <= set(found), "they came again with the ids they had"
        assert {found[id]["type"] for id in before.refused} >= {"left", "bye"}
        assert {event["event_id"] for event in clicks.now()} <= set(found)


@pytest.mark.usefixtures("site")
def test_two_pages_keep_each_others_events(publisher: Publisher, context: BrowserContext) -> None:
    """Both keep what is not answered yet in the same place."""
    first, second = context.new_page(), context.new_page()
    for page in (first, second):
        page.goto(publisher.url + "/start")
        page.wait_for_function("localStorage.althing_q == '[]'")
    context.route("**/track", lambda route: route.abort())
    first.evaluate("althing('one')")
    # The browser may keep the pages in two processes, and tells one what the other has stored a moment later.
    second.wait_for_function("JSON.parse(localStorage.althing_q).length == 1")
    second.evaluate("althing('two')")
    first.wait_for_function("JSON.parse(localStorage.althing_q).map(e => e.type).sort().join() == 'one,two'")


@pytest.mark.usefixtures("site")
def test_nothing_is_sent_after_the_opt_out(publisher: Publisher, context: BrowserContext) -> None:
    page = context.new_page()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    page.goto(publisher.url + "/out")
    page.wait_for_function("localStorage.althing_q == '[]'")
    assert any(url.endswith("/track") for url in sent)
    page.evaluate("localStorage.althing_ignore = 1")
    sent.clear()
    page.goto(publisher.url + "/out-again")
    page.evaluate("althing('x')")
    page.evaluate("""localStorage.althing_q = JSON.stringify([{id: crypto.randomUUID(), type: "kept", site: "x"}])""")
    page.goto(publisher.url + "/out-for-good")
    page.wait_for_function("typeof althing == 'function'")
    assert not any("/track" in url for url in sent)
