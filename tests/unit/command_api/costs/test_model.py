"""Given a website, when a cost is entered, changed, removed or restored, then these events."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from command_api.costs import model
from command_api.costs.model import MAX_DAYS, CostAggregate, EnteredCost
from command_api.kernel.decision import CommandContext
from command_api.websites.model import Website
from schemas.currencies import MAX_AMOUNT
from schemas.events.costs import CostAdded, CostChanged
from tests.support.events import eur, usd
from tests.support.given_when_then import given, rejected

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
OWNER = uuid4()
CONTEXT, STRANGER = CommandContext(NOW, OWNER), CommandContext(NOW, uuid4())
SITE = Website(uuid4(), 1, OWNER, "shop.example", "UTC", "USD", NOW)
DAY = date(2026, 11, 1)
SPENT = EnteredCost(DAY, DAY + timedelta(days=29), usd(30_000), {"source": " google ", "campaign": "Spring"}, "  May ")


def added(entered: EnteredCost = SPENT, rate: str | None = None) -> CostAdded:
    return model.add(uuid4(), SITE, entered, rate, CONTEXT)


def entered(event: CostAdded) -> CostAggregate:
    return model.evolve(None, event)


def test_a_cost_is_an_amount_for_days_and_traffic_of_an_own_website() -> None:
    event = added()
    assert (event.website_id, event.entry.first, event.entry.last) == (SITE.id, DAY, date(2026, 11, 30))
    assert (event.entry.source, event.entry.campaign, event.entry.link_id) == ("google", "Spring", None)
    assert (event.entry.amount, event.entry.worth, event.entry.rate) == (usd(30_000), usd(30_000), None)
    assert event.entry.note == "May"
    given().when(model.add, uuid4(), SITE, SPENT, None, STRANGER).then(rejected("not_found"))
    given().when(model.add, uuid4(), None, SPENT, None, CONTEXT).then(rejected("not_found"))


def test_another_currency_is_converted_once_at_the_rate_of_the_first_day() -> None:
    entry = added(replace(SPENT, amount=eur(1_001)), "1.2345").entry
    assert (entry.amount, entry.worth, entry.rate) == (eur(1_001), usd(1_236), "1.2345")


def test_a_currency_without_a_rate_is_named() -> None:
    foreign = replace(SPENT, amount=eur(1_000))
    given().when(added, foreign).then(rejected("currency_unknown", "amount", r"from EUR to USD for 2026-11-01"))


def test_a_refund_is_below_zero_and_says_what_it_is() -> None:
    refund = replace(SPENT, amount=usd(-500), note="Refund of October")
    assert added(refund).entry.worth == usd(-500)
    given().when(added, replace(refund, note=" ")).then(rejected("needs_note", "note"))


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"last": DAY - timedelta(days=1)}, "to"),
        ({"last": DAY + timedelta(days=MAX_DAYS)}, "to"),
        ({"first": date(1989, 12, 31)}, "from"),
        ({"first": date(2101, 1, 1), "last": date(2101, 1, 1)}, "to"),
        ({"amount": usd(0)}, "amount"),
        ({"target": {"campaign": "a\u200bb"}}, "campaign"),
    ],
)
def test_what_makes_no_sense_is_refused_and_its_field_named(changes: dict[str, Any], field: str) -> None:
    given().when(added, replace(SPENT, **changes)).then(rejected(field=field))


def test_the_longest_period_is_a_leap_year() -> None:
    assert added(replace(SPENT, last=DAY + timedelta(days=MAX_DAYS - 1))).entry.last == date(2027, 11, 1)


def test_an_amount_that_is_too_large_once_converted_is_refused() -> None:
    given().when(added, replace(SPENT, amount=eur(MAX_AMOUNT)), "1.1").then(rejected("amount_too_large", "amount"))


def test_a_change_names_what_it_replaces_and_nothing_when_all_is_the_same() -> None:
    cost = entered(added())
    less = replace(SPENT, amount=usd(20_000))
    [changed] = model.change(cost, SITE, less, None, CONTEXT)
    assert isinstance(changed, CostChanged)
    assert (changed.entry.worth, changed.replaced, changed.originator_version) == (usd(20_000), cost.entry, 2)
    given(cost).when(model.change, SITE, SPENT, None, CONTEXT).then()


def test_a_removed_cost_is_gone_until_it_is_restored() -> None:
    cost = entered(added())
    gone = model.evolve(cost, model.remove(cost, CONTEXT))
    given(gone).when(model.require_active, SITE, CONTEXT).then(rejected("not_found"))
    [restored] = model.restore(gone, CONTEXT)
    back = model.evolve(gone, restored)
    assert (back.removed, back.entry) == (False, cost.entry)
    given(back).when(model.restore, CONTEXT).then()
    given(back).when(model.require_active, SITE, STRANGER).then(rejected("not_found"))
