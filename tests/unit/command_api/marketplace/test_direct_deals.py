"""Deals without escrow, and reviews by an invited member: given this history, when a command comes, then these
events."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from command_api.kernel.decision import CommandContext
from command_api.marketplace import direct_deals, offers
from command_api.marketplace.direct_deals import DirectDeal
from command_api.marketplace.listings import model as listings
from command_api.marketplace.listings.model import Listing
from schemas.base import DomainEvent
from schemas.events import marketplace
from schemas.events.marketplace import OfferAccepted
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

KEY = "ab" * 32
SELLING_ADMIN = replace(SELLER, is_admin=True)


def agreed() -> DirectDeal:
    offer = offers.evolve(None, offers.send(OFFER, active(), dollars(40_000), "", BUYER))
    accepted = offers.accept(offer, dollars(40_000).amount, ESCROW, SELLER, directly=True)
    offer = offers.evolve(offer, accepted)
    assert offer.is_direct and isinstance(accepted, OfferAccepted) and accepted.is_direct
    return folded(direct_deals.evolve, None, direct_deals.agree(ESCROW, offer, SELLER))


def after(deal: DirectDeal, events: list[DomainEvent]) -> DirectDeal:
    return folded(direct_deals.evolve, deal, events)


@pytest.mark.parametrize(("first", "second"), [(SELLER, BUYER), (BUYER, SELLER)])
def test_a_website_is_sold_when_both_have_confirmed_in_any_order(first: CommandContext, second: CommandContext) -> None:
    once = direct_deals.confirm(agreed(), first)
    assert names(once) == ["direct_deal.confirmed"]
    deal = after(agreed(), once)
    assert deal.status == "confirmed" and direct_deals.confirm(deal, first) == []
    both = direct_deals.confirm(deal, second)
    assert names(both) == ["direct_deal.confirmed", "direct_deal.completed"]
    deal = after(deal, both)
    assert deal.is_over and direct_deals.confirm(deal, second) == []


def test_nobody_confirms_for_another() -> None:
    deal = after(agreed(), direct_deals.confirm(agreed(), SELLER))
    given(deal).when(direct_deals.confirm, SELLER).then()  # a second word of the seller is not the buyer's
    for who in (OTHER, ADMIN):
        for call in (direct_deals.confirm, direct_deals.cancel, partial(direct_deals.dispute, text="Mine")):
            given().when(call, deal, context=who).then(rejected("not_found"))


def test_either_side_may_cancel_until_one_has_confirmed() -> None:
    for who in (SELLER, BUYER):
        given(agreed()).when(direct_deals.cancel, who).then("direct_deal.cancelled")
    deal = after(agreed(), direct_deals.confirm(agreed(), BUYER))
    given(deal).when(direct_deals.cancel, SELLER).then(rejected("wrong_state"))


def test_a_deal_that_nobody_confirms_ends_after_thirty_days() -> None:
    late = replace(SELLER, at=NOW + timedelta(days=30), account_id=None)
    given(agreed()).when(direct_deals.after_time, replace(late, at=late.at - timedelta(seconds=1))).then()
    given(agreed()).when(direct_deals.after_time, late).then("direct_deal.cancelled")


@pytest.mark.parametrize(("who", "silent"), [(SELLER, "buyer"), (BUYER, "seller")])
def test_who_does_not_respond_is_reminded_and_then_the_website_counts_as_sold(who: CommandContext, silent: str) -> None:
    deal = after(agreed(), direct_deals.confirm(agreed(), who))
    system = CommandContext(NOW + timedelta(days=7), None)
    assert deal.due_at == system.at
    given(deal).when(direct_deals.after_time, replace(system, at=NOW + timedelta(days=6))).then()
    [reminded] = direct_deals.after_time(deal, system)
    assert isinstance(reminded, marketplace.DirectDealReminded) and reminded.side == silent
    deal = after(deal, [reminded])
    assert deal.due_at == NOW + timedelta(days=21) and direct_deals.after_time(deal, system) == []
    [completed] = direct_deals.after_time(deal, replace(system, at=NOW + timedelta(days=21)))
    assert isinstance(completed, marketplace.DirectDealCompleted) and completed.is_automatic
    disputed = after(deal, direct_deals.dispute(deal, "Nothing came.", BUYER if who is SELLER else SELLER))
    assert disputed.due_at is None


@pytest.mark.parametrize(("is_sold", "status"), [(True, "completed"), (False, "cancelled")])
def test_an_admin_who_is_no_side_records_how_a_dispute_ended(is_sold: bool, status: str) -> None:
    deal = after(agreed(), direct_deals.confirm(agreed(), SELLER))
    given(deal).when(direct_deals.close, "?", ADMIN, is_sold=is_sold).then(rejected("wrong_state"))
    deal = after(deal, direct_deals.dispute(deal, "Nothing came.", BUYER))
    given(deal).when(direct_deals.confirm, BUYER).then(rejected("wrong_state"))
    given(deal).when(direct_deals.close, "Mine", SELLING_ADMIN, is_sold=is_sold).then(rejected("own_deal"))
    given(deal).when(direct_deals.close, "Mine", OTHER, is_sold=is_sold).then(rejected("not_found"))
    assert after(deal, direct_deals.close(deal, "As the bank says", ADMIN, is_sold=is_sold)).status == status


def test_the_switch_is_off_until_an_admin_sets_it_and_is_idempotent() -> None:
    assert direct_deals.switch(None, ADMIN, allow=False) == []
    [on] = direct_deals.switch(None, ADMIN, allow=True)
    state = direct_deals.evolve_switch(None, on)
    assert on.actor_id == ADMIN.account_id and direct_deals.switch(state, ADMIN, allow=True) == []
    given(state).when(direct_deals.switch, ADMIN, allow=False).then("direct_deals.switched")


def invited() -> Listing:
    listing = listings.evolve(None, listings.draft(LISTING, FACTS, SELLER))
    listing = folded(listings.evolve, listing, listings.submit(listing, SELLER))
    return listings.evolve(listing, listings.invite_reviewer(listing, KEY, SELLING_ADMIN))


def test_the_invited_member_reviews_this_listing_and_the_history_names_them() -> None:
    [joined] = listings.join_review(invited(), KEY, OTHER)
    listing = listings.evolve(invited(), joined)
    assert isinstance(joined, marketplace.ListingReviewerJoined) and joined.reviewer_id == OTHER.account_id
    given(listing).when(listings.join_review, KEY, OTHER).then()
    [approved] = listings.approve(listings.require_reviewer(listing, OTHER), 1, OTHER)
    assert isinstance(approved, marketplace.ListingApproved)
    assert (approved.actor_id, approved.by_reviewer) == (OTHER.account_id, True)
    online = listings.evolve(listing, approved)
    assert online.status == "active"
    given(online).when(listings.require_reviewer, OTHER).then(rejected("not_found"))  # the role ends with the review
    given(online).when(listings.join_review, KEY, BUYER).then(rejected("not_found"))


def test_a_link_is_for_one_other_person_and_for_an_admin_who_sells_to_make() -> None:
    listing = invited()
    given(listing).when(listings.join_review, KEY, SELLING_ADMIN).then(rejected("own_listing"))
    given(listing).when(listings.join_review, "cd" * 32, OTHER).then(rejected("not_found"))
    late = replace(OTHER, at=NOW + timedelta(days=14))
    given(listing).when(listings.join_review, KEY, late).then(rejected("not_found"))
    joined = folded(listings.evolve, listing, listings.join_review(listing, KEY, OTHER))
    given(joined).when(listings.join_review, KEY, BUYER).then(rejected("not_found"))
    again = listings.evolve(joined, listings.invite_reviewer(joined, "cd" * 32, SELLING_ADMIN))
    given(again).when(listings.require_reviewer, OTHER).then(rejected("not_found"))  # a new link ends the old role
    given(listing).when(listings.invite_reviewer, KEY, SELLER).then(rejected("admins_only"))
    given(listing).when(listings.invite_reviewer, KEY, ADMIN).then(rejected("not_found"))
    for who in (SELLER, SELLING_ADMIN):
        given(listing).when(listings.approve, 1, who).then(rejected(says="another person"))
