"""A website is sold in real browsers, with the money in the escrow sandbox: from a draft over the review,
an offer and a counter-offer to the payment, the handing over, the inspection and the payout."""

from __future__ import annotations

import re
from collections.abc import Callable

import httpx
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import read, sign_in
from tests.e2e.test_forum import answered, described, enter, join
from tests.support.marketplace import picture
from tests.support.stack import Stack, wait_for

LOOKS_AGAIN_MS = 5_000
TITLE = "Reviews of mountain huts"
DESCRIPTION = "Every hut between two glaciers, visited and reviewed by ourselves."
SELLER, BUYER = ("Þorgerður Ósk", "thorgerdur@market.example"), ("Njáll Bergsson", "njall@market.example")


def test_a_website_goes_from_a_draft_to_sold_with_the_money_released(
    admin_stack: Stack, page: Page, another: Callable[[], Page], api: httpx.Client
) -> None:
    """Spec §1, §2."""
    app = admin_stack.app
    sells, buys = (join(app, api, *who) for who in (SELLER, BUYER))
    waiting = "/api/admin/marketplace/listings?status=in_review"
    sold = "/api/admin/marketplace/listings?status=sold"

    seller = another()
    seller.clock.install()
    enter(seller, app, SELLER[1])
    seller.goto(f"{app}/marketplace")
    seller.get_by_role("link", name="Sell Your Website").click()
    draft(seller)
    seller.get_by_role("button", name="Submit for review").click()
    confirm(seller, "Submit this listing?", "Submit for review")
    seller.wait_for_url("**/marketplace/mine")
    expect(seller.get_by_text("In review", exact=True)).to_be_visible()

    [mine] = wait_for(lambda: read(sells, "/api/marketplace/my/listings"), "the seller's listing")
    hidden = answered(f"{app}/marketplace/listing/{mine['id']}", 'content="noindex"', sells.headers)
    assert hidden.status_code == 404 and TITLE not in hidden.text, "nothing of it goes into a document yet"

    buyer = another()
    buyer.clock.install()
    buyer.goto(f"{app}/marketplace?search=mountain+huts")
    expect(buyer.get_by_text("No listings found matching your criteria.")).to_be_visible()

    sign_in(page, app)
    wait_for(lambda: titles(api, waiting), "the listing to wait for its review")
    page.goto(f"{app}/admin/listings")
    page.get_by_role("button", name=f"Review {TITLE}").click()
    page.get_by_role("button", name="Approve").click()
    confirm(page, "Approve this listing?", "Approve")
    expect(page.get_by_text("Listing approved", exact=True).first).to_be_visible()

    enter(buyer, app, BUYER[1])
    wait_for(lambda: titles(buys, "/api/marketplace/listings"), "the listing to be online")
    buyer.goto(f"{app}/marketplace?search=MOUNTAIN+huts")
    card = buyer.get_by_role("article").filter(has_text=TITLE)
    expect(card).to_contain_text("$45,000")
    expect(card).to_contain_text("12.5K/mo")
    expect(card).to_contain_text("Pending")
    card.get_by_role("link", name=TITLE).click()
    buyer.wait_for_url("**/marketplace/listing/*")
    shared = answered(buyer.url, f"<title>{TITLE} · Althing</title>").text
    offered = described(shared)["offers"]
    assert (offered["price"], offered["priceCurrency"]) == (45000, "USD")
    assert httpx.get(described(shared)["image"]).headers["content-type"] == "image/webp"
    buyer.get_by_role("button", name="Make an offer").click()
    offer = buyer.get_by_role("dialog", name="Make an offer")
    offer.get_by_label("Price").fill("38000")
    offer.get_by_label("Message").fill("Would you stay for questions?")
    offer.get_by_role("button", name="Send offer of $38,000").click()
    buyer.wait_for_url("**/marketplace/deals/*")

    wait_for(lambda: read(sells, "/api/marketplace/my/offers?side=seller"), "the offer to arrive")
    wait_for(lambda: read(sells, "/api/platform/notifications"), "the notification of the seller")
    seller.goto(f"{app}/notifications")
    seller.get_by_role("link", name=re.compile(r"offers \$[\d,]+ for “")).click()
    seller.wait_for_url("**/marketplace/deals/*")
    expect(seller.get_by_text("Would you stay for questions?")).to_be_visible()
    seller.get_by_role("button", name="Counter-offer").click()
    counter = seller.get_by_role("dialog", name="Counter-offer")
    counter.get_by_label("Price").fill("41000")
    counter.get_by_role("button", name="Send counter-offer of $41,000").click()

    soon(buyer, buyer.get_by_role("button", name="Accept $41,000")).click()
    confirm(buyer, "Buy for $41,000?", "Accept")
    expect(buyer.get_by_text("Test mode: no real money is moved.")).to_be_visible()
    with buyer.expect_popup() as opened:
        soon(buyer, buyer.get_by_role("link", name="Pay $41,000 into escrow")).click()
    opened.value.get_by_role("button", name="Pay").click()
    expect(opened.value.get_by_text("Paid.")).to_be_visible()

    soon(seller, seller.get_by_role("button", name="I transferred the website")).click()
    confirm(seller, "Transferred everything?", "I transferred the website")
    soon(buyer, buyer.get_by_role("button", name="I received the website")).click()
    confirm(buyer, "Received the website?", "I received the website")
    expect(buyer.get_by_role("heading", name="Your turn: inspect and accept")).to_be_visible()
    buyer.get_by_role("button", name="Accept the website").click()
    confirm(buyer, "Accept the website?", "Accept the website")
    for side in (buyer, seller):
        expect(soon(side, side.get_by_role("heading", name="Sold", exact=True))).to_be_visible()
        expect(side.get_by_text("The seller got $41,000.")).to_be_visible()
        done = side.get_by_role("list", name="Escrow").get_by_role("listitem")
        expect(done.filter(has_text="(done)")).to_have_count(6)

    wait_for(lambda: titles(api, sold), "the listing to be sold")
    seller.goto(f"{app}/marketplace/mine")
    expect(seller.get_by_text("Sold", exact=True)).to_be_visible()
    sells.close()
    buys.close()


def draft(page: Page) -> None:
    """Fills in every step; what is typed is kept without a button."""
    page.get_by_label("Title").fill(TITLE)
    page.get_by_role("button", name="Start draft").click()
    expect(page.get_by_text("All changes saved")).to_be_visible()
    page.get_by_label("Website address").fill("https://mountain-huts.example")
    page.get_by_label("Niche").select_option(label="Health")
    page.get_by_label("Years established").fill("4.5")
    page.get_by_label("Description").fill(DESCRIPTION)
    page.get_by_role("button", name="Next: Numbers").click()
    for label, value in (("Asking price", "45,000"), ("Monthly revenue", "1850"), ("Monthly profit", "1500")):
        page.get_by_label(label).fill(value)
    page.get_by_label("Monthly traffic").fill("12500")
    page.get_by_role("button", name="Next: Images").click()
    page.get_by_label("Add images").set_input_files({"name": "hut.jpg", "mimeType": "image/jpeg", "buffer": picture()})
    expect(page.get_by_role("list", name="Images of the listing").get_by_role("listitem")).to_have_count(1)
    page.get_by_role("link", name="My listings").click()
    page.get_by_role("link", name=f"Edit {TITLE}").click()
    expect(page.get_by_label("Description")).to_have_value(DESCRIPTION)
    page.get_by_role("button", name="Verification").click()
    expect(page.get_by_text("None of your websites is tracked here.")).to_be_visible()
    page.get_by_role("button", name="Next: Preview").click()
    expect(page.get_by_role("article")).to_contain_text("$45,000")
    expect(page.get_by_text("All changes saved")).to_be_visible()


def confirm(page: Page, title: str, action: str) -> None:
    dialog = page.get_by_role("dialog", name=title)
    dialog.get_by_role("button", name=action, exact=True).click()
    expect(dialog).to_have_count(0)


def soon(page: Page, wanted: Locator) -> Locator:
    """What the page shows after its next automatic refresh: every five seconds, which pass at once here."""

    def shown() -> bool:
        page.clock.fast_forward(LOOKS_AGAIN_MS)
        return wanted.is_visible()

    wait_for(shown, f"the page to show {wanted}")
    return wanted


def titles(person: httpx.Client, path: str) -> bool:
    return TITLE in [one["title"] for one in read(person, path)]
