"""What a visitor agrees to, in a real browser: which ad click ids are sent and kept, and what the browser stores."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import BrowserContext, Page

from infra.kernel.config.settings import Settings
from infra.kernel.security.visitor_keys import Sealed, VisitorKeys
from schemas import topics
from tests.e2e.conftest import PATIENCE_S, Publisher
from tests.support.ingest_service import MASTER_KEY, IngestService, Site, Tail, running_ingest
from tests.support.stack import wait_for

ID = "Cj0KCQ-landed"
LANDING = f"/land?utm_source=ads&gclid={ID}&fbclid=IwAR1"
BOTH = {"gclid": ID, "fbclid": "IwAR1"}
HTML = """<!doctype html><title>Home</title>{before}
<script async src="{url}/t.js" data-site="{key}"></script><a id="on" href="/second">On</a>"""
QUEUE = """<script>window.althing = window.althing || function (type, what) {{
  if (type === "consent") window.althing_consent = Object.assign(window.althing_consent || {{}}, what);
}}; althing("consent", {given});</script>"""
KEYS = VisitorKeys(Settings(master_key=MASTER_KEY))


@pytest.fixture(scope="module")
def tracking() -> Iterator[IngestService]:
    with running_ingest() as ingest_service:
        yield ingest_service


@dataclass
class Tab:
    """A visitor's tab, what it sent, and what ingest stored of that."""

    tracking: IngestService
    publisher: Publisher
    page: Page
    clicks: Tail
    site: Site
    bodies: list[str] = field(default_factory=list)

    def open(self, path: str, before: str = "") -> None:
        """The page with the script; `before` comes before it."""
        self.publisher.html = HTML.format(before=before, url=self.tracking.url, key=self.site.site_key)
        self.page.goto(self.publisher.url + path)

    def next(self) -> tuple[dict[str, Any], dict[str, str]]:
        """The next stored event, and the ids that it keeps."""
        [row] = self.clicks.take(1)
        if "ad_ids" not in row:
            return row, {}
        rows = self.tracking.execute("SELECT key_id, key_wrapped FROM ingest.visitor_key")
        kept = KEYS.open(Sealed(self.site.id, UUID(row["event_id"]), row["ad_ids"]), dict(rows))
        assert kept is not None
        return row, kept

    def stored(self) -> dict[str, str]:
        """All that the browser keeps for the site, once every event is answered."""
        found: dict[str, str] = self.page.evaluate(
            "({...localStorage, ...Object.fromEntries(Object.entries(sessionStorage)), cookie: document.cookie})"
        )
        return {name: text for name, text in found.items() if text}

    @property
    def sent(self) -> list[dict[str, Any]]:
        return [event for body in self.bodies for event in json.loads(body)]


@pytest.fixture
def tab_of(tracking: IngestService, publisher: Publisher, context: BrowserContext) -> Iterator[Callable[..., Tab]]:
    """A visit of a new website that keeps ad click ids."""
    with tracking.tail(topics.CLICKS) as clicks:

        def make(*, needs_consent: bool = False) -> Tab:
            site = tracking.add_site("127.0.0.1", keep_ad_click_ids=True, ad_click_ids_need_consent=needs_consent)
            page = context.new_page()
            tab = Tab(tracking, publisher, page, clicks, site)
            page.on("request", lambda one: tab.bodies.append(one.post_data or "") if "/track" in one.url else None)
            has_keys = "SELECT 1 FROM ingest.visitor_key WHERE website_id = %s"
            tracking.execute("SELECT pg_notify('projection', 'websites:domain:0:1:1')")
            wait_for(lambda: tracking.execute(has_keys, site.id), "the keys", PATIENCE_S)
            return tab

        yield make


def test_without_a_call_the_ids_are_sent_once_apart_from_the_address(tab_of: Callable[..., Tab]) -> None:
    tab = tab_of()
    tab.open(LANDING)
    row, kept = tab.next()
    assert kept == BOTH and (row["utm_source"], row["channel"], row["path"]) == ("ads", "paid", "/land")
    tab.page.evaluate("althing('signup')")
    assert tab.next()[1] == {}
    tab.page.wait_for_function("localStorage.althing_q == '[]'")
    assert ID not in json.dumps([{**event, "ad_params": ""} for event in tab.sent])
    assert [bool(event.get("ad_params")) for event in tab.sent] == [True, False]
    tab.page.click("#on")
    assert tab.next()[1] == {}
    assert ID not in tab.bodies[-1], "neither in the address nor in the referrer"


@pytest.mark.parametrize(
    "before", [QUEUE.format(given="{ads: false}"), "<script>althing_consent={ads: false}</script>"]
)
def test_who_refuses_ads_sends_and_keeps_no_ids(tab_of: Callable[..., Tab], before: str) -> None:
    tab = tab_of()
    tab.open(LANDING, before)
    row, kept = tab.next()
    assert kept == {} and "ad_ids" not in row and row["channel"] == "paid"
    tab.page.evaluate("althing('signup')")
    assert tab.next()[1] == {}
    assert all(event["consent"] == {"ads": False} and ID not in json.dumps(event) for event in tab.sent)
    assert ID not in json.dumps(tab.stored())


def test_who_agrees_later_on_the_landing_page_is_kept_with_the_next_event(tab_of: Callable[..., Tab]) -> None:
    tab = tab_of(needs_consent=True)
    tab.open(LANDING, QUEUE.format(given="{ads: false, analytics: false}"))
    assert tab.next()[1] == {}
    tab.page.evaluate("althing('consent', {ads: true})")
    tab.page.evaluate("history.pushState({}, '', '/plans')")
    row, kept = tab.next()
    assert kept == BOTH and row["path"] == "/plans"
    tab.page.evaluate("althing('signup')")
    assert tab.next()[1] == {}, "once"
    tab.page.evaluate("althing('consent', {ads: false})")
    assert ID not in json.dumps(tab.stored())


def test_who_agrees_on_the_page_after_is_kept_too(tab_of: Callable[..., Tab]) -> None:
    tab = tab_of(needs_consent=True)
    tab.open(LANDING)
    assert tab.next()[1] == {}, "the server keeps nothing before"
    tab.page.click("#on")
    row, kept = tab.next()
    assert kept == {} and row["path"] == "/second" and ID not in json.dumps(tab.stored())
    tab.page.evaluate("althing('consent', {ads: true})")
    tab.page.evaluate("althing('signup')")
    assert tab.next()[1] == BOTH


@pytest.mark.parametrize("given", ["'granted'", "1", "null"])
def test_nothing_but_true_is_an_agreement(tab_of: Callable[..., Tab], given: str) -> None:
    tab = tab_of(needs_consent=True)
    tab.open(LANDING, QUEUE.format(given=f"{{ads: {given}}}"))
    assert tab.next()[1] == {} and tab.sent[0]["consent"] == {"ads": False}


def test_who_refuses_analytics_is_counted_and_the_browser_stores_nothing(tab_of: Callable[..., Tab]) -> None:
    tab = tab_of()
    tab.open("/first")
    assert tab.next()[0]["session"]
    tab.page.wait_for_function("localStorage.althing_q == '[]'")
    assert tab.stored().keys() >= {"althing_s"}
    tab.page.evaluate("althing('consent', {analytics: false})")
    assert tab.stored() == {}, "what was stored is gone"
    tab.page.evaluate("althing('signup')")
    row, _ = tab.next()
    assert row["type"] == "signup" and "session" not in row and row["visitor"]
    tab.open("/again", QUEUE.format(given="{analytics: false}"))
    row, _ = tab.next()
    assert row["path"] == "/again" and "session" not in row
    assert tab.sent[-1]["consent"] == {"analytics": False} and tab.stored() == {}


def test_global_privacy_control_counts_more_than_an_agreement(
    tab_of: Callable[..., Tab], context: BrowserContext
) -> None:
    context.add_init_script("Object.defineProperty(navigator, 'globalPrivacyControl', {value: true})")
    tab = tab_of()
    tab.open(LANDING, QUEUE.format(given="{ads: true}"))
    row, kept = tab.next()
    assert kept == {} and row["channel"] == "paid"
    [event] = tab.sent
    assert event["gpc"] is True and ID not in json.dumps(event)


def test_an_older_script_that_sends_the_whole_address_is_kept_without_plain_text(
    tab_of: Callable[..., Tab],
) -> None:
    tab = tab_of()
    tab.open("/quiet", "<script>althing_consent={ads: false}</script>")
    tab.next()
    body = json.dumps({"type": "pageview", "url": f"https://127.0.0.1{LANDING}", "site": tab.site.site_key})
    tab.page.evaluate("([url, body]) => fetch(url, {method: 'POST', body})", [tab.tracking.url + "/track", body])
    row, kept = tab.next()
    assert kept == BOTH and ID not in json.dumps(row)
