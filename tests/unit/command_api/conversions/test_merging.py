"""Reports of one transaction, in any order, end in the same conversion; what the public site key says is a claim."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import Any, TypeVar
from uuid import UUID, uuid4, uuid5

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from command_api.conversions import decisions, model
from command_api.conversions.attribution.clicks import PAGE_SIZE, ClickQuery, ClickRow, ClickVisit
from command_api.conversions.attribution.decision import (
    Case,
    Reattribution,
    ReportDecision,
    decide,
    facts_after,
    reattribute,
)
from command_api.conversions.attribution.facts import (
    Answers,
    ConversionOf,
    Facts,
    LinkOfCode,
    LinkOfCoupon,
    PartnerOf,
    PassedOverBy,
    RateOn,
    WebsiteOf,
)
from command_api.conversions.attribution.gathering import Gathering
from command_api.conversions.attribution.rules import ReferencedLink
from command_api.kernel.aggregates import state_after
from command_api.kernel.decision import CommandContext
from command_api.partners import model as partners
from command_api.websites.model import Website
from infra.domain.exchange_rates import DatedRate
from infra.domain.report_merging import count_conflicts
from schemas import click_id
from schemas.base import DomainEvent
from schemas.events.conversions import ConversionRecorded, VisitDetails
from schemas.events.websites import AttributionModel
from schemas.tracking import ConversionReported, log_time
from tests.support.events import eur, names, usd

Result = TypeVar("Result")

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SITE, OWNER, SALE = uuid4(), uuid4(), uuid4()
KEY = bytes(32)
CONTEXT = CommandContext(NOW)
WEBSITE = Website(SITE, 1, OWNER, "shop.example", "UTC", "USD", NOW)
FIELDS = ("pending", "approved", "rejected", "reversed", "commission_pending", "commission_approved")


def a_partner(name: str, commission: float) -> partners.Partner:
    partner_id = uuid5(SITE, name)
    terms: dict[str, Any] = {"description": "", "is_active": True, "cookie_days": 30, "postback_preset": None}
    context = CommandContext(NOW - timedelta(days=900))
    events = partners.register(
        partner_id, None, name=name, slug=name, base_url=f"https://{name}.example", commission=commission,
        context=context, **terms,
    )  # fmt: skip
    return partners.evolve(None, events[0])


ALFA, BETA = a_partner("alfa", 10), a_partner("beta", 20)
LINKS = {1: ReferencedLink(uuid5(SITE, "l1"), SITE, ALFA.id), 2: ReferencedLink(uuid5(SITE, "l2"), SITE, BETA.id)}


def a_click(link: int, ago: timedelta = timedelta(hours=1)) -> str:
    return click_id.mint(KEY, at=NOW - ago, link_code=link, website_id=SITE, country="DE", device="desktop", nonce=link)


CLICKS = {1: a_click(1), 2: a_click(2)}


def click_row(link: int, at: datetime, visitor: int = 0, text: str = "", bot: str = "") -> ClickRow:
    name = click_id.event_id(text) if text else uuid5(SITE, f"{link} {at}")
    held = LINKS[link]
    return ClickRow(SITE, name, visitor, at, text, held.link_id, held.partner_id, "IS", "mobile", "news", {}, bot)


@dataclass
class Projected:
    """Clicks as the projection has them by now."""

    rows: list[ClickRow] = field(default_factory=list)
    pages: int = 0
    visit: ClickVisit | None = None
    """Of every click that is there."""

    def by_event(self, wanted: Iterable[tuple[UUID, UUID, Any]]) -> dict[UUID, ClickRow]:
        names = {name for _, name, _ in wanted}
        return {found.event_id: found for found in self.rows if found.event_id in names}

    def by_visitor(self, wanted: Sequence[ClickQuery], *, oldest_first: bool) -> dict[tuple[UUID, int], list[ClickRow]]:
        return {(v.website_id, v.visitor): self._ordered(v, oldest_first)[:PAGE_SIZE] for v in wanted}

    def next_page(self, visit: ClickQuery, after: ClickRow, *, oldest_first: bool) -> list[ClickRow]:
        self.pages += 1
        ordered = self._ordered(visit, oldest_first)
        place = ordered.index(after) + 1
        return ordered[place : place + PAGE_SIZE]

    def visits(self, clicks: Sequence[ClickRow]) -> dict[UUID, ClickVisit]:
        return {} if self.visit is None else {click.event_id: self.visit for click in clicks}

    def _ordered(self, visit: ClickQuery, oldest_first: bool) -> list[ClickRow]:
        mine = [found for found in self.rows if found.visitor == visit.visitor]
        return sorted(mine, key=lambda found: (found.occurred_at, found.event_id), reverse=not oldest_first)


@dataclass
class Stored:
    """A `Reader` of what is stored beside the events: nothing but counted claims."""

    claims: int = 0

    def load(self, *_: object) -> Any:
        raise AssertionError("the world names all that there is")

    def select(self, query: str, *_: object) -> list[tuple[Any, ...]]:
        return [(self.claims,)] if "claim_count" in query else []


class World:
    """A website, two partners and their links, as decisions read them."""

    def __init__(self, projected: Projected, website: Website = WEBSITE, *, claims: int = 0) -> None:
        self.website = website
        self.gathering = Gathering(Stored(claims), projected, KEY)
        self.facts = Facts()
        self.knows({WebsiteOf(SITE): website, PartnerOf(ALFA.id): ALFA, PartnerOf(BETA.id): BETA})
        self.knows({LinkOfCode(code): link for code, link in LINKS.items()})
        self.knows({ConversionOf(SALE): None, PassedOverBy(SALE): frozenset()})
        self.knows({LinkOfCoupon(SITE, "SAVE10"): (LINKS[2], NOW - timedelta(days=1))})
        self.knows(
            {RateOn("EUR", "USD", NOW.date()): DatedRate("1.1", NOW.date()), RateOn("CHF", "USD", NOW.date()): None}
        )

    def knows(self, answers: Answers) -> None:
        self.facts = self.facts.answering(answers)

    def conversion(self) -> model.Conversion | None:
        return self.facts.conversion(SALE)

    def decide(self, said: ConversionReported) -> ReportDecision:
        decision, facts = self.gathering.decide(self.facts, lambda facts: decide(said, facts, NOW))
        self.facts = facts_after(facts, decision)
        return decision

    def changed(self, events: Sequence[DomainEvent]) -> None:
        self.facts = self.facts.after(SALE, events)

    def by_facts(self, decision: Callable[[Case], Result], context: CommandContext = CONTEXT) -> Result:
        return self.gathering.decide(self.facts, lambda facts: decision(Case(self.website, facts, context)))[0]

    def reattribute(self, state: model.Conversion) -> Reattribution:
        return self.by_facts(lambda case: reattribute(case, state))


def report(number: int = 0, **said: Any) -> ConversionReported:
    received = log_time(NOW + timedelta(seconds=number))
    values: dict[str, Any] = {
        "report_id": uuid5(SALE, str(number)),
        "conversion_id": SALE,
        "website_id": SITE,
        "kind": "sale",
        "event": "sale",
        "txid": "T-1",
        "reported_by": "postback" if said.get("key_kind") == "postback" else "sale",
        "occurred_at": received,
        "received_at": received,
        "key_kind": "secret",
        **said,
    }
    return ConversionReported.model_validate(values)


def after(
    reports: Iterable[ConversionReported], projected: Projected | None = None
) -> tuple[model.Conversion, list[DomainEvent]]:
    state, events = outcome(reports, projected)
    assert state is not None
    return state, events


def outcome(
    reports: Iterable[ConversionReported], projected: Projected | None = None
) -> tuple[model.Conversion | None, list[DomainEvent]]:
    """As `after`; none if every report was refused. What waits for a rate is decided again at the end."""
    world, events, waiting = World(projected or Projected()), list[DomainEvent](), list[ConversionReported]()
    for each in reports:
        found = world.decide(each)
        events += found.events
        waiting += [each] if found.needs_rate else []
    for each in waiting:
        events += world.decide(each).events
    return world.conversion(), events


def picture(state: model.Conversion) -> dict[str, Any]:
    """All that a conversion is, but for when which step was taken."""
    found = state.facts.attribution
    return {
        "facts": state.facts.model_dump(exclude={"attribution"}),
        "click": found and (found.by, found.partner_id, found.click_id, found.clicked_at),
        "status": state.status,
        "payout": state.payout,
        "commission": state.commission,
        "reversed": (state.reversed_amount, state.reversed_commission),
        "key": state.key_kind,
        "conflicts": count_conflicts(state.reports, state.merged),
        "counts": model.contribution(state),
    }


def test_pixel_server_and_network_make_one_sale_in_any_order() -> None:
    said = [
        report(1, key_kind="site", click_id=CLICKS[1], amount=usd(20_000)),
        report(2, amount=usd(20_000), customer="c1"),
        report(3, key_kind="postback", payout=usd(2_500), status="approved"),
    ]
    pictures = [picture(after(order)[0]) for order in permutations(said)]
    assert all(found == pictures[0] for found in pictures)
    state, _ = after(said)
    assert (state.facts.amount, state.payout, state.commission) == (usd(20_000), usd(2_500), 2_500)
    assert (state.status.value, state.key_kind, state.is_attributed) == ("approved", "secret", True)


def test_a_status_that_comes_first_does_not_hide_the_amount() -> None:
    state, _ = after([report(1, key_kind="postback", status="approved"), report(2, amount=usd(20_000))])
    assert (state.facts.amount, state.status.value) == (usd(20_000), "approved")
    refused_first, _ = after([report(1, key_kind="postback", status="rejected"), report(2, amount=usd(20_000))])
    assert (refused_first.facts.amount, refused_first.status.value) == (usd(20_000), "rejected")


def test_the_shops_word_replaces_a_claim_and_both_are_named() -> None:
    claim = report(1, key_kind="site", click_id=CLICKS[2], amount=usd(99_999))
    shop = report(2, amount=usd(5_000), click_id=CLICKS[1])
    state, events = after([claim, shop])
    assert (state.facts.amount, state.commission, state.key_kind) == (usd(5_000), 500, "secret")
    restated = next(event for event in events if event.NAME == "conversion.restated")
    assert (restated.before.amount, restated.facts.amount) == (usd(99_999), usd(5_000))  # type: ignore[attr-defined]
    assert picture(after([shop, claim])[0]) == picture(state)


def test_a_claims_click_counts_where_the_shop_names_none() -> None:
    state, _ = after([report(1, key_kind="site", click_id=CLICKS[2], amount=usd(5_000)), report(2, amount=usd(5_000))])
    assert state.facts.attribution is not None and state.facts.attribution.partner_id == BETA.id


def test_a_claims_time_counts_while_nothing_but_claims_reports_the_sale() -> None:
    yesterday = log_time(NOW - timedelta(hours=20))
    claim = report(1, key_kind="site", click_id=CLICKS[1], amount=usd(100), occurred_at=yesterday, time_named=True)
    assert after([claim])[0].facts.occurred_at == NOW - timedelta(hours=20)
    for order in permutations([claim, report(2, amount=usd(100))]):
        assert after(order)[0].facts.occurred_at == NOW + timedelta(seconds=1)


def test_what_contradicts_is_kept_and_the_first_stands() -> None:
    said = [report(1, amount=usd(100)), report(2, amount=usd(200)), report(3, key_kind="postback", amount=usd(300))]
    for order in permutations(said):
        state, _ = after(order)
        assert (state.facts.amount, picture(state)["conflicts"]) == (usd(100), 2)


def test_an_amount_that_two_report_is_one_conflict_in_any_order() -> None:
    said = [
        report(1, key_kind="site", click_id=CLICKS[1], amount=usd(20)),
        report(2, key_kind="postback", amount=usd(20)),
        report(3, amount=usd(30)),
    ]
    for order in permutations(said):
        assert picture(after(order)[0])["conflicts"] == 1


def test_a_claim_of_a_reversed_amount_is_a_conflict_once_the_sale_is_larger_in_any_order() -> None:
    said = [
        report(1, key_kind="site", click_id=CLICKS[1]),
        report(2, key_kind="site", click_id=CLICKS[1], amount=usd(100)),
        report(3, key_kind="postback", amount=usd(100), status="reversed"),
        report(4, key_kind="postback", amount=usd(999)),
    ]
    for order in permutations(said):
        assert picture(after(order)[0])["conflicts"] == 1


LARGE = WEBSITE.max_claim_amount + 1
amounts = st.none() | st.sampled_from([usd(0), usd(100), usd(999), usd(20_000), usd(LARGE), eur(500), eur(LARGE)])
one_report = st.fixed_dictionaries(
    {
        "key_kind": st.sampled_from(["site", "secret", "postback"]),
        "amount": amounts,
        "payout": st.none() | st.sampled_from([usd(50), usd(75), eur(60)]),
        "status": st.sampled_from(["", "", "pending", "hold", "approved", "rejected", "reversed", "reversed"]),
        "click_id": st.sampled_from(["", CLICKS[1], CLICKS[2], "{click_id}"]),
        "coupon": st.sampled_from(["", "", "SAVE10", "NOSUCH"]),
        "visitor": st.sampled_from([0, 7, 8]),
        "customer": st.sampled_from(["", "c1", "c2"]),
        "time_named": st.booleans(),
    }
)


def sent(number: int, said: dict[str, Any]) -> ConversionReported:
    """As ingest accepts it: a report with a site key names its click, and neither status nor payout."""
    values = dict(said)
    if values["key_kind"] == "site":
        named = values["click_id"] if values["click_id"] in CLICKS.values() else CLICKS[1]
        values |= {"status": "", "payout": None, "click_id": named}
    if values["time_named"]:
        values["occurred_at"] = log_time(NOW - timedelta(minutes=number))
    return report(number, **values)


@settings(max_examples=150)
@given(st.lists(one_report, min_size=2, max_size=6), st.randoms(use_true_random=False))
def test_any_order_ends_alike(said: list[dict[str, Any]], chance: Any) -> None:
    projected = Projected([click_row(1, NOW - timedelta(hours=2), 7), click_row(2, NOW - timedelta(hours=3), 8)])
    reports = [sent(number, one) for number, one in enumerate(said, 1)]
    shuffled = [*reports, chance.choice(reports)]
    chance.shuffle(shuffled)
    (first, events), (second, others) = outcome(reports, projected), outcome(shuffled, projected)
    if first is None or second is None:
        assert first is second, "what is refused is refused in any order"
        return
    assert picture(first) == picture(second)
    for state, steps in ((first, events), (second, others)):
        counted = {name: sum(getattr(e.change, name) for e in steps if hasattr(e, "change")) for name in FIELDS}
        assert counted == {name: getattr(model.contribution(state), name) for name in FIELDS}
        assert [event.originator_version for event in steps] == list(range(1, len(steps) + 1))


@pytest.mark.parametrize("order", ["sale A B", "A sale B", "sale B A", "A B sale"])
def test_clicks_that_come_late_end_alike(order: str) -> None:
    projected, world = Projected(), None
    clicks = {"A": click_row(1, NOW - timedelta(hours=2), 7), "B": click_row(2, NOW - timedelta(hours=1), 7)}
    state: model.Conversion | None = None
    for step in order.split():
        if step == "sale":
            world = World(projected)
            world.decide(report(1, amount=usd(100), visitor=7))
            state = world.conversion()
        else:
            projected.rows.append(clicks[step])
        if state is not None:
            found = World(projected).reattribute(state)
            assert found.may_change
            state = found.steps.state
    assert state is not None and state.facts.attribution is not None
    assert (state.facts.attribution.partner_id, state.commission) == (BETA.id, 20)


VISIT = ClickVisit("newsletter", VisitDetails(path="/best-vpn", entry_page="/", utm_campaign="spring", placement="top"))


@pytest.mark.parametrize("status", ["", "approved", "rejected"])
def test_a_sale_gets_the_visit_of_its_click_when_the_clicks_row_comes(status: str) -> None:
    projected = Projected(visit=VISIT)
    state, _ = after([report(1, amount=usd(100), click_id=CLICKS[1], status=status)], projected)
    earned = state.commission
    assert state.facts.attribution is not None and state.facts.attribution.visit == VisitDetails()
    projected.rows.append(replace(click_row(1, NOW - timedelta(hours=1), 7, CLICKS[1]), subs={"sub1": "a"}))
    again = World(projected).reattribute(state)
    assert [getattr(event, "cause", "") for event in again.steps.events][-1] == "details" and again.may_change
    state = again.steps.state
    found = state.facts.attribution
    assert found is not None and (found.source, found.subs, found.visit) == ("newsletter", {"sub1": "a"}, VISIT.details)
    assert (state.commission, state.status.value) == (earned, status or "pending")


def test_a_sale_keeps_its_visit_while_the_clicks_row_is_not_there() -> None:
    projected = Projected([click_row(1, NOW - timedelta(hours=1), 7, CLICKS[1])], visit=VISIT)
    state, _ = after([report(1, amount=usd(100), click_id=CLICKS[1])], projected)
    projected.rows.clear()  # the table is built again
    assert World(projected).reattribute(state).steps.events == ()
    state = merged_into(state, projected, report(2, amount=usd(100), click_id=CLICKS[1], customer="c"))
    assert state.facts.attribution is not None and state.facts.attribution.visit == VISIT.details


def test_a_coupon_is_a_dimension_of_its_sale() -> None:
    world = World(Projected())
    world.knows({LinkOfCoupon(SITE, "SAVE10"): (LINKS[1], NOW - timedelta(days=1))})
    [recorded] = world.decide(report(1, amount=usd(100), coupon="save10")).events
    assert isinstance(recorded, ConversionRecorded)
    assert recorded.facts.attribution is not None and recorded.facts.attribution.coupon == "SAVE10"


def test_after_the_approval_a_late_click_is_proposed() -> None:
    projected = Projected([click_row(1, NOW - timedelta(hours=2), 7)])
    state, _ = after([report(1, amount=usd(100), visitor=7, status="approved")], projected)
    projected.rows.append(click_row(2, NOW - timedelta(hours=1), 7))
    steps = World(projected).reattribute(state).steps
    assert names(steps.events) == ["conversion.adjustment_proposed"]
    state = steps.state
    assert state.proposed is not None and state.proposed.commission == usd(20)
    assert World(projected).reattribute(state).steps.events == ()


def settled_beside_a_late_click() -> tuple[model.Conversion, Projected]:
    """Approved with a click on alfa's link; a later click of the same visitor on beta's came after that."""
    projected = Projected([click_row(1, NOW - timedelta(hours=2), 7)])
    state, _ = after([report(1, amount=usd(100), visitor=7, status="approved")], projected)
    projected.rows.append(click_row(2, NOW - timedelta(hours=1), 7))
    return state, projected


def merged_into(state: model.Conversion, projected: Projected, said: ConversionReported) -> model.Conversion:
    world = World(projected)
    world.knows({ConversionOf(SALE): state})
    return state_after(model.evolve, state, world.decide(said).events)


def test_a_report_does_not_exchange_the_click_of_an_approved_sale_for_a_late_one() -> None:
    state, projected = settled_beside_a_late_click()
    state = merged_into(state, projected, report(2, customer="c"))
    assert state.facts.attribution is not None and state.merged.customer == "c"
    assert (state.facts.attribution.partner_id, state.commission, state.status) == (ALFA.id, 10, model.APPROVED)
    assert state.proposed is not None and state.proposed.commission == usd(20)
    state = merged_into(state, projected, report(3, amount=usd(100), payout=usd(3), key_kind="postback"))
    assert (state.facts.attribution.partner_id, state.commission) == (ALFA.id, 3)  # type: ignore[union-attr]
    assert state.proposed is not None and state.proposed.commission == usd(3)


def test_a_report_does_not_bring_back_a_click_that_its_owner_dismissed() -> None:
    state, projected = settled_beside_a_late_click()
    state = World(projected).reattribute(state).steps.state
    for event in decisions.dismiss_adjustment(state, CommandContext(NOW)):
        state = model.evolve(state, event)
    state = merged_into(state, projected, report(2, customer="c"))
    assert (state.commission, state.proposed, state.merged.customer) == (10, None, "c")


def test_a_report_that_names_another_click_exchanges_that_of_an_approved_sale() -> None:
    state, projected = settled_beside_a_late_click()
    state = merged_into(state, projected, report(2, click_id=CLICKS[2]))
    assert state.facts.attribution is not None
    assert (state.facts.attribution.partner_id, state.commission, state.proposed) == (BETA.id, 20, None)


def test_the_row_of_a_click_completes_what_its_id_says() -> None:
    state, _ = after([report(1, amount=usd(100), click_id=CLICKS[1])])
    assert state.facts.attribution is not None and state.facts.attribution.visitor == 0
    seen = Projected([click_row(1, NOW - timedelta(hours=1), 42, CLICKS[1])])
    steps = World(seen).reattribute(state).steps
    assert names(steps.events) == ["conversion.withdrawn", "conversion.restated"]
    state = steps.state
    found = state.facts.attribution
    assert found is not None and (found.visitor, found.source, state.commission) == (42, "news", 10)


def test_a_sale_of_a_click_in_a_page_waits_for_the_click_and_keeps_it_while_it_is_away() -> None:
    text = click_id.mint(
        KEY, at=NOW - timedelta(hours=1), link_code=click_id.IN_PAGE, website_id=SITE, country="IS", device="mobile",
        nonce=9,
    )  # fmt: skip
    state, _ = after([report(1, amount=usd(100), click_id=text)])
    assert not state.is_attributed
    clicked = replace(click_row(1, NOW - timedelta(hours=1), 42, text), link_id=None)
    for seen in (Projected([clicked]), Projected([click_row(2, NOW, 42)])):
        state = World(seen).reattribute(state).steps.state
        found = state.facts.attribution
        assert found is not None and (found.partner_id, found.link_id, found.click_id) == (ALFA.id, None, text)


def test_the_first_click_is_found_behind_many_others() -> None:
    website = Website(SITE, 1, OWNER, "shop.example", "UTC", "USD", NOW, AttributionModel.FIRST_CLICK)
    old = [click_row(2, NOW - timedelta(days=60, minutes=number), 7) for number in range(3 * PAGE_SIZE)]
    first = click_row(1, NOW - timedelta(days=29), 7)
    newer = [click_row(2, NOW - timedelta(days=1, minutes=number), 7) for number in range(2 * PAGE_SIZE)]
    world = World(Projected([*newer, first, *old]), website)
    world.decide(report(1, amount=usd(100), visitor=7))
    state = world.conversion()
    assert state is not None and state.facts.attribution is not None
    assert state.facts.attribution.clicked_at == first.occurred_at


def test_a_bots_click_earns_by_the_shops_word_and_not_by_a_claim() -> None:
    projected = Projected([click_row(1, NOW - timedelta(hours=1), 42, CLICKS[1], bot="headless")])
    claim = report(1, key_kind="site", amount=usd(100), click_id=CLICKS[1])
    state, _ = after([claim], projected)
    assert not state.is_attributed
    state, _ = after([claim, report(2, amount=usd(100), click_id=CLICKS[1])], projected)
    assert state.facts.attribution is not None and state.facts.attribution.bot_reason == "headless"


class TestLimitsOfClaims:
    def claim(self, amount: int, counted: int = 0) -> ReportDecision:
        world = World(Projected(), claims=counted)
        return world.decide(report(1, key_kind="site", click_id=CLICKS[1], amount=usd(amount)))

    def test_a_single_claim_is_bounded(self) -> None:
        assert self.claim(WEBSITE.max_claim_amount).rejection is None
        refused = self.claim(WEBSITE.max_claim_amount + 1).rejection
        assert refused is not None and refused.code == "claim_too_large"

    def test_claims_of_one_click_are_bounded(self) -> None:
        assert self.claim(100, WEBSITE.max_claims_per_click - 1).claim is not None
        refused = self.claim(100, WEBSITE.max_claims_per_click).rejection
        assert refused is not None and refused.code == "too_many_claims"

    def test_what_the_shop_reports_has_no_such_limit(self) -> None:
        state, _ = after([report(1, amount=usd(10**12))])
        assert state.facts.amount == usd(10**12)
