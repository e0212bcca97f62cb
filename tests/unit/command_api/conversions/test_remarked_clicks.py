"""Traffic rules change what analytics count, never which click an attributed conversion has."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from command_api.conversions import model
from command_api.conversions.attribution.clicks import ClickRow, ClickVisit
from command_api.conversions.attribution.facts import ConversionOf, PassedOverBy
from command_api.websites.model import Website
from schemas.events.conversions import LogPosition, VisitDetails
from schemas.events.websites import AttributionModel
from tests.support.events import names, usd
from tests.unit.command_api.conversions.test_merging import (
    CLICKS,
    NOW,
    OWNER,
    SALE,
    SITE,
    VISIT,
    WEBSITE,
    Projected,
    World,
    click_row,
    report,
)

VISITOR = 7
FIRST_CLICK = Website(SITE, 1, OWNER, "shop.example", "UTC", "USD", NOW, AttributionModel.FIRST_CLICK)


@dataclass
class Sale:
    """One sale over time: reports, clicks that arrive, rules that mark them, searches."""

    website: Website = WEBSITE
    projected: Projected = field(default_factory=Projected)
    state: model.Conversion | None = None
    passed_over: frozenset[tuple[int, int]] = frozenset()
    """As `conversions.pending_attribution` has it."""

    def arrives(self, click: ClickRow) -> None:
        self.projected.rows.append(replace(click, place=(0, len(self.projected.rows))))

    def mark(self, number: int, reason: str) -> None:
        """A rebuild with other rules: the row has another marking, and the same place."""
        self.projected.rows[number] = replace(self.projected.rows[number], bot_reason=reason)

    def world(self) -> World:
        world = World(self.projected, self.website)
        world.knows({ConversionOf(SALE): self.state, PassedOverBy(SALE): self.passed_over})
        seen = LogPosition(topic="clicks", partition=0, offset=len(self.projected.rows))
        world.facts = replace(world.facts, seen=(seen,))
        return world

    def reported(self, number: int, **said: Any) -> None:
        world = self.world()
        outcome = world.decide(report(number, **said))
        self.state = world.conversion()
        if outcome.waits:
            self.passed_over = outcome.passed_over

    def search(self) -> list[str]:
        """The repeated search; returns the names of its events."""
        assert self.state is not None
        steps = self.world().reattribute(self.state).steps
        self.state, self.passed_over = steps.state, steps.passed_over
        return names(steps.events)

    @property
    def click(self) -> tuple[Any, ...] | None:
        found = self.state.facts.attribution if self.state else None
        return None if found is None else (found.partner_id, found.clicked_at)


def clicked(link: int, minutes: int, bot: str = "") -> ClickRow:
    """`minutes` before the sale."""
    return click_row(link, NOW - timedelta(minutes=minutes), VISITOR, bot=bot)


@pytest.mark.parametrize("is_reported", [False, True])
def test_an_attributed_sale_keeps_a_click_that_a_rule_calls_a_bot_s(is_reported: bool) -> None:
    sale = Sale()
    sale.arrives(clicked(1, 90))
    sale.arrives(clicked(2, 30))
    sale.reported(1, amount=usd(100), visitor=VISITOR)
    before = sale.click
    sale.mark(1, "remarked")
    if is_reported:
        sale.reported(2, customer="c", visitor=VISITOR)
    assert sale.search() == [] and sale.click == before
    sale.mark(0, "remarked")
    assert sale.search() == [] and sale.click == before
    sale.arrives(clicked(1, 10))
    assert sale.search() != [] and sale.click == (sale.projected.rows[2].partner_id, NOW - timedelta(minutes=10))


def test_a_click_that_was_passed_over_as_a_bot_s_replaces_none() -> None:
    sale = Sale()
    sale.arrives(clicked(1, 90))
    sale.arrives(clicked(2, 30, bot="crawler"))
    sale.reported(1, amount=usd(100), visitor=VISITOR)
    before = sale.click
    sale.arrives(clicked(2, 20, bot="crawler"))
    assert sale.search() == []
    for number in (1, 2):
        sale.mark(number, "")
    assert sale.search() == [] and sale.click == before
    sale.reported(2, amount=usd(100), visitor=VISITOR, customer="c")
    assert sale.click == before


def test_a_sale_without_a_click_finds_one_that_a_rule_calls_genuine() -> None:
    sale = Sale()
    sale.arrives(clicked(2, 30, bot="crawler"))
    sale.reported(1, amount=usd(100), visitor=VISITOR)
    assert sale.click is None and sale.search() == []
    sale.mark(0, "")
    assert sale.search() == ["conversion.attributed"]


@pytest.mark.parametrize("key_kind", ["site", "secret"])
def test_the_click_of_a_click_id_stays_as_it_was_marked(key_kind: str) -> None:
    sale = Sale()
    sale.projected.visit = VISIT
    sale.arrives(click_row(1, NOW - timedelta(hours=1), VISITOR, CLICKS[1]))
    sale.reported(1, key_kind=key_kind, amount=usd(100), click_id=CLICKS[1])
    assert sale.state is not None
    before = sale.state.facts
    sale.mark(0, "remarked")
    sale.projected.visit = ClickVisit("direct", VisitDetails(path="/other"))
    assert sale.search() == []
    if key_kind == "site":
        sale.reported(2, amount=usd(100))
    assert sale.state.facts == before
    sale.mark(0, "")
    assert sale.search() == ["conversion.withdrawn", "conversion.restated"]
    assert sale.state.facts.attribution is not None and sale.state.facts.attribution.source == "direct"


def test_a_claims_click_that_arrives_as_a_bot_s_counts_nothing() -> None:
    sale = Sale()
    sale.reported(1, key_kind="site", amount=usd(100), click_id=CLICKS[1])
    assert sale.click is not None
    sale.arrives(click_row(1, NOW - timedelta(hours=1), VISITOR, CLICKS[1], bot="crawler"))
    sale.search()
    assert sale.click is None


def test_a_sale_keeps_its_visitors_click_while_the_table_is_built_again() -> None:
    sale = Sale()
    sale.arrives(clicked(1, 90))
    sale.arrives(clicked(2, 30))
    sale.reported(1, amount=usd(100), visitor=VISITOR)
    before, rows = sale.click, [*sale.projected.rows]
    for left in (rows[:1], rows[1:], []):
        sale.projected.rows = left
        assert sale.search() == [] and sale.click == before


class Rules(RuleBasedStateMachine):
    """Clicks arrive late, rules are made and undone, reports come again: each click counts as it was marked when it was
    first looked at by a sale that has a click; without one, as it is marked now."""

    @initialize(oldest_first=st.booleans())
    def begin(self, oldest_first: bool) -> None:
        self.sale = Sale(FIRST_CLICK if oldest_first else WEBSITE)
        self.oldest_first = oldest_first
        self.judged: dict[int, bool] = {}
        self.minutes: list[int] = []
        self.reports = 1
        self.sale.reported(1, amount=usd(100), visitor=VISITOR)

    @rule(link=st.sampled_from([1, 2]), minutes=st.integers(1, 60), bot=st.booleans())
    def arrive(self, link: int, minutes: int, bot: bool) -> None:
        if minutes not in self.minutes:
            self.minutes.append(minutes)
            self.sale.arrives(clicked(link, minutes, "crawler" if bot else ""))

    @rule(number=st.integers(0, 20), bot=st.booleans())
    def mark(self, number: int, bot: bool) -> None:
        if number < len(self.minutes):
            self.sale.mark(number, "remarked" if bot else "")

    @rule()
    def search(self) -> None:
        self._look()
        self.sale.search()

    @rule()
    def report_again(self) -> None:
        self._look()
        self.reports += 1
        self.sale.reported(self.reports, amount=usd(100 + self.reports), visitor=VISITOR)

    @invariant()
    def the_click_is_the_one_of_its_time(self) -> None:
        people = [self.minutes[number] for number, is_bot in self.judged.items() if not is_bot]
        expected = (max(people) if self.oldest_first else min(people)) if people else None
        at = self.sale.click[1] if self.sale.click else None
        assert at == (None if expected is None else NOW - timedelta(minutes=expected))

    def _look(self) -> None:
        if self.sale.click is None:
            self.judged = {}
        for number, found in enumerate(self.sale.projected.rows):
            self.judged.setdefault(number, bool(found.bot_reason))


def test_rules_made_and_undone_at_random_move_no_sale() -> None:
    run_state_machine_as_test(Rules, settings=settings(max_examples=80, stateful_step_count=25))
