"""The marketplace over HTTP, from a draft to money released in the sandbox escrow (spec §2, §4, §5)."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from command_api.accounts.erasure import erase_account
from command_api.domains.dns_check import DnsResult, DnsVerdict
from command_api.domains.model import Domain
from command_api.domains.verification_process import domain_verification
from command_api.kernel import inline_rebuild, unit_of_work
from command_api.kernel.decision import CommandRejected
from command_api.kernel.process_manager import ProcessWorker
from command_api.marketplace import lookups, saved_search_handlers
from command_api.marketplace.listings import consequences
from command_api.marketplace.listings.verification import ClickHouseMeasurements, verification
from command_api.marketplace.timeouts import SEARCH_DIGEST
from infra.domain.escrow_provider import EscrowProvider, ProviderUnavailable, sign
from infra.domain.unsubscribe import unsubscribe_token
from infra.kernel.clickhouse.client import ClientPool
from infra.kernel.config.settings import Settings
from infra.kernel.mail.outbox import Mail, queue
from infra.kernel.security.client_info import Client
from infra.ops.demo import market as market_of_demo
from tests.api.kernel.test_command_races import at_once
from tests.support.marketplace import FIELDS, SECRET, Market, market, picture
from tests.support.query import Person, QueryService, conversion, event
from tests.support.rows_beside_events import wrong_rows

LIST = "marketplace/listings"
SPEC_FIELDS = {
    "id", "title", "websiteUrl", "description", "niche", "status", "askingPrice", "monthlyRevenue", "monthlyProfit",
    "monthlyTraffic", "yearsEstablished", "verificationStatus", "createdAt",
}  # fmt: skip


@pytest.fixture(scope="module")
def there(query_service: QueryService, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Market]:
    with market(query_service, tmp_path_factory.mktemp("market")) as found:
        yield found


@pytest.fixture
def now_again(there: Market) -> Iterator[None]:
    yield
    there.later = timedelta()


@pytest.fixture(scope="module")
def seller(there: Market) -> Person:
    return there.person("Embla")


@pytest.fixture(scope="module")
def buyer(there: Market) -> Person:
    return there.person("Bjarni")


@pytest.fixture(scope="module")
def other(there: Market) -> Person:
    return there.person("Eve")


@pytest.fixture(scope="module")
def admin(there: Market) -> Person:
    return there.person("Gunnar", "member", "admin")


def listed(there: Market, query: str = "limit=200") -> dict[str, dict[str, Any]]:
    return {one["id"]: one for one in there.get(None, f"{LIST}?{query}")}


def test_a_niche_that_there_is_not_is_named_as_the_field_it_was_sent_in(there: Market) -> None:
    [error] = there.get(None, f"{LIST}?niche=VPN", 400)["errors"]
    assert error["field"] == "niche" and error["message"].startswith("niche must be 'vpn', 'hosting', ")
    assert error["message"].endswith(" or 'all'.")
    assert there.get(None, f"{LIST}?niche=all") == there.get(None, LIST)


def test_a_change_leaves_what_it_does_not_name(there: Market, seller: Person) -> None:
    page = f"{LIST}/{there.draft(seller)}"
    before = there.get(seller, page)
    there.post(seller, page, method="PATCH", edition=1, title="Reviews of all VPN services")
    there.post(seller, page, method="PATCH", edition=2, monthlyProfit=-5, yearsEstablished=None)
    after = there.get(seller, page)
    assert {name for name in FIELDS if after[name] != before[name]} == {"title", "monthlyProfit", "yearsEstablished"}
    assert (after["title"], after["monthlyProfit"], after["yearsEstablished"]) == (
        "Reviews of all VPN services",
        -5,
        None,
    )
    there.post(seller, page, method="PATCH", edition=3, description="", niche=None)
    assert (there.get(seller, page)["description"], there.get(seller, page)["niche"]) == ("", None)


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
    told = [re.sub(r"https?://\S+", "", mail) for mail in there.mails("offer_news", seller)]  # ids hold any digits
    assert there.mails("deal_news", buyer) and told and not re.search(r"43\D?000", "".join(told))


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


def test_who_sees_what(there: Market, seller: Person, buyer: Person, other: Person, admin: Person) -> None:
    """Spec §4. Rows: what; columns: visitor, seller, buyer, another member, admin."""
    draft, deal, quarrel = there.draft(seller), there.online(seller, admin), there.online(seller, admin)
    waiting, of_admin = there.draft(seller), there.draft(admin)
    there.post(seller, f"{LIST}/{waiting}/submit")
    assert there.get(admin, "admin/marketplace/listings?status=draft") == []
    pending = there.offer(buyer, deal)
    disputed = there.funded(seller, buyer, quarrel)
    there.post(buyer, f"marketplace/offers/{disputed}/escrow/dispute", text="Nothing comes.")
    moderator = there.person("Mo", "member", "moderator")  # of the forum: here a member as any other
    people = (None, seller, buyer, other, admin)
    rows: list[tuple[str, tuple[int, ...]]] = [
        (f"{LIST}/{draft}", (404, 200, 404, 404, 404)),
        (f"{LIST}/{waiting}", (404, 200, 404, 404, 200)),
        (f"{LIST}/{of_admin}", (404, 404, 404, 404, 200)),
        (f"{LIST}/{of_admin}/history", (404, 404, 404, 404, 200)),
        (f"{LIST}/{deal}", (200, 200, 200, 200, 200)),
        (f"{LIST}/{quarrel}", (404, 200, 200, 404, 200)),
        (f"{LIST}/{draft}/questions", (404, 200, 404, 404, 404)),
        (f"marketplace/offers/{pending}", (401, 200, 200, 404, 404)),
        (f"marketplace/offers/{pending}/messages", (401, 200, 200, 404, 404)),
        (f"marketplace/offers/{pending}/history", (401, 200, 200, 404, 404)),
        (f"marketplace/offers/{disputed}", (401, 200, 200, 404, 200)),
        (f"marketplace/offers/{disputed}/messages", (401, 200, 200, 404, 200)),
        (f"marketplace/offers/{disputed}/history", (401, 200, 200, 404, 200)),
        ("admin/marketplace/disputes", (401, 403, 403, 403, 200)),
        ("admin/marketplace/escrow-calls", (401, 403, 403, 403, 200)),
    ]
    for path, expected in rows:
        found = tuple(there.api.call("GET", f"/api/{path}", who).status_code for who in people)
        assert found == expected, path
        assert there.api.call("GET", f"/api/{path}", moderator).status_code == expected[people.index(other)], path
    assert there.get(moderator, f"{LIST}/{deal}") == there.get(other, f"{LIST}/{deal}")
    assert there.get(moderator, f"{LIST}/{deal}/history") == []
    lengths = [len(there.get(who, f"{LIST}/{deal}/history")) for who in people]
    assert [length > 0 for length in lengths] == [False, True, False, False, True]
    assert disputed in {one["offerId"] for one in there.get(admin, "admin/marketplace/disputes")}
    assert there.get(other, "marketplace/my/offers?side=buyer") == []
    assert not {draft, quarrel} & set(listed(there)) and not {draft, quarrel} & {
        one["id"] for one in there.get(admin, f"{LIST}?limit=200")
    }
    for path in ("counter", "accept", "decline", "withdraw", "messages", "escrow/dispute", "escrow/cancel"):
        body = {"price": 1} if path in ("counter", "accept") else {"text": "x"}
        for who in (other, admin):
            assert (
                there.api.call("POST", f"/api/marketplace/offers/{pending}/{path}", who, json=body).status_code == 404
            )
    assert "Bjarni" not in str(there.get(other, f"{LIST}/{deal}"))


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


def test_images_are_reencoded_and_deleted_with_the_last_listing(there: Market, seller: Person, admin: Person) -> None:
    listing = there.draft(seller)
    headers = {"Content-Type": "image/jpeg", "X-Requested-With": "test"}

    def send(content: bytes, who: Person = seller) -> httpx.Response:
        return there.api.call("POST", f"/api/{LIST}/{listing}/images", who, headers=headers, content=content)

    added = send(picture() + b"\0" * 2**21)
    assert added.status_code == 201, added.text
    [name] = added.json()["images"]
    shown = there.api.call("GET", f"/api/marketplace/images/{name}")
    assert (shown.headers["content-type"], shown.content[8:12]) == ("image/webp", b"WEBP")
    assert "immutable" in shown.headers["cache-control"] and shown.headers["x-content-type-options"] == "nosniff"
    assert send(picture()).json()["code"] == "same_image"
    assert send(b"<script>").json()["code"] == "no_image"
    assert send(b"\0" * (5 * 2**20 + 1)).status_code == 413
    assert send(picture(), admin).status_code == 404
    there.post(seller, f"{LIST}/{listing}/images", method="PUT", images=[])
    assert there.api.call("GET", f"/api/marketplace/images/{name}").status_code == 404


def test_the_list_is_sorted_filtered_and_paged(there: Market, admin: Person) -> None:
    seller, mark = there.person("Many"), uuid4().hex[:8]
    made = [
        there.online(
            seller,
            admin,
            title=f"Shop {mark} {'100%' if number == 1 else ''}{number}",
            niche="finance" if number % 2 else "vpn",
            askingPrice=1_000 * (number + 1),
            monthlyRevenue=500 - number,
        )
        for number in range(5)
    ]

    def ids(query: str) -> list[int]:
        return [made.index(one["id"]) for one in there.get(None, f"{LIST}?search={mark}&{query}")]

    assert ids("sort=recent") == [4, 3, 2, 1, 0]
    assert ids("sort=price-low") == ids("sort=revenue") == [0, 1, 2, 3, 4]
    assert ids("sort=price-high&niche=finance") == [3, 1]
    assert ids("niche=all&minPrice=2000&maxPrice=3000&sort=price-low") == [1, 2]
    assert ids("verified=true") == []
    assert [made.index(one["id"]) for one in there.get(None, f"{LIST}?search={mark.upper()}%20100%25")] == [1]
    for sort, expected in (("price-low", [0, 1, 2, 3, 4]), ("revenue", [0, 1, 2, 3, 4]), ("recent", [4, 3, 2, 1, 0])):
        walked, path = [], f"/api/{LIST}?search={mark}&sort={sort}&limit=2"
        while path:
            answer = there.api.call("GET", path)
            walked += [made.index(one["id"]) for one in answer.json()]
            found = re.search(r"<(.+?)>", answer.headers.get("link", ""))
            path = found[1] if found else ""
        assert walked == expected, sort
    assert there.api.call("GET", f"/api/{LIST}?sort=dear").status_code == 400
    assert there.api.call("GET", f"/api/{LIST}?cursor=x&sort=price-low").status_code == 400


def test_admins_are_notified_whom_the_write_side_knows(there: Market, seller: Person) -> None:
    """Not those of a read model, as a forged record of the log, or one that is not followed yet, would leave it."""
    unknown, forged, dismissed = there.person("A", "admin"), there.person("B"), there.person("C", "admin")
    there.postgres.execute("DELETE FROM read.accounts__g1 WHERE id = %s", (unknown.account_id,))
    there.postgres.execute("UPDATE read.accounts__g1 SET roles = '{admin}' WHERE id = %s", (forged.account_id,))
    there.postgres.execute("DELETE FROM lookup.role_holder WHERE account_id = %s", (dismissed.account_id,))
    there.post(seller, f"marketplace/listings/{there.draft(seller)}/submit")
    there.told(seller)
    rows = there.postgres.execute(
        "SELECT account_id FROM notifications.notification WHERE about = 'waiting'"
    ).fetchall()
    notified = {row[0] for row in rows}
    assert unknown.account_id in notified
    assert not notified & {forged.account_id, dismissed.account_id, seller.account_id}


def test_questions_are_public_and_hidden_once_three_members_flag_them(
    there: Market, seller: Person, buyer: Person, other: Person, admin: Person
) -> None:
    listing = there.online(seller, admin)
    asked = there.post(buyer, f"{LIST}/{listing}/questions", 201, text="Is the mailing list part of it?")["id"]
    assert f"/marketplace/listing/{listing}" in there.mails("listing_question", seller)[-1]
    there.post(other, f"marketplace/questions/{asked}/answer", 404, text="No.")
    for text in ("It is not.", "It is."):
        there.post(seller, f"marketplace/questions/{asked}/answer", text=text)
    there.told(admin)
    for who, title in (
        (seller, "Your listing is online"),
        (seller, "You have a question"),
        (buyer, "Your question was answered"),
        (admin, "A listing needs review"),
    ):
        assert title in {one["title"] for one in there.get(who, "platform/notifications?limit=100")}
    [told] = there.mails("listing_answer", buyer)
    assert f"/marketplace/listing/{listing}" in told
    [shown] = there.get(None, f"{LIST}/{listing}/questions")
    assert (shown["authorName"], shown["answer"], shown["flags"]) == ("Bjarni", "It is.", None)
    for who in (other, there.person("A"), there.person("B")):
        there.post(who, f"marketplace/questions/{asked}/flag", reason="spam")
    assert there.get(None, f"{LIST}/{listing}/questions") == []
    assert asked in {one["id"] for one in there.get(admin, "admin/marketplace/questions")}
    there.post(admin, f"admin/marketplace/questions/{asked}/restore")
    assert len(there.get(None, f"{LIST}/{listing}/questions")) == 1
    there.post(other, f"marketplace/questions/{asked}/flag", reason="spam")
    there.post(admin, f"admin/marketplace/questions/{asked}/hide", reason="Off topic.")
    queue, whole = (there.get(admin, f"admin/marketplace/questions?all={all_}") for all_ in ("false", "true"))
    assert asked not in {one["id"] for one in queue} and asked in {one["id"] for one in whole}
    own = there.post(admin, f"{LIST}/{listing}/questions", 201, text="Who wrote the reviews?")["id"]
    assert there.post(admin, f"admin/marketplace/questions/{own}/restore", 403)["code"] == "own_question"


@pytest.mark.usefixtures("now_again")
def test_a_saved_search_tells_of_each_new_listing_once(there: Market, seller: Person, admin: Person) -> None:
    member, mark = there.person("Searching"), uuid4().hex[:8]
    before = there.online(seller, admin, title=f"Old {mark}")
    there.postgres.execute(
        "UPDATE read.listings__g1 SET published_at = now() - interval '2 days' WHERE id = %s", (before,)
    )
    search = there.post(member, "marketplace/saved-searches", 201, search=mark.upper(), niche="vpn", maxPrice=50_000)[
        "id"
    ]
    fitting = there.online(seller, admin, title=f"New {mark}")
    there.online(seller, admin, title=f"Dear {mark}", askingPrice=60_000)
    there.run_due()
    assert there.mails("saved_search", member) == []
    for day in (1, 2, 3):
        there.later = timedelta(days=day, minutes=1)
        there.run_due()
    [mail] = there.mails("saved_search", member)
    assert fitting in mail and before not in mail and "Dear" not in mail
    token = unsubscribe_token(there.settings, "saved_search", UUID(search))
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    stop = f"/api/public/marketplace/searches/stop/{token}"
    assert there.api.call("POST", stop, headers=form, content=b"List-Unsubscribe=One-Click").status_code == 200
    assert there.api.call("POST", stop[:-1] + "?", headers=form).status_code == 404
    there.sync()
    assert there.get(member, "marketplace/my/saved-searches") == []


@pytest.mark.usefixtures("now_again")
def test_a_mail_tells_how_many_more_there_are_and_none_is_lost_while_the_read_model_is_behind(
    there: Market, admin: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved_search_handlers, "MAX_NAMED", 2)
    member, seller, mark = there.person("Patient"), there.person("Prolific"), uuid4().hex[:8]
    there.post(member, "marketplace/saved-searches", 201, search=mark)
    made = [there.online(seller, admin, title=f"Site {number} {mark}") for number in range(4)]
    late = there.online(seller, admin, title=f"Late {mark}")
    there.postgres.execute("UPDATE read.listings__g1 SET status = 'in_review' WHERE id = %s", (late,))
    there.later = timedelta(days=1, minutes=1)
    there.run_due()
    [mail] = there.mails("saved_search", member)
    assert "4 new listings match" in mail and "and 2 more" in mail and mail.count("/marketplace/listing/") == 2
    there.postgres.execute("UPDATE read.listings__g1 SET status = 'active' WHERE id = %s", (late,))
    there.later = timedelta(days=2, minutes=2)
    there.run_due()
    second = there.mails("saved_search", member)[-1]
    assert late in second and not any(one in second for one in made) and "more" not in second


@pytest.mark.usefixtures("now_again")
def test_a_search_that_fails_after_its_mail_is_mailed_once_and_blocks_no_other(
    there: Market, seller: Person, admin: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, mark = there.person("First"), there.person("Second"), uuid4().hex[:8]
    searches = [there.post(one, "marketplace/saved-searches", 201, search=mark)["id"] for one in (first, second)]
    there.online(seller, admin, title=f"New {mark}")
    assert len(set(searches)) == 2

    def dies(cursor: Any, settings: Settings, mail: Mail) -> None:
        queue(cursor, settings, mail)
        if mail.account_id == first.account_id:
            raise ValueError("killed between the mail and the note of it")

    monkeypatch.setattr(unit_of_work, "queue", dies)
    there.later = timedelta(days=1, minutes=1)
    there.run_due()
    assert (len(there.mails("saved_search", first)), len(there.mails("saved_search", second))) == (0, 1)
    monkeypatch.undo()
    there.later += timedelta(minutes=11)

    at_once(lambda _: there.process.run_once(SEARCH_DIGEST), 4)
    assert (len(there.mails("saved_search", first)), len(there.mails("saved_search", second))) == (1, 1)


def test_a_website_is_for_sale_once_and_not_by_who_sold_it(there: Market, admin: Person) -> None:
    seller, buyer = there.person("Twice"), there.person("Keeper")
    address = f"https://www.{uuid4().hex[:12]}.com/"
    first, second, third = (there.draft(seller, websiteUrl=address + path) for path in ("", "about", "?x"))

    def submit(number: int) -> int:
        path = f"/api/{LIST}/{(first, second)[number % 2]}/submit"
        return there.api.call("POST", path, seller).status_code

    statuses = Counter(at_once(submit, 8))
    assert statuses[200] >= 1 and set(statuses) <= {200, 409, 503}, statuses
    there.sync()
    states = {one: there.get(seller, f"{LIST}/{one}")["status"] for one in (first, second)}
    assert sorted(states.values()) == ["draft", "in_review"]
    [live] = [one for one, status in states.items() if status == "in_review"]
    refused = there.post(seller, f"{LIST}/{third}/submit", 409)
    assert (refused["code"], refused["errors"][0]["field"]) == ("listed_already", "websiteUrl")
    elsewhere = there.draft(seller)
    there.post(seller, f"{LIST}/{elsewhere}/submit")
    moved = there.post(seller, f"{LIST}/{elsewhere}", 409, "PATCH", edition=1, **{**FIELDS, "websiteUrl": address})
    assert moved["code"] == "listed_already"

    there.post(admin, f"admin/marketplace/listings/{live}/approve", edition=1)
    offer = there.funded(seller, buyer, live)
    there.post(seller, f"marketplace/offers/{offer}/escrow/deliver")
    there.post(buyer, f"marketplace/offers/{offer}/escrow/accept")
    there.run_due()
    there.until(offer, "released")
    assert there.post(seller, f"{LIST}/{third}/submit", 409)["code"] == "sold_already"
    there.post(buyer, f"{LIST}/{there.draft(buyer, websiteUrl=address)}/submit")


def test_an_admin_sells_like_everybody_and_what_is_over_does_not_count(
    there: Market, admin: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    listing = there.draft(admin)
    there.post(admin, f"{LIST}/{listing}/submit")
    own = there.post(admin, f"admin/marketplace/listings/{listing}/approve", 403, edition=1)
    assert own["code"] == "own_listing"
    there.post(there.person("Second", "member", "admin"), f"admin/marketplace/listings/{listing}/approve", edition=1)
    assert listing in listed(there)

    monkeypatch.setattr(consequences, "MAX_LISTINGS", 2)
    seller = there.person("Busy")
    made = [there.draft(seller) for _ in range(2)]
    assert there.post(seller, LIST, 409, **FIELDS)["code"] == "too_many_listings"
    there.post(seller, f"{LIST}/{made[0]}/withdraw")
    there.draft(seller)
    assert there.post(seller, f"{LIST}/{made[0]}/submit", 409)["code"] == "too_many_listings"


def test_a_watched_listing_is_on_the_list(there: Market, seller: Person, other: Person, admin: Person) -> None:
    listing = there.online(seller, admin)
    there.post(other, f"{LIST}/{listing}/watch", 204, method="PUT")
    there.post(other, f"{LIST}/{listing}/watch", 204, method="PUT")
    assert [one["id"] for one in there.get(other, "marketplace/my/watches")] == [listing]
    assert there.get(other, f"{LIST}/{listing}")["isWatched"] is True
    there.post(other, f"{LIST}/{listing}/watch", 204, method="DELETE")
    assert there.get(other, "marketplace/my/watches") == []


def test_only_what_is_for_sale_fills_the_watch_list(
    there: Market, seller: Person, admin: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lookups, "MAX_WATCHED", 1)
    member = there.person("Watchful")
    first, second = there.online(seller, admin), there.online(seller, admin)
    there.post(member, f"{LIST}/{first}/watch", 204, method="PUT")
    assert there.post(member, f"{LIST}/{second}/watch", 409, method="PUT")["code"] == "too_many_watched"
    there.post(seller, f"{LIST}/{first}/withdraw")
    there.post(member, f"{LIST}/{second}/watch", 204, method="PUT")


def test_the_demonstration_lists_its_websites_once_whatever_cut_it_short(there: Market, admin: Person) -> None:
    seller, domain = there.person("Sigga"), market_of_demo.FOR_SALE.domain
    website = there.post(seller, "platform/websites", 201, domain=domain)["id"]
    listings = [replace(market_of_demo.MEASURED, asking_price=500), *market_of_demo.LISTINGS]
    refusing = [0, 3, None]  # the first run ends before anything, the second in the middle

    async def run(answers: int | None) -> int:
        left = answers

        async def done(request: Awaitable[httpx.Response]) -> httpx.Response:
            nonlocal left
            if left == 0:
                getattr(request, "close", lambda: None)()
                raise ConnectionError("killed")
            left = left - 1 if left is not None else None
            answer = await request
            assert answer.status_code < 400, answer.text
            return answer

        clients = [
            httpx.AsyncClient(base_url=there.api.address, headers=one.headers, timeout=15) for one in (admin, seller)
        ]
        async with clients[0] as app, clients[1] as client:
            return await market_of_demo.put_up_for_sale(app, client, listings, website, done)

    for answers in refusing:
        try:
            count = asyncio.run(run(answers))
        except ConnectionError:
            count = None
        there.sync()
        assert count == (None if answers is not None else 6)
    before = there.last_event()
    assert asyncio.run(run(None)) == 6 and there.last_event() == before
    mine = there.get(seller, "marketplace/my/listings")
    assert Counter(one["status"] for one in mine) == {"active": 6}
    measured = next(one["id"] for one in mine if one["title"] == listings[0].title)
    assert there.get(seller, f"{LIST}/{measured}")["websiteId"] == website


def test_figures_come_from_the_websites_own_log(there: Market, admin: Person) -> None:
    seller, domain = there.person("Measured"), f"{uuid4().hex[:12]}.com"
    website = there.post(seller, "platform/websites", 201, domain=domain)["id"]
    first = datetime.now(UTC).replace(day=1, hour=12, minute=0, second=0, microsecond=0)
    months = [(first - timedelta(days=15 + 30 * back)).replace(day=10) for back in (0, 1, 2)]
    rows = []
    for number, month in enumerate(reversed(months)):  # of the first one nobody knows whether it was measured wholly
        rows += [event(UUID(website), month, "pageview", visitor=v + 1) for v in range(10 * number)]
        rows += [event(UUID(website), month, "pageview", visitor=99, is_bot=True)]
        rows.append(conversion(UUID(website), month, d_approved=1, c_approved=500 * 100 * number))
    rows.append(event(UUID(website), months[2], "pageview", visitor=7))
    # What was imported or back-filled was not measured, and late is late whatever it calls itself.
    late = _text(months[0] + timedelta(days=2))
    rows += [event(UUID(website), months[0], "pageview", visitor=200 + v, origin="import") for v in range(50)]
    rows += [event(UUID(website), months[1], "pageview", visitor=300 + v, flags="backfill") for v in range(15)]
    rows += [event(UUID(website), months[0], "pageview", visitor=400 + v, received_at=late) for v in range(5)]
    before = months[2] - timedelta(days=31)
    rows += [event(UUID(website), before, "pageview", visitor=500 + v, origin="import") for v in range(10)]
    sale = uuid4()
    rows.append(conversion(UUID(website), months[0], conversion_id=sale, c_pending=500_00, received_at=late))
    rows.append(
        conversion(UUID(website), months[0], conversion_id=sale, c_pending=-500_00, c_approved=500_00, received_at=late)
    )
    there.api.query.events(rows)
    there.post(there.person("Thief"), LIST, 404, **{**FIELDS, "websiteId": website})
    wrong = there.post(seller, LIST, 400, **{**FIELDS, "websiteId": website})
    assert wrong["errors"][0]["field"] == "websiteUrl"
    listing = there.online(
        seller, admin, websiteUrl=f"https://www.{domain}/", websiteId=website, monthlyTraffic=16, monthlyRevenue=600
    )
    with closing(ClientPool(there.api.query.settings, 1)) as clients:
        verifying = there.worker(verification(there.api.core, ClickHouseMeasurements(clients)))
        there.run_due(verifying)
        unproven = there.get(seller, f"{LIST}/{listing}")
        assert (unproven["verificationStatus"], unproven["verification"]) == ("pending", None)
        assert unproven["verificationNote"] == "domain_not_proven"
        assert listing not in listed(there, "verified=true&limit=200")
        custom = there.post(seller, "platform/custom-domains", 201, domain=f"www.{domain}", websiteId=website)
        proving = domain_verification(there.api.core, _Found())  # type: ignore[arg-type]  # stands in for the DNS
        there.run_due(ProcessWorker(there.api.core, [proving]))
        there.run_due(verifying)  # the proof made it due
    shown = there.get(None, f"{LIST}/{listing}")
    assert shown["verificationStatus"] == "verified" and shown["websiteId"] is None
    told = shown["verification"]
    assert [(month["visitors"], month["pageviews"]) for month in told["months"]] == [(10, 10), (20, 20)]
    assert (told["monthlyTraffic"], told["trafficDifference"], told["trafficOverstated"]) == (15, 6.7, False)
    assert (told["monthlyRevenue"], told["revenueDifference"]) == ({"amount": 750_00, "currency": "USD"}, -20.0)
    assert listing in listed(there, "verified=true&limit=200")
    assert there.get(None, f"marketplace/sellers/{seller.account_id}")["verifiedListings"] == 1
    claim = "UPDATE read.listings__g1 SET monthly_traffic = %s, monthly_revenue = %s WHERE id = %s"
    for traffic, revenue in ((17, 600_00), (16, 826_00)):  # more than 10 % above what was measured
        there.api.query.postgres.execute(claim, (traffic, revenue, listing))
        assert there.get(None, f"{LIST}/{listing}")["verificationStatus"] == "overstated"
        assert listing not in listed(there, "verified=true&limit=200") and listing in listed(there, "limit=200")
        assert there.get(None, f"marketplace/sellers/{seller.account_id}")["verifiedListings"] == 0
    there.api.query.postgres.execute(claim, (16, 600_00, listing))
    assert told["provenDomain"] == domain
    assert told["share"] == {"months": 2, "monthsInLog": 4, "traffic": 27.0, "revenue": 75.0}
    asked_again = there.post(seller, f"{LIST}/{listing}/verify")
    assert asked_again["status"] == "active"
    assert there.post(seller, f"{LIST}/{listing}/verify", 409)["code"] == "asked_already"
    there.post(seller, f"platform/custom-domains/{custom['id']}", 204, method="DELETE")
    with closing(ClientPool(there.api.query.settings, 1)) as clients:
        there.run_due(there.worker(verification(there.api.core, ClickHouseMeasurements(clients))))
    assert there.get(None, f"{LIST}/{listing}")["verificationStatus"] == "pending"


class _Found:
    """A look that finds every record."""

    def check(self, *domains: Domain) -> Sequence[DnsResult]:
        return [DnsResult(domain.token, DnsVerdict.PROVEN, None, None) for domain in domains]


def _text(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.000")


def test_thirty_images_that_are_sent_at_once_are_all_taken(there: Market, seller: Person) -> None:
    listings = [there.draft(seller) for _ in range(5)]
    photographs = [picture((4_000, 3_000), f"#{number:02x}8040") for number in range(30)]

    def send(number: int) -> int:
        address = f"/api/{LIST}/{listings[number % 5]}/images"
        answer = there.api.call(
            "POST", address, seller, content=photographs[number], headers={"Content-Type": "image/jpeg"}
        )
        return answer.status_code

    with ThreadPoolExecutor(30) as pool:
        assert set(pool.map(send, range(30))) == {201}


def test_nobody_is_forgotten_while_money_is_on_its_way_and_nothing_is_left_after(
    there: Market, buyer: Person, admin: Person
) -> None:
    seller = there.person("Leaving")
    listing, free = there.online(seller, admin), there.online(seller, admin, title="Secret of Leaving")
    waiting = there.offer(buyer, free)
    there.post(seller, f"{LIST}/{there.online(buyer, admin)}/watch", 204, method="PUT")
    offer = there.agreed(seller, buyer, listing)
    there.post(seller, f"marketplace/offers/{offer}/messages", 201, text="Call me at midnight")
    with pytest.raises(CommandRejected, match="open deal"):
        erase_account(there.api.core, seller.account_id, Client())
    there.post(seller, f"marketplace/offers/{offer}/escrow/cancel")
    there.run_due()
    erase_account(there.api.core, seller.account_id, Client())
    there.sync()
    assert there.events(free)[-1] == "listing.withdrawn"
    assert there.get(buyer, f"marketplace/offers/{waiting}")["status"] == "expired"
    watched = "SELECT count(*) FROM lookup.listing_watch WHERE account_id = %s"
    assert there.postgres.execute(watched, (seller.account_id,)).fetchone() == (0,)
    with inline_rebuild.open_connection(there.settings) as connection:
        assert inline_rebuild.verify(there.settings, connection, lookups.WATCHLISTS).differences == []
    rows = there.postgres.execute(
        "SELECT title, description FROM read.listings WHERE seller_id = %s", (seller.account_id,)
    )
    assert set(rows) == {("[erased]", "[erased]")}
    gone = there.get(admin, f"{LIST}/{free}")
    assert (gone["title"], gone["websiteUrl"], gone["description"]) == ("Deleted listing", "", "")
    assert "midnight" not in str(there.get(buyer, f"marketplace/offers/{offer}/messages"))
    kept = there.postgres.execute(
        "SELECT count(*) FROM events.stored_events WHERE convert_from(state, 'UTF8') ~ 'Secret of Leaving|at midnight'"
    ).fetchone()
    assert kept == (0,)


def test_the_audit_finds_the_rows_of_listings_that_this_module_has_left_right(
    there: Market, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared, wrong = wrong_rows(
        there.settings, ("marketplace.listing_host", "ops.listing_image", "ops.escrow_call"), monkeypatch
    )
    assert compared > 0 and wrong == []
