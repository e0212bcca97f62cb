"""A network's report is uploaded in a real browser, previewed, applied, and undone as a whole."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
from playwright.sync_api import FilePayload, Page, expect

from tests.e2e.conftest import connect, partner_with_link, read, sign_in
from tests.support.stack import Stack, wait_for

ADVERTISER = "Reported Shop Ltd"


def test_a_report_is_previewed_applied_and_undone(admin_stack: Stack, api: httpx.Client, page: Page) -> None:
    site = connect(api, "reported.example", currency="EUR")
    partner, _ = partner_with_link(api, site["id"], "Reported Program", 10)
    sign_in(page, admin_stack.app)
    page.goto(f"{admin_stack.app}/conversions?website={site['id']}")
    page.get_by_role("main").get_by_role("link", name="Network reports").click()
    expect(page.get_by_text("No reports uploaded yet.")).to_be_visible()

    page.get_by_label("Report file").set_input_files(awin_report("700001", "700002", "700003"))
    page.get_by_label("Network", exact=True).select_option(label="Awin")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", level=1, name="awin-november.json")).to_be_visible()
    numbers = page.get_by_role("list", name="Rows of the report")
    expect(numbers).to_contain_text("3 rejected")

    # The advertiser is not known by its name; the choice accepts its rows.
    page.get_by_label(f"Which partner is “{ADVERTISER}”?").select_option(label=partner["name"])
    page.get_by_role("region", name="Rejected rows").get_by_role("button", name="Read again").click()
    numbers.get_by_role("button", name="3 without a click").click()
    rows = page.get_by_role("table", name="Rows table: without a click")
    expect(rows.get_by_role("row")).to_have_count(4)
    expect(rows).to_contain_text("700002")
    expect(numbers).to_contain_text("+€36.00")
    assert conversions(api, site["id"]) == {}

    page.get_by_role("button", name="Apply 3 changes").click()
    expect(page.get_by_role("heading", name="Report applied")).to_be_visible()
    wait_for(lambda: len(conversions(api, site["id"])) == 3, "three conversions")
    report = page.url
    page.get_by_role("navigation", name="Work").get_by_role("link", name="Conversions").click()
    table = page.get_by_role("table", name="Conversions table")
    expect(table.get_by_role("row")).to_have_count(4)
    for text in ("700001", "700003", "€12.00"):
        expect(table).to_contain_text(text)

    page.goto(report)
    page.get_by_role("button", name="Undo import").click()
    dialog = page.get_by_role("dialog", name="Undo this import?")
    expect(dialog).to_contain_text("3 new sales will no longer count")
    dialog.get_by_role("button", name="Undo import").click()
    expect(page.get_by_role("heading", name="Import undone")).to_be_visible()
    wait_for(lambda: conversions(api, site["id"]) == {}, "the sales to leave the list")
    assert list(conversions(api, site["id"], undone="yes").values()) == ["rejected"] * 3
    page.get_by_role("link", name="All reports").click()
    listed = page.get_by_role("table", name="Imports table").get_by_role("row").nth(1)
    expect(listed).to_contain_text(re.compile("awin-november.json.*Awin.*Undone"))


def awin_report(*txids: str) -> FilePayload:
    """Three approved transactions as Awin's API and its JSON export have them."""
    at = (datetime.now(UTC) - timedelta(days=5)).strftime("%Y-%m-%dT%H:%M:%S")
    sales: list[dict[str, Any]] = [
        {
            "id": int(txid),
            "advertiserId": 77,
            "advertiserName": ADVERTISER,
            "commissionStatus": "approved",
            "commissionAmount": {"amount": 12.0, "currency": "EUR"},
            "saleAmount": {"amount": 120.0, "currency": "EUR"},
            "clickRefs": {},
            "clickDate": at,
            "transactionDate": at,
            "validationDate": at,
            "type": "Commission group transaction",
            "amended": False,
            "orderRef": None,
            "paidToPublisher": False,
        }
        for txid in txids
    ]
    return {"name": "awin-november.json", "mimeType": "application/json", "buffer": json.dumps(sales).encode()}


def conversions(api: httpx.Client, website_id: str, **filters: str) -> dict[str, str]:
    """The status of each listed sale of the website, by its transaction id."""
    rows = read(api, "/api/platform/conversions", {"websiteId": website_id, **filters})
    return {row["txid"]: row["status"] for row in rows}
