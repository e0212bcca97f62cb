"""`/t.js` in a real browser: page views, single-page navigation, clicks, own events, opt-out, the retry queue."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page

from schemas import topics
from tests.e2e.conftest import Publisher
from tests.support.edge import Edge, Site, running_edge

HTML = """<!doctype html><title>Home</title>
<script async src="{edge}/t.js" data-site="{key}"></script>
<a id="partner" href="https://partner.example/x?y" data-partner="acme" target="_blank">Partner</a>
<button id="own" data-event="signup" data-event-plan="pro">Join</button>"""


@pytest.fixture(scope="module")
def tracking() -> Iterator[Edge]:
    with running_edge() as edge:
        edge.add_partner("acme")
        yield edge


@pytest.fixture
def site(tracking: Edge, publisher: Publisher) -> Site:
    site = tracking.add_site("127.0.0.1")
    publisher.html = HTML.format(edge=tracking.url, key=site.site_key)
    return site


def test_what_the_script_sends(tracking: Edge, site: Site, publisher: Publisher, page: Page) -> None:
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


def test_an_event_that_the_edge_could_not_take_is_sent_again(
    tracking: Edge, site: Site, publisher: Publisher, context: BrowserContext
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


def test_nothing_is_sent_after_the_opt_out(
    tracking: Edge, site: Site, publisher: Publisher, context: BrowserContext
) -> None:
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
    assert not any("/track" in url for url in sent)
