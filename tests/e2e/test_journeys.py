"""What people do, from end to end, in a real browser against the whole stack. One test = one journey."""

from __future__ import annotations

import re

import httpx
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.conftest import AGENT, PATIENCE_S, Publisher, Watched, connect, partner_with_link, patient, read, sign_in
from tests.support.stack import Stack, wait_for


def test_from_nothing_to_the_first_live_event(
    admin_stack: Stack, page: Page, context: BrowserContext, publisher: Publisher, api: httpx.Client
) -> None:
    """Spec §1: sign in, connect a website, paste the snippet into a static page, see its page view and click come."""
    sign_in(page, admin_stack.app)
    page.goto(f"{admin_stack.app}/onboarding")
    page.get_by_label("Domain", exact=True).first.fill("https://First-Steps.example/page")
    page.get_by_label("Time zone").first.select_option("UTC")
    page.get_by_role("button", name="Connect Website").last.click()
    expect(page.get_by_text("Waiting for the first event")).to_be_visible()
    steps = page.get_by_role("main")
    snippet = steps.get_by_role("group", name="Snippet").locator("code").inner_text()
    assert "t.js" in snippet and "pk_" in snippet

    def ids() -> list[str]:
        websites = read(api, "/api/platform/websites")
        return [site["id"] for site in websites if site["domain"] == "first-steps.example" and site["siteKey"]]

    [website_id] = wait_for(ids, "the website to be listed")
    _, link = partner_with_link(api, website_id, "First Partner", 10)
    publisher.html = f"<!doctype html><title>My review</title>{snippet}<p><a href='{link['url']}'>Buy it</a></p>"
    reader = context.new_page()
    reader.goto(publisher.url)
    expect(page.get_by_text("The first event has arrived")).to_be_visible()
    expect(page.get_by_text("Analytics shows the event")).to_be_visible()
    page.get_by_role("link", name="Open Analytics").click()
    feed = page.get_by_role("list", name="Last events")
    expect(feed.get_by_text("pageview")).to_be_visible()
    expect(page.get_by_role("status", name="Live stream: Live")).to_be_visible()
    click = httpx.get(
        link["url"],
        headers={"User-Agent": reader.evaluate("navigator.userAgent")},
        follow_redirects=False,
        timeout=PATIENCE_S,
    )
    assert click.status_code == 302
    expect(feed.get_by_text("click", exact=True)).to_be_visible()
    # One person: the same browser from the same address has the same visitor hash.
    expect(page.get_by_test_id("active-visitors")).to_have_text("1")


@pytest.mark.slow  # web has the addresses
def test_filters_and_ranges_live_in_the_address(admin_stack: Stack, page: Page, api: httpx.Client) -> None:
    """Choosing a range or a filter changes the address; going back restores it; Escape clears filters."""
    site = connect(api, "addresses.example")
    events = [
        {"type": "click", "visitor_id": f"v{n}", "ip": "82.221.0.1", "user_agent": "Mozilla/5.0 Firefox/144.0"}
        for n in range(5)
    ]
    sent = httpx.post(
        f"{admin_stack.tracking}/track",
        json=events,
        headers={"Authorization": f"Bearer {site['secretKey']}"},
        timeout=PATIENCE_S,
    )
    assert sent.json()["accepted"] == 5, sent.text
    overview = f"/api/platform/analytics/overview?websiteId={site['id']}"
    wait_for(lambda: read(api, overview)["clicks"]["total"] == 5, "the clicks to be counted")
    sign_in(page, admin_stack.app)
    page.goto(f"{admin_stack.app}/analytics?website={site['id']}")
    expect(page.get_by_test_id("kpi-Total Clicks")).to_have_text("5")
    page.get_by_role("combobox", name="Time range").select_option(label="Last 24h")
    expect(page).to_have_url(re.compile("24h"))
    page.go_back()
    expect(page).not_to_have_url(re.compile("24h"))
    page.get_by_role("button", name=re.compile("Filter by (country )?(Iceland|IS)")).first.click()
    expect(page).to_have_url(re.compile("country"))
    expect(page.get_by_test_id("kpi-Total Clicks")).to_have_text("5")
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("country"))


@pytest.mark.slow  # api/analytics and unit/ingest/visitors have the rules
def test_fake_clicks_are_shown_apart_with_their_reason(admin_stack: Stack, page: Page, api: httpx.Client) -> None:
    """One address follows a link as forty browsers: a handful counts, the rest is left out, listed and filtered by."""
    site = connect(api, "faked.example")
    _, link = partner_with_link(api, site["id"], "Faked Partner", 10)
    with httpx.Client(timeout=PATIENCE_S) as program:
        for number in range(200):
            agent = {"User-Agent": AGENT.replace("Chrome/142", f"Chrome/{100 + number % 40}")}
            assert program.get(link["url"], headers=agent).status_code == 302
    overview = f"/api/platform/analytics/overview?websiteId={site['id']}"
    wait_for(lambda: read(api, f"{overview}&bots=include")["clicks"]["total"] == 200, "the clicks to be projected")
    counted = read(api, overview)["clicks"]
    assert counted["total"] < 20 and counted["unique"] < 10

    sign_in(page, admin_stack.app)
    page.goto(f"{admin_stack.app}/analytics?website={site['id']}")
    expect(page.get_by_test_id("kpi-Total Clicks")).to_have_text(str(counted["total"]))
    page.get_by_role("region", name="Event delivery").scroll_into_view_if_needed()
    expect(page.get_by_test_id("outcome-suspicious")).to_have_text(str(200 - counted["total"]))
    card = page.get_by_role("region", name="Excluded traffic")
    card.scroll_into_view_if_needed()
    expect(card.get_by_role("region", name="Suspicious").get_by_role("heading")).to_contain_text(
        f"{200 - counted['total']} events"
    )
    card.get_by_role("button", name="Filter by Changing browsers").click()
    expect(page).to_have_url(re.compile("bots=only&f=is,reason,changing_agents"))
    expect(page.get_by_test_id("kpi-Total Clicks")).to_have_text(str(200 - counted["total"]))


def test_what_is_not_there_says_so_in_the_products_words(admin_stack: Stack, context: BrowserContext) -> None:
    page = patient(context.new_page())
    watched = Watched()
    watched.listen(page)
    answer = page.goto(f"{admin_stack.app}/no/such/page")
    assert answer is not None and answer.status == 404
    expect(page.get_by_text("404 Page Not Found")).to_be_visible()
    expect(page.get_by_text("Did you forget to add the page to the router?")).to_be_visible()
    assert len(watched.complaints) == 1 and "status of 404" in watched.complaints[0]


def test_a_wrong_password_is_refused_in_the_products_words(admin_stack: Stack, page: Page) -> None:
    page.goto(f"{admin_stack.app}/login")
    page.get_by_label("Email").fill("nobody@althing.example")
    page.get_by_label("Password", exact=True).fill("not the password")
    page.get_by_role("button", name="Sign In", exact=True).click()
    expect(page.get_by_text("Login Failed", exact=True).first).to_be_visible()
    expect(page.get_by_text("Invalid credentials", exact=True).first).to_be_visible()
