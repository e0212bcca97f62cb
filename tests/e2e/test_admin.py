"""What an admin does with partners, links and clicks, from end to end in a real browser."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import PATIENCE_S, connect, sign_in
from tests.support.stack import Stack, wait_for

PHONE = "Mozilla/5.0 (Android 15; Mobile; rv:144.0) Gecko/144.0 Firefox/144.0"
DESKTOP = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0"


def go(url: str, agent: str) -> str:
    answer = httpx.get(url, headers={"User-Agent": agent}, timeout=PATIENCE_S)
    assert answer.status_code == 302, answer.text
    return answer.headers["location"]


@pytest.mark.slow  # api/partners and api/links have the calls, web the forms
def test_a_partner_its_links_a_click_and_its_commission(admin_stack: Stack, page: Page, api: httpx.Client) -> None:
    """Spec §1, §2: an admin adds a partner, changes its commission, makes links in bulk; a click on one appears in
    Click Tracking, then its sale with the new commission; a rule sends phones elsewhere."""
    connect(api, "not-this-journey.example")
    site = connect(api, "admin-journey.example")
    sign_in(page, admin_stack.app)
    page.get_by_role("navigation", name="Work").get_by_role("link", name="Admin").click()
    expect(page.get_by_role("heading", name="Affiliate Management Dashboard")).to_be_visible()
    page.get_by_role("tab", name="Partners").click()
    page.get_by_role("button", name="Add Partner").click()
    dialog = page.get_by_role("dialog", name="Add New Partner")
    dialog.get_by_label("Name").fill("Journey Host")
    dialog.get_by_label("Base URL").fill("https://journey-host.example")
    dialog.get_by_label("Commission (%)").fill("10")
    dialog.get_by_role("button", name="Add Partner").click()
    expect(page.get_by_text("Partner created successfully").first).to_be_visible()
    row = page.get_by_role("row", name=re.compile("Journey Host"))
    expect(row.get_by_text("10%")).to_be_visible()
    row.get_by_role("button", name="Edit Journey Host").click()
    page.get_by_role("dialog").get_by_label("Commission (%)").fill("12.5")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(row.get_by_text("12.5%")).to_be_visible()
    row.get_by_role("button", name="History and postback of Journey Host").click()
    history = page.get_by_role("region", name="Commission history")
    expect(history.get_by_text("12.5% of the sale")).to_be_visible()
    expect(history.get_by_text("10% of the sale")).to_be_visible()
    expect(page.get_by_text("/postback?partner=journey-host")).to_be_visible()
    page.keyboard.press("Escape")

    page.get_by_role("tab", name="Affiliate Links").click()
    page.get_by_role("button", name="Bulk create").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Website").select_option(label="admin-journey.example")
    dialog.get_by_label("Links").fill(
        "journey-host, https://journey-host.example/a?cid={click_id}, journey-a, mail\nno-such-host,, journey-b"
    )
    expect(dialog.get_by_text("Line 2: There is no active partner “no-such-host”.")).to_be_visible()
    dialog.get_by_label("Links").fill(
        "journey-host, https://journey-host.example/a?cid={click_id}, journey-a, mail\njourney-host,, journey-b"
    )
    dialog.get_by_role("button", name="Create 2 links").click()
    expect(page.get_by_role("dialog", name="2 links created")).to_be_visible()
    page.get_by_role("button", name="Done").click()
    page.goto(f"{admin_stack.app}/links?website={site['id']}")
    page.get_by_role("button", name="Actions of link journey-a").click()
    page.get_by_role("menuitem", name="Edit").click()
    dialog = page.get_by_role("dialog", name="Edit link")
    dialog.get_by_role("button", name="Add rule").click()
    rule = dialog.get_by_role("group", name="Rule 1")
    rule.get_by_label("mobile").check()
    rule.get_by_label("Destination URL").fill("https://m.journey-host.example/a?cid={click_id}")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_role("row", name=re.compile("journey-a")).get_by_text("1 rule")).to_be_visible()
    page.get_by_role("button", name="Actions of link journey-a").click()
    page.get_by_role("menuitem", name="QR code").click()
    drawn = page.get_by_role("img", name=re.compile("^QR code of"))
    expect(drawn).to_be_visible()
    assert drawn.evaluate("(image) => image.decode().then(() => image.naturalWidth > 0)")
    page.keyboard.press("Escape")

    page.goto(f"{admin_stack.app}/admin?tab=clicks")
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    address = f"{admin_stack.tracking}/go/journey-a"
    phones: list[str] = []

    def is_led_by_the_rule() -> bool:
        phones.append(go(address, PHONE))
        return phones[-1].startswith("https://m.journey-host.example/a?cid=")

    wait_for(is_led_by_the_rule, "ingest to apply the rule")
    click_id = parse_qs(urlsplit(go(address, DESKTOP)).query)["cid"][0]
    expect(page.get_by_role("row", name=re.compile("journey-a"))).to_have_count(len(phones) + 1)
    by_rule = page.get_by_role("row", name=re.compile("mobile")).filter(has_text="Click (rule 1)")
    expect(by_rule).to_have_count(1)
    sale = {"click_id": click_id, "txid": "JOURNEY-1", "amount": "200.00", "currency": "USD"}
    sent = httpx.get(
        f"{admin_stack.tracking}/postback", params={**sale, "token": site["postbackToken"]}, timeout=PATIENCE_S
    )
    assert sent.status_code == 202, sent.text
    desktop = page.get_by_role("row", name=re.compile("JOURNEY-1"))
    expect(desktop.get_by_text("$25.00")).to_be_visible()
    expect(desktop.get_by_text("pending")).to_be_visible()

    page.get_by_role("tab", name="Overview").click()
    activity = page.get_by_role("list", name="Recent activity")
    activity.get_by_role("link", name=re.compile("A sale of 200.00 USD was reported")).click()
    expect(page.get_by_text("The click behind one conversion.")).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("JOURNEY-1"))).to_have_count(1)
