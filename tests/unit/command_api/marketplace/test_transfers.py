"""The transfer of a sold website: given this deal, when one side agrees or says no, then these events."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from uuid import uuid4

import pytest

from command_api.domains import model as domains
from command_api.kernel.decision import CommandContext
from command_api.marketplace import offers, transfers
from command_api.marketplace.listings import model as listings
from command_api.marketplace.listings.model import Listing
from command_api.marketplace.offers import Offer
from command_api.websites import model as websites
from command_api.websites.model import Website, WebsiteKeyState
from schemas.base import ERASED
from schemas.events.domains import DomainAdded, DomainVerified
from schemas.events.websites import KeyKind, WebsiteConnected, WebsiteTransferred
from schemas.identity import domain_id, host_id
from tests.support.events import names
from tests.support.given_when_then import given, rejected
from tests.unit.command_api.marketplace.test_model import (
    ADMIN,
    BUYER,
    ESCROW,
    FACTS,
    LISTING,
    NOW,
    OFFER,
    OTHER,
    SELLER,
    active,
    dollars,
    folded,
)

SITE, SITE_KEY, SECRET_KEY, TOKEN, OLD_KEY = (uuid4() for _ in range(5))
assert SELLER.account_id is not None and BUYER.account_id is not None


def website(**changes: object) -> Website:
    keys = {
        SITE_KEY: WebsiteKeyState(KeyKind.SITE, hash="a"),
        SECRET_KEY: WebsiteKeyState(KeyKind.SECRET, hash="b"),
        TOKEN: WebsiteKeyState(KeyKind.POSTBACK, hash="c"),
        OLD_KEY: WebsiteKeyState(KeyKind.SECRET, hash="d", revoked=True),
    }
    values = {"domain": "www.vpn-reviews.com", "timezone": "UTC", "currency": "USD", "created_at": NOW, "keys": keys}
    return replace(Website(SITE, 5, SELLER.require_account(), **values), **changes)  # type: ignore[arg-type]


def sold(site: bool = True) -> Listing:
    offer = accepted()
    figures = FACTS.figures.model_copy(update={"website_id": SITE if site else None})
    listing = replace(active(), details=replace(FACTS, figures=figures))
    reserved = listings.reserve(listing, offer.id, offer.buyer_id, SELLER)
    listing = folded(listings.evolve, listing, reserved)
    return folded(listings.evolve, listing, listings.sell(listing, offer.id, SELLER))


def accepted() -> Offer:
    offer = offers.evolve(None, offers.send(OFFER, active(), dollars(40_000), "", BUYER))
    return offers.evolve(offer, offers.accept(offer, dollars(40_000).amount, ESCROW, SELLER, directly=True))


def proposed() -> Offer:
    return folded(offers.evolve, accepted(), transfers.propose(accepted(), sold(), website(), SELLER))


def moved() -> Offer:
    return offers.evolve(proposed(), transfers.accept(proposed(), sold(), website(), BUYER))


def test_the_website_moves_when_the_seller_and_then_the_buyer_have_agreed() -> None:
    assert names(transfers.propose(accepted(), sold(), website(), SELLER)) == ["offer.transfer_proposed"]
    assert transfers.propose(proposed(), sold(), website(), SELLER) == []
    assert (proposed().transfer, proposed().transfer_of) == ("proposed", SITE)
    assert transfers.accept(proposed(), sold(), website(), BUYER).website_id == SITE
    assert moved().transfer == "accepted"


def test_either_side_may_say_no_until_then_and_the_seller_may_propose_it_again() -> None:
    withdrawn = transfers.withdraw(proposed(), SELLER)
    declined = [*transfers.decline(proposed(), BUYER)]
    assert (names(withdrawn), names(declined)) == (["offer.transfer_withdrawn"], ["offer.transfer_declined"])
    for no in (withdrawn, declined):
        offer = folded(offers.evolve, proposed(), no)
        assert transfers.withdraw(offer, SELLER) == []
        given().when(transfers.accept, offer, sold(), website(), BUYER).then(rejected("not_proposed"))
        given().when(transfers.decline, offer, BUYER).then(rejected("not_proposed"))
        assert names(transfers.propose(offer, sold(), website(), SELLER)) == ["offer.transfer_proposed"]


def test_it_is_final() -> None:
    for step in (
        partial(transfers.propose, moved(), sold(), website(), SELLER),
        partial(transfers.withdraw, moved(), SELLER),
        partial(transfers.decline, moved(), BUYER),
        partial(transfers.accept, moved(), sold(), website(), BUYER),
    ):
        given().when(step).then(rejected("transferred"))


@pytest.mark.parametrize("stranger", [OTHER, ADMIN])
def test_it_is_a_matter_of_the_two_sides_alone(stranger: CommandContext) -> None:
    for who, code in ((stranger, "not_found"), (BUYER, "not_yours")):
        given().when(transfers.propose, accepted(), sold(), website(), who).then(rejected(code))
        given().when(transfers.withdraw, proposed(), who).then(rejected(code))
    for who, code in ((stranger, "not_found"), (SELLER, "not_yours")):
        given().when(transfers.accept, proposed(), sold(), website(), who).then(rejected(code))
        given().when(transfers.decline, proposed(), who).then(rejected(code))


@pytest.mark.parametrize(
    ("listing", "site", "code"),
    [
        (active(), website(), "not_sold"),
        (replace(sold(), offer_id=uuid4()), website(), "not_sold"),
        (sold(site=False), None, "no_website"),
        (sold(), None, "website_gone"),
        (sold(), website(disconnected=True), "website_gone"),
        (sold(), website(account_id=uuid4()), "website_gone"),
        (sold(), website(domain="another.example"), "website_changed"),
    ],
)
def test_only_the_website_that_was_sold_moves(listing: Listing, site: Website | None, code: str) -> None:
    assert listing.id == LISTING
    given().when(transfers.propose, accepted(), listing, site, SELLER).then(rejected(code))
    given().when(transfers.accept, proposed(), listing, site, BUYER).then(rejected(code))


def test_keys_that_are_secrets_end_with_the_move_and_the_site_key_goes_on() -> None:
    events = websites.transfer(website(), SELLER.require_account(), BUYER.require_account(), OFFER, BUYER)
    assert names(events) == ["website.key_revoked", "website.key_revoked", "website.transferred"]
    after = folded(websites.evolve, website(), events)
    assert after.account_id == BUYER.account_id
    assert {id_ for id_, key in after.keys.items() if not key.revoked} == {SITE_KEY}


def test_the_websites_name_stays_known_when_the_seller_is_erased() -> None:
    head = {"originator_id": SITE, "timestamp": NOW}
    values = {"account_id": SELLER.account_id, "domain": ERASED, "timezone": "UTC", "currency": "USD"}
    connected = WebsiteConnected(**head, originator_version=1, **values)
    sides = {"account_id": BUYER.account_id, "from_id": SELLER.account_id, "offer_id": OFFER}
    transferred = WebsiteTransferred(**head, originator_version=2, **sides, domain="vpn-reviews.com")
    assert folded(websites.evolve, None, [connected, transferred]).domain == "vpn-reviews.com"


def test_a_verified_domain_moves_with_its_record_and_its_host() -> None:
    name, seller, buyer = "go.vpn-reviews.com", SELLER.require_account(), BUYER.require_account()
    id_ = domain_id(seller, name)
    values = {"account_id": seller, "website_id": SITE, "domain": name, "token": "t" * 40, "expires_at": NOW}
    added = DomainAdded(originator_id=id_, originator_version=1, timestamp=NOW, **values)
    verified = DomainVerified(originator_id=id_, originator_version=2, timestamp=NOW)
    domain = replace(folded(domains.evolve, None, [added, verified]), ssl=True)
    events = domains.transfer(domain, None, domains.Host(1, id_), buyer, BUYER)
    assert names(events) == [
        "domain.added",
        "domain.verified",
        "host.claimed",
        "domain.tls_seen",
        "domain.removed",
    ]
    new_id = domain_id(buyer, name)
    new = folded(domains.evolve, None, [one for one in events if one.originator_id == new_id])
    assert (new.account_id, new.website_id, new.token, new.is_verified, new.ssl) == (buyer, SITE, "t" * 40, True, True)
    [reserved] = [one for one in events if one.originator_id == host_id(name)]
    assert domains.evolve_host(None, reserved) == domains.Host(2, new_id)
    assert folded(domains.evolve, domain, [one for one in events if one.originator_id == id_]).removed
