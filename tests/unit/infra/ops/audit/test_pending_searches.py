"""What the audit finds wrong with a search: with the places of bots' clicks, and with the wait for a rate."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final
from uuid import UUID, uuid5

from infra.ops.audit.pending_searches import PendingSearch, ProjectedClick, World, wrong_places, wrong_wait
from schemas.base import Money
from schemas.events.conversions import AttributedBy, Attribution, ConversionFacts, LogPosition, Reported
from schemas.events.partners import Terms

WEBSITE: Final = UUID("0192f3a0-0000-7000-8000-000000000002")
PARTNER, ACCOUNT = uuid5(WEBSITE, "partner"), uuid5(WEBSITE, "account")
SOLD_AT: Final = datetime(2026, 5, 17, 10, 0, tzinfo=UTC)
DUE_AT: Final = SOLD_AT + timedelta(hours=2)
ROBOT: Final = ProjectedClick(7, "", SOLD_AT - timedelta(hours=1), PARTNER, True, (0, 3))
PERSON: Final = ProjectedClick(7, "", SOLD_AT - timedelta(hours=2), PARTNER, False, (0, 2))
WORLD: Final = World(
    {WEBSITE: (ACCOUNT, "EUR", "Europe/Berlin")},
    {("EUR", "USD"): date(2026, 1, 1)},
    {PARTNER: [(datetime(2026, 1, 1, tzinfo=UTC), {"flat_currency": "SGD"})]},
    {PARTNER: None},
    frozenset(),
    frozenset(),
    {0: [(SOLD_AT + timedelta(hours=1), 10)]},
)


def facts(click: Attribution | None = None, currency: str = "USD") -> ConversionFacts:
    amount = Money(amount=100, currency=currency)
    return ConversionFacts(
        website_id=WEBSITE, kind="sale", event="sale", txid="1", amount=amount, occurred_at=SOLD_AT, attribution=click
    )


def search(passed_over: Any = None, *, click: Attribution | None = None, needs_rate: bool = False) -> PendingSearch:
    told = Reported(
        report_id=WEBSITE,
        key_kind="secret",
        reported_by="sale",
        received_at=SOLD_AT,
        kind="sale",
        occurred_at=SOLD_AT,
        visitor=7,
    )
    seen = (LogPosition(topic="clicks", partition=0, offset=5),)
    return PendingSearch(WEBSITE, needs_rate, passed_over, SOLD_AT, DUE_AT, facts(click), [told], seen)


def earned(model: str) -> Attribution:
    terms = Terms(kind="percent", rate_bp=1000)
    by = AttributedBy.VISITOR
    return Attribution(by=by, partner_id=PARTNER, clicked_at=PERSON.at, terms=terms, visitor=7, model=model)


def places(of: PendingSearch, world: World = WORLD, *clicks: ProjectedClick) -> str:
    assert of.facts is not None
    return wrong_places(of, of.facts, clicks or (ROBOT, PERSON), world)


def wait(of: PendingSearch, *clicks: ProjectedClick, world: World = WORLD) -> str:
    assert of.facts is not None
    return wrong_wait(of, of.facts, clicks, world)


def test_bots_clicks_that_a_decision_came_by_must_be_stored() -> None:
    assert places(search([[0, 3]])) == ""
    assert "lacks [(0, 3)]" in places(search(None))
    assert "no bots' clicks" in places(search([[0, 3], [0, 2]]))
    assert places(search({"planted": 1})) == "passed_over cannot be read"


def test_what_lies_behind_the_click_that_was_taken_was_not_looked_at() -> None:
    """The robot's click is later than the one that earns the sale: by the last click it was passed over."""
    assert "lacks" in places(search(None, click=earned("last_click")))
    assert places(search(None, click=earned("first_click"))) == ""


def test_a_click_that_the_decision_did_not_know_may_be_missing() -> None:
    late = replace(ROBOT, place=(0, 5))
    assert places(search(None), WORLD, late) == ""
    assert places(search([[0, 5]]), WORLD, late) == ""


def test_a_traffic_rule_leaves_open_what_was_a_bots_click() -> None:
    ruled = replace(WORLD, marked=frozenset({WEBSITE}))
    assert places(search([[0, 2]]), ruled) == "" == places(search(None), ruled)
    assert "no bots' clicks" in places(search([[0, 9]]), ruled)


def test_an_event_that_has_expired_is_no_click_that_never_was() -> None:
    assert places(search([[0, 9]]), replace(WORLD, expired=frozenset({WEBSITE}))) == ""


def test_a_sale_waits_for_a_rate_only_if_there_is_none() -> None:
    assert wait(search(needs_rate=True), PERSON) == ""  # of Singapore dollars there is none
    assert "there are rates" in wait(search(needs_rate=True))
    known = replace(WORLD, rates={**WORLD.rates, ("SGD", "EUR"): date(2026, 5, 17)})
    assert "there are rates" in wait(search(needs_rate=True), PERSON, world=known)
    later = replace(WORLD, rates={**WORLD.rates, ("SGD", "EUR"): date(2026, 5, 18)})
    assert wait(search(needs_rate=True), PERSON, world=later) == ""


def test_a_click_that_lacks_nothing_but_a_rate_makes_its_sale_wait() -> None:
    assert "would earn it but for a rate" in wait(search(), PERSON)
    assert wait(search(), ROBOT) == ""
    assert wait(search(), replace(PERSON, place=(0, 11))) == ""  # it may have been projected since
    assert wait(search(click=earned("last_click")), PERSON) == ""
    private = replace(WORLD, accounts={PARTNER: uuid5(WEBSITE, "another account")})
    assert wait(search(), PERSON, world=private) == ""


def test_a_rate_may_follow_from_those_against_the_euro() -> None:
    assert WORLD.has_rate("USD", "EUR", date(2026, 1, 1)) and not WORLD.has_rate("USD", "EUR", date(2025, 12, 31))
    crossed = replace(WORLD, rates={**WORLD.rates, ("EUR", "GBP"): date(2026, 2, 1)})
    assert crossed.has_rate("USD", "GBP", date(2026, 2, 1)) and not crossed.has_rate("USD", "GBP", date(2026, 1, 31))
