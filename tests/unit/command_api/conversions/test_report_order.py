"""What reports of one sale come to does not depend on which of them arrives first: claims, shop, network, reversals."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from command_api.conversions import decisions, model
from command_api.kernel.decision import CommandContext
from schemas.base import Money
from schemas.tracking import ConversionReported
from tests.support.events import eur, usd
from tests.unit.command_api.conversions.test_merging import (
    ALFA,
    CLICKS,
    LARGE,
    NOW,
    OWNER,
    Projected,
    World,
    after,
    click_row,
    outcome,
    picture,
    report,
)

Said = dict[str, Any]
PIXEL: Said = {"key_kind": "site", "click_id": CLICKS[1], "amount": usd(LARGE)}
SHOP: Said = {"amount": usd(600_000)}


def network(**said: Any) -> Said:
    return {"key_kind": "postback", **said}


def received(*order: Said) -> list[ConversionReported]:
    """Reports as ingest makes them: the one that arrives later was received later."""
    return [report(number, **said) for number, said in enumerate(order, 1)]


def in_arrival_order(*said: Said) -> list[tuple[model.Conversion, tuple[Said, ...]]]:
    """The sale for every order of arrival in which the statuses keep their order, since the newest one counts."""
    deciding = [one for one in said if one.get("status")]
    orders = (order for order in permutations(said) if [one for one in order if one.get("status")] == deciding)
    return [(after(received(*order))[0], order) for order in orders]


def without_time(state: model.Conversion) -> Said:
    """Everything but the time of a sale that no report names, which is that of the first receipt."""
    found = picture(state)
    found["facts"].pop("occurred_at")
    return found


def assert_alike(*said: Said) -> model.Conversion:
    states = in_arrival_order(*said)
    pictures = [without_time(state) for state, _ in states]
    assert all(one == pictures[0] for one in pictures), pictures
    return states[0][0]


def test_a_refused_claim_keeps_its_click_for_the_shop_that_names_none() -> None:
    state = assert_alike(PIXEL, SHOP)
    assert state.facts.attribution is not None and state.facts.attribution.partner_id == ALFA.id
    assert (state.commission, state.facts.amount, state.status) == (60_000, usd(600_000), model.PENDING)


@pytest.mark.parametrize("amount", [LARGE, 10**15], ids=["above the limit", "above any"])
def test_a_claim_above_its_limit_never_becomes_the_amount(amount: int) -> None:
    claim = PIXEL | {"amount": usd(amount)}
    state = assert_alike(claim, network(status="approved"))
    assert (state.facts.amount, state.commission, state.status) == (usd(0), 0, model.APPROVED)
    assert state.is_attributed and picture(state)["conflicts"] == 1
    assert_alike(claim, PIXEL | {"amount": usd(100)}, network(payout=usd(70)))


def test_a_claim_beyond_the_number_of_its_click_keeps_its_trace() -> None:
    world = World(Projected(), claims=5)
    pixel, shop = received(PIXEL | {"amount": usd(100)}, SHOP)
    assert world.decide(pixel).rejection is not None
    world.decide(shop)
    state = world.conversion()
    assert state is not None and state.commission == 60_000


def test_a_claim_without_a_rate_keeps_its_trace() -> None:
    world = World(Projected())
    pixel, shop = received(PIXEL | {"amount": Money(amount=5, currency="CHF")}, SHOP)
    assert world.decide(pixel).needs_rate
    world.decide(shop)
    state = world.conversion()
    assert state is not None and (state.commission, picture(state)["conflicts"]) == (60_000, 1)
    assert world.decide(pixel).events == (), "its rate came: it is known"


def test_claims_alone_earn_no_more_for_being_refused_before() -> None:
    small = PIXEL | {"amount": usd(100), "click_id": CLICKS[2]}
    state = assert_alike(PIXEL, small)
    assert (state.facts.amount, state.is_claim, state.commission) == (usd(100), True, 20)
    assert outcome(received(PIXEL))[0] is None


STATUS = network(status="approved")
OWN = network(amount=usd(9_500), payout=usd(950))


@pytest.mark.parametrize(
    "reversal", [network(amount=usd(9_500)), network(amount=usd(9_500), payout=usd(950)), network()]
)
def test_any_arrival_of_claim_shop_network_status_and_reversal_ends_alike(reversal: Said) -> None:
    state = assert_alike(PIXEL, {"amount": usd(10_000)}, OWN, STATUS, reversal | {"status": "reversed"})
    assert (state.status, state.net_commission, state.reversed_amount) == (model.REVERSED, 0, 10_000)
    reopened = assert_alike(PIXEL, {"amount": usd(10_000)}, OWN, reversal | {"status": "reversed"}, STATUS)
    assert (reopened.status, reopened.net_commission) == (model.APPROVED, 950)


SHOP_100: Said = {"amount": usd(10_000), "click_id": CLICKS[1]}


@pytest.mark.parametrize(
    "amount",
    [usd(9_500), usd(10_500), usd(2_000), eur(9_500), usd(0), Money(amount=9_500, currency="CHF"), None],
    ids=str,
)
def test_a_network_that_reverses_by_its_own_amount_takes_everything_back(amount: Money | None) -> None:
    reversal = network(status="reversed", amount=amount)
    for state, order in in_arrival_order(SHOP_100, reversal):
        assert (state.status, state.net_commission) == (model.REVERSED, 0), order
        assert (state.facts.amount, state.commission) == (usd(10_000), 1_000)
        assert picture(state)["conflicts"] == (amount is not None), "the difference is shown"


@pytest.mark.parametrize(
    ("said", "reversal", "back", "left"),
    [
        ((SHOP_100,), {"amount": usd(2_000)}, 2_000, 800),
        ((SHOP_100, network(amount=usd(9_500))), network(amount=usd(1_900)), 2_000, 800),
        ((SHOP_100, network(payout=usd(500))), network(payout=usd(200)), 4_000, 300),
        ((SHOP_100, network(payout=usd(500))), network(payout=usd(200), amount=usd(9_500)), 4_000, 300),
        ((SHOP_100, network(amount=eur(500))), network(amount=eur(50)), 1_000, 900),
        ((network(payout=usd(500), click_id=CLICKS[1]),), network(payout=usd(200)), 0, 300),
        ((network(payout=usd(1_000), amount=usd(33), click_id=CLICKS[1]),), network(payout=usd(400)), 13, 600),
    ],
)
def test_a_part_of_the_senders_own_figure_takes_that_part_back(
    said: tuple[Said, ...], reversal: Said, back: int, left: int
) -> None:
    state = assert_alike(*said, STATUS, reversal | {"status": "reversed"})
    assert (state.status, state.reversed_amount, state.net_commission) == (model.APPROVED, back, left)


def test_the_newest_reversal_says_how_much_is_reversed() -> None:
    def state_of(*parts: int) -> model.Conversion:
        return after(received(SHOP_100, STATUS, *({"status": "reversed", "amount": usd(part)} for part in parts)))[0]

    assert [state_of(2_000, 3_000).net_commission, state_of(3_000, 2_000).net_commission] == [700, 800]
    assert state_of(3_000, 10_000).status is model.REVERSED
    again = state_of(10_000, 2_000)
    assert (again.status, again.net_commission) == (model.APPROVED, 800)


def test_a_part_stays_reversed_when_the_sale_is_approved_or_reported_again() -> None:
    part = {"status": "reversed", "amount": usd(2_000)}
    for order in permutations([SHOP_100, part, STATUS, {"customer": "c"}]):
        state, _ = after(received(*order))
        assert (state.status, state.net_commission, state.reversed_amount) == (model.APPROVED, 800, 2_000), order


def test_what_a_person_reversed_adds_to_what_reports_take_back() -> None:
    reports = received(SHOP_100, STATUS, {"status": "reversed", "amount": usd(2_000)})
    world = World(Projected())
    for each in reports[:2]:
        world.decide(each)
    state = world.conversion()
    assert state is not None
    world.changed(decisions.reverse(state, "one item", 1_000, CommandContext(NOW, OWNER)))
    world.decide(reports[2])
    state = world.conversion()
    assert state is not None and (state.reversed_amount, state.net_commission) == (3_000, 700)
    assert state.decided_by_person


def test_a_reversal_after_a_persons_rejection_changes_nothing() -> None:
    world = World(Projected())
    first, second = received(SHOP_100, network(status="reversed", amount=usd(9_500)))
    world.decide(first)
    state = world.conversion()
    assert state is not None
    world.changed(decisions.reject(state, "fraud", CommandContext(NOW, OWNER)))
    world.decide(second)
    state = world.conversion()
    assert state is not None and state.status is model.REJECTED


def test_two_clicks_of_equal_trust_are_a_conflict_that_is_shown() -> None:
    for key in ("postback", "secret", "site"):
        said = [{"key_kind": key, "amount": usd(20), "click_id": CLICKS[number]} for number in (1, 2)]
        for order in permutations(said):
            state, events = after(received(*order))
            assert picture(state)["conflicts"] == 1
            assert state.facts.attribution is not None
            assert state.facts.attribution.click_id == order[0]["click_id"], "the first received stands"
            assert [getattr(event, "fields", None) for event in events][-1] == ("click_id",)


def test_other_payouts_and_coupons_are_conflicts_too() -> None:
    state = after(received(network(payout=usd(20), coupon="SAVE10"), network(payout=usd(35), coupon="NOSUCH")))[0]
    assert (picture(state)["conflicts"], state.payout) == (2, usd(20))


def test_a_text_that_is_no_click_id_neither_hides_a_click_nor_contradicts_it() -> None:
    said = [network(click_id="{click_id}", payout=usd(20)), SHOP_100]
    for state, _ in in_arrival_order(*said):
        assert state.facts.attribution is not None and picture(state)["conflicts"] == 0


def test_late_rows_of_a_refused_claims_click_complete_the_sale() -> None:
    projected = Projected([click_row(1, NOW, 42, CLICKS[1])])
    state, _ = after(received(PIXEL, SHOP), projected)
    assert state.facts.attribution is not None and state.facts.attribution.visitor == 42
