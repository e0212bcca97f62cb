"""A network's own account of a sale among other reports: the newest counts; once it is gone, nothing of it is left."""

from __future__ import annotations

from datetime import timedelta
from itertools import permutations
from typing import Any
from uuid import uuid5

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from command_api.conversions.model import Conversion
from schemas.events.conversions import AttributedBy
from schemas.tracking import ConversionReported, log_time
from tests.support.events import eur, usd
from tests.unit.command_api.conversions.test_merging import (
    ALFA,
    BETA,
    CLICKS,
    NOW,
    SALE,
    Projected,
    click_row,
    one_report,
    outcome,
    picture,
    report,
    sent,
)

DAY = timedelta(days=1)


def stated(revision: int, *, ago: timedelta = timedelta(0), gone: bool = False, **said: Any) -> ConversionReported:
    """What the network says of the sale in that revision."""
    sale = {
        "network": "awin",
        "txid": "T-1",
        "revision": revision,
        "as_of": (NOW - ago).isoformat(),
        "is_gone": gone,
        **said.pop("network_sale", {}),
    }
    values: dict[str, Any] = {
        "report_id": uuid5(SALE, f"network {revision}"),
        "reported_by": "import",
        "key_kind": "import",
        "time_named": True,
        "network_sale": sale,
        **({} if gone else said),
    }
    return report(50 + revision, **values)


def end(*reports: ConversionReported) -> Conversion:
    """The conversion after the reports."""
    state, _ = outcome(reports)
    assert state is not None
    return state


def test_a_networks_payout_replaces_that_of_its_postback() -> None:
    postback = report(1, key_kind="postback", click_id=CLICKS[1], payout=usd(1_000), status="approved")
    account = stated(1, payout=usd(900), status="approved")
    for order in permutations([postback, account]):
        state = end(*order)
        assert (state.payout, state.commission, state.status.value) == (usd(900), 900, "approved")


def test_the_newest_account_counts_in_whichever_order_they_come() -> None:
    accounts = [stated(1, payout=usd(500)), stated(2, payout=usd(700), status="approved"), stated(3, payout=usd(650))]
    for order in permutations(accounts):
        assert end(*order).payout == usd(650)


def test_a_sale_that_only_the_network_has_counts_for_its_partner_without_a_page() -> None:
    state = end(stated(1, payout=usd(500), status="approved", partner_id=BETA.id))
    assert state.facts.attribution is not None
    assert (state.facts.attribution.by, state.facts.attribution.partner_id) == (AttributedBy.NETWORK, BETA.id)
    assert (state.facts.attribution.link_id, state.commission, state.status.value) == (None, 500, "approved")


def test_a_click_that_a_postback_names_later_earns_what_the_network_had_without_one() -> None:
    network = stated(1, payout=usd(500), status="approved", partner_id=BETA.id)
    postback = report(1, key_kind="postback", click_id=CLICKS[1])
    for order in permutations([network, postback]):
        state = end(*order)
        assert state.facts.attribution is not None
        assert (state.facts.attribution.by, state.facts.attribution.partner_id) == (AttributedBy.CLICK_ID, ALFA.id)
        assert (state.commission, state.status.value) == (500, "approved")


def test_of_a_postback_and_the_account_the_later_decision_counts() -> None:
    postback = report(1, key_kind="postback", click_id=CLICKS[1], payout=usd(500), status="approved")
    declined = stated(1, ago=timedelta(days=1), payout=usd(500), status="rejected")
    for order in permutations([postback, declined]):
        assert end(*order).status.value == "rejected", "an approval is older than a decline"
    reversal = report(1, key_kind="postback", click_id=CLICKS[1], payout=usd(500), status="reversed")
    approved = stated(1, ago=timedelta(days=1), payout=usd(500), status="approved")
    for order in permutations([reversal, approved]):
        assert end(*order).status.value == "reversed"
    again = stated(1, ago=-DAY, payout=usd(500), status="approved", network_sale={"is_dated": True})
    for order in permutations([reversal, again]):
        assert end(*order).status.value == "approved", "the network made its report after that"


def test_a_network_may_call_a_decided_sale_pending_again() -> None:
    postback = report(1, key_kind="postback", click_id=CLICKS[1], payout=usd(500), status="approved")
    pending = stated(1, ago=-DAY, payout=usd(500), network_sale={"is_dated": True})
    for order in permutations([postback, pending]):
        assert end(*order).status.value == "pending"


def test_a_part_that_a_postback_reverses_is_not_taken_twice() -> None:
    sale = report(1, key_kind="postback", click_id=CLICKS[1], payout=usd(1_000), status="approved")
    part = report(2, key_kind="postback", payout=usd(400), status="reversed")
    before = stated(1, payout=usd(1_000), status="approved")
    after = stated(2, payout=usd(600), status="approved")
    for order in permutations([sale, part, before]):
        assert _earned(end(*order)) == 600
    for order in permutations([sale, part, before, after]):
        assert _earned(end(*order)) == 600


def test_a_correction_without_its_sale_takes_from_what_a_postback_reported() -> None:
    sale = report(1, key_kind="postback", click_id=CLICKS[1], payout=usd(1_000), status="approved")
    correction = stated(1, payout=usd(400), status="reversed", network_sale={"is_reversal_only": True})
    for order in permutations([sale, correction]):
        state = end(*order)
        assert (_earned(state), state.status.value) == (600, "approved")
    alone = end(
        stated(1, payout=usd(400), status="reversed", partner_id=ALFA.id, network_sale={"is_reversal_only": True})
    )
    assert (_earned(alone), alone.status.value) == (0, "reversed")


def test_an_undone_import_leaves_nothing_that_counts() -> None:
    state = end(stated(1, payout=usd(500), status="approved", partner_id=ALFA.id), stated(2, gone=True))
    assert (state.status.value, state.commission, state.is_attributed) == ("rejected", 0, False)
    assert state.reason == "The import that reported it was undone."
    assert set(picture(state)["counts"].model_dump(exclude={"currency"}).values()) == {0}


def test_a_sale_that_is_imported_again_counts_again() -> None:
    first = stated(1, payout=usd(500), partner_id=ALFA.id)
    again = stated(3, payout=usd(500), partner_id=ALFA.id)
    state = end(first, stated(2, gone=True), again)
    assert picture(state) == picture(end(again))
    assert end(stated(2, gone=True), again).status.value == "pending"


def test_a_withdrawal_that_comes_first_is_nothing() -> None:
    state, events = outcome([stated(2, gone=True)])
    assert (state, events) == (None, [])


def test_a_claim_above_the_limit_is_none_once_the_account_beside_it_is_gone() -> None:
    claim = report(1, key_kind="site", click_id=CLICKS[1], amount=usd(500_001))
    assert outcome([claim])[0] is None
    kept = end(stated(1, payout=usd(500), partner_id=ALFA.id), claim, stated(2, gone=True))
    assert (kept.status.value, kept.merged.is_void, picture(kept)["conflicts"]) == ("rejected", True, 0)


def test_a_claim_that_repeats_what_the_account_replaces_is_no_conflict() -> None:
    postback = report(1, key_kind="postback", click_id=CLICKS[1], amount=usd(20_000))
    claims = [report(2, key_kind="site", click_id=CLICKS[1], amount=amount) for amount in (None, usd(20_000))]
    account = stated(1, amount=usd(100), partner_id=ALFA.id)
    for order in permutations([postback, *claims, account]):
        assert picture(end(*order))["conflicts"] == 0, order
    other = report(3, key_kind="site", click_id=CLICKS[1], amount=usd(30_000))
    for order in permutations([postback, other, account]):
        assert picture(end(*order))["conflicts"] == 1, order


def test_a_report_that_says_nothing_new_beside_the_account_is_kept_for_when_it_goes() -> None:
    reports = [
        report(1, key_kind="secret"),
        report(2, key_kind="secret", payout=usd(75)),
        report(3, key_kind="postback", payout=usd(50), status="reversed"),
        report(4, key_kind="secret", status="reversed"),
    ]
    for order in permutations(reports):
        without = picture(end(*order))
        for place in range(len(order) + 1):
            account = stated(1, partner_id=ALFA.id)
            assert picture(end(*order[:place], account, *order[place:], stated(2, gone=True))) == without


def _earned(state: Conversion) -> int:
    return state.commission - state.reversed_commission if state.is_open else 0


one_account = st.fixed_dictionaries(
    {
        "gone": st.sampled_from([False, False, True]),
        "payout": st.none() | st.sampled_from([usd(50), usd(75), usd(80), eur(60)]),
        "amount": st.none() | st.sampled_from([usd(100), usd(999)]),
        "status": st.sampled_from(["", "approved", "rejected", "reversed"]),
        "click_id": st.sampled_from(["", "", CLICKS[1], CLICKS[2]]),
        "partner_id": st.sampled_from([ALFA.id, BETA.id]),
        "days": st.integers(-2, 2),
        "network_sale": st.fixed_dictionaries({"is_dated": st.booleans(), "is_reversal_only": st.booleans()}),
    }
)


def _said(one: dict[str, Any]) -> dict[str, Any]:
    """Only what is reversed can be a part alone."""
    said = {name: value for name, value in one.items() if name != "days"}
    if said["status"] != "reversed":
        said["network_sale"] = {**said["network_sale"], "is_reversal_only": False}
    return said


def _accounts(said: list[dict[str, Any]]) -> list[ConversionReported]:
    return [stated(number, ago=timedelta(days=one["days"]), **_said(one)) for number, one in enumerate(said, 1)]


@settings(max_examples=150)
@given(
    st.lists(one_report, min_size=0, max_size=4),
    st.lists(one_account, min_size=1, max_size=4),
    st.randoms(use_true_random=False),
)
def test_reports_and_accounts_in_any_order_end_alike(
    said: list[dict[str, Any]], accounts: list[dict[str, Any]], chance: Any
) -> None:
    reports = [sent(number, one) for number, one in enumerate(said, 1)]
    stated_accounts = _accounts(accounts)
    shuffled = [*reports, *stated_accounts, chance.choice([*reports, *stated_accounts[:-1]] or stated_accounts)]
    chance.shuffle(shuffled)
    shuffled = _in_their_order(shuffled) if any(one["gone"] for one in accounts) else shuffled
    projected = Projected([click_row(1, NOW - timedelta(hours=2), 7), click_row(2, NOW - timedelta(hours=3), 8)])
    expected, _ = outcome([*reports, stated_accounts[-1]], projected)
    found, _ = outcome(shuffled, projected)
    assert _picture(found) == _picture(expected)


def _has_secret(said: dict[str, Any]) -> bool:
    """A claim is refused or kept by what is trusted beside it at its time."""
    return bool(said["key_kind"] != "site")


@settings(max_examples=100)
@given(
    st.lists(one_report.filter(_has_secret), min_size=1, max_size=4),
    st.lists(one_account, min_size=1, max_size=3),
    st.randoms(use_true_random=False),
)
def test_what_is_undone_leaves_the_other_reports_as_if_it_had_never_been(
    said: list[dict[str, Any]], accounts: list[dict[str, Any]], chance: Any
) -> None:
    reports = [sent(number, one) for number, one in enumerate(said, 1)]
    shuffled = [*reports, *_accounts(accounts)]
    chance.shuffle(shuffled)
    shuffled = _in_their_order(shuffled)
    without, _ = outcome(reports)
    found, _ = outcome([*shuffled, stated(99, gone=True)])
    if without is not None:
        assert _picture(found) == _picture(without)


def _in_their_order(shuffled: list[ConversionReported]) -> list[ConversionReported]:
    """The same with the accounts among them in the order of the log: a withdrawal comes behind it."""
    accounts = iter(sorted((one for one in shuffled if one.network_sale), key=_revision))
    return [next(accounts) if one.network_sale else one for one in shuffled]


def _revision(one: ConversionReported) -> int:
    return one.network_sale.revision if one.network_sale else 0


def _picture(state: Conversion | None) -> dict[str, Any] | None:
    """A sale of which no report is left is none."""
    return None if state is None or state.merged.is_void else picture(state)


@pytest.mark.parametrize("moment", [NOW - timedelta(days=3), NOW])
def test_the_networks_time_counts_where_no_other_report_names_one(moment: Any) -> None:
    account = stated(1, payout=usd(5), partner_id=ALFA.id, occurred_at=log_time(moment))
    postback = report(1, key_kind="postback", payout=usd(5))
    day_only = stated(
        1, payout=usd(5), partner_id=ALFA.id, occurred_at=log_time(moment), network_sale={"has_time": False}
    )
    for order in permutations([account, postback]):
        assert end(*order).facts.occurred_at == moment
    for order in permutations([day_only, postback]):
        assert end(*order).facts.occurred_at == NOW + timedelta(seconds=1)
    assert end(day_only).facts.occurred_at == moment
