"""Offers, and deals through the sandbox escrow, until the money is released (spec §2, §4, §5)."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import httpx
import pytest

from infra.domain.escrow_provider import EscrowProvider, ProviderUnavailable, sign
from tests.api.kernel.test_command_races import at_once
from tests.support.marketplace import FIELDS, LIST, SECRET, Market, listed
from tests.support.query import Person

SPEC_FIELDS = {
    "id", "title", "websiteUrl", "description", "niche", "status", "askingPrice", "monthlyRevenue", "monthlyProfit",
    "monthlyTraffic", "yearsEstablished", "verificationStatus", "createdAt",
}  # fmt: skip


def test_a_website_is_sold_and_the_money_released(
    there: Market, seller: Person, buyer: Person, other: Person, admin: Person
) -> None:
    listing = there.draft(seller, title="")
    page = f"{LIST}/{listing}"
    missing = there.post(seller, f"{page}/submit", 400)
    assert missing["errors"] == [{"field": "title", "message": "The title needs at least 5 characters."}]
    there.post(seller, page, method="PATCH", edition=1, **FIELDS)
    assert there.post(seller, f"{page}/submit")["status"] == "in_review"
    for who in (None, other):
        there.get(who, page, 404)
    assert listing not in listed(there)
    assert listing in {one["id"] for one in there.get(admin, "admin/marketplace/listings")}
    there.post(admin, f"admin/marketplace/listings/{listing}/approve", edition=2)
    assert "online" in there.mails("listing_news", seller)[-1]

    shown = listed(there, "search=vpn%20SERVICES&limit=200")[listing]
    assert set(shown) >= SPEC_FIELDS
    assert (shown["askingPrice"], shown["monthlyTraffic"], shown["yearsEstablished"]) == (45000.0, 30000, 4.5)
    assert (shown["status"], shown["verificationStatus"]) == ("active", "pending")

    offer = there.offer(buyer, listing, 40_000)
    here = f"marketplace/offers/{offer}"
    assert there.get(seller, here)["next"] == "answer" and there.get(buyer, here)["next"] == "wait"
    there.post(seller, f"{here}/counter", price=43_000, text="A little more?")
    there.post(buyer, f"{here}/messages", 201, text="Fine.")
    accepted = there.post(buyer, f"{here}/accept", price=43_000)
    assert listed(there)[listing]["status"] == "under_offer"
    there.run_due()
    assert there.get(buyer, here)["next"] == "pay" and there.get(seller, here)["escrow"]["paymentUrl"] is None
    there.pay(buyer, offer)
    assert listing not in listed(there)
    assert there.get(buyer, page)["status"] == "in_escrow"
    there.get(other, page, 404)
    there.post(seller, f"{here}/escrow/deliver")
    assert there.get(buyer, here)["next"] == "confirm_receipt"
    there.post(buyer, f"{here}/escrow/confirm-receipt")
    there.post(buyer, f"{here}/escrow/accept")
    there.run_due()
    there.until(offer, "released")

    assert there.get(seller, page)["status"] == "sold"
    told = there.get(seller, here)["escrow"]
    assert (told["status"], told["toSeller"], told["toBuyer"]) == (
        "released",
        {"amount": 43_000_00, "currency": "USD"},
        {"amount": 0, "currency": "USD"},
    )
    history = there.get(seller, f"{here}/history")
    assert history == there.get(buyer, f"{here}/history")
    assert [step["kind"] for step in history if step["kind"].startswith("escrow")] == [
        "escrow.agreed",
        "escrow.opened",
        "escrow.funded",
        "escrow.delivered",
        "escrow.inspection_began",
        "escrow.accepted",
        "escrow.released",
    ]
    assert [step["by"] for step in history if step["kind"] in ("escrow.funded", "escrow.delivered")] == [
        "provider",
        "seller",
    ]
    shop = there.get(other, f"marketplace/sellers/{seller.account_id}")
    assert (shop["soldListings"], "email" in shop) == (1, False)
    of_seller = listed(there, f"seller={seller.account_id}&limit=200")
    assert shop["activeListings"] == len(of_seller) and listing not in of_seller
    assert not of_seller.keys() & listed(there, f"seller={other.account_id}&limit=200").keys()
    messages = there.get(buyer, f"{here}/messages")
    assert [(one["by"], one["text"], one["isMine"]) for one in messages] == [
        ("buyer", "Hello", True),
        ("seller", "A little more?", False),
        ("buyer", "Fine.", True),
    ]
    assert there.events(accepted["escrowId"])[-1] == "escrow.released"
    told = there.mails("offer_news", buyer) + there.mails("deal_news", seller)
    assert (
        there.mails("deal_news", buyer)
        and told
        and not any("Fine." in mail or "A little more?" in mail for mail in told)
    )


def test_of_many_offers_accepted_at_once_one_wins(there: Market, seller: Person, admin: Person) -> None:
    listing = there.online(seller, admin)
    buyers = [there.person(f"Buyer {number}") for number in range(6)]
    offers = [there.offer(one, listing, 30_000 + number) for number, one in enumerate(buyers)]

    def accept(number: int) -> int:
        offer, price = offers[number % 6], 30_000 + number % 6
        path = f"/api/marketplace/offers/{offer}/accept"
        return there.api.call("POST", path, seller, json={"price": price}).status_code

    statuses = Counter(at_once(accept, 12))
    assert statuses[200] == 1 and set(statuses) <= {200, 409, 503}, statuses
    assert there.events(listing).count("listing.reserved") == 1
    there.sync()
    open_ones = [one for one in there.get(seller, "marketplace/my/offers?side=seller&limit=200") if one["turn"]]
    assert {one["isOnHold"] for one in open_ones if one["listingId"] == listing} == {True}


def test_one_buyer_has_one_open_offer_for_a_listing(there: Market, seller: Person, admin: Person) -> None:
    listing, buyer = there.online(seller, admin), there.person("Hasty")

    def send(number: int) -> int:
        path = f"/api/marketplace/listings/{listing}/offers"
        return there.api.call("POST", path, buyer, json={"price": 100 + number}).status_code

    statuses = Counter(at_once(send, 8))
    assert statuses[201] == 1 and set(statuses) <= {201, 409, 429, 503}, statuses
    there.sync()
    assert len(there.get(buyer, "marketplace/my/offers?side=buyer")) == 1


def test_a_dispute_is_decided_by_an_admin_and_paid_by_the_provider(
    there: Market, seller: Person, buyer: Person, admin: Person
) -> None:
    offer = there.funded(seller, buyer, there.online(seller, admin))
    there.post(seller, f"marketplace/offers/{offer}/escrow/dispute", text="The buyer does not answer.")
    there.post(admin, f"marketplace/offers/{offer}/messages", 201, text="I am looking into it.")
    decide = f"admin/marketplace/offers/{offer}/decide"
    there.post(admin, decide, 400, outcome="split", reason="Half and half.")
    there.post(buyer, decide, 403, outcome="refund", reason="Mine.")
    there.post(admin, decide, outcome="split", toSeller=10_000, reason="Half and half.")
    assert there.get(buyer, f"marketplace/offers/{offer}")["next"] == "wait_for_payout"
    there.run_due()
    there.until(offer, "released")
    escrow = there.get(buyer, f"marketplace/offers/{offer}")["escrow"]
    assert (escrow["toSeller"]["amount"], escrow["toBuyer"]["amount"]) == (10_000_00, 30_000_00)
    assert escrow["decisionReason"] == "Half and half."


@pytest.mark.usefixtures("now_again")
def test_time_does_what_nobody_does(there: Market, seller: Person, buyer: Person, admin: Person) -> None:
    listing = there.online(seller, admin)
    offer = there.funded(seller, buyer, listing)
    waiting, unpaid = there.online(seller, admin), there.online(seller, admin)
    ignored = there.offer(buyer, waiting)
    there.agreed(seller, buyer, unpaid)
    there.post(seller, f"marketplace/offers/{offer}/escrow/deliver")
    there.later = timedelta(days=3, minutes=1)
    there.run_due()
    assert there.escrow(offer).status == "inspecting"
    there.later = timedelta(days=7)
    there.run_due()
    there.until(offer, "released")
    there.later = timedelta(days=8)
    there.run_due()
    assert there.get(buyer, f"marketplace/offers/{ignored}")["status"] == "expired"
    assert listed(there)[unpaid]["status"] == "active"
    there.later = timedelta(days=91)
    there.run_due()
    assert not {waiting, unpaid} & set(listed(there))
    assert there.get(seller, f"{LIST}/{waiting}")["status"] == "expired"


def test_while_the_provider_is_away_the_call_waits(there: Market, seller: Person, buyer: Person, admin: Person) -> None:
    listing = there.online(seller, admin)
    offer = there.offer(buyer, listing)
    there.post(seller, f"marketplace/offers/{offer}/accept", price=40_000)
    escrow_id = there.escrow(offer).id
    away = there.outbox(EscrowProvider("http://127.0.0.1:9", "x"))
    assert away.run_once() >= 1  # calls of other deals may be due as well
    away.run_once()
    [call] = [one for one in there.get(admin, "admin/marketplace/escrow-calls") if one["escrowId"] == str(escrow_id)]
    assert (call["step"], call["state"], call["attempts"]) == ("open", "waiting", 1) and "Connect" in call["error"]
    with pytest.raises(ProviderUnavailable):
        EscrowProvider(there.sandbox.address, "another key").open(escrow_id, 1, "USD")
    there.post(admin, f"admin/marketplace/escrow-calls/{escrow_id}/retry", 204)
    there.run_due()
    assert there.get(buyer, f"marketplace/offers/{offer}")["next"] == "pay"
    there.post(buyer, f"marketplace/offers/{offer}/escrow/cancel")
    there.run_due()
    assert there.events(escrow_id) == ["escrow.agreed", "escrow.opened", "escrow.cancelled"]
    assert listed(there)[listing]["status"] == "active"
    assert httpx.post(there.sandbox.book.open(str(escrow_id), 40_000_00, "USD")["paymentUrl"]).status_code == 409


def tell(there: Market, kind: str, data: dict[str, Any], message_id: str = "", secret: str = SECRET) -> httpx.Response:
    """A message to us, signed like the provider's."""
    body = httpx.Request("POST", "http://x", json={"type": kind, "data": data}).read()
    headers = sign(secret, message_id or uuid4().hex, datetime.now(UTC), body)
    json = {"Content-Type": "application/json"}
    return there.api.call("POST", "/api/public/escrow/messages", headers={**headers, **json}, content=body)


def test_only_the_providers_own_messages_move_money_and_each_once(
    there: Market, seller: Person, buyer: Person, admin: Person
) -> None:
    offer = there.agreed(seller, buyer, there.online(seller, admin))
    escrow = there.escrow(offer)
    told = {"id": escrow.reference, "reference": str(escrow.id), "amount": 40_000_00, "currency": "USD"}
    paid = {**told, "toSeller": 40_000_00}
    assert tell(there, "transaction.funded", told, secret="whsec_d3Jvbmc=").status_code == 401
    assert there.api.call("POST", "/api/public/escrow/messages", json={"type": "x"}).status_code == 401
    assert tell(there, "transaction.funded", {**told, "amount": 1}).status_code == 409
    assert tell(there, "transaction.funded", {**told, "reference": str(uuid4())}).status_code == 404
    early = tell(there, "transaction.settled", paid, "overtaken")
    assert (early.status_code, early.json()["code"]) == (409, "not_asked_for")
    statuses = at_once(lambda _: tell(there, "transaction.funded", told, "the same").status_code, 8)
    assert set(statuses) <= {204, 409, 503} and 204 in statuses
    assert tell(there, "transaction.funded", told, "the same").status_code == 204
    assert tell(there, "transaction.funded", told, "another").status_code == 204
    assert there.events(escrow.id) == ["escrow.agreed", "escrow.opened", "escrow.funded"]
    there.sync()
    there.post(seller, f"marketplace/offers/{offer}/escrow/deliver")
    there.post(buyer, f"marketplace/offers/{offer}/escrow/accept")
    assert tell(there, "transaction.settled", paid, "overtaken").status_code == 204
    assert tell(there, "transaction.settled", {**paid, "toSeller": 0, "toBuyer": 1}).status_code == 204
    assert there.events(escrow.id)[-1] == "escrow.released"
    there.sync()
