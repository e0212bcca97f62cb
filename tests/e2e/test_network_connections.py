"""A network is connected in a real browser: refused credentials are replaced, its sales arrive, it is disconnected."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import httpx
from playwright.sync_api import Page, expect

from tests.e2e.conftest import ListeningNetwork, connect, partner_with_link, read, sign_in
from tests.support.network_servers import Sale
from tests.support.stack import Stack, wait_for


def test_a_network_is_connected_read_and_disconnected(
    admin_stack: Stack, awin: ListeningNetwork, api: httpx.Client, page: Page
) -> None:
    awin.server.sales.append(Sale(880001, datetime.now(UTC) - timedelta(days=2), commission="7.35", status="approved"))
    site = connect(api, "connected.example", currency="EUR")
    partner, _ = partner_with_link(api, site["id"], "Connected Program", 10)
    sign_in(page, admin_stack.app)
    page.goto(f"{admin_stack.app}/conversions/networks?website={site['id']}")
    page.get_by_role("button", name="Connect a network").click()
    dialog = page.get_by_role("dialog", name="Connect a network")
    dialog.get_by_label("Network", exact=True).select_option(label="Awin")
    dialog.get_by_label("Publisher ID").fill(awin.server.publisher)
    dialog.get_by_label("API token", exact=True).fill("an-old-token")
    dialog.get_by_label("Partner (optional)").select_option(label=partner["name"])
    dialog.get_by_role("button", name="Connect").click()
    row = page.get_by_role("table", name="Connected networks table").get_by_role("row").nth(1)
    expect(row).to_contain_text("Credentials rejected")
    expect(row).to_contain_text("Awin does not accept these credentials. Enter new ones.")

    row.get_by_role("button", name="Change Awin").click()
    dialog = page.get_by_role("dialog", name="Change the connection to Awin")
    dialog.get_by_label("Publisher ID").fill(awin.server.publisher)
    dialog.get_by_label("API token", exact=True).fill(awin.server.token)
    dialog.get_by_label("Read reports").select_option(label="Every hour")
    dialog.get_by_role("button", name="Save").click()
    expect(row).to_contain_text("Reading")
    expect(row).to_contain_text("Connected", timeout=180_000)
    expect(row).to_contain_text("Every hour")

    # What it read is an import, which applied itself.
    page.get_by_role("link", name="Last import").click()
    expect(page.get_by_role("heading", name="Report applied")).to_be_visible()
    [sale] = wait_for(lambda: read(api, "/api/platform/conversions", {"websiteId": site["id"]}), "the sale")
    assert (sale["txid"], sale["commission"]) == ("880001", {"amount": 735, "currency": "EUR"})

    page.get_by_role("link", name="All reports").click()
    row.get_by_role("button", name="Disconnect Awin").click()
    page.get_by_role("dialog", name="Disconnect Awin?").get_by_role("button", name="Disconnect").click()
    expect(page.get_by_text("No network connected yet.")).to_be_visible()
    assert len(read(api, "/api/platform/conversions", {"websiteId": site["id"]})) == 1
