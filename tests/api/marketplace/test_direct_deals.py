"""A new installation without an escrow provider: what can be sold there, how, and by whom."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from command_api.accounts.erasure import erase_account
from command_api.kernel.decision import CommandRejected
from infra.kernel.security.client_info import Client
from schemas.identity import escrow_id
from tests.support.marketplace import Market, market
from tests.support.query import Person, QueryService


@pytest.fixture(scope="module")
def there(query_service: QueryService, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Market]:
    with market(query_service, tmp_path_factory.mktemp("direct-deals"), provider=False) as found:
        yield found


@pytest.fixture(scope="module")
def admin(there: Market) -> Person:
    return there.person("Gunnar", "member", "admin")


@pytest.fixture(autouse=True)
def as_installed(there: Market, admin: Person) -> Iterator[None]:
    there.later = timedelta()
    yield
    there.post(admin, "admin/marketplace/direct-deals", method="PUT", directDeals=False)


@pytest.fixture
def seller(there: Market) -> Person:
    return there.person("Embla")


@pytest.fixture
def buyer(there: Market) -> Person:
    return there.person("Bjarni")


def allow(there: Market, admin: Person, *, direct_deals: bool = True) -> None:
    there.post(admin, "admin/marketplace/direct-deals", method="PUT", directDeals=direct_deals)


def agreed(there: Market, seller: Person, buyer: Person, admin: Person) -> tuple[str, str]:
    """A listing and the offer for it that its seller accepted."""
    allow(there, admin)
    listing = there.online(seller, admin)
    offer = there.offer(buyer, listing)
    there.post(seller, f"marketplace/offers/{offer}/accept", price=40_000, withoutEscrow=True)
    return listing, offer


def test_nothing_can_be_agreed_on_until_an_admin_allows_it_and_both_know_what_it_means(
    there: Market, seller: Person, buyer: Person, admin: Person
) -> None:
    allow(there, admin, direct_deals=False)  # other tests share the installation
    assert there.get(None, "marketplace/deal-terms") == {"escrowKind": "none", "directDeals": False}
    listing = there.online(seller, admin)
    offer = there.offer(buyer, listing)
    accept = f"marketplace/offers/{offer}/accept"
    there.post(seller, accept, 409, price=40_000, withoutEscrow=True)
    there.post(seller, "admin/marketplace/direct-deals", 403, method="PUT", directDeals=True)
    allow(there, admin)
    assert there.get(None, "marketplace/deal-terms") == {"escrowKind": "direct", "directDeals": True}
    assert there.get(buyer, f"marketplace/offers/{offer}")["escrowKind"] == "direct"
    there.post(seller, accept, 409, price=40_000)  # who accepts has to agree that there is no escrow
    there.post(seller, accept, price=40_000, withoutEscrow=True)
    assert there.get(None, f"marketplace/listings/{listing}")["status"] == "under_offer"
    audited = there.postgres.execute(
        "SELECT details FROM kernel.audit WHERE action = 'direct_deals.switched' AND actor_id = %s ORDER BY seq DESC",
        (admin.account_id,),
    ).fetchone()
    assert audited is not None and audited[0]["is_allowed"] is True


def test_a_website_is_sold_when_both_sides_have_confirmed(
    there: Market, seller: Person, buyer: Person, admin: Person
) -> None:
    listing, offer = agreed(there, seller, buyer, admin)
    rival = there.person("Rival")
    confirm = f"marketplace/offers/{offer}/direct/confirm"
    for stranger in (rival, admin):
        there.post(stranger, confirm, 404)
        there.post(stranger, f"marketplace/offers/{offer}/direct/dispute", 404, text="Mine")
        there.post(stranger, f"marketplace/offers/{offer}/direct/cancel", 404)
    for step in ("deliver", "confirm-receipt", "accept", "cancel"):  # there is no escrow
        there.post(seller, f"marketplace/offers/{offer}/escrow/{step}", 404)
    for _ in range(2):
        assert there.post(seller, confirm)["status"] == "confirmed"  # the seller cannot speak for the buyer
    assert there.get(seller, f"marketplace/offers/{offer}")["next"] == "wait_for_confirmation"
    assert there.get(buyer, f"marketplace/offers/{offer}")["next"] == "confirm_handover"
    assert there.post(buyer, confirm)["status"] == "completed"
    shown = there.get(buyer, f"marketplace/offers/{offer}")
    assert (shown["next"], shown["escrowKind"], shown["escrow"]["isDirect"]) == ("none", "direct", True)
    assert there.events(listing)[-1] == "listing.sold"
    assert there.get(buyer, f"marketplace/listings/{listing}")["status"] == "sold"
    calls = "SELECT 1 FROM marketplace.escrow_call WHERE escrow_id = %s"
    assert there.postgres.execute(calls, (escrow_id(UUID(offer)),)).fetchone() is None
    done = "The deal for “Reviews of VPN services” at $40,000 is complete: both sides have confirmed it"
    assert done in there.told(seller)


def test_nobody_is_erased_out_of_an_open_deal(there: Market, seller: Person, buyer: Person, admin: Person) -> None:
    _, offer = agreed(there, seller, buyer, admin)
    for side in (seller, buyer):
        with pytest.raises(CommandRejected) as refusal:
            erase_account(there.api.core, side.account_id, Client())
        assert refusal.value.code == "deal_open"
    for side in (seller, buyer):
        there.post(side, f"marketplace/offers/{offer}/direct/confirm")
    erase_account(there.api.core, seller.account_id, Client())
    assert there.get(buyer, f"marketplace/offers/{offer}")["escrow"]["status"] == "completed"


def test_a_dispute_is_a_record_of_an_admin_who_is_no_side(
    there: Market, seller: Person, buyer: Person, admin: Person
) -> None:
    listing, offer = agreed(there, seller, buyer, admin)
    there.post(seller, f"marketplace/offers/{offer}/direct/confirm")
    there.post(seller, f"marketplace/offers/{offer}/direct/cancel", 409)
    there.get(admin, f"marketplace/offers/{offer}", 404)
    there.post(buyer, f"marketplace/offers/{offer}/direct/dispute", text="I was sent another website.")
    [row] = [one for one in there.get(admin, "admin/marketplace/disputes") if one["offerId"] == offer]
    assert row["isDirect"] is True
    close = f"admin/marketplace/offers/{offer}/close"
    there.post(seller, close, 403, isSold=True, reason="Mine")
    there.post(admin, f"marketplace/offers/{offer}/messages", 201, text="What does the registrar say?")
    there.post(admin, close, isSold=False, reason="The domain was never transferred.")
    assert there.get(buyer, f"marketplace/offers/{offer}")["escrow"]["decisionReason"]
    assert there.get(None, f"marketplace/listings/{listing}")["status"] == "active"
    there.post(admin, close, 409, isSold=True, reason="Again")


def test_a_deal_that_nobody_confirms_ends_and_frees_the_website(
    there: Market, seller: Person, buyer: Person, admin: Person
) -> None:
    listing, offer = agreed(there, seller, buyer, admin)
    there.later = timedelta(days=31)
    there.run_due()
    assert there.get(buyer, f"marketplace/offers/{offer}")["escrowStatus"] == "cancelled"
    assert there.events(listing)[-1] == "listing.freed"


def test_a_side_that_does_not_respond_is_reminded_once_and_the_website_counts_as_sold(
    there: Market, seller: Person, buyer: Person, admin: Person
) -> None:
    listing, offer = agreed(there, seller, buyer, admin)
    there.post(seller, f"marketplace/offers/{offer}/direct/confirm")
    there.later = timedelta(days=8)
    there.run_due()
    there.run_due()
    assert there.get(buyer, f"marketplace/offers/{offer}")["escrow"]["inspectUntil"] is not None
    reminders = [one for one in there.mails("deal_news", buyer) if "you have not responded" in one]
    assert len(reminders) == 1 and not any("you have not responded" in one for one in there.mails("deal_news", seller))
    there.later = timedelta(days=23)
    there.run_due()
    shown = there.get(seller, f"marketplace/offers/{offer}")["escrow"]
    assert (shown["status"], shown["buyerConfirmedAt"]) == ("completed", None)
    assert there.events(listing)[-1] == "listing.sold"
    assert (
        "The deal for “Reviews of VPN services” at $40,000 is complete: one side confirmed it, and the other did not"
        " respond in time" in there.told(buyer)
    )


def test_a_single_admin_sells_with_the_review_of_a_member_whom_they_invite(
    there: Market, buyer: Person, admin: Person
) -> None:
    reviewer, rival = there.person("Hildur"), there.person("Rival")
    listing, other = there.draft(admin), there.draft(admin)
    for one in (listing, other):
        there.post(admin, f"marketplace/listings/{one}/submit")
    there.post(admin, f"admin/marketplace/listings/{listing}/approve", 403, edition=1)
    there.post(rival, f"marketplace/listings/{listing}/reviewer", 404)
    url = there.post(admin, f"marketplace/listings/{listing}/reviewer", 201)["url"]
    token = url.partition("#")[2]
    review = f"marketplace/listings/{listing}/review"
    there.get(reviewer, f"marketplace/listings/{listing}", 404)
    there.post(admin, f"{review}/join", 403, token=token)
    there.post(reviewer, f"{review}/join", 404, token=uuid4().hex)
    there.post(reviewer, f"marketplace/listings/{other}/review/join", 404, token=token)
    there.post(reviewer, f"{review}/join", token=token)
    there.post(rival, f"{review}/join", 404, token=token)
    shown = there.get(reviewer, f"marketplace/listings/{listing}")
    assert (shown["isReviewer"], shown["edition"], shown["websiteId"]) == (True, 1, None)
    there.get(reviewer, f"marketplace/listings/{other}", 404)
    for stranger in (admin, rival):
        there.post(stranger, f"{review}/approve", 404, edition=1)
    there.post(reviewer, f"marketplace/listings/{other}/review/approve", 404, edition=1)
    there.post(reviewer, f"admin/marketplace/listings/{listing}/approve", 403, edition=1)
    assert there.post(reviewer, f"{review}/approve", edition=1)["status"] == "active"
    steps = there.get(admin, f"marketplace/listings/{listing}/history")
    assert [(one["kind"], one["by"]) for one in steps[-2:]] == [
        ("listing.reviewer_joined", "reviewer"),
        ("listing.approved", "reviewer"),
    ]
    audited = there.postgres.execute(
        "SELECT actor_id, details FROM kernel.audit WHERE action = 'listing.approved' ORDER BY seq DESC LIMIT 1"
    ).fetchone()
    assert audited is not None and audited[0] == reviewer.account_id and audited[1]["by_reviewer"] is True
    allow(there, admin)
    offer = there.offer(buyer, listing)
    there.post(admin, f"marketplace/offers/{offer}/accept", price=40_000, withoutEscrow=True)
    for side in (buyer, admin):
        there.post(side, f"marketplace/offers/{offer}/direct/confirm")
    assert there.events(listing)[-1] == "listing.sold"
