"""A whole stack with an admin, a real browser, and a publisher's static website, for the journeys of this folder."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, expect, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from infra.domain.escrow_provider.sandbox import Sandbox
from infra.ops.bootstrap import browser
from tests.support.dns_server import DnsServer, dns_server
from tests.support.identity_provider import IdentityProvider, identity_provider
from tests.support.mail_server import MailServer, mail_server
from tests.support.marketplace import KEY, SECRET
from tests.support.network_servers import AwinServer, listening
from tests.support.stack import ROOT, Stack, stack, wait_for

ADMIN = "admin@althing.example"
PASSWORD = "correct horse battery"
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-blink-features=AutomationControlled",
]  # fmt: skip
PATIENCE_S = 60
"""For one answer, one look or one step on a busy machine: nothing here is about how long something takes."""
expect.set_options(timeout=PATIENCE_S * 1000)
AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The limit of a journey holds the start of the stack, and steps that have timeouts of their own."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.timeout(900))


def let_rebuild(postgres: psycopg.Connection[Any]) -> None:
    """Makes the rebuilds of before long ago, whichever test of the stack caused them: by rules and erasures one begins
    an hour."""
    for name in ("events", "refusals"):  # one row at a time: the projectors change others in their own order
        postgres.execute(
            "UPDATE engine.build SET created_at = created_at - interval '2 hours' WHERE name = %s AND state = 'live'",
            (name,),
        )


@dataclass(frozen=True)
class ListeningNetwork:
    """A network's server, and its address."""

    server: AwinServer
    url: str


@pytest.fixture(scope="package")
def provider() -> Iterator[IdentityProvider]:
    """What people may sign in with; LinkedIn is not set up."""
    with identity_provider() as made:
        yield made


@pytest.fixture(scope="package")
def post() -> Iterator[MailServer]:
    """Where the stack's mails arrive."""
    with mail_server() as made:
        yield made


@pytest.fixture(scope="package")
def dns() -> Iterator[DnsServer]:
    """Where the stack looks for the records of custom domains."""
    with dns_server() as made:
        yield made


@pytest.fixture(scope="package")
def escrow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """Where buyers pay; it tells the stack once that has an address."""
    made = Sandbox(tmp_path_factory.mktemp("escrow") / "book.sqlite", 0, KEY, SECRET, "").start()
    yield made
    made.stop()


@pytest.fixture(scope="package")
def awin() -> Iterator[ListeningNetwork]:
    """Awin's report API, as the stack calls it."""
    server = AwinServer(lambda: datetime.now(UTC))
    with listening(server) as url:
        yield ListeningNetwork(server, url)


@pytest.fixture(scope="package")
def admin_stack(
    provider: IdentityProvider, post: MailServer, dns: DnsServer, escrow: Sandbox, awin: ListeningNetwork
) -> Iterator[Stack]:
    assert (ROOT / "web" / "dist" / "index.html").exists(), "build the web app first: make test does"
    settings = {
        "ALTHING_ADMIN_EMAIL": ADMIN,
        "ALTHING_ADMIN_PASSWORD": PASSWORD,
        "ALTHING_DNS_RESOLVERS": f"127.0.0.1:{dns.port}",
        "ALTHING_ESCROW_URL": escrow.address,
        "ALTHING_ESCROW_KEY": KEY,
        "ALTHING_ESCROW_WEBHOOK_SECRET": SECRET,
        "ALTHING_NETWORK_URLS": f"awin={awin.url}",
        # Of a trickle; a single event does not wait. Inserts are what costs most.
        "ALTHING_INSERT_INTERVAL_MS": "1000",
        "SMTP_URL": post.url,
    }
    with stack({**settings, **provider.settings("google", "github", "microsoft")}) as made:
        escrow.webhook_url = f"{made.app}/api/public/escrow/messages"
        yield made


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=browser(), args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    made = new_context(chromium)
    yield made
    made.close()


def new_context(chromium: Browser) -> BrowserContext:
    made = chromium.new_context(
        user_agent=AGENT, viewport={"width": 1440, "height": 1000}, locale="en-US", reduced_motion="reduce"
    )
    made.set_default_timeout(PATIENCE_S * 1000)
    return made


@dataclass
class Watched:
    """What a page must not say: errors on its console, uncaught exceptions, refused content."""

    complaints: list[str] = field(default_factory=list)

    def listen(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(f"uncaught: {error}"))

    def _console(self, message: ConsoleMessage) -> None:
        # What the server refuses, or puts off while it is too busy, is in the console as well; the page says it in
        # words, and asks again.
        if message.type == "error" and not re.search(r"status of (40[13]|503)", message.text):
            self.complaints.append(f"{message.text} {message.location.get('url', '')}".strip())


def patient(page: Page) -> Page:
    """A page whose `goto` ends when the app has taken the place of the text with which public pages come; and where a
    store that is too busy is asked again, by the button that the page offers then."""
    again = page.get_by_role("button", name="Try again", exact=True).first
    page.add_locator_handler(again, _press, no_wait_after=True)
    go = page.goto

    def goto(url: str, **more: Any) -> Any:
        answer = go(url, **more)
        page.locator("#root[data-built]").wait_for(state="detached")
        return answer

    page.goto = goto  # type: ignore[method-assign]  # for every test, as people wait, too
    return page


def _press(button: Locator) -> None:
    with suppress(PlaywrightError):  # it was gone before: another request replaced it
        button.click(timeout=1_000)


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    made = patient(context.new_page())
    watched = Watched()
    watched.listen(made)
    yield made
    assert not watched.complaints


@pytest.fixture
def another(chromium: Browser) -> Iterator[Callable[[], Page]]:
    """Opens pages of further people, each in a separate browser."""
    contexts: list[BrowserContext] = []
    watched = Watched()

    def make() -> Page:
        contexts.append(new_context(chromium))
        made = patient(contexts[-1].new_page())
        watched.listen(made)
        return made

    yield make
    for one in contexts:
        one.close()
    assert not watched.complaints


@dataclass
class Publisher:
    """A static website on a port of its own: set `html`, open `url`."""

    url: str
    html: str = ""


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    made = Publisher("")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = made.html.encode() if self.path != "/favicon.ico" else b""
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield made
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def api(admin_stack: Stack) -> Iterator[httpx.Client]:
    with as_admin(admin_stack.app) as client:
        yield client


@contextmanager
def as_admin(app: str) -> Iterator[httpx.Client]:
    """A program that signed in as the admin."""
    with httpx.Client(base_url=app, timeout=PATIENCE_S) as client:
        answer = client.post("/api/platform/login", json={"email": ADMIN, "password": PASSWORD})
        assert answer.status_code == 200, answer.text
        client.headers["Authorization"] = f"Bearer {answer.json()['token']}"
        yield client


def sign_out(page: Page) -> None:
    page.get_by_role("button", name="Account of").click()
    page.get_by_role("menuitem", name="Sign out").click()
    page.wait_for_url("**/login")


def sign_in(page: Page, app: str) -> None:
    page.goto(f"{app}/login")
    page.get_by_label("Email").fill(ADMIN)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign In", exact=True).click()
    page.wait_for_url(re.compile("/(dashboard|websites)$"))  # all websites, once the admin has several


def connect(api: httpx.Client, domain: str, **more: str) -> dict[str, Any]:
    """A website connected by API; later reads see it, and ingest accepts its keys."""
    body = {"domain": domain, "timezone": "UTC", "currency": "USD", **more}
    made = _command(api, "/api/platform/websites", body)
    read(api, "/api/platform/websites")
    return made


def partner_with_link(
    api: httpx.Client, website_id: str, name: str, percent: float, owner: httpx.Client | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """`api`: an admin's; `owner`: the website's, if it is another."""
    owner = owner or api
    slug = name.lower().replace(" ", "-")
    partner = _command(
        api,
        "/api/admin/partners",
        {
            "name": name, "slug": slug, "baseUrl": f"https://{slug}.example", "commission": percent,
            "description": f"{name} affiliate program", "isActive": 1,
        },
    )  # fmt: skip
    link = _command(
        owner,
        "/api/platform/links",
        {
            "websiteId": website_id,
            "partnerId": partner["id"],
            "destination": f"https://{slug}.example/?cid={{click_id}}",
        },
    )
    read(owner, "/api/platform/links")
    return partner, link


def read(api: httpx.Client, path: str, params: Mapping[str, str | int] | None = None) -> Any:
    """The complete response and with what the last command did: a store that is too busy to tell all of it (503 or
    `X-Stale`) is asked again, as who looks at a page does. A link that is requested earlier is unknown to ingest."""

    def whole() -> httpx.Response | None:
        answer = api.get(path, params=params)
        return None if answer.status_code == 503 or "X-Stale" in answer.headers else answer

    answer: httpx.Response = wait_for(whole, f"an answer of {path}")
    assert answer.status_code == 200, (path, answer.text)
    return answer.json()


def _command(api: httpx.Client, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = api.post(path, json=body)
    assert answer.status_code == 201, answer.text
    api.headers["X-Wait-For"] = answer.headers["X-Position"]
    made: dict[str, Any] = answer.json()
    return made
