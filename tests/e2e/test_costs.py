"""The journey of a losing campaign: its cost is entered, and what it lost is seen where costs are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import httpx
from playwright.sync_api import Page, expect

from tests.e2e.conftest import PATIENCE_S, connect, partner_with_link, read, sign_in
from tests.support.stack import Stack, wait_for


def test_a_losing_campaign_is_found_in_three_clicks(admin_stack: Stack, page: Page, api: httpx.Client) -> None:
    site = connect(api, "costs.example")
    partner_with_link(api, site["id"], "Cost Partner", 10)
    at = datetime.now(UTC) - timedelta(minutes=5)
    for number, campaign in enumerate(("winter", "winter", "spring")):
        view = {
            "id": str(uuid4()),
            "type": "pageview",
            "visitor_id": f"v{number}",
            "occurred_at": at.isoformat(),
            "url": f"https://costs.example/tents?utm_campaign={campaign}",
        }
        headers = {"Authorization": f"Bearer {site['secretKey']}"}
        sent = httpx.post(f"{admin_stack.tracking}/track", json=view, headers=headers, timeout=PATIENCE_S)
        assert sent.status_code == 202, sent.text
    asked = {"websiteId": site["id"], "by": "utm_campaign", "metrics": "visits", "compare": "none"}
    report = "/api/platform/analytics/breakdown"
    wait_for(lambda: read(api, report, asked)["totals"]["visits"] == 3, "three visits")

    sign_in(page, admin_stack.app)
    page.goto(f"{admin_stack.app}/payouts/costs?website={site['id']}")
    page.get_by_role("button", name="Add cost").click()
    dialog = page.get_by_role("dialog", name="Add cost")
    dialog.get_by_label("Amount", exact=True).fill("30.01")
    dialog.get_by_label("Campaign (optional)").fill("winter")
    dialog.get_by_role("button", name="Add cost").click()
    expect(page.get_by_text("Cost added", exact=True).first).to_be_visible()
    expect(page.get_by_role("table", name="Costs table")).to_contain_text("winter")

    # From the start page: its sections of Payouts, then Costs.
    page.goto(f"{admin_stack.app}/dashboard?website={site['id']}")
    page.get_by_role("button", name="Sections of Payouts").first.click()
    page.get_by_role("link", name="Costs", exact=True).first.click()
    losses = page.get_by_role("table", name="Profit by campaign table").get_by_role("row").nth(1)
    for text in ("winter", "$30.01", "$0.00", "-$30.01", "-100%"):
        expect(losses).to_contain_text(text)

    rows = read(api, report, {**asked, "by": "page", "metrics": "cost,profit"})
    assert rows["totals"]["cost"] == 30.01 and rows["costSpread"] == ["traffic"]

    page.get_by_role("button", name="Remove $30.01 for winter").click()
    expect(page.get_by_text("No costs yet", exact=False).first).to_be_visible()
    page.get_by_role("button", name="Undo", exact=True).first.click()
    expect(page.get_by_role("table", name="Costs table")).to_contain_text("winter")
