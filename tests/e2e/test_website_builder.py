"""A site of three pages is built by mouse, and another one by keyboard alone; both are published on domains of a local
DNS server, visited, clicked and sold through, and their revenue stands by page and block. A visitor of the first one
subscribes to its newsletter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from re import search
from typing import Any, Final, Protocol
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import httpx
import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from infra.ops.bootstrap import browser
from tests.e2e.conftest import AGENT, FLAGS, PATIENCE_S, connect, partner_with_link, read, sign_in
from tests.support.dns_server import DnsServer
from tests.support.mail_server import MailServer
from tests.support.stack import Stack, wait_for

MAX_TABS: Final = 200
PICTURE: Final = "A tent by a lake"
READER: Final = "reader@example.com"


class Hands(Protocol):
    """How a person works."""

    def press(self, button: Locator) -> None:
        """A button, a link or a choice."""

    def write(self, field: Locator, text: str) -> None: ...

    def choose(self, field: Locator, label: str) -> None:
        """From a list of choices."""

    def open_tab(self, page: Page, name: str) -> None: ...

    def swap(self, page: Page, first: Locator, second: Locator) -> None:
        """Moves a block, by its handle, below the second and last one."""


class Mouse:
    def press(self, button: Locator) -> None:
        button.click()

    def write(self, field: Locator, text: str) -> None:
        field.fill(text)

    def choose(self, field: Locator, label: str) -> None:
        field.select_option(label)

    def open_tab(self, page: Page, name: str) -> None:
        page.get_by_role("tab", name=name).click()

    def swap(self, page: Page, first: Locator, second: Locator) -> None:
        start, end = first.bounding_box(), second.bounding_box()
        assert start is not None
        assert end is not None
        page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
        page.mouse.down()
        page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2 + 4, steps=12)
        page.mouse.up()


class Keyboard:
    """Everything is reached by Tab; nothing is clicked or filled from outside."""

    def press(self, button: Locator) -> None:
        self._reach(button)
        button.page.keyboard.press("Space" if button.get_attribute("type") == "radio" else "Enter")

    def write(self, field: Locator, text: str) -> None:
        self._reach(field)
        field.page.keyboard.press("ControlOrMeta+a")
        field.page.keyboard.insert_text(text)

    def choose(self, field: Locator, label: str) -> None:
        self._reach(field)
        field.page.keyboard.type(label)
        expect(field.locator("option:checked")).to_have_text(label)

    def open_tab(self, page: Page, name: str) -> None:
        self._reach(page.get_by_role("tab", selected=True))
        wanted = page.get_by_role("tab", name=name)
        for _ in range(10):
            if wanted.get_attribute("aria-selected") == "true":
                return
            page.keyboard.press("ArrowRight")
            expect(page.locator("[role=tab]:focus")).to_have_attribute("aria-selected", "true")
        raise AssertionError(f"no arrow leads to {name}")

    def swap(self, page: Page, first: Locator, second: Locator) -> None:
        expect(second).to_be_visible()
        self._reach(first)
        said = page.locator("[id^=DndLiveRegion]")
        page.keyboard.press("Space")
        expect(said).to_contain_text("position 1 of 2")
        page.keyboard.press("ArrowDown")
        expect(said).to_contain_text("now at position 2 of 2")
        page.keyboard.press("Space")

    def _reach(self, wanted: Locator) -> None:
        expect(wanted).to_be_visible()
        for _ in range(MAX_TABS):
            if wanted.evaluate("element => element === document.activeElement"):
                return
            wanted.page.keyboard.press("Tab")
        raise AssertionError(f"{MAX_TABS} times Tab do not lead to {wanted}")


@dataclass(frozen=True)
class Shop:
    """A website with a partner, a tracked link, and a verified domain for the site."""

    website: dict[str, Any]
    partner: dict[str, Any]
    link: dict[str, Any]
    domain: str


@pytest.fixture(scope="module")
def visitors(chromium: Browser) -> Iterator[Browser]:
    """A browser that finds every host on this machine, as a name server would lead visitors to ingest."""
    rules = "--host-resolver-rules=MAP * 127.0.0.1"
    launched = chromium.browser_type.launch(executable_path=browser(), args=[*FLAGS, rules])
    yield launched
    launched.close()


@pytest.mark.parametrize(
    "hands",
    [pytest.param(Mouse(), id="mouse"), pytest.param(Keyboard(), id="keyboard", marks=pytest.mark.slow)],
)
def test_a_site_is_built_published_visited_and_sold_through(
    admin_stack: Stack,
    dns: DnsServer,
    post: MailServer,
    page: Page,
    api: httpx.Client,
    visitors: Browser,
    hands: Hands,
) -> None:
    app, name = admin_stack.app, type(hands).__name__.lower()
    shop = new_shop(api, dns, f"tents-{name}.example")
    sign_in(page, app)
    build(page, app, hands, shop, f"Tents by {name}")
    publish(page, hands, shop)
    click_id = visit(visitors, admin_stack, shop)
    come_by_search(visitors, admin_stack, shop)
    sell(admin_stack, shop, click_id)
    assert_earned(api, shop)
    assert_sources(api, shop)
    if isinstance(hands, Mouse):
        confirm(visitors, post)
        assert_subscribed(page, api)


def new_shop(api: httpx.Client, dns: DnsServer, domain: str) -> Shop:
    connect(api, f"another-{domain}")
    website = connect(api, domain)
    partner, link = partner_with_link(api, website["id"], f"Shop of {domain.split('.')[0]}", 10.0)
    added = api.post("/api/platform/custom-domains", json={"websiteId": website["id"], "domain": f"www.{domain}"})
    assert added.status_code == 201, added.text
    record = added.json()
    dns.set(record["verificationName"], "TXT", record["verificationToken"])
    check = f"/api/platform/custom-domains/{record['id']}/check"
    wait_for(lambda: api.post(check).json().get("isVerified"), "the domain to be verified")
    return Shop(website, partner, link, f"www.{domain}")


def build(page: Page, app: str, hands: Hands, shop: Shop, name: str) -> None:
    """Three pages: a home page that leads to a review with a price, and answers to questions."""
    page.goto(f"{app}/builder")
    hands.press(page.get_by_role("button", name="Create site").first)
    dialog = page.get_by_role("dialog", name="Create site")
    hands.write(dialog.get_by_label("Name"), name)
    hands.choose(dialog.get_by_role("combobox", name="Website"), shop.website["domain"])
    hands.press(dialog.get_by_role("radio", name="Empty site"))
    hands.press(dialog.get_by_role("button", name="Create site"))
    for title in ("Tents reviewed", "Questions"):
        hands.press(page.get_by_role("button", name="Add page", exact=True))
        hands.write(page.get_by_role("dialog", name="Add page").get_by_label("Title"), title)
        hands.press(page.get_by_role("dialog", name="Add page").get_by_role("button", name="Add page", exact=True))

    with opened(page, hands, "Tents reviewed"):
        add_block(page, hands, "Price box", {"Product": "Tent for two", "Price": "199.00", "Button": "See the offer"})
        hands.choose(page.get_by_label("Leads to"), "Tracked link")
        expect(page.get_by_label("Tracked link", exact=True)).to_contain_text(shop.link["slug"])
        hands.write(page.get_by_label("Name in analytics"), "price-of-tent")
        hands.press(page.get_by_role("button", name="Back to all blocks"))
        add_block(page, hands, "Disclosure", {"Text": "We earn from links to shops."})
        hands.press(page.get_by_role("button", name="Back to all blocks"))
        blocks = page.get_by_role("list", name="Blocks of the page").get_by_role("listitem")
        expect(blocks.first).to_contain_text("Price box")
        handles = page.get_by_role("button", name="Move ")
        hands.swap(page, handles.first, handles.last)
        expect(blocks.first).to_contain_text("Disclosure")
        page.keyboard.press("ControlOrMeta+z")
        expect(blocks.first).to_contain_text("Price box")
        hands.press(page.get_by_role("button", name="Redo: Move block"))
        expect(blocks.first).to_contain_text("Disclosure")
        preview = page.frame_locator("iframe[title='Preview of the page']")
        expect(preview.get_by_text("Tent for two").first).to_be_visible()
    with opened(page, hands, "Questions"):
        add_block(page, hands, "FAQ", {"Heading": "Before you buy"})
        hands.write(page.get_by_label("Question", exact=True), "Is it waterproof?")
    with opened(page, hands, "Home"):
        add_block(page, hands, "Hero", {"Heading": "Tents that keep you dry", "Button": "Read the review"})
        hands.choose(page.get_by_label("Leads to"), "Page of this site")
        hands.choose(page.get_by_label("Page", exact=True), "Tents reviewed")
        hands.press(page.get_by_role("button", name="Back to all blocks"))
        if isinstance(hands, Mouse):
            add_block(page, hands, "Newsletter form", {"Heading": "News of tents", "Consent": "One email a month."})
            hands.press(page.get_by_role("button", name="Back to all blocks"))
        add_image(page, hands)


@contextmanager
def opened(page: Page, hands: Hands, title: str) -> Iterator[None]:
    """The editor of one page of the site, which is saved before it is left."""
    hands.press(page.get_by_role("list", name="Pages").get_by_role("link", name=title))
    expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()
    yield
    expect(page.get_by_text("Saved", exact=False).first).to_be_visible()
    hands.press(page.get_by_role("link", name="All pages of"))


def add_block(page: Page, hands: Hands, kind: str, fields: Mapping[str, str]) -> None:
    hands.press(page.get_by_role("button", name="Add block", exact=True))
    hands.press(page.get_by_role("dialog", name="Add block").get_by_role("button", name=kind))
    for label, text in fields.items():
        hands.write(page.get_by_label(label, exact=True), text)


def add_image(page: Page, hands: Hands) -> None:
    """The file comes from the dialog of the system, which is no part of the page."""
    hands.press(page.get_by_role("button", name="Add block", exact=True))
    dialog = page.get_by_role("dialog", name="Add block")
    hands.press(dialog.get_by_role("button", name="Image"))
    with page.expect_file_chooser() as asked:
        hands.press(dialog.get_by_role("button", name="Choose image"))
    made = BytesIO()
    Image.new("RGB", (640, 320), "teal").save(made, "PNG")
    asked.value.set_files({"name": "tent.png", "mimeType": "image/png", "buffer": made.getvalue()})
    hands.write(dialog.get_by_label("Alt text"), PICTURE)
    hands.press(dialog.get_by_role("button", name="Use image"))
    assert_shown(page.frame_locator("iframe[title='Preview of the page']").get_by_role("img", name=PICTURE))


def assert_shown(picture: Locator) -> None:
    """Its pixels have come, not just its place."""
    expect(picture).to_be_visible()
    expect(picture).to_have_js_property("naturalWidth", 640)


def publish(page: Page, hands: Hands, shop: Shop) -> None:
    """On the shop's domain. An answer that nobody wrote yet is named first, found and filled in."""
    hands.open_tab(page, "Address")
    hands.choose(page.get_by_label("Custom domain"), shop.domain)
    hands.press(page.get_by_role("button", name="Save address"))
    expect(page.get_by_text("Address saved", exact=True).first).to_be_visible()
    hands.press(page.get_by_role("button", name="Publish", exact=True))
    dialog = page.get_by_role("dialog", name="1 placeholder to fill in")
    hands.press(dialog.get_by_role("link", name="[Your answer]"))
    expect(page.get_by_role("heading", name="Questions", level=1)).to_be_visible()
    expect(page.get_by_label("Answer", exact=True)).to_be_focused()
    page.keyboard.insert_text("Yes, **up to 3,000 mm**.")
    expect(page.frame_locator("iframe[title='Preview of the page']").get_by_text("up to 3,000 mm")).to_have_count(1)
    expect(page.get_by_text("All changes saved")).to_be_visible()
    hands.press(page.get_by_role("link", name="All pages of"))
    hands.press(page.get_by_role("button", name="Publish", exact=True))
    expect(page.get_by_text("Site published", exact=True).first).to_be_visible()


def visit(visitors: Browser, mine: Stack, shop: Shop) -> str:
    """A visitor finds the site by a newsletter, subscribes where there is a form, reads the review and follows the
    offer; gives the id of the click."""
    home = f"{home_of(mine, shop)}?utm_source=spring-letter&utm_medium=email"
    context = visitors.new_context(user_agent=AGENT, locale="en-US")
    try:
        page = context.new_page()
        page.set_default_timeout(PATIENCE_S * 1000)
        wait_for(lambda: found(page, home), "ingest to learn of the site")
        assert_shown(page.get_by_role("img", name=PICTURE))
        if page.get_by_label("Email address").count():
            page.get_by_label("Email address").fill(READER)
            page.get_by_role("button", name="Subscribe").click()
            expect(page.get_by_role("heading", name="Check your inbox")).to_be_visible()
            page.goto(home)
        page.get_by_role("link", name="Read the review").click()
        expect(page.get_by_role("heading", name="Tent for two")).to_be_visible()
        shop_host = urlsplit(shop.link["destination"]).hostname
        # The shop does not exist: the request to it is all that happens there.
        with page.expect_request(lambda made: urlsplit(made.url).hostname == shop_host) as arrived:
            page.get_by_role("link", name="See the offer").click()
        return parse_qs(urlsplit(arrived.value.url).query)["cid"][0]
    finally:
        context.close()


def come_by_search(visitors: Browser, mine: Stack, shop: Shop) -> None:
    context = visitors.new_context(user_agent=AGENT, locale="en-US")
    try:
        page = context.new_page()
        with page.expect_response(lambda answer: urlsplit(answer.url).path == "/track"):
            page.goto(home_of(mine, shop), referer="https://www.google.com/")
    finally:
        context.close()


def home_of(mine: Stack, shop: Shop) -> str:
    return f"http://{shop.domain}:{urlsplit(mine.tracking).port}/"


def found(page: Page, address: str) -> bool:
    answer = page.goto(address)
    return answer is not None and answer.status == 200 and page.get_by_text("Tents that keep you dry").count() > 0


def sell(mine: Stack, shop: Shop, click_id: str) -> None:
    sale = {"click_id": click_id, "txid": f"B-{uuid4().hex[:8]}", "amount": "200.00", "currency": "USD"}
    params = {**sale, "partner": shop.partner["slug"], "token": shop.website["postbackToken"]}
    answer = httpx.get(f"{mine.tracking}/postback", params=params, timeout=PATIENCE_S)
    assert answer.status_code == 202, answer.text


def assert_earned(api: httpx.Client, shop: Shop) -> None:
    """Ten percent of 200 dollars, by the page on which the offer stood, and by the block."""
    wait_for(lambda: any(row["conversions"] for row in rows_by(api, shop, "page").values()), "the sale to be counted")
    review, block = rows_by(api, shop, "page")["/tents-reviewed/"], rows_by(api, shop, "placement")["price-of-tent"]
    assert (review["pageviews"], review["clicks"], review["conversions"]) == (1, 1, 1)
    assert review["revenue"] == block["revenue"] == 20
    assert (block["clicks"], block["conversions"]) == (1, 1)


def confirm(visitors: Browser, post: MailServer) -> None:
    """By the link in the email."""
    link = search(r"https?://\S+/site-newsletter/confirm#\S+", post.to(READER).get_content())
    assert link is not None
    context = visitors.new_context(user_agent=AGENT, locale="en-US")
    try:
        page = context.new_page()
        page.set_default_timeout(PATIENCE_S * 1000)
        page.goto(link[0])
        page.get_by_role("button", name="Confirm subscription").click()
        expect(page.get_by_text("Subscription confirmed", exact=True).first).to_be_visible()
    finally:
        context.close()


def assert_subscribed(page: Page, api: httpx.Client) -> None:
    """The owner of the site, whose page is open, sees the one subscriber."""
    subscribers = f"/api/platform/sites/{urlsplit(page.url).path.rpartition('/')[2]}/subscribers"
    wait_for(lambda: read(api, subscribers, {"state": "confirmed"}), "the list to have the subscriber")
    page.get_by_role("tab", name="Subscribers").click()
    rows = page.get_by_role("table", name="Subscribers").get_by_role("row")
    expect(rows.filter(has_text=READER)).to_contain_text("Confirmed")
    expect(rows).to_have_count(2)


def assert_sources(api: httpx.Client, shop: Shop) -> None:
    """As on any website: by the parameters of the address, and by the site that visitors come from."""
    wait_for(lambda: "Google" in rows_by(api, shop, "source"), "the visit by search to be counted")
    by_source = rows_by(api, shop, "source")
    assert by_source["Google"]["pageviews"] == 1 and by_source["spring-letter"]["pageviews"] >= 1
    assert rows_by(api, shop, "utm_source")["spring-letter"]["pageviews"] >= 1
    assert rows_by(api, shop, "channel").keys() >= {"email", "search"}
    assert rows_by(api, shop, "referrer")["google.com"]["pageviews"] == 1


def rows_by(api: httpx.Client, shop: Shop, dimension: str) -> dict[str, Any]:
    metrics = "pageviews,clicks,conversions,revenue"
    params = {"websiteId": shop.website["id"], "timeRange": "today", "by": dimension, "metrics": metrics}
    found = read(api, "/api/platform/analytics/breakdown", params)["rows"]
    return {row["values"][dimension]: row for row in found}
