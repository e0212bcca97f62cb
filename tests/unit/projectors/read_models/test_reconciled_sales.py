"""Each sale as it was tracked and as its network states it: the same rows whatever the order of the reports."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from itertools import permutations
from typing import Any
from uuid import uuid4

from command_api.conversions import decisions, model
from command_api.kernel.aggregates import state_after
from command_api.kernel.decision import CommandContext
from infra.kernel.postgres.memory_rows import MemoryRows
from projectors.read_models.conversions.reconciled_sales import RECONCILED_SALES
from schemas.base import DomainEvent
from schemas.tracking import ConversionReported
from tests.support.events import eur, usd
from tests.unit.command_api.conversions.test_merging import (
    ALFA,
    CLICKS,
    NOW,
    Projected,
    after,
    click_row,
    report,
)
from tests.unit.command_api.conversions.test_network_sales import stated

TRACKED = ("tracked_amount", "tracked_currency", "tracked_worth", "tracked_declined")
STATED = ("stated_amount", "stated_currency", "stated_worth", "stated_declined")


def row_of(events: Sequence[DomainEvent]) -> dict[str, Any]:
    rows = MemoryRows(RECONCILED_SALES.key)
    for event in events:
        if handler := RECONCILED_SALES.handlers.get(type(event)):
            handler(rows, event)
    [row] = rows.rows.values()
    return row


def decided(*reports: ConversionReported) -> dict[str, Any]:
    clicks = Projected([click_row(1, NOW - timedelta(hours=1), text=CLICKS[1])])
    return row_of(after(reports, clicks)[1])


def side(row: dict[str, Any], names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)


def tracked_sale(number: int = 1, **said: Any) -> ConversionReported:
    return report(number, click_id=CLICKS[1], amount=usd(10_000), **said)


def postback(number: int = 2, **said: Any) -> ConversionReported:
    return report(number, **{"key_kind": "postback", "click_id": CLICKS[1], "payout": usd(900), **said})


def test_what_nobody_stated_is_tracked_by_the_terms() -> None:
    row = decided(tracked_sale())
    assert side(row, TRACKED) == (1_000, "USD", 1_000, False)
    assert side(row, STATED) == (None, None, None, False)
    assert (row["partner_id"], row["attributed_by"], row["network"]) == (ALFA.id, "click_id", None)


def test_both_sides_are_the_same_in_any_order_of_the_reports() -> None:
    reports = (
        tracked_sale(),
        postback(),
        stated(1, payout=eur(700), partner_id=ALFA.id),
        stated(2, payout=eur(800), partner_id=ALFA.id, network_sale={"is_paid": True}),
    )
    found = set()
    for order in permutations(reports):
        row = decided(*order)
        found.add((*side(row, TRACKED), *side(row, STATED), row["tracked_at"], row["network"], row["stated_paid"]))
    [(*sides, tracked_at, network, is_paid)] = found
    assert sides == [900, "USD", 900, False, 800, "EUR", 880, False]
    assert (tracked_at, network, is_paid) == (NOW + timedelta(seconds=1), "awin", True)


def test_a_tracked_currency_keeps_the_rate_of_its_decision() -> None:
    row = decided(postback(payout=eur(1_000)), stated(1, payout=usd(1_090)))
    assert side(row, TRACKED) == (1_000, "EUR", 1_100, False)
    assert side(row, STATED) == (1_090, "USD", 1_090, False)
    later = decided(stated(1, payout=usd(1_090), partner_id=ALFA.id), postback(payout=eur(1_000)))
    assert side(later, TRACKED) == (1_000, "EUR", None, False), "no event has the rate"


def test_what_the_network_declines_is_worth_nothing_to_it_alone() -> None:
    row = decided(postback(status="approved"), stated(1, payout=usd(900), status="rejected"))
    assert side(row, TRACKED) == (900, "USD", 900, False)
    assert side(row, STATED) == (0, "USD", 0, True)
    gone = decided(postback(status="reversed"), stated(1, payout=usd(900), status="approved"))
    assert (gone["tracked_declined"], gone["tracked_worth"], gone["stated_worth"]) == (True, 0, 900)


def test_a_part_that_a_postback_reverses_is_not_tracked() -> None:
    row = decided(postback(), postback(3, payout=usd(300), status="reversed"))
    assert side(row, TRACKED) == (600, "USD", 600, False)


def test_a_correction_alone_is_owed_back() -> None:
    part = {"is_reversal_only": True}
    row = decided(postback(), stated(1, payout=usd(300), status="reversed", network_sale=part))
    assert side(row, STATED) == (-300, "USD", -300, False)


def test_an_undone_import_states_nothing() -> None:
    both = decided(postback(), stated(1, payout=usd(800)), stated(2, gone=True))
    assert side(both, TRACKED) == (900, "USD", 900, False)
    assert (side(both, STATED), both["network"]) == ((None, None, None, False), None)
    alone = decided(stated(1, payout=usd(800), partner_id=ALFA.id), stated(2, gone=True))
    assert (alone["tracked_at"], alone["stated_at"], alone["partner_id"]) == (None, None, None)


def test_the_owners_own_rejection_declines_the_tracked_side() -> None:
    state, events = after([postback()])
    context = CommandContext(NOW + timedelta(minutes=1), uuid4())
    rejected = decisions.reject(state, "An order of our own", context)
    row = row_of([*events, *rejected])
    assert (row["tracked_declined"], row["tracked_worth"]) == (True, 0)
    again = decisions.reopen(state_after(model.evolve, state, rejected), "a mistake", context)
    row = row_of([*events, *rejected, *again])
    assert (row["tracked_declined"], row["tracked_worth"]) == (False, 900)


def test_nothing_that_leads_to_a_person_is_kept() -> None:
    row = decided(tracked_sale(customer="c" * 32, visitor=77), stated(1, payout=usd(900), click_id=CLICKS[1]))
    assert CLICKS[1] not in str(row)
    assert "c" * 32 not in str(row)
