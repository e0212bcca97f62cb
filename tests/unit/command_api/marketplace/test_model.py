"""Listings, offers and escrow: given this history, when a command comes, then these events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from itertools import product
from typing import Any, TypeVar
from uuid import uuid4

import hypothesis
import pytest
from hypothesis import strategies as st
from PIL import Image

from command_api.kernel.decision import CommandContext, CommandRejected
from command_api.kernel.images.model import reencode
from command_api.marketplace import offers, questions
from command_api.marketplace.escrow import model as escrow
from command_api.marketplace.listings import model as listings
from command_api.marketplace.listings.details import ListingDetails, same_website
from command_api.marketplace.listings.measurement import whole_months
from command_api.marketplace.listings.model import Listing
from command_api.marketplace.schemas import Write
from infra.domain.escrow_provider import BadSignature, sign, verified
from schemas.base import DomainEvent, Money
from schemas.events.marketplace import EscrowDecided, ListingFigures, MeasuredMonth, MeasuredShare
from tests.support.events import names
from tests.support.given_when_then import given, rejected

State = TypeVar("State")
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SELLER, BUYER, OTHER, ADMIN = (CommandContext(NOW, uuid4()) for _ in range(4))
ADMIN = replace(ADMIN, is_admin=True)
LISTING, OFFER, ESCROW = uuid4(), uuid4(), uuid4()


def dollars(dollars: int) -> Money:
    return Money(amount=dollars * 100, currency="USD")


FACTS = ListingDetails(
    title="Reviews of VPN services",
    website_url="https://vpn-reviews.com",
    description="Twelve years of honest reviews, all of them written by us.",
    figures=ListingFigures(
        niche="vpn",
        asking_price=dollars(45_000),
        monthly_revenue=dollars(1_500),
        monthly_profit=dollars(1_200),
        monthly_traffic=30_000,
        years_established=4.5,
    ),
)


def folded(evolve: Callable[[Any, Any], State], state: State | None, events: Sequence[DomainEvent]) -> State:
    for event in events:
        state = evolve(state, event)
    assert state is not None
    return state


def drafted(facts: ListingDetails = FACTS) -> Listing:
    return listings.evolve(None, listings.draft(LISTING, facts, SELLER))


def in_review() -> Listing:
    listing = drafted()
    return folded(listings.evolve, listing, listings.submit(listing, SELLER))


def active() -> Listing:
    listing = in_review()
    return folded(listings.evolve, listing, listings.approve(listing, 1, ADMIN))


def with_figures(**changes: Any) -> ListingDetails:
    return replace(FACTS, figures=FACTS.figures.model_copy(update=changes))


# Listings


def test_a_listing_goes_from_draft_through_the_review_to_active() -> None:
    listing = active()
    assert (listing.status, listing.expires_at) == ("active", NOW + timedelta(days=90))


@pytest.mark.parametrize(
    ("facts", "field"),
    [
        (replace(FACTS, title="Shop"), "title"),
        (replace(FACTS, website_url="javascript:alert(1)"), "websiteUrl"),
        (replace(FACTS, website_url="http://127.0.0.1/"), "websiteUrl"),
        (replace(FACTS, website_url="https://a:b@shop.com/"), "websiteUrl"),
        (replace(FACTS, description="Nice."), "description"),
        (with_figures(niche=None), "niche"),
        (with_figures(asking_price=None), "askingPrice"),
        (with_figures(asking_price=dollars(0)), "askingPrice"),
        (with_figures(monthly_traffic=None), "monthlyTraffic"),
        (with_figures(years_established=None), "yearsEstablished"),
    ],
)
def test_what_is_missing_is_named(facts: ListingDetails, field: str) -> None:
    given(drafted(facts)).when(listings.submit, SELLER).then(rejected(field=field))


def test_a_draft_may_leave_anything_out_and_is_nobody_elses() -> None:
    empty = drafted(ListingDetails("", "", "", ListingFigures()))
    given(empty).when(listings.edit, FACTS, 1, SELLER).then("listing.edited")
    for who in (BUYER, ADMIN):
        given(empty).when(listings.edit, FACTS, 1, who).then(rejected("not_found"))


def test_two_windows_of_one_seller_notice_each_other() -> None:
    listing = drafted()
    changed = folded(listings.evolve, listing, listings.edit(listing, with_figures(monthly_traffic=1), 1, SELLER))
    assert changed.edition == 2
    given(changed).when(listings.edit, FACTS, 1, SELLER).then(rejected("changed_elsewhere"))
    given(changed).when(listings.edit, changed.details, 2, SELLER).then()


def test_a_detail_that_changes_goes_back_into_the_review_and_a_price_does_not() -> None:
    listing = active()
    given(listing).when(listings.edit, with_figures(asking_price=dollars(40_000)), 1, SELLER).then("listing.edited")
    again = listings.edit(listing, with_figures(monthly_revenue=dollars(9_000)), 1, SELLER)
    assert names(again) == ["listing.edited", "listing.submitted"]
    assert folded(listings.evolve, listing, again).status == "in_review"
    given(listing).when(listings.change_images, ["a" * 64], SELLER).then("listing.images_changed", "listing.submitted")


def test_an_admin_approves_only_what_was_looked_at() -> None:
    listing = in_review()
    changed = folded(listings.evolve, listing, listings.edit(listing, with_figures(monthly_traffic=1), 1, SELLER))
    given(changed).when(listings.approve, 1, ADMIN).then(rejected("changed_elsewhere"))
    given(changed).when(listings.approve, 2, ADMIN).then("listing.approved")


def test_a_rejected_listing_may_be_tried_again_and_a_suspended_one_waits_for_the_admin() -> None:
    listing = in_review()
    sent_back = folded(listings.evolve, listing, listings.reject(listing, "No source.", ADMIN))
    given(sent_back).when(listings.submit, SELLER).then("listing.submitted")
    listing = active()
    suspended = folded(listings.evolve, listing, listings.suspend(listing, "Stolen.", ADMIN))
    given(suspended).when(listings.submit, SELLER).then(rejected("wrong_state"))
    assert folded(listings.evolve, suspended, listings.resume(suspended, ADMIN)).status == "active"


def test_a_listing_ends_after_ninety_days_and_not_before() -> None:
    listing = active()
    given(listing).when(listings.expire, CommandContext(NOW + timedelta(days=89))).then()
    ended = folded(listings.evolve, listing, listings.expire(listing, CommandContext(NOW + timedelta(days=90))))
    assert ended.status == "expired"
    given(ended).when(listings.submit, SELLER).then("listing.submitted")


def test_of_two_offers_one_finds_the_listing_open() -> None:
    listing = active()
    reserved = folded(listings.evolve, listing, listings.reserve(listing, OFFER, uuid4(), SELLER))
    given(reserved).when(listings.reserve, uuid4(), uuid4(), SELLER).then(rejected("taken"))
    given(reserved).when(listings.edit, FACTS, 1, SELLER).then(rejected("wrong_state"))
    given(reserved).when(listings.withdraw, SELLER).then(rejected("wrong_state"))
    given(reserved).when(listings.sell, uuid4(), SELLER).then(rejected("wrong_state"))
    assert folded(listings.evolve, reserved, listings.free(reserved, OFFER, SELLER)).status == "active"


def test_eight_images_are_the_most_and_none_twice() -> None:
    listing = drafted()
    hashes = [f"{number:064d}" for number in range(9)]
    given(listing).when(listings.change_images, hashes, SELLER).then(rejected("too_many_images"))
    given(listing).when(listings.change_images, hashes[:1] * 2, SELLER).then(rejected("same_image"))


def test_measured_figures_are_compared_with_the_stated_ones() -> None:
    website = uuid4()
    listing = drafted(with_figures(website_id=website))
    months = [
        MeasuredMonth(month=date(2026, 9, 1), visitors=20_000, pageviews=50_000, revenue=dollars(900)),
        MeasuredMonth(month=date(2026, 10, 1), visitors=30_000, pageviews=70_000, revenue=dollars(1_100)),
    ]
    share = MeasuredShare(months=2, months_in_log=2, traffic=100.0, revenue=100.0)
    [found] = listings.verify(listing, months, dollars(2_000), share, CommandContext(NOW), website)
    told = found.model_dump()
    assert (told["monthly_traffic"], told["traffic_difference"]) == (25_000, 20.0)
    assert (told["monthly_revenue"]["amount"], told["revenue_difference"]) == (100_000, 50.0)


def test_a_measured_website_has_to_be_the_one_that_is_for_sale() -> None:
    assert same_website("https://www.shop.com/about", "shop.com")
    assert same_website("http://shop.com:8080", "www.shop.com")
    assert not same_website("https://shop.com.evil.net/", "shop.com")
    assert same_website("https://Bücher.de/", "xn--bcher-kva.de")
    assert not same_website("https://notshop.com", "shop.com")
    for odd in ("", "shop.com", "https://shop.com@evil.net", "https://evil.net?.shop.com", "javascript:shop.com"):
        assert not same_website(odd, "shop.com"), odd


def test_twelve_whole_months_end_before_this_one() -> None:
    months = whole_months(date(2026, 1, 15))
    assert (len(months), months[0], months[-1]) == (13, date(2025, 1, 1), date(2026, 1, 1))


# Offers


def sent(price: int = 40_000) -> offers.Offer:
    return offers.evolve(None, offers.send(OFFER, active(), dollars(price), "Hello", BUYER))


def test_who_was_named_a_price_has_the_turn() -> None:
    offer = sent()
    given(offer).when(offers.accept, 40_000_00, ESCROW, BUYER).then(rejected("not_your_turn"))
    given(offer).when(offers.accept, 1, ESCROW, SELLER).then(rejected("price_changed"))
    given(offer).when(offers.counter, dollars(40_000), "", SELLER).then(rejected("same_price"))
    countered = folded(offers.evolve, offer, [offers.counter(offer, dollars(43_000), "A little more", SELLER)])
    assert (countered.turn, countered.status, countered.price) == ("buyer", "countered", dollars(43_000))
    accepted = folded(offers.evolve, countered, [offers.accept(countered, 43_000_00, ESCROW, BUYER)])
    assert (accepted.status, accepted.escrow_id) == ("accepted", ESCROW)
    given(accepted).when(offers.withdraw, BUYER).then(rejected("offer_over"))


def test_nobody_offers_for_the_own_website_or_one_that_is_not_for_sale() -> None:
    given().when(offers.send, OFFER, active(), dollars(1), "", SELLER).then(rejected("own_listing"))
    given().when(offers.send, OFFER, drafted(), dollars(1), "", BUYER).then(rejected("not_found"))
    reserved = folded(listings.evolve, active(), listings.reserve(active(), uuid4(), uuid4(), SELLER))
    given().when(offers.send, OFFER, reserved, dollars(1), "", BUYER).then(rejected("taken"))


def test_an_offer_is_there_for_its_two_sides_alone() -> None:
    offer = sent()
    for who in (OTHER, ADMIN):
        given(offer).when(offers.decline, who).then(rejected("not_found"))
        given(offer).when(offers.write, "Hi", who, is_disputed=False).then(rejected("not_found"))
    assert offers.write(offer, "Hi", ADMIN, is_disputed=True).side == "admin"
    given(offer).when(offers.write, "Hi", OTHER, is_disputed=True).then(rejected("not_found"))
    given(offer).when(offers.withdraw, SELLER).then(rejected("not_yours"))


def test_an_offer_that_nobody_answers_ends_after_a_week() -> None:
    offer = sent()
    late = CommandContext(NOW + timedelta(days=7))
    given(offer).when(offers.expire, CommandContext(NOW + timedelta(days=6))).then()
    given(offer).when(offers.accept, 40_000_00, ESCROW, replace(SELLER, at=late.at)).then(rejected("offer_over"))
    assert folded(offers.evolve, offer, offers.expire(offer, late)).status == "expired"
    given(offer).when(offers.expire, CommandContext(NOW), sold_to_another=True).then("offer.expired")


# Escrow


def agreed() -> escrow.Escrow:
    events = escrow.agree(ESCROW, sent(), SELLER)
    state = folded(escrow.evolve, None, events)
    assert escrow.call_after(state, events[0]) == escrow.Call("open")
    return state


def after_decision(state: escrow.Escrow, decision: list[DomainEvent]) -> escrow.Escrow:
    return folded(escrow.evolve, state, decision)


def call_after(state: escrow.Escrow, decision: list[DomainEvent]) -> escrow.Call | None:
    [event] = decision
    return escrow.call_after(after_decision(state, decision), event)


def funded() -> escrow.Escrow:
    return after_decision(agreed(), escrow.funded(agreed(), "tx_1", dollars(40_000), CommandContext(NOW)))


def inspecting() -> escrow.Escrow:
    delivered = after_decision(funded(), escrow.deliver(funded(), SELLER))
    return after_decision(delivered, escrow.confirm_receipt(delivered, BUYER))


def disputed() -> escrow.Escrow:
    return after_decision(funded(), escrow.dispute(funded(), "Nothing comes.", BUYER))


def test_money_goes_to_the_seller_once_the_buyer_is_content_and_the_provider_says_so() -> None:
    decision = escrow.accept(inspecting(), BUYER)
    assert call_after(inspecting(), decision) == escrow.Call("settle", to_seller=40_000_00)
    accepted = after_decision(inspecting(), decision)
    assert accepted.status == "accepted"
    released = after_decision(accepted, escrow.settled(accepted, "tx_1", 40_000_00, 0, CommandContext(NOW)))
    assert released.status == "released"
    given(released).when(escrow.settled, "tx_1", 40_000_00, 0, CommandContext(NOW)).then()


def test_a_payout_that_was_not_requested_is_rejected() -> None:
    for state in (agreed(), funded(), inspecting(), disputed()):
        given(state).when(escrow.settled, "tx_1", 40_000_00, 0, CommandContext(NOW)).then(rejected("not_asked_for"))
    accepted = after_decision(inspecting(), escrow.accept(inspecting(), BUYER))
    given(accepted).when(escrow.settled, "tx_1", 0, 40_000_00, CommandContext(NOW)).then(rejected("not_asked_for"))
    given(accepted).when(escrow.settled, "tx_2", 40_000_00, 0, CommandContext(NOW)).then(
        rejected("another_transaction")
    )


def test_messages_that_come_twice_or_before_the_answer_change_nothing_more() -> None:
    given(funded()).when(escrow.funded, "tx_1", dollars(40_000), CommandContext(NOW)).then()
    given(funded()).when(escrow.opened, "tx_1", "https://pay.example", CommandContext(NOW)).then()
    given(agreed()).when(escrow.funded, "tx_1", dollars(1), CommandContext(NOW)).then(rejected("wrong_amount"))


def test_money_that_comes_after_the_deal_was_cancelled_goes_back() -> None:
    cancelled = after_decision(agreed(), escrow.cancel(agreed(), BUYER))
    decision = escrow.funded(cancelled, "tx_1", dollars(40_000), CommandContext(NOW))
    assert call_after(cancelled, decision) == escrow.Call("settle", to_buyer=40_000_00)
    late = after_decision(cancelled, decision)
    assert (late.status, escrow.funded(late, "tx_1", dollars(40_000), CommandContext(NOW))) == ("cancelled", [])
    assert after_decision(late, escrow.settled(late, "tx_1", 0, 40_000_00, CommandContext(NOW))).status == "refunded"


def test_time_moves_a_deal_on() -> None:
    state = agreed()
    unpaid = escrow.after_time(state, CommandContext(NOW + timedelta(days=7)))
    assert (names(unpaid), call_after(state, unpaid)) == (["escrow.cancelled"], escrow.Call("cancel"))
    delivered = after_decision(funded(), escrow.deliver(funded(), SELLER))
    given(delivered).when(escrow.after_time, CommandContext(NOW + timedelta(days=2))).then()
    looked_at = after_decision(delivered, escrow.after_time(delivered, CommandContext(NOW + timedelta(days=3))))
    assert looked_at.status == "inspecting"
    accepted = escrow.after_time(looked_at, CommandContext(NOW + timedelta(days=6)))
    assert (names(accepted), call_after(looked_at, accepted)) == (
        ["escrow.accepted"],
        escrow.Call("settle", to_seller=40_000_00),
    )
    for state in (funded(), disputed()):
        given(state).when(escrow.after_time, CommandContext(NOW + timedelta(days=900))).then()


@pytest.mark.parametrize(
    ("outcome", "part", "to_seller", "to_buyer"),
    [("release", None, 40_000_00, 0), ("refund", None, 0, 40_000_00), ("split", 10_000_00, 10_000_00, 30_000_00)],
)
def test_an_admin_decides_a_dispute(outcome: Any, part: int | None, to_seller: int, to_buyer: int) -> None:
    decision = escrow.decide(disputed(), outcome, part, "The thread says so.", ADMIN)
    assert call_after(disputed(), decision) == escrow.Call("settle", to_seller, to_buyer)
    decided = after_decision(disputed(), decision)
    given(decided).when(escrow.decide, "refund", None, "Again", ADMIN).then(rejected("decided"))
    paid = after_decision(decided, escrow.settled(decided, "tx_1", to_seller, to_buyer, CommandContext(NOW)))
    assert paid.status == ("refunded" if to_seller == 0 else "released")


def test_each_step_is_for_its_own_side() -> None:
    delivered = after_decision(funded(), escrow.deliver(funded(), SELLER))
    for call in (
        lambda: escrow.deliver(funded(), BUYER),
        lambda: escrow.confirm_receipt(delivered, SELLER),
        lambda: escrow.accept(delivered, SELLER),
    ):
        given().when(call).then(rejected("not_yours"))
    given(funded()).when(escrow.dispute, "x", OTHER).then(rejected("not_found"))
    given(agreed()).when(escrow.dispute, "x", BUYER).then(rejected("wrong_state"))
    given(funded()).when(escrow.cancel, BUYER).then(rejected("wrong_state"))
    given(funded()).when(escrow.decide, "refund", None, "x", ADMIN).then(rejected("wrong_state"))
    own = replace(SELLER, is_admin=True)
    given(disputed()).when(escrow.decide, "release", None, "x", own).then(rejected("own_deal"))
    for part in (None, 0, 40_000_00):
        given(disputed()).when(escrow.decide, "split", part, "x", ADMIN).then(rejected("bad_split"))


ACTIONS: dict[str, Callable[[escrow.Escrow, CommandContext], list[DomainEvent]]] = {
    "deliver": escrow.deliver,
    "confirm": escrow.confirm_receipt,
    "accept": escrow.accept,
    "dispute": lambda state, context: escrow.dispute(state, "Why", context),
    "cancel": escrow.cancel,
    "decide": lambda state, context: escrow.decide(state, "refund", None, "Because", context),
    "funded": lambda state, context: escrow.funded(state, "tx_1", dollars(40_000), context),
    "settled": lambda state, context: escrow.settled(state, "tx_1", 40_000_00, 0, context),
}


def in_every_state() -> dict[str, escrow.Escrow]:
    delivered = after_decision(funded(), escrow.deliver(funded(), SELLER))
    accepted = after_decision(inspecting(), escrow.accept(inspecting(), BUYER))
    cancelled = after_decision(agreed(), escrow.cancel(agreed(), BUYER))
    late = after_decision(cancelled, escrow.funded(cancelled, "tx_1", dollars(40_000), CommandContext(NOW)))
    decided = after_decision(disputed(), escrow.decide(disputed(), "release", None, "So", ADMIN))
    return {
        "agreed": agreed(),
        "funded": funded(),
        "delivered": delivered,
        "inspecting": inspecting(),
        "accepted": accepted,
        "disputed": disputed(),
        "decided": decided,
        "cancelled": cancelled,
        "late": late,
        "released": after_decision(accepted, escrow.settled(accepted, "tx_1", 40_000_00, 0, CommandContext(NOW))),
        "refunded": after_decision(late, escrow.settled(late, "tx_1", 0, 40_000_00, CommandContext(NOW))),
    }


def test_in_each_state_each_may_do_what_is_theirs_and_nothing_else() -> None:
    """`None`: it is accepted, and changes nothing. The provider's messages come from no account."""
    expected: dict[str, dict[str, str | None]] = {
        "agreed": {"cancel buyer": "cancelled", "cancel seller": "cancelled", "funded provider": "funded"},
        "funded": {"deliver seller": "delivered", "dispute buyer": "disputed", "dispute seller": "disputed"},
        "delivered": {
            "confirm buyer": "inspecting",
            "accept buyer": "accepted",
            "dispute buyer": "disputed",
            "dispute seller": "disputed",
        },
        "inspecting": {"accept buyer": "accepted", "dispute buyer": "disputed", "dispute seller": "disputed"},
        "accepted": {"settled provider": "released"},
        "disputed": {"decide admin": "disputed"},
        "decided": {"settled provider": "released"},
        "cancelled": {"funded provider": "cancelled"},
        "late": {},
        "released": {"settled provider": None},
        "refunded": {"settled provider": None},
    }
    told_before: dict[str, str | None] = {"funded provider": None}
    actors = {"buyer": BUYER, "seller": SELLER, "other": OTHER, "admin": ADMIN, "provider": CommandContext(NOW)}
    for name, state in in_every_state().items():
        found: dict[str, str | None] = {}
        for (action, decide), (actor, context) in product(ACTIONS.items(), actors.items()):
            if (actor == "provider") != (action in ("funded", "settled")):
                continue
            try:
                decision = decide(state, context)
            except CommandRejected:
                continue
            found[f"{action} {actor}"] = after_decision(state, decision).status if decision else None
        assert found == (told_before if name not in ("agreed", "cancelled") else {}) | expected[name], name


@hypothesis.given(
    price=st.integers(2, 2**53), part=st.integers(1, 2**53), currency=st.sampled_from(["USD", "JPY", "KWD"])
)
def test_a_split_gives_away_all_of_the_price_to_the_smallest_unit(price: int, part: int, currency: str) -> None:
    state = replace(disputed(), price=Money(amount=price, currency=currency))
    to_seller = part % (price - 1) + 1 if price > 2 else 1
    [decided] = events = escrow.decide(state, "split", to_seller, "Half and half.", ADMIN)
    call = call_after(state, events)
    assert isinstance(decided, EscrowDecided) and call is not None
    assert decided.to_seller.amount + decided.to_buyer.amount == call.to_seller + call.to_buyer == price
    assert min(call.to_seller, call.to_buyer) > 0
    after = after_decision(state, events)
    for wrong in ((to_seller - 1, price - to_seller + 1), (price, 0), (to_seller, price), (-1, price + 1)):
        if wrong != (call.to_seller, call.to_buyer):
            given(after).when(escrow.settled, "tx_1", *wrong, CommandContext(NOW)).then(rejected("not_asked_for"))
    assert (
        after_decision(after, escrow.settled(after, "tx_1", call.to_seller, call.to_buyer, CommandContext(NOW))).status
        == "released"
    )


def test_neither_side_can_fill_a_thread_so_that_the_other_and_the_admin_are_silent() -> None:
    full = replace(sent(), messages_by={"buyer": offers.MAX_MESSAGES - 1})
    full = folded(offers.evolve, full, [offers.write(full, "The last", BUYER, is_disputed=False)])
    given(full).when(offers.write, "One more", BUYER, is_disputed=False).then(rejected("too_long"))
    assert offers.write(full, "But I", SELLER, is_disputed=False).side == "seller"
    assert offers.write(full, "And I", ADMIN, is_disputed=True).side == "admin"
    assert offers.counter(full, dollars(41_000), "", SELLER).side == "seller"
    assert offers.accept(full, 40_000_00, ESCROW, SELLER).side == "seller"


@pytest.mark.parametrize("text", ["", "  \n", "\u200b", "\u200b \u2060\ufeff", "\u0301"])
def test_words_that_nobody_can_see_are_none(text: str) -> None:
    with pytest.raises(ValueError, match="enter a text"):
        Write.model_validate({"text": text})


def test_words_are_kept_without_the_space_around_them() -> None:
    assert Write.model_validate({"text": " \u00e1 \U0001f44d\n"}).text == "\u00e1 \U0001f44d"


def test_the_provider_is_asked_about_money_that_has_to_come_or_to_go() -> None:
    waiting = {name for name, state in in_every_state().items() if state.awaits_provider}
    assert waiting == {"agreed", "accepted", "decided", "late"}


# Questions


def test_three_members_hide_a_question_and_an_admin_may_show_it_again() -> None:
    question = questions.evolve_question(None, questions.ask(uuid4(), active(), "Is the list included?", BUYER))
    flaggers = [CommandContext(NOW, uuid4()) for _ in range(3)]
    for who in (flaggers[0], flaggers[0], flaggers[1]):
        question = folded(questions.evolve_question, question, questions.flag(question, "spam", who))
    assert (len(question.flagged_by), question.hidden) == (2, False)
    events = questions.flag(question, "spam", flaggers[2])
    assert names(events) == ["listing_question.flagged", "listing_question.hidden"]
    hidden = folded(questions.evolve_question, question, events)
    shown = folded(questions.evolve_question, hidden, questions.restore(hidden, ADMIN))
    assert (shown.hidden, shown.flagged_by) == (False, frozenset())
    given(shown).when(questions.answer, "Yes.", BUYER).then(rejected("not_found"))
    given(shown).when(questions.answer, "Yes.", SELLER).then("listing_question.answered")


# Images


def picture(kind: str = "JPEG", size: tuple[int, int] = (40, 20), **more: Any) -> bytes:
    made = BytesIO()
    Image.new("RGB", size, "red").save(made, kind, **more)
    return made.getvalue()


def test_an_image_is_reencoded_upright_and_without_metadata() -> None:
    exif = Image.Exif()
    exif[0x0112], exif[0x010F] = 6, "Camera of Ada"  # turned by 90 degrees
    found = reencode(picture(exif=exif))
    assert b"Camera" not in found.body and b"EXIF" not in found.body
    with Image.open(BytesIO(found.body)) as image:
        assert (image.format, image.size, len(image.getexif())) == ("WEBP", (20, 40), 0)
    assert reencode(picture("PNG", (3_000, 1_500))).width == 1_600


@pytest.mark.parametrize(
    "sent",
    [b"", b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"GIF89a" + b"\0" * 40, picture()[:100], picture("BMP")],
    ids=["empty", "svg", "gif", "cut off", "bmp"],
)
def test_what_is_no_image_is_refused(sent: bytes) -> None:
    given().when(reencode, sent).then(rejected("no_image"))


def test_an_image_that_would_fill_the_memory_is_refused_before_it_is_unpacked() -> None:
    made = BytesIO()
    Image.new("1", (20_000, 20_000)).save(made, "PNG")
    assert len(made.getvalue()) < 200_000
    given().when(reencode, made.getvalue()).then(rejected("too_large"))
    given().when(reencode, b"\xff\xd8" + b"\0" * 5 * 2**20).then(rejected("too_large"))


# The provider's messages


SECRET, OLD = "whsec_c2VjcmV0IG9mIHRoZSBzYW5kYm94", "whsec_YW4gb2xkZXIgc2VjcmV0"


def test_a_message_is_believed_when_it_is_signed_and_fresh() -> None:
    body = b'{"type": "transaction.funded"}'
    headers = sign(SECRET, "msg_1", NOW, body)
    assert verified([SECRET], headers, body, NOW + timedelta(minutes=4)).id == "msg_1"
    assert verified([OLD, SECRET], headers, body, NOW).id == "msg_1"
    several = {**headers, "webhook-signature": f"v1,AAAA v1a,x {headers['webhook-signature']}"}
    assert verified([SECRET], several, body, NOW).id == "msg_1"


@pytest.mark.parametrize(
    ("changes", "body", "after"),
    [
        ({}, b'{"type": "transaction.settled"}', 0),
        ({"webhook-id": "msg_2"}, b"{}", 0),
        ({"webhook-timestamp": "1"}, b"{}", 0),
        ({"webhook-timestamp": "NaN"}, b"{}", 0),
        ({"webhook-signature": ""}, b"{}", 0),
        ({"webhook-signature": "v1,é"}, b"{}", 0),
        ({}, b"{}", 6),
        ({}, b"{}", -6),
    ],
)
def test_any_other_message_is_not(changes: dict[str, str], body: bytes, after: int) -> None:
    headers = {**sign(SECRET, "msg_1", NOW, b"{}"), **changes}
    with pytest.raises(BadSignature):
        verified([SECRET], headers, body, NOW + timedelta(minutes=after))


def test_the_published_example_of_the_standard_is_met() -> None:
    """Standard Webhooks, the reference libraries' own test vector."""
    secret, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", b'{"test": 2432232314}'
    at = datetime.fromtimestamp(1614265330, UTC)
    headers = sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", at, body)
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
