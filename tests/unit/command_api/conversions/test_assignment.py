"""Given a conversion without a click, when a person chooses a click or a link, then that permanently earns it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4, uuid5

import pytest

from command_api.conversions import model
from command_api.conversions.attribution.assignment import assign
from command_api.conversions.attribution.clicks import ClickVisit
from command_api.conversions.attribution.decision import may_change
from command_api.conversions.attribution.facts import ConversionOf, LinkOf, LinkOfCode, WebsiteOf
from command_api.conversions.attribution.rules import ReferencedLink
from command_api.kernel.aggregates import state_after
from command_api.kernel.decision import CommandContext
from command_api.websites.model import Website
from schemas import click_id
from schemas.base import DomainEvent
from schemas.events.conversions import AttributedBy, ConversionAssigned, VisitDetails
from tests.support.events import names, usd
from tests.support.given_when_then import given, rejected
from tests.unit.command_api.conversions.test_merging import (
    CLICKS,
    KEY,
    LINKS,
    NOW,
    OWNER,
    SITE,
    Projected,
    World,
    a_click,
    click_row,
    report,
)

CONTEXT = CommandContext(NOW + timedelta(hours=1), OWNER)
OTHER_SITE, FOREIGN_SITE = uuid5(SITE, "other"), uuid5(SITE, "foreign")
ELSEWHERE = {
    3: ReferencedLink(uuid5(SITE, "l3"), OTHER_SITE, LINKS[1].partner_id),
    4: ReferencedLink(uuid5(SITE, "l4"), FOREIGN_SITE, LINKS[1].partner_id),
}


class Places(World):
    """Also knows a second website of the owner and one of another account."""

    def __init__(self, projected: Projected | None = None) -> None:
        super().__init__(projected or Projected())
        for website, account in ((OTHER_SITE, OWNER), (FOREIGN_SITE, uuid4())):
            self.knows({WebsiteOf(website): Website(website, 1, account, "other.example", "UTC", "USD", NOW)})
        for code, link in {**LINKS, **ELSEWHERE}.items():
            self.knows({LinkOfCode(code): link, LinkOf(link.link_id): link})


def a_sale(**said: Any) -> model.Conversion:
    """An unattributed sale of 100.00."""
    world = Places()
    world.decide(report(1, amount=usd(10_000), **said))
    state = world.conversion()
    assert state is not None and not state.is_attributed
    return state


def assigned(
    state: model.Conversion, click: str = "", link: UUID | None = None, world: Places | None = None
) -> tuple[model.Conversion, list[DomainEvent]]:
    world, reason = world or Places(), " Named by the network "
    events = world.by_facts(lambda case: assign(case, state, click, link, reason), CONTEXT)
    return state_after(model.evolve, state, events), events


def elsewhere(link: int, website_id: UUID) -> str:
    at = NOW - timedelta(hours=1)
    return click_id.mint(KEY, at=at, link_code=link, website_id=website_id, country="DE", device="desktop", nonce=1)


def test_a_click_earns_it_as_if_it_had_been_found_and_says_who_chose_it_and_why() -> None:
    state, [first, second] = assigned(a_sale(), CLICKS[2])
    assert isinstance(first, ConversionAssigned)
    assert (first.reason, first.actor_id, first.click_id) == ("Named by the network", OWNER, CLICKS[2])
    assert (second.NAME, second.originator_version) == ("conversion.attributed", 3)
    found = state.facts.attribution
    assert found is not None
    assert (found.by, found.link_id, found.click_id) == (AttributedBy.MANUAL, LINKS[2].link_id, CLICKS[2])
    assert (state.commission, model.contribution(state).pending) == (2_000, 1)


def test_the_visit_of_a_projected_click_comes_with_it() -> None:
    details = VisitDetails(path="/best-kettles", utm_campaign="spring")
    clicked = click_row(1, NOW - timedelta(hours=1), visitor=42, text=CLICKS[1])
    state, _ = assigned(a_sale(), CLICKS[1], world=Places(Projected([clicked], visit=ClickVisit("mail", details))))
    found = state.facts.attribution
    assert found is not None and (found.visitor, found.country, found.source) == (42, "IS", "mail")
    assert found.visit == details


def test_a_link_earns_it_by_the_terms_at_the_time_of_the_sale() -> None:
    state, _ = assigned(a_sale(), link=LINKS[2].link_id)
    found = state.facts.attribution
    assert found is not None and (found.click_id, found.clicked_at) == ("", state.facts.occurred_at)
    assert state.commission == 2_000
    assert not may_change(state)


def test_a_click_outside_the_window_may_be_chosen() -> None:
    old = a_click(1, timedelta(days=45))
    assert assigned(a_sale(click_id=old), old)[0].commission == 1_000


def test_the_same_choice_again_changes_nothing_and_another_one_is_refused() -> None:
    state, _ = assigned(a_sale(), CLICKS[1])
    assert assigned(state, CLICKS[1])[1] == []
    given(state).when(assigned, CLICKS[2]).then(rejected("already_attributed", None))
    given(state).when(assigned, link=LINKS[1].link_id).then(rejected("already_attributed", None))
    by_link, _ = assigned(a_sale(), link=LINKS[1].link_id)
    assert assigned(by_link, link=LINKS[1].link_id)[1] == []


@pytest.mark.parametrize(
    ("click", "link", "code", "field"),
    [
        ("nonsense", None, "unknown_click", "clickId"),
        (a_click(9), None, "unknown_click", "clickId"),
        (a_click(1, -timedelta(minutes=5)), None, "click_after_sale", "clickId"),
        (elsewhere(3, OTHER_SITE), None, "click_of_another_website", "clickId"),
        (elsewhere(4, FOREIGN_SITE), None, "unknown_click", "clickId"),
        (elsewhere(1, OTHER_SITE), None, "unknown_click", "clickId"),
        ("", uuid4(), "unknown_link", "linkId"),
        ("", ELSEWHERE[3].link_id, "link_of_another_website", "linkId"),
        ("", ELSEWHERE[4].link_id, "unknown_link", "linkId"),
    ],
    ids=[
        *("no click ID", "unknown link of the click", "after the sale", "other website", "other member's", "forged"),
        *("unknown link", "link of another website", "other member's link"),
    ],  # click IDs differ between runs
)
def test_what_cannot_have_earned_it_is_refused_at_its_field(
    click: str, link: UUID | None, code: str, field: str
) -> None:
    given(a_sale()).when(assigned, click, link).then(rejected(code, field))


def test_what_counts_or_no_longer_does_is_refused() -> None:
    for status in ("rejected", "reversed"):
        given(a_sale(key_kind="postback", status=status)).when(assigned, CLICKS[1]).then(
            rejected(f"already_{status}", None)
        )
    world = Places()
    world.decide(report(1, amount=usd(100), click_id=CLICKS[1]))
    found = world.conversion()
    assert found is not None
    given(found).when(assigned, CLICKS[1]).then(rejected("already_attributed", None))


@pytest.mark.parametrize("reason", ["", "  ", "x" * 501])
def test_a_reason_is_needed(reason: str) -> None:
    given().when(Places().by_facts, lambda case: assign(case, a_sale(), CLICKS[1], None, reason), CONTEXT).then(
        rejected("bad_reason", field="reason")
    )


def test_a_click_that_comes_later_does_not_replace_it_nor_does_a_report() -> None:
    state, _ = assigned(a_sale(visitor=42), CLICKS[1])
    world = Places(Projected([click_row(2, NOW - timedelta(minutes=5), visitor=42)]))
    again = world.reattribute(state)
    assert (again.steps.events, again.may_change) == ((), True)
    world.knows({ConversionOf(state.id): state})
    outcome = world.decide(report(2, amount=usd(20_000), click_id=CLICKS[2], key_kind="secret"))
    later = state_after(model.evolve, state, outcome.events)
    assert later.facts.attribution is not None and later.facts.attribution.click_id == CLICKS[1]
    assert later.is_assigned


def test_a_report_with_another_amount_is_paid_by_the_chosen_click() -> None:
    state, _ = assigned(a_sale(key_kind="postback"), CLICKS[1])
    world = Places()
    world.knows({ConversionOf(state.id): state})
    outcome = world.decide(report(2, amount=usd(30_000)))
    later = state_after(model.evolve, state, outcome.events)
    assert (later.facts.amount, later.commission, later.is_assigned) == (usd(30_000), 3_000, True)


def test_details_of_the_click_are_added_when_it_is_projected() -> None:
    state, _ = assigned(a_sale(), CLICKS[1])
    clicked = click_row(1, NOW - timedelta(hours=1), visitor=7, text=CLICKS[1])
    world = Places(Projected([clicked]))
    steps = world.reattribute(state).steps
    later = steps.state
    assert names(steps.events) == ["conversion.withdrawn", "conversion.restated"]
    assert later.facts.attribution is not None and later.facts.attribution.visitor == 7
    assert (later.commission, later.is_assigned) == (state.commission, True)
    assert world.reattribute(later).steps.events == ()
