"""A website with measured clicks is sold on a new installation, in real browsers: without escrow, once an admin allows
that; then it moves to its buyer by consent of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import ADMIN, PASSWORD, PATIENCE_S, connect, partner_with_link, read, sign_in
from tests.e2e.test_click_to_statement import figure
from tests.e2e.test_forum import enter, join
from tests.e2e.test_marketplace import confirm, soon
from tests.support.stack import Stack, stack, wait_for
from tests.support.user_agents import BROWSER

DOMAIN, TITLE, CLICKS = "glacier-walks.example", "Walks on glaciers", 3
SELLER, BUYER = ("Embla Ösp", "embla@direct.example"), ("Bjarni Geir", "bjarni@direct.example")


@pytest.fixture(scope="module")
def installation() -> Iterator[Stack]:
    """Without an escrow provider, which the stack of the other journeys has."""
    # Messages in Postgres: a log that starts at once.
    settings = {"ALTHING_ADMIN_EMAIL": ADMIN, "ALTHING_ADMIN_PASSWORD": PASSWORD, "ALTHING_LOG": "postgres"}
    with stack(settings) as made:
        yield made


@pytest.fixture
def admin(installation: Stack) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=installation.app, timeout=PATIENCE_S) as client:
        answer = client.post("/api/platform/login", json={"email": ADMIN, "password": PASSWORD})
        assert answer.status_code == 200, answer.text
        client.headers["Authorization"] = f"Bearer {answer.json()['token']}"
        yield client


@pytest.mark.slow  # a stack of its own; api/marketplace has the calls
def test_a_website_is_sold_without_escrow_and_moves_with_its_clicks(
    installation: Stack, page: Page, another: Callable[[], Page], admin: httpx.Client
) -> None:
    app = installation.app
    with join(app, admin, *SELLER) as sells, join(app, admin, *BUYER) as buys:
        website = measured(admin, sells)
        seller, buyer = another(), another()
        for side in (seller, buyer):
            side.clock.install()

        sign_in(page, app)
        page.goto(f"{app}/admin/listings?tab=settings")
        page.get_by_role("button", name="Allow direct deals").click()
        confirm(page, "Allow direct deals?", "Allow direct deals")
        expect(page.get_by_text("Allowed", exact=True)).to_be_visible()

        enter(seller, app, SELLER[1])
        submit(seller, app)
        approve(admin)

        enter(buyer, app, BUYER[1])
        wait_for(lambda: read(buys, "/api/marketplace/listings"), "the listing to be online")
        deal = make_offer(buyer, app)
        wait_for(lambda: read(sells, "/api/marketplace/my/offers?side=seller"), "the offer to arrive")
        seller.goto(deal)
        expect(seller.get_by_text("Deals here have no escrow: your money is not protected.")).to_be_visible()
        seller.get_by_role("button", name="Accept $9,000").click()
        confirm(seller, "Sell for $9,000 without escrow?", "Accept")

        for side in (seller, buyer):
            soon(side, side.get_by_role("button", name="Money and website are handed over")).click()
            confirm(side, "Is everything handed over?", "Money and website are handed over")
        for side in (seller, buyer):
            expect(soon(side, side.get_by_role("heading", name="Sold", exact=True))).to_be_visible()

        seller.get_by_role("button", name="Offer the move").click()
        confirm(seller, "Offer to move the website?", "Offer the move")
        accept = soon(buyer, buyer.get_by_role("button", name="Accept the website"))
        expect(buyer.get_by_role("region", name="Moves to the buyer")).to_contain_text("Tracked links")
        accept.click()
        confirm(buyer, "Move the website to your account?", "Accept the website")

        soon(buyer, buyer.get_by_role("link", name="See its history")).click()
        buyer.wait_for_url(f"**/analytics?website={website}*")
        expect(figure(buyer, "Total Clicks")).to_have_text(str(CLICKS))
        expect(soon(seller, seller.get_by_text("You no longer see them."))).to_be_visible()
        seller.goto(f"{app}/analytics?website={website}")
        expect(seller.get_by_text("No Websites Found")).to_be_visible()
        overview = {"websiteId": website, "timeRange": "24h"}
        assert sells.get("/api/platform/analytics/overview", params=overview).status_code == 404
        assert read(buys, "/api/platform/analytics/overview", overview)["clicks"]["total"] == CLICKS


def measured(admin: httpx.Client, seller: httpx.Client) -> str:
    """A website of the seller with clicks on its link; its id."""
    website = connect(seller, DOMAIN)
    _, link = partner_with_link(admin, website["id"], "Ice Axes", 10.0, owner=seller)

    def follow() -> bool:
        return httpx.get(link["url"], headers={"User-Agent": BROWSER}, timeout=PATIENCE_S).status_code == 302

    wait_for(follow, "ingest to learn of the link")
    assert all(follow() for _ in range(CLICKS - 1))
    overview = {"websiteId": website["id"], "timeRange": "24h"}

    def counted() -> bool:
        found = read(seller, "/api/platform/analytics/overview", overview)
        return bool(found["clicks"]["total"] == CLICKS)

    wait_for(counted, "the clicks to be counted")
    return str(website["id"])


def submit(page: Page, app: str) -> None:
    """Lists the tracked website."""
    page.goto(f"{app}/marketplace/sell")
    page.get_by_label("Title").fill(TITLE)
    page.get_by_role("button", name="Start draft").click()
    expect(page.get_by_text("All changes saved")).to_be_visible()
    page.get_by_label("Website address").fill(f"https://{DOMAIN}")
    page.get_by_label("Niche").select_option(label="Health")
    page.get_by_label("Years established").fill("3")
    page.get_by_label("Description").fill("Guided walks on glaciers, each of them done and reviewed by ourselves.")
    page.get_by_role("button", name="Next: Numbers").click()
    for label, value in (("Asking price", "10000"), ("Monthly revenue", "500"), ("Monthly profit", "400")):
        page.get_by_label(label).fill(value)
    page.get_by_label("Monthly traffic").fill("3000")
    page.get_by_role("button", name="Verification").click()
    page.get_by_label("Tracked website").select_option(label=DOMAIN)
    page.get_by_role("button", name="Next: Preview").click()
    page.get_by_role("button", name="Submit for review").click()
    confirm(page, "Submit this listing?", "Submit for review")
    page.wait_for_url("**/marketplace/mine")


def approve(admin: httpx.Client) -> None:
    [listing] = wait_for(
        lambda: read(admin, "/api/admin/marketplace/listings?status=in_review"), "the listing to wait for its review"
    )
    edition = read(admin, f"/api/marketplace/listings/{listing['id']}")["edition"]
    approved = admin.post(f"/api/admin/marketplace/listings/{listing['id']}/approve", json={"edition": edition})
    assert approved.status_code == 200, approved.text


def make_offer(page: Page, app: str) -> str:
    """Offers $9,000; the address of the deal."""
    page.goto(f"{app}/marketplace")
    page.get_by_role("article").filter(has_text=TITLE).get_by_role("link", name=TITLE).click()
    page.get_by_role("button", name="Make an offer").click()
    dialog = page.get_by_role("dialog", name="Make an offer")
    expect(dialog.get_by_text("Deals here have no escrow: your money is not protected.")).to_be_visible()
    dialog.get_by_label("Price").fill("9000")
    dialog.get_by_label("Message").fill("Is the archive included?")
    dialog.get_by_role("button", name="Send offer of $9,000").click()
    page.wait_for_url("**/marketplace/deals/*")
    return page.url
