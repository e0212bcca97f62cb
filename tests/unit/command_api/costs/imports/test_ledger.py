"""Given what imports say of a day, then these costs count, whatever the order in which they were applied."""

from __future__ import annotations

import random
from datetime import date
from uuid import UUID

from command_api.costs.imports.cost_rows import PaidTraffic
from command_api.costs.imports.ledger import StatedCost, changes_of, counting, difference, kind_of
from schemas.events.costs import CostDayChange, CostEntry
from tests.support.events import usd

DAY = date(2026, 11, 3)
FIRST, SECOND, THIRD = (UUID(int=number) for number in (1, 2, 3))
SPRING, AD_1, AD_2 = PaidTraffic(campaign="Spring"), *(PaidTraffic("", "Spring", "", f"Ad {n}") for n in (1, 2))
AUTUMN, TENT = PaidTraffic(campaign="Autumn"), PaidTraffic(campaign="Spring", term="tent")


def said(import_id: UUID, target: PaidTraffic, cents: int) -> StatedCost:
    return StatedCost(import_id, target, usd(cents), usd(cents), None)


def counted(*stated: StatedCost) -> dict[PaidTraffic, int]:
    return {target: one.amount.amount for target, one in counting(stated).items()}


def test_all_costs_of_one_file_count() -> None:
    assert counted(said(FIRST, SPRING, 3), said(FIRST, AD_1, 5)) == {SPRING: 3, AD_1: 5}


def test_a_newer_import_replaces_the_same_traffic_and_leaves_the_rest() -> None:
    assert counted(said(FIRST, AD_1, 400), said(FIRST, AD_2, 600), said(SECOND, AD_1, 500)) == {AD_1: 500, AD_2: 600}


def test_the_same_money_never_counts_at_two_levels() -> None:
    assert counted(said(FIRST, SPRING, 900), said(FIRST, AUTUMN, 50), said(SECOND, AD_1, 400)) == {
        AD_1: 400,
        AUTUMN: 50,
    }
    assert counted(said(FIRST, AD_1, 400), said(FIRST, AD_2, 600), said(SECOND, SPRING, 1_100)) == {SPRING: 1_100}
    assert counted(said(FIRST, TENT, 400), said(SECOND, AD_1, 600)) == {AD_1: 600}, "keywords and ads of one campaign"
    assert counted(said(FIRST, SPRING, 400), said(SECOND, PaidTraffic(), 600)) == {PaidTraffic(): 600}


def test_what_is_replaced_replaces_nothing() -> None:
    assert counted(said(FIRST, AD_1, 4), said(SECOND, SPRING, 10), said(THIRD, AD_2, 6)) == {AD_1: 4, AD_2: 6}


def test_the_result_depends_on_the_set_of_imports_alone() -> None:
    chance = random.Random(5)
    for _ in range(200):
        stated = [
            said(UUID(int=chance.randrange(1, 5)), target, chance.randrange(3))
            for target in (SPRING, AD_1, AD_2, AUTUMN, TENT, PaidTraffic())
            for _ in range(2)
        ]
        unique = list({(one.import_id, one.target): one for one in stated}.values())
        expected = counting(unique)
        chance.shuffle(unique)
        assert counting(unique) == expected


def test_no_two_that_count_of_different_imports_are_about_the_same_traffic() -> None:
    chance = random.Random(7)
    texts = ("", "a", "b")
    for _ in range(300):
        stated = {
            (import_id, target): said(import_id, target, 1)
            for import_id in (FIRST, SECOND, THIRD)
            for target in [PaidTraffic(*(chance.choice(texts) for _ in range(4))) for _ in range(3)]
        }
        found = counting(stated.values()).values()
        for one in found:
            for other in found:
                is_same_traffic = all(a == b or not (a and b) for a, b in zip(one.target, other.target, strict=True))
                assert one.import_id == other.import_id or not is_same_traffic, (one, other)


def test_the_kind_of_a_line_is_what_it_does_to_its_day() -> None:
    before = counting([said(FIRST, AD_1, 400), said(FIRST, AUTUMN, 50)])

    def kind(target: PaidTraffic, cents: int, import_id: UUID = SECOND) -> str:
        stated = said(import_id, target, cents)
        return kind_of(stated, before, counting([*before.values(), stated]))

    assert (kind(AD_1, 400), kind(AD_1, 500), kind(AD_2, 600)) == ("unchanged", "changed", "new")
    assert (kind(SPRING, 900), kind(AD_1, 0), kind(AD_2, 0)) == ("changed", "changed", "unchanged")
    assert kind(AD_1, 700, UUID(int=0)) == "unchanged", "a newer import has it"


def test_what_is_booked_is_the_difference_and_nothing_is_spent_on_nothing() -> None:
    before = counting([said(FIRST, AD_1, 400), said(FIRST, AD_2, 600), said(FIRST, AUTUMN, 50)])
    after = counting([*before.values(), said(SECOND, AD_1, 500), said(SECOND, AD_2, 0), said(SECOND, AUTUMN, 50)])

    def entry(target: PaidTraffic, cents: int) -> CostEntry:
        return CostEntry(first=DAY, last=DAY, **target._asdict(), amount=usd(cents), worth=usd(cents))

    assert list(changes_of(DAY, before, after)) == [
        CostDayChange(entry=entry(AD_1, 500), replaced=entry(AD_1, 400)),
        CostDayChange(entry=None, replaced=entry(AD_2, 600)),
    ]
    assert difference(before, after) == {"USD": -500}
