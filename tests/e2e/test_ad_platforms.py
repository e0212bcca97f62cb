"""A sale that an ad brought goes back to Google Ads: a file from the browser that the platform's rules accept."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import httpx
import psycopg
from playwright.sync_api import Page, expect

from tests.e2e.conftest import AGENT, PATIENCE_S, connect, partner_with_link, read, sign_in
from tests.e2e.test_ad_click_ids import saved, told
from tests.support.ad_files import read_google, read_google_corrections
from tests.support.stack import Stack, wait_for

GCLID = "Cj0KCQiA-bought_tents"
DESTINATIONS = "/api/platform/destinations"


def test_a_sale_goes_into_a_file_for_google_ads_and_its_reversal_too(
    admin_stack: Stack, api: httpx.Client, page: Page
) -> None:
    site = connect(api, "advertised.example")
    _, link = partner_with_link(api, site["id"], "Advertised Tents", 10)
    sign_in(page, admin_stack.app)
    page.goto(f"{admin_stack.app}/conversions?website={site['id']}")
    page.get_by_role("main").get_by_role("link", name="Ad platforms").click()
    notice = page.get_by_role("region", name="Ad click IDs are off")
    expect(notice).to_contain_text("advertised.example does not keep ad click IDs.")
    saved(api, site, {"keepAdClickIds": True})
    with psycopg.connect(admin_stack.environment["POSTGRES_URL"], autocommit=True) as postgres:
        keys = "SELECT count(*) FROM ingest.visitor_key WHERE website_id = %s"
        wait_for(lambda: (postgres.execute(keys, (site["id"],)).fetchone() or [0])[0], "the website's keys")
    wait_for(lambda: keeps_ad_click_ids(api, site), "the setting")
    page.reload()
    expect(page.get_by_text("No ad platform yet. Nothing is sent until you add one.")).to_be_visible()
    expect(notice).not_to_be_visible()

    page.get_by_role("button", name="Add an ad platform").click()
    dialog = page.get_by_role("dialog", name="Add an ad platform")
    dialog.get_by_label("Name of sales").fill("Affiliate sale")
    dialog.get_by_role("button", name="Add", exact=True).click()
    added = page.get_by_role("table", name="Ad platforms table").get_by_role("row").nth(1)
    expect(added).to_contain_text(re.compile("Google Ads.*Active.*File upload.*Affiliate sale"))

    sale = land_and_buy(admin_stack, site, link)
    wait_for(lambda: told(api, sale), "the click ID of the ad")
    decide(api, sale, "approve")
    wait_for(lambda: states(api, site) == ["in_file"], "the conversion in a file")
    page.reload()
    row = page.get_by_role("table", name="Deliveries table").get_by_role("row").nth(1)
    expect(row).to_contain_text(re.compile("Conversion.*Affiliate sale.*In file"))
    lines = read_google(downloaded(page, "conversions"))
    [earned] = [one["commission"] for one in read(api, "/api/platform/conversions", {"websiteId": site["id"]})]
    assert [(line.name, line.value, line.currency, line.click_id) for line in lines] == [
        ("Affiliate sale", Decimal(earned["amount"]) / 100, "USD", GCLID)
    ]

    decide(api, sale, "reverse")
    wait_for(lambda: states(api, site) == ["in_file", "in_file"], "the retraction in a file")
    [retracted] = read_google_corrections(downloaded(page, "corrections"), lines)
    assert (retracted.kind, retracted.key) == ("retraction", lines[0].key)
    page.reload()
    row.get_by_role("link").click()
    expect(page.get_by_role("dialog").get_by_text(GCLID)).to_be_visible()


def downloaded(page: Page, kind: str) -> str:
    with page.expect_download() as download:
        page.get_by_role("link", name=f"Download {kind} for Google Ads").click()
    return download.value.path().read_bytes().decode()


def land_and_buy(mine: Stack, site: dict[str, Any], link: dict[str, Any]) -> str:
    """A visitor comes from an ad, follows a link, and buys there; the conversion."""
    headers = {"User-Agent": AGENT, "Accept-Language": "en"}
    landing = {"type": "pageview", "url": f"https://advertised.example/?gclid={GCLID}", "site": site["siteKey"]}
    landed = httpx.post(f"{mine.tracking}/track", json=landing, headers=headers, timeout=PATIENCE_S)
    assert landed.status_code == 202, landed.text
    followed = httpx.get(link["url"], headers=headers, timeout=PATIENCE_S)
    report = {"click_id": followed.cookies["aff_click_id"], "txid": "tent-1", "amount": 4990, "currency": "USD"}
    secret = {"Authorization": f"Bearer {site['secretKey']}"}
    sold = httpx.post(f"{mine.tracking}/track/sale", json=report, headers=secret, timeout=PATIENCE_S)
    return str(sold.raise_for_status().json()["id"])


def keeps_ad_click_ids(api: httpx.Client, site: dict[str, Any]) -> bool:
    return any(one["id"] == site["id"] and one["keepAdClickIds"] for one in read(api, "/api/platform/websites"))


def decide(api: httpx.Client, conversion: str, decision: str) -> None:
    body = {"reason": "returned"} if decision == "reverse" else {}
    decided = api.post(f"/api/platform/conversions/{conversion}/{decision}", json=body)
    assert decided.status_code == 200, decided.text
    api.headers["X-Wait-For"] = decided.headers["X-Position"]


def states(api: httpx.Client, site: dict[str, Any]) -> list[str]:
    """Of the deliveries to the only destination."""
    [destination] = read(api, DESTINATIONS, {"websiteId": site["id"]})
    return [one["state"] for one in read(api, f"{DESTINATIONS}/{destination['id']}/deliveries")]
