"""Given a link with a split, when its results are looked at, then its weights shift; people set, end and undo that."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from command_api.kernel.decision import CommandRejected, system_context
from command_api.links import model as links
from command_api.links.shifting import model
from command_api.links.shifting.handlers import next_look
from infra.domain.splits.judging import VariantFigures
from schemas.events.links import LinkUpdated, Routing, Shifting, ShiftOutcome, Variant
from tests.support.given_when_then import given, rejected
from tests.unit.command_api.links.test_model import CONTEXT, PARTNER, SITE, STRANGER, link
from tests.unit.infra.domain.splits.test_judging import variant

TODAY = date(2026, 11, 30)
SYSTEM = system_context(datetime(2026, 11, 30, 4, 30, tzinfo=UTC))
ON = Shifting(is_on=True)
BETTER = (variant(1, 100, 5), variant(2, 100, 12))
ALIKE = (variant(1, 100, 5), variant(2, 100, 5))


def split(*weights: int, **changes: Any) -> links.LinkAggregate:
    variants = tuple(
        Variant(destination=f"{PARTNER.base_url.partition('?')[0]}/{number}", weight=weight, number=number)
        for number, weight in enumerate(weights or (1, 1), 1)
    )
    return replace(link(routing=Routing(variants=variants)), **{"shifting": ON, **changes})


def looked_at(
    before: links.LinkAggregate,
    figures: tuple[VariantFigures, ...] = BETTER,
    day: date = TODAY,
    live: frozenset[int] | None = None,
) -> list[LinkUpdated]:
    alive = {each.number for each in figures} if live is None else live
    return model.shift_weights(before, figures, alive, day, SYSTEM)


def after(before: links.LinkAggregate, events: list[LinkUpdated]) -> links.LinkAggregate:
    for event in events:
        before = links.evolve(before, event)
    return before


def weights(of: links.LinkAggregate) -> list[int]:
    return [each.weight for each in of.routing.variants]


def test_the_event_has_the_new_weights_and_what_they_were_decided_by() -> None:
    [event] = looked_at(split())
    assert event.routing is not None and event.shift is not None
    assert [each.weight for each in event.routing.variants] == [40, 60]
    assert (event.shift.day, event.shift.outcome, event.shift.leader) == (TODAY, ShiftOutcome.SHIFTED, 2)
    assert event.shift.sureness is not None and event.shift.sureness > 0.99
    noted = [(each.number, each.before, each.after, each.clicks, each.revenue) for each in event.shift.variants]
    assert noted == [(1, 1, 40, 1_000, 50_000), (2, 1, 60, 1_000, 120_000)]
    assert event.actor_id is None


def test_a_day_is_decided_once_however_often_it_is_looked_at() -> None:
    once = after(split(), looked_at(split()))
    assert looked_at(once) == []
    assert looked_at(once, day=TODAY - timedelta(days=1)) == []
    assert weights(after(once, looked_at(once, day=TODAY + timedelta(days=1)))) == [30, 70]


def test_a_day_without_a_winner_is_noted_once_with_its_reason() -> None:
    [event] = looked_at(split(), ALIKE)
    assert event.routing is None and event.shift is not None
    assert event.shift.outcome is ShiftOutcome.UNDECIDED
    noted = after(split(), [event])
    assert looked_at(noted, ALIKE, TODAY + timedelta(days=1)) == [], "the reason is the same"
    later = looked_at(noted, BETTER, TODAY + timedelta(days=2))
    assert weights(after(noted, later)) == [40, 60]


@pytest.mark.parametrize(
    "changes",
    [
        {"shifting": Shifting()},
        {"is_active": False},
        {"deleted": True},
        {"routing": Routing()},
        {"routing": split().routing.model_copy(update={"winner": 1})},
    ],
    ids=["off", "paused", "deleted", "no split", "ended"],
)
def test_a_link_that_does_not_shift_is_left_alone(changes: dict[str, Any]) -> None:
    assert not model.is_watched(split(**changes))
    assert looked_at(split(**changes)) == []


def test_figures_of_other_variants_than_get_traffic_now_are_left_to_the_next_day() -> None:
    assert looked_at(split(1, 1, 1)) != []
    assert looked_at(split(1, 1, 1), live=frozenset({1, 2, 3})) == []
    assert looked_at(split(), live=frozenset({1})) == []


def test_a_variant_without_traffic_keeps_what_it_has_beside_the_others() -> None:
    [event] = looked_at(split(1, 1, 2))
    assert event.routing is not None and event.shift is not None
    assert [each.weight for each in event.routing.variants] == [40, 60, 100]
    assert [each.gets_traffic for each in event.shift.variants] == [True, True, False]


def test_weights_by_hand_end_the_shifting_and_other_changes_do_not() -> None:
    before = split(40, 60)

    def changed(routing: Routing) -> links.LinkAggregate:
        return after(before, links.update(before, SITE, PARTNER, routing=routing, context=CONTEXT))

    first, second = before.routing.variants
    named = before.routing.model_copy(update={"variants": (first, second.model_copy(update={"name": "New page"}))})
    assert changed(named).shifting.is_on
    third = second.model_copy(update={"number": 3, "weight": 10})
    assert changed(before.routing.model_copy(update={"variants": (first, second, third)})).shifting.is_on
    by_hand = before.routing.model_copy(update={"variants": (first, second.model_copy(update={"weight": 50}))})
    assert changed(by_hand).shifting == Shifting(is_on=False)
    assert not changed(Routing()).shifting.is_on


def test_the_switch_needs_a_split_whose_variants_can_all_keep_the_floor() -> None:
    off = split(1, 1, 1, shifting=Shifting())
    wanted = Shifting(is_on=True, min_share=33, max_step=5)
    turned = after(off, model.set_shifting(off, SITE, wanted, CONTEXT))
    assert turned.shifting == wanted and model.is_watched(turned)
    assert model.set_shifting(turned, SITE, wanted, CONTEXT) == []
    tight = wanted.model_copy(update={"min_share": 34})
    given(off).when(model.set_shifting, SITE, tight, CONTEXT).then(rejected("bad_min_share"))
    given(link()).when(model.set_shifting, SITE, wanted, CONTEXT).then(rejected("no_split"))
    given(off).when(model.set_shifting, SITE, wanted, STRANGER).then(rejected("not_found"))


@pytest.mark.parametrize("is_on", [False, True])
def test_an_undo_restores_the_weights_before_and_turns_the_shifting_off_or_not(is_on: bool) -> None:
    [shifted] = looked_at(split(1, 3))
    there = after(split(1, 3), [shifted])
    [event] = model.undo(there, SITE, shifted, is_on=is_on, context=CONTEXT)
    back = after(there, [event])
    assert (weights(back), back.shifting.is_on, event.restores) == ([1, 3], is_on, shifted.originator_version)
    assert model.undo(back, SITE, shifted, is_on=is_on, context=CONTEXT) == []
    assert looked_at(back) == [], "the day stays decided"


def test_what_is_no_shift_or_of_other_variants_is_not_undone() -> None:
    [shifted] = looked_at(split())
    there = after(split(), [shifted])
    fewer = replace(there, routing=split(1, 1, 1).routing)
    [noted] = looked_at(split(), ALIKE)

    def undone(of: links.LinkAggregate, event: LinkUpdated | None, context: Any = CONTEXT) -> str:
        with pytest.raises(CommandRejected) as error:
            model.undo(of, SITE, event, is_on=False, context=context)
        return error.value.code

    assert undone(fewer, shifted) == "changed_since"
    assert undone(there, noted) == undone(there, None) == undone(there, shifted, STRANGER) == "not_found"


def test_each_link_has_its_own_time_in_the_hour_after_four() -> None:
    early, late = datetime(2026, 11, 30, 3, tzinfo=UTC), datetime(2026, 11, 30, 12, tzinfo=UTC)
    assert next_look(UUID(int=61), early) == datetime(2026, 11, 30, 4, 1, 1, tzinfo=UTC)
    assert next_look(UUID(int=3_600), late) == datetime(2026, 12, 1, 4, tzinfo=UTC)
