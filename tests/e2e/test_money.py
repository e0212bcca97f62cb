"""The journey of a commission: reported, approved among ten, reversed in part, and on the month's statement."""

from __future__ import annotations

import csv
import re
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import httpx
from playwright.sync_api import Page, expect

from tests.e2e.conftest import PATIENCE_S, connect, partner_with_link, read, sign_in
from tests.support.stack import Stack, wait_for


def test_the_statement_of_ten_approvals_and_a_partial_reversal_is_exact_to_the_cent(
    admin_stack: Stack, page: Page, api: httpx.Client
) -> None:
    """Limit claims, approve ten at once, reverse part of one, see why it earns that, and read the month's statement."""
    site = connect(api, "statements.example")
    sign_in(page, admin_stack.app)
    limit_claims(page, admin_stack.app, site["domain"])
    [limited] = [row for row in read(api, "/api/platform/websites") if row["id"] == site["id"]]
    assert (limited["maxClaimAmount"], limited["maxClaimsPerClick"]) == (1_550, 2)

    partner, link = partner_with_link(api, site["id"], "Statement Partner", 12.5)
    agent = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Firefox/144.0"
    go = httpx.get(link["url"], headers={"User-Agent": agent}, timeout=PATIENCE_S)
    click_id = parse_qs(urlsplit(go.headers["location"]).query)["cid"][0]
    for number in range(10):
        sale = {"click_id": click_id, "txid": f"S-{number}", "amount": "19.99", "currency": "USD"}
        sent = httpx.get(
            f"{admin_stack.tracking}/postback", params={**sale, "token": site["postbackToken"]}, timeout=PATIENCE_S
        )
        assert sent.status_code in (200, 202), sent.text
    place = {"websiteId": site["id"]}
    wait_for(lambda: len(read(api, "/api/platform/conversions", place)) == 10, "ten conversions")

    page.goto(f"{admin_stack.app}/conversions?website={site['id']}")
    page.get_by_role("checkbox", name="Select all pending shown").check()
    expect(page.get_by_role("region", name="Selection")).to_contain_text("10 selected")
    selection = page.get_by_role("region", name="Selection")
    selection.get_by_role("button", name="Approve", exact=True).click()
    dialog = page.get_by_role("dialog", name="Approve 10 conversions?")
    expect(dialog).to_contain_text("This approves $25.00 in commission.")
    dialog.get_by_role("button", name="Approve").click()
    # Undone before it is final, nothing was approved.
    page.get_by_role("button", name="Undo", exact=True).first.click()
    expect(page.get_by_text("Undone", exact=True).first).to_be_visible()
    page.get_by_role("checkbox", name="Select all pending shown").check()
    selection.get_by_role("button", name="Approve", exact=True).click()
    dialog.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("Approving 10 conversions", exact=True).first).to_be_visible()
    approved = {**place, "status": "approved"}
    wait_for(lambda: len(read(api, "/api/platform/conversions", approved)) == 10, "ten approved conversions")

    # One paste finds one transaction.
    page.get_by_role("searchbox", name="Search conversions").fill("S-3")
    expect(page.get_by_role("table", name="Conversions table").get_by_role("row")).to_have_count(2)
    page.get_by_role("button", name="Explain S-3").click()
    drawer = page.get_by_role("dialog", name="Transaction S-3")
    expect(drawer).to_contain_text("19.99 USD × 12.5% = 2.49875 USD, rounded 2.50 USD")
    expect(drawer).to_contain_text("Recalculated just now: matches")
    drawer.get_by_role("button", name="Reverse").click()
    reversal = page.get_by_role("dialog", name="Reverse conversion")
    reversal.get_by_label("Reason").fill("One item was sent back")
    reversal.get_by_label(re.compile("^Amount")).fill("7.00")
    reversal.get_by_role("button", name="Reverse").click()
    expect(drawer).to_contain_text("7.00 USD of the sale reversed")
    expect(drawer.get_by_text(re.compile(r"^conversion\.reversed · domain\[0\] @ \d+$"))).to_be_visible()
    drawer.get_by_role("button", name="Close").click()

    page.goto(f"{admin_stack.app}/payouts/statements?website={site['id']}")
    row = page.get_by_role("table", name="Statements table").get_by_role("row").nth(1)
    # Ten times 2.50 earned; 0.88 goes with 7.00 of 19.99.
    for text in (partner["name"], "$0.00", "$25.00", "−$0.88", "$24.12"):
        expect(row).to_contain_text(text)
    with page.expect_download() as download:
        page.get_by_role("link", name=re.compile("as CSV$")).click()
    text = download.value.path().read_text()
    assert text.count("approved") == 10 and ",-0.88,USD" in text
    assert text.splitlines()[-1].split(",")[1:9] == ["closing", "", "", "", "", "", "", "24.12"]
    month = datetime.now(UTC).strftime("%Y-%m")
    with page.expect_popup() as popup:
        page.get_by_role("link", name=re.compile("^Print statement")).click()
    expect(popup.value.get_by_role("heading", name=f"Statement {month}")).to_be_visible()
    expect(popup.value.get_by_role("row", name=re.compile("Closing balance"))).to_have_count(2)
    mark_as_paid(page, admin_stack.app, site["id"], partner["name"])


def mark_as_paid(page: Page, app: str, website: str, partner: str) -> None:
    """From the debt to nothing owed, and the accountant's file, which says so."""
    page.goto(f"{app}/payouts?website={website}")
    page.get_by_role("button", name=f"Record payout of {partner}").click()
    dialog = page.get_by_role("dialog", name="Record payout")
    expect(dialog.get_by_label("Amount", exact=True)).to_have_value("24.12")
    dialog.get_by_label("Reference (optional)").fill("PAY-1")
    dialog.get_by_role("button", name="Record payout").click()
    expect(page.get_by_text("Payout recorded", exact=True).first).to_be_visible()
    expect(page.get_by_role("table", name="Payouts table")).to_contain_text("PAY-1")
    expect(page.get_by_role("table", name="Balances table").get_by_role("row").nth(1)).to_contain_text("$0.00")
    month = datetime.now(UTC).strftime("%Y-%m")
    page.get_by_label("From", exact=True).fill(month)
    page.get_by_label("To", exact=True).fill(month)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download CSV of the chosen months").click()
    lines = list(csv.DictReader(download.value.path().open()))
    [line] = [one for one in lines if one["partner"] == partner]
    assert [line[name] for name in ("payable", "paid", "paidInTotal", "open")] == ["24.12", "24.12", "24.12", "0.00"]


def limit_claims(page: Page, app: str, domain: str) -> None:
    """15.50 a claimed sale and two claims a click and hour, which the page shows after a reload, too."""
    page.goto(f"{app}/account-settings?tab=websites")
    limits = page.get_by_role("region", name=f"Claim limits of {domain}")
    limits.get_by_label("Largest claimed sale (USD)").fill("15.5")
    limits.get_by_label("Claims per click and hour").fill("2")
    limits.get_by_role("button", name=f"Save limits of {domain}").click()
    expect(page.get_by_text("Claim limits saved", exact=True).first).to_be_visible()
    page.reload()
    expect(limits.get_by_label("Largest claimed sale (USD)")).to_have_value("15.50")
    expect(limits.get_by_label("Claims per click and hour")).to_have_value("2")
