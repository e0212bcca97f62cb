"""The most frequent jobs of a day and of a week, counted: clicks, and entries by keyboard (docs/jobs.md compares)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4
from zipfile import ZipFile

import httpx
import psycopg
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.e2e.conftest import (
    AGENT,
    PATIENCE_S,
    Watched,
    as_admin,
    connect,
    let_rebuild,
    new_context,
    partner_with_link,
    patient,
    read,
    sign_in,
)
from tests.e2e.hand import Hand
from tests.support.stack import Stack, wait_for

FORGET = """() => Object.keys(localStorage).filter((key) => !['authToken', 'user'].includes(key))
    .forEach((key) => localStorage.removeItem(key))"""


@dataclass(frozen=True)
class Shop:
    """A website with one sale of today, which is known by `txid`."""

    app: str
    site: dict[str, Any]
    partner: dict[str, Any]
    link: dict[str, Any]
    txid: str


@pytest.fixture(scope="module")
def shop(admin_stack: Stack) -> Shop:
    with as_admin(admin_stack.app) as client:
        connect(client, "jobs-beside.example")
        site = connect(client, "jobs.example")
        partner, link = partner_with_link(client, site["id"], "Jobs Partner", 10)
        view = {"type": "pageview", "url": "https://jobs.example/review", "referrer": "https://www.google.com/"}
        visitor = {"visitor_id": "v1", "ip": "82.221.0.1", "user_agent": AGENT}
        keyed = {"Authorization": f"Bearer {site['secretKey']}"}
        events = [{**view, **visitor}, {"type": "click", **visitor}]
        sent = httpx.post(f"{admin_stack.tracking}/track", json=events, headers=keyed, timeout=PATIENCE_S)
        assert sent.json()["accepted"] == 2, sent.text
        go = httpx.get(link["url"], headers={"User-Agent": AGENT}, timeout=PATIENCE_S)
        click_id = parse_qs(urlsplit(go.headers["location"]).query)["cid"][0]
        txid = f"J-{uuid4().hex}"
        sale = {"click_id": click_id, "txid": txid, "amount": "50.00", "currency": "USD"}
        told = {**sale, "token": site["postbackToken"]}
        reported = httpx.get(f"{admin_stack.tracking}/postback", params=told, timeout=PATIENCE_S)
        assert reported.status_code in (200, 202), reported.text

        def is_counted() -> bool:
            query = {"websiteId": site["id"], "timeRange": "today"}
            shown = read(client, "/api/platform/analytics/overview", query)
            return bool(shown["revenue"]["total"] == 5.0 and shown["pageviews"] == 1)

        wait_for(is_counted, "the sale and the page view to be counted")
        return Shop(admin_stack.app, site, partner, link, txid)


@pytest.fixture(scope="module")
def signed_in(chromium: Browser, shop: Shop) -> Iterator[BrowserContext]:
    """The browser of a person who does one job after the other, each in a tab of its own."""
    context = new_context(chromium)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    sign_in(patient(context.new_page()), shop.app)
    yield context
    context.close()


@pytest.fixture
def hand(signed_in: BrowserContext, shop: Shop) -> Iterator[Hand]:
    """At the page that a person sees first, with nothing remembered of the jobs before."""
    page, watched = patient(signed_in.new_page()), Watched()
    watched.listen(page)
    page.goto(f"{shop.app}/livez")
    page.evaluate(FORGET)
    page.goto(f"{shop.app}/websites")
    yield Hand(page)
    page.close()
    assert not watched.complaints


def test_job_1_the_earnings_of_today_of_all_websites(hand: Hand) -> None:
    row = hand.page.get_by_role("row").filter(has_text="jobs.example").filter(has_text="$5.00")
    expect(row.first).to_be_visible()
    assert hand.count == (0, 0)


def test_job_2_a_link_is_created_and_copied(hand: Hand, shop: Shop) -> None:
    hand.page.goto(f"{shop.app}/links?website={shop.site['id']}")
    expect(hand.page.get_by_text(shop.link["slug"]).first).to_be_visible()
    hand.press("c")
    expect(hand.page.get_by_label("Destination (optional)")).to_be_focused()
    hand.type(f"{shop.partner['baseUrl']}/offer")
    hand.press("Enter")
    expect(hand.page.get_by_text("Link created and copied").first).to_be_visible()
    assert hand.count == (0, 3)


def test_job_3_an_existing_link_is_copied(hand: Hand, shop: Shop) -> None:
    hand.page.goto(f"{shop.app}/links?website={shop.site['id']}")
    hand.click(hand.page.get_by_role("button", name=f"Copy link {shop.link['slug']}"))
    expect(hand.page.get_by_text("Copied!").first).to_be_visible()
    assert hand.page.evaluate("navigator.clipboard.readText()") == shop.link["url"]
    assert hand.count == (1, 0)


def test_job_4_the_postback_url_of_a_network_is_copied(hand: Hand, shop: Shop) -> None:
    hand.page.goto(f"{shop.app}/links?website={shop.site['id']}")
    hand.click(hand.page.get_by_role("button", name="Postback URL", exact=True))
    hand.click(hand.page.get_by_role("button", name="Copy postback URL"))
    expect(hand.page.get_by_text("Postback URL copied").first).to_be_visible()
    assert shop.site["postbackToken"] in hand.page.evaluate("navigator.clipboard.readText()")
    assert hand.count == (2, 0)


def test_job_5_one_transaction_is_found_from_anywhere(hand: Hand, shop: Shop) -> None:
    hand.press("Control+k")
    expect(hand.page.get_by_role("dialog", name="Search and commands")).to_be_visible()
    hand.type(shop.txid)
    expect(hand.page.get_by_role("option").filter(has_text=shop.txid)).to_be_visible()
    hand.press("Enter")
    expect(hand.page.get_by_role("dialog", name=f"Transaction {shop.txid}")).to_be_visible()
    assert hand.count == (0, 3)


def test_job_6_the_month_of_one_partner_is_approved(hand: Hand, shop: Shop) -> None:
    hand.page.goto(f"{shop.app}/conversions?website={shop.site['id']}")
    filters = hand.page.get_by_role("group", name="Filters")
    hand.choose(filters.get_by_label("Partner"), shop.partner["name"])
    hand.choose(filters.get_by_label("Period"), "This month")
    hand.click(hand.page.get_by_role("checkbox", name="Select all pending shown"))
    hand.click(hand.page.get_by_role("region", name="Selection").get_by_role("button", name="Approve", exact=True))
    hand.click(hand.page.get_by_role("dialog").get_by_role("button", name="Approve"))
    expect(hand.page.get_by_text("Approving 1 conversion", exact=True).first).to_be_visible()
    assert hand.count == (7, 0)


def test_job_7_the_top_pages_and_sources_are_on_the_page(hand: Hand, shop: Shop) -> None:
    hand.page.goto(f"{shop.app}/analytics?website={shop.site['id']}")
    expect(hand.page.get_by_role("region", name="Pages", exact=True).get_by_text("/review")).to_be_visible()
    expect(hand.page.get_by_role("region", name="Sources", exact=True).get_by_role("list")).to_be_visible()
    assert hand.count == (0, 0)


def test_job_8_the_page_is_filtered_by_a_country(hand: Hand, shop: Shop) -> None:
    hand.page.goto(f"{shop.app}/analytics?website={shop.site['id']}")
    hand.click(hand.page.get_by_role("button", name="Filter by Iceland").first)
    expect(hand.page.get_by_role("button", name="Remove filter Country Iceland")).to_be_visible()
    assert hand.count == (1, 0)


def test_job_9_the_range_is_compared_with_last_year(hand: Hand, shop: Shop) -> None:
    hand.page.goto(f"{shop.app}/analytics?website={shop.site['id']}")
    expect(hand.page.get_by_label("Compare", exact=True)).to_have_value("previous")
    hand.press("x")
    expect(hand.page.get_by_label("Compare", exact=True)).to_have_value("year")
    assert hand.count == (0, 1)


def test_job_10_the_accountant_gets_one_file_of_last_month(hand: Hand, shop: Shop) -> None:
    hand.page.goto(f"{shop.app}/analytics?website={shop.site['id']}")
    hand.click(hand.page.get_by_role("navigation", name="Work").get_by_role("link", name="Payouts"))
    card = hand.page.get_by_role("region", name="For the accountant")
    with hand.page.expect_download() as download:
        hand.click(card.get_by_role("link", name=re.compile("^Download CSV of [A-Z][a-z][a-z] ")))
    assert download.value.suggested_filename.endswith(".csv")
    assert hand.count == (2, 0)


def test_job_11_thirty_links_move_to_another_network_and_keep_their_addresses(
    signed_in: BrowserContext, shop: Shop, admin_stack: Stack
) -> None:
    """From the start page: every destination is seen before, visitors arrive there, and it can be undone."""
    with as_admin(shop.app) as client:
        site = connect(client, "moving-links.example")
        old, _ = partner_with_link(client, site["id"], "Closing Program", 10)
        partner_with_link(client, site["id"], "Next Program", 20)
        named = {"websiteId": site["id"], "partnerId": old["id"]}
        links = [
            {**named, "slug": f"moving-{number}", "destination": f"https://closing-program.example/page-{number}"}
            for number in range(29)
        ]
        made = client.post("/api/platform/links/bulk", json={"links": links})
        assert made.status_code == 201, made.text
    page = patient(signed_in.new_page())
    hand = Hand(page)
    page.goto(f"{shop.app}/links?website={site['id']}&sort=slug")
    page.get_by_role("button", name="Closing Program").first.wait_for()
    hand.clicks = 1  # from the start page: Links
    hand.click(page.get_by_role("button", name="Closing Program").first)
    expect(page).to_have_url(re.compile(f"partner={old['id']}"))
    hand.click(page.get_by_role("checkbox", name="Select all"))
    expect(page.get_by_role("group", name="Selected links")).to_contain_text("30 links selected")
    hand.click(page.get_by_role("button", name="Move to partner"))
    dialog = page.get_by_role("dialog", name="Move links to another partner")
    hand.click(dialog.get_by_role("radio", name="Next Program"))
    expect(dialog.get_by_role("status")).to_have_text("30 links will change")
    expect(dialog.get_by_role("list", name="Planned changes")).to_contain_text("https://next-program.example")
    hand.click(dialog.get_by_role("button", name="Move 30 links"))
    assert hand.count == (6, 0)
    result = page.get_by_role("region", name="Change of links")
    expect(result.get_by_role("status")).to_have_text("30 links moved to Next Program")

    def leads_to() -> str:
        address = f"{admin_stack.tracking}/go/moving-7"
        return str(httpx.get(address, headers={"User-Agent": AGENT}, timeout=PATIENCE_S).headers["location"])

    wait_for(lambda: leads_to().startswith("https://next-program.example"), "visitors to be sent to the new partner")
    result.get_by_role("button", name="Undo").click()
    expect(result.get_by_role("status")).to_have_text("30 links restored")
    wait_for(lambda: leads_to() == "https://closing-program.example/page-7", "visitors to be sent back")
    page.close()


def test_the_accountant_gets_the_last_quarter_of_all_websites_in_euros(hand: Hand, shop: Shop) -> None:
    hand.page.goto(f"{shop.app}/dashboard")
    hand.click(hand.page.get_by_role("navigation", name="Work").get_by_role("link", name="Payouts"))
    card = hand.page.get_by_role("region", name="For the accountant")
    hand.click(card.get_by_role("button", name="EUR"))
    with hand.page.expect_download() as download:
        hand.click(card.get_by_role("link", name=re.compile("^Download CSV of Q[1-4] ")))
    assert re.fullmatch(r"statements-\d{4}-\d\d-to-\d{4}-\d\d-EUR\.csv", download.value.suggested_filename)
    assert hand.count == (3, 0)


def test_why_revenue_fell_is_three_clicks_from_the_start_page(hand: Hand, shop: Shop) -> None:
    """From the money of all websites to the analytics of the partner that moved it."""
    hand.page.goto(f"{shop.app}/dashboard")
    expect(hand.page.get_by_role("heading", level=1, name="Dashboard")).to_be_visible()
    card = hand.page.get_by_role("region", name="Biggest changes")
    hand.click(card.get_by_role("button", name="Today"))
    hand.click(card.get_by_role("tab", name="Partners"))
    row = card.get_by_role("row").nth(1)
    expect(row).to_contain_text(re.compile(r"[+−]\$[0-9]"))
    hand.click(row.get_by_role("link"))
    expect(hand.page).to_have_url(re.compile(r"/analytics\?.*range=today.*f=is"))
    expect(hand.page.get_by_role("heading", level=1, name="Analytics Dashboard")).to_be_visible()
    assert hand.count == (3, 0)


def test_everything_of_one_website_is_exported(hand: Hand, shop: Shop) -> None:
    hand.page.goto(f"{shop.app}/account-settings")
    hand.click(hand.page.get_by_role("tab", name="Websites"))
    with hand.page.expect_download() as download:
        hand.click(hand.page.get_by_role("link", name="Export everything of jobs.example"))
    with ZipFile(download.value.path()) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        conversions = archive.read("conversions.csv").decode()
    assert manifest["rows"]["conversions"] >= 1 and shop.txid in conversions
    assert hand.count == (2, 0)


@dataclass(frozen=True)
class Week:
    """A website whose newsletter sold something, with an article of whose links one is never clicked, and an attack."""

    site: dict[str, Any]
    partner: dict[str, Any]
    links: list[dict[str, Any]]


ARTICLE = "https://weekly-jobs.example/best-shoes"
ATTACKS = 30


@pytest.fixture(scope="module")
def week(admin_stack: Stack) -> Week:
    with as_admin(admin_stack.app) as client:
        site = connect(client, "weekly-jobs.example")
        partner, clicked = partner_with_link(client, site["id"], "Weekly Partner", 10)
        body = {"websiteId": site["id"], "partnerId": partner["id"], "slug": "never-clicked"}
        unclicked = client.post("/api/platform/links", json=body)
        assert unclicked.status_code == 201, unclicked.text
        client.headers["X-Wait-For"] = unclicked.headers["X-Position"]
        read(client, "/api/platform/links", {"websiteId": site["id"]})
        sample = client.patch(f"/api/platform/websites/{site['id']}", json={"linkImpressionsEvery": 1})
        assert sample.status_code == 200, sample.text
        letter = f"{ARTICLE}?utm_source=spring-letter&utm_medium=email"
        reader = {"visitor_id": "reader", "ip": "82.221.0.1", "user_agent": AGENT, "url": letter}
        seen = [
            {"type": "link.impression", "link": slug, "value": 1, **reader}
            for slug in (clicked["slug"], "never-clicked")
        ]
        follow = {"type": "click", "link": clicked["slug"], **reader}
        attack = {"type": "click", "link": clicked["slug"], "url": ARTICLE, "ip": "200.160.2.3", "user_agent": AGENT}
        events = [{"type": "pageview", **reader}, *seen, follow]
        events += [{**attack, "visitor_id": f"attack-{number}"} for number in range(ATTACKS)]
        keyed = {"Authorization": f"Bearer {site['secretKey']}"}
        sent = httpx.post(f"{admin_stack.tracking}/track", json=events, headers=keyed, timeout=PATIENCE_S)
        assert sent.json()["accepted"] == len(events), sent.text
        sale = {"visitor_id": "reader", "txid": f"W-{uuid4().hex}", "amount": 40_000, "currency": "USD"}
        sold = {**sale, "status": "approved"}
        reported = httpx.post(f"{admin_stack.tracking}/track/sale", json=sold, headers=keyed, timeout=PATIENCE_S)
        assert reported.status_code in (200, 202), reported.text

        def is_counted() -> bool:
            shown = read(client, "/api/platform/analytics/overview", {"websiteId": site["id"], "timeRange": "today"})
            return bool(shown["revenue"]["total"] == 40.0 and shown["clicks"]["total"] == ATTACKS + 1)

        wait_for(is_counted, "the sale and the clicks to be counted")
        return Week(site, partner, [clicked, unclicked.json()])


def analytics(hand: Hand, shop: Shop, week: Week) -> Page:
    """From the start page of the website: one click."""
    hand.page.goto(f"{shop.app}/dashboard?website={week.site['id']}")
    expect(hand.page.get_by_role("button", name=f"Website: {week.site['domain']}. Switch")).to_be_visible()
    hand.click(hand.page.get_by_role("navigation", name="Main").get_by_role("link", name="Analytics"))
    return hand.page


def test_the_article_that_earns_most_per_1000_visits_is_two_clicks_away(hand: Hand, shop: Shop, week: Week) -> None:
    pages = analytics(hand, shop, week).get_by_role("region", name="Pages", exact=True)
    hand.click(pages.get_by_role("tab", name="Per 1,000 visits"))
    expect(pages.get_by_role("button", name="Filter by /best-shoes")).to_contain_text("$1,290")
    assert hand.count == (2, 0)


def test_links_of_an_article_that_nobody_clicks_are_three_clicks_away(hand: Hand, shop: Shop, week: Week) -> None:
    page = analytics(hand, shop, week)
    hand.click(page.get_by_role("button", name="Filter by /best-shoes").first)
    expect(page.get_by_role("button", name="Remove filter Page /best-shoes")).to_be_visible()
    links = page.get_by_role("region", name="Links", exact=True)
    hand.click(links.get_by_role("tab", name="Least clicked"))
    expect(links.get_by_role("listitem").first).to_contain_text("never-clicked")
    expect(links.get_by_role("listitem").first).to_contain_text("0.00%")
    assert hand.count == (3, 0)


def test_what_the_newsletter_earned_is_one_click_away(hand: Hand, shop: Shop, week: Week) -> None:
    sources = analytics(hand, shop, week).get_by_role("region", name="Sources", exact=True)
    expect(sources.get_by_role("button", name="Filter by spring-letter")).to_contain_text("$40")
    assert hand.count == (1, 0)


def test_what_a_network_has_not_paid_is_one_click_away(hand: Hand, shop: Shop, week: Week) -> None:
    hand.page.goto(f"{shop.app}/dashboard?website={week.site['id']}")
    hand.click(hand.page.get_by_role("navigation", name="Work").get_by_role("link", name="Payouts"))
    owed = hand.page.get_by_role("table", name="Balances table").get_by_role("row", name="Weekly Partner")
    expect(owed).to_contain_text("$40.00")
    expect(owed.get_by_role("button", name="Record payout of Weekly Partner")).to_be_visible()
    assert hand.count == (1, 0)


def test_an_attack_is_taken_out_of_the_figures_in_five_clicks(
    admin_stack: Stack, hand: Hand, shop: Shop, week: Week
) -> None:
    """The country that it came from is marked for the day; then only the real click counts."""
    page = analytics(hand, shop, week)
    hand.click(page.get_by_role("button", name="Filter by Brazil").first)
    expect(page.get_by_role("button", name="Remove filter Country Brazil")).to_be_visible()
    card = page.get_by_role("region", name="Excluded traffic")
    card.scroll_into_view_if_needed()
    hand.click(card.get_by_role("button", name="Reclassify…"))
    dialog = page.get_by_role("dialog", name="Reclassify traffic")
    for label in ("From", "To"):
        dialog.get_by_label(label, exact=True).fill(datetime.now(UTC).date().isoformat())
        hand.entries += 1
    hand.click(dialog.get_by_role("button", name="Create rule"))
    assert hand.count == (4, 2)
    with (
        as_admin(shop.app) as client,
        psycopg.connect(admin_stack.environment["POSTGRES_URL"], autocommit=True) as postgres,
    ):

        def is_left_out() -> bool:
            let_rebuild(postgres)
            asked = {"websiteId": week.site["id"], "timeRange": "today"}
            return bool(read(client, "/api/platform/analytics/overview", asked)["clicks"]["total"] == 1)

        wait_for(is_left_out, "the attack to be left out")
