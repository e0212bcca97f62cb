"""A/B of two destinations: one link is split between two partners on screen, read, and ended with its winner."""

from __future__ import annotations

import re
from collections import Counter
from urllib.parse import parse_qs, urlsplit

import httpx
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import PATIENCE_S, connect, partner_with_link, read, sign_in
from tests.e2e.hand import Hand
from tests.support.stack import Stack, wait_for
from tests.support.user_agents import BROWSER

SITE = "splits.example"
FIRST, SECOND = "Split Alpha", "Split Beta"


def test_two_partners_are_compared_by_one_link_until_one_is_chosen(
    admin_stack: Stack, api: httpx.Client, page: Page
) -> None:
    website = connect(api, SITE)
    for name in (FIRST, SECOND):
        partner_with_link(api, website["id"], name, 10)
    sign_in(page, admin_stack.app)
    page.goto(f"{admin_stack.app}/dashboard?website={website['id']}")
    slug = split_on_screen(page)
    hosts = Counter(urlsplit(follow(admin_stack, slug, visitor)).netloc for visitor in range(24))
    assert set(hosts) == {"split-alpha.example", "split-beta.example"} and sum(hosts.values()) == 24
    sold = follow(admin_stack, slug, 0)
    report_sale(admin_stack, website["postbackToken"], parse_qs(urlsplit(sold).query)["cid"][0])
    link = read(api, "/api/platform/links", {"websiteId": website["id"], "search": slug})[0]

    def counted() -> bool:
        variants = read(api, f"/api/platform/links/{link['id']}/split")["variants"]
        # One address with many browsers is suspicious: not all of its clicks count.
        return bool(sum(one["clicks"] for one in variants) > 1 and sum(one["conversions"] for one in variants) == 1)

    wait_for(counted, "clicks and a sale in the figures of the variants")
    page.goto(f"{admin_stack.app}/dashboard?website={website['id']}")
    reading = Hand(page)
    reading.click(page.get_by_role("navigation", name="Work").get_by_role("link", name="Links"))
    reading.click(page.get_by_role("link", name=slug, exact=True))
    assert reading.count == (2, 0)
    shown = page.get_by_role("region", name="Variants", exact=True).first
    expect(shown.get_by_text("Not enough data yet")).to_be_visible()
    expect(shown.get_by_text(re.compile("A verdict needs .* more buyers of Beta offer"))).to_be_visible()
    let_weights_follow(api, page, link["id"])
    shown.get_by_role("button", name="End test with Beta offer as the winner").click()
    expect(page.get_by_text("Test ended", exact=True).first).to_be_visible()
    expect(shown.get_by_role("button", name="Resume test")).to_be_visible()
    wait_for(
        lambda: {urlsplit(follow(admin_stack, slug, each)).netloc for each in range(24)} == {"split-beta.example"},
        "the winner for every visitor",
    )


def let_weights_follow(api: httpx.Client, page: Page, link_id: str) -> None:
    """Turned on, the split is looked at once: the log says that there is not enough yet."""
    page.get_by_role("region", name="Shift weights by results").get_by_role("button", name="Turn on").click()
    expect(page.get_by_text("Weights follow results", exact=True).first).to_be_visible()
    wait_for(lambda: read(api, f"/api/platform/links/{link_id}/split")["shifts"], "the first look at the results")
    page.reload()
    expect(page.get_by_role("region", name="Shift log").get_by_text("No shift: not enough yet")).to_be_visible()
    expect(page.get_by_role("region", name="Shift weights by results").get_by_text("On", exact=True)).to_be_visible()


def split_on_screen(page: Page) -> str:
    """From the start page, the link is made with its split by five clicks and four texts; gives its slug."""
    hand = Hand(page)

    def fill(field: Locator, text: str) -> None:
        field.fill(text)
        hand.entries += 1

    hand.click(page.get_by_role("navigation", name="Work").get_by_role("link", name="Links"))
    hand.click(page.get_by_role("button", name="Create link").first)
    dialog = page.get_by_role("dialog", name="Create link")
    fill(dialog.get_by_label("Destination (optional)"), "https://split-alpha.example/?cid={click_id}")
    fill(dialog.get_by_label("Slug (optional)"), "a-b-test")
    hand.click(dialog.get_by_text("More options"))
    hand.click(dialog.get_by_role("button", name="Split traffic"))
    second = dialog.get_by_role("group", name="Variant 2")
    fill(second.get_by_label("Destination URL"), "https://split-beta.example/?cid={click_id}")
    expect(second.get_by_label("Partner")).to_have_value(re.compile("[0-9a-f-]{36}"))
    fill(second.get_by_label("Name (optional)"), "Beta offer")
    hand.click(dialog.get_by_role("button", name="Create link"))
    expect(dialog).to_be_hidden()
    assert hand.count == (5, 4)
    return "a-b-test"


def follow(mine: Stack, slug: str, visitor: int) -> str:
    """Where a reader with that browser is sent."""
    agent = BROWSER.replace("Chrome/", f"Chrome/1{visitor:02d}")

    def answer() -> str | None:
        found = httpx.get(f"{mine.tracking}/go/{slug}", headers={"User-Agent": agent}, timeout=PATIENCE_S)
        return found.headers["location"] if found.status_code == 302 else None

    place: str = wait_for(answer, "ingest to learn of the link")
    return place


def report_sale(mine: Stack, token: str, click_id: str) -> None:
    said = {"token": token, "click_id": click_id, "txid": "SPLIT-1", "amount": "50.00", "currency": "USD"}
    answer = httpx.get(f"{mine.tracking}/postback", params=said, timeout=PATIENCE_S)
    assert answer.status_code == 202, answer.text
