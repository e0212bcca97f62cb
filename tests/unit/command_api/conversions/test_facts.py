"""Facts answer what was read, plus what the batch has decided since; a decision without an answer is made again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from command_api.conversions.attribution.decision import decide, facts_after
from command_api.conversions.attribution.facts import (
    AwaitsRate,
    ClaimsOf,
    ConversionOf,
    Facts,
    OpenedClick,
    RefusedClaimsOf,
    SalesOfClicks,
    TotalOf,
    Unanswered,
    WebsiteOf,
)
from command_api.conversions.claim_counts import hour_of
from command_api.conversions.tiers import MonthlyTotal, month_of
from infra.domain.conversion_identity import candidates
from schemas.identity import conversion_id
from tests.support.events import usd
from tests.unit.command_api.conversions.test_merging import (
    ALFA,
    CLICKS,
    NOW,
    SALE,
    SITE,
    WEBSITE,
    Projected,
    World,
    report,
)

KEY = (SITE, ALFA.id, month_of(NOW))


def test_a_decision_names_the_question_that_was_not_read() -> None:
    with pytest.raises(Unanswered) as asked:
        decide(report(1, amount=usd(100)), Facts(), NOW)
    assert asked.value.question == WebsiteOf(SITE)


def test_a_decision_that_asks_is_made_again_with_the_answer_until_it_asks_nothing() -> None:
    world = World(Projected())
    said = report(1, amount=usd(100), click_id=CLICKS[1])
    asked: list[Facts] = []

    def decided(facts: Facts) -> Any:
        asked.append(facts)
        return decide(said, facts, NOW)

    decision, facts = world.gathering.decide(world.facts, decided)
    assert [event.NAME for event in decision.events] == ["conversion.recorded"]
    assert len(asked) > 1 and asked[-1] is facts
    assert OpenedClick(CLICKS[1]) in facts.answers and OpenedClick(CLICKS[1]) not in world.facts.answers
    assert world.gathering.decide(facts, decided)[1] is facts, "everything is known now"


def test_what_was_read_stays_and_what_the_batch_decides_is_added() -> None:
    world = World(Projected())
    world.knows({TotalOf(KEY): MonthlyTotal(4, 400), AwaitsRate(SALE): False, RefusedClaimsOf(SALE): ()})
    before = world.facts
    world.decide(report(1, amount=usd(20_000), click_id=CLICKS[1]))
    assert world.facts.total(KEY) == MonthlyTotal(5, 2_400), "also by terms without tiers"
    assert world.facts[TotalOf(KEY)] == before.total(KEY) == MonthlyTotal(4, 400)
    assert (before.conversion(SALE), world.facts.conversion(SALE) is None) == (None, False)


def test_a_claim_counts_and_a_refused_one_is_kept_for_the_shops_report() -> None:
    world = World(Projected(), claims=WEBSITE.max_claims_per_click - 1)
    count = (SITE, CLICKS[1], hour_of(NOW))
    world.decide(report(1, amount=usd(100), click_id=CLICKS[1], key_kind="site"))
    assert world.facts.claims(count) == WEBSITE.max_claims_per_click
    assert world.facts[ClaimsOf(count)] == WEBSITE.max_claims_per_click - 1
    full = World(Projected(), claims=WEBSITE.max_claims_per_click)
    full.knows({RefusedClaimsOf(SALE): ()})
    refused = full.decide(report(1, amount=usd(100), click_id=CLICKS[1], key_kind="site")).refused_claim
    assert refused is not None and full.facts.refused_claims(SALE) == (refused,)


def test_a_report_without_a_rate_makes_those_of_its_status_wait() -> None:
    world = World(Projected())
    assert world.decide(report(1, amount=usd(100).model_copy(update={"currency": "CHF"}))).needs_rate
    assert world.facts.awaits_rate(SALE) and world.decide(report(2, key_kind="postback", status="approved")).needs_rate


def test_sales_of_single_clicks_are_found_by_the_id_that_they_share() -> None:
    shared = conversion_id(SITE, "sale", "T-1")
    own = conversion_id(SITE, "sale", "T-1", click_id=CLICKS[1])
    said = report(1, amount=usd(100), click_id=CLICKS[1], conversion_id=own, txid_scope="click")
    assert candidates(said).shared_id == shared
    world = World(Projected())
    world.knows({ConversionOf(own): None, SalesOfClicks(shared): ()})
    decision, facts = world.gathering.decide(world.facts, lambda facts: decide(said, facts, NOW))
    facts = facts_after(facts, decision)
    assert (facts.sales_of_clicks(shared), facts[SalesOfClicks(shared)]) == ((own,), ())
    assert replace(facts, decided=Facts().decided).sales_of_clicks(shared) == ()
