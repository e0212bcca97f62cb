"""Scores of programs: the parts add up, each part says what it should, and own results count."""

from __future__ import annotations

import math
from typing import Any
from uuid import uuid4

import pytest

from infra.matching.taxonomy import fits, taxonomy
from infra.matching.words import stems
from query_api.matching.bm25 import Index
from query_api.matching.learning import best_industries, suggested
from query_api.matching.results import partner_programs, results_of
from query_api.matching.scoring import WEIGHTS, Idea, Listed, Match, Results, cons, pros, ranked
from schemas.base import Money
from schemas.events.matching import Program
from schemas.figures import Counts
from tests.support.programs import starter_listed

HOSTING = Idea("WordPress hosting tutorials for small businesses", "hosting")


def listed(**changes: Any) -> Listed:
    program = Program(
        company_name="Example Hosting",
        category="hosting",
        description="Web hosting with WordPress for small businesses.",
        url="https://www.hosting.example/affiliates",
        commission_type="percentage",
        commission_bp=3_000,
        cookie_days=30,
        approval="easy",
        payment="monthly",
        source="Its page",
    )
    program = program.model_copy(update=changes)
    return Listed(uuid4(), program, None)


def match(idea: Idea = HOSTING, results: Results | None = None, **changes: Any) -> Match:
    one = listed(**changes)
    [found] = ranked(idea, [one, listed(company_name="Other", category="pets", description="Dog food")],
                     {one.id: results} if results else {})[:1]  # fmt: skip
    return found


def value(found: Match, name: str) -> float:
    return next(part.value for part in found.parts if part.name == name)


def test_the_weights_are_a_whole() -> None:
    assert math.isclose(sum(WEIGHTS.values()), 1)


def test_every_score_is_the_sum_of_the_parts_that_are_shown() -> None:
    for found in ranked(HOSTING, starter_listed(), {}):
        assert {part.name for part in found.parts} == set(WEIGHTS)
        assert all(0 <= part.value <= 1 for part in found.parts)
        assert math.isclose(found.score, sum(part.weight * part.value for part in found.parts), abs_tol=1e-4)


def test_bm25_by_hand() -> None:
    index = Index([("host", "blog"), ("dog", "food"), ("dog", "host", "host", "cat")])
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    length = 8 / 3
    once = idf * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / length))
    twice = idf * 2.2 * 2 / (2 + 1.2 * (0.25 + 0.75 * 4 / length))
    assert index.scores(["host", "host", "unknown"]) == pytest.approx([once, 0, twice])
    assert Index([]).scores(["host"]) == []


@pytest.mark.parametrize(
    ("words", "same"),
    [("hosting hosts hosted", 1), ("running runner", 2), ("puppies puppy", 1), ("boxes box", 1), ("e-mail email", 1)],
)
def test_words_of_one_stem(words: str, same: int) -> None:
    assert len(set(stems(words))) == same


def test_stop_words_and_signs_say_nothing() -> None:
    assert stems("The best websites, and how to start one!") == ()
    assert fits("The best websites, and how to start one!") == []


def test_every_industry_is_found_by_its_own_niches() -> None:
    for key, industry in taxonomy().items():
        for niche in industry.niches:
            assert fits(niche.idea)[0].industry.key == key, niche.idea


def test_terms_alone_recommend_nothing() -> None:
    assert ranked(Idea("zzz qqq", "general"), starter_listed(), {}) == []


@pytest.mark.parametrize(
    ("score", "verdict"),
    [(1.0, "highly_recommended"), (0.8, "highly_recommended"), (0.6, "recommended"), (0.4, "consider"),
     (0.39, "review_needed")],
)  # fmt: skip
def test_verdicts_begin_where_they_are_documented(score: float, verdict: str) -> None:
    from query_api.matching.scoring import Part

    assert Match(listed(), tuple(Part(name, score, "") for name in WEIGHTS)).verdict == verdict


def test_better_terms_score_higher() -> None:
    assert value(match(commission_bp=3_000), "commission") > value(match(commission_bp=500), "commission")
    assert value(match(recurring=True, commission_bp=1_000), "commission") > value(
        match(commission_bp=1_000), "commission"
    )
    assert value(match(cookie_days=30), "cookie") > value(match(cookie_days=1), "cookie")
    assert value(match(cookie_days=0), "cookie") == 0
    assert value(match(approval="easy"), "approval") > value(match(approval="hard"), "approval")


def test_own_results_count_once_there_are_enough_clicks() -> None:
    def results(clicks: int, earned: int) -> Results:
        return Results(clicks, 3, earned, 1_000, 10_000, "USD")

    assert value(match(), "results") == 0.5
    assert value(match(results=results(49, 100_000)), "results") == 0.5
    good, average, poor = (value(match(results=results(500, sum_)), "results") for sum_ in (20_000, 5_000, 0))
    assert good > average > poor
    assert average == pytest.approx(0.5)
    said = pros(match(results=results(500, 20_000)))
    assert "Your own links with it earned 40.00 USD per 100 clicks, more than your average" in said


def test_a_model_s_industry_counts_even_without_its_words() -> None:
    idea = Idea("A blog for people who love their furry friends", "pets", by_model=True)
    assert ranked(idea, starter_listed(), {})[0].program.category == "pets"


def test_pros_and_cons_come_from_the_parts() -> None:
    good = match()
    assert {"Pays 30 % of each sale", "Approval is easy", "Sales count for 30 days after the click"} <= set(pros(good))
    assert cons(good) == ["Terms are to be checked on the program's own page"]
    poor = match(commission_bp=200, cookie_days=1, approval="hard")
    assert {
        "Pays 2 % of each sale, which is little",
        "Sales count for 1 day after the click",
        "Approval is hard: show some traffic first",
    } <= set(cons(poor))


def test_pay_is_told_in_the_program_s_own_terms() -> None:
    both = match(commission_type="hybrid", commission_bp=750, commission_amount=Money(amount=5_000, currency="USD"),
                 recurring=True)  # fmt: skip
    told = next(part.why for part in both.parts if part.name == "commission")
    assert told == "Pays 7.5 % of each sale and 50.00 USD for each sale or lead, again with each renewal"


def test_partners_are_programs_by_link_or_by_host() -> None:
    own, partner, other = uuid4(), uuid4(), uuid4()
    linked = listed(partner_id=own)
    by_host = listed(company_name="Another", url="https://partners.another.example/join")
    found = partner_programs(
        [linked, by_host],
        [
            (own, "https://elsewhere.example"),
            (partner, "https://www.another.example/"),
            (other, "https://notanother.example"),
        ],
    )
    assert found == {own: linked.id, partner: by_host.id}


def test_results_are_of_one_currency() -> None:
    program, partner, stranger = uuid4(), uuid4(), uuid4()
    counted = [
        (partner, "USD", Counts(clicks=100, approved=2, c_approved=500)),
        (partner, "EUR", Counts(clicks=300, pending=1, c_pending=900)),
        (stranger, "EUR", Counts(clicks=50, approved=1, c_approved=100)),
    ]
    found = results_of(counted, {partner: program})  # type: ignore[arg-type]
    assert found == {program: Results(300, 1, 900, 350, 1_000, "EUR")}


def test_suggestions_begin_with_what_earned() -> None:
    pets, vpn = listed(category="pets"), listed(category="vpn")
    results = [
        (pets.id, Results(500, 5, 20_000, 900, 21_000, "USD")),
        (vpn.id, Results(90, 1, 500, 900, 21_000, "USD")),
    ]
    earned = best_industries([pets, vpn], results)
    assert list(earned) == ["pets", "vpn"]
    assert earned["pets"] == "Your links in this industry earned 200.00 USD from 500 clicks in 90 days"
    found = suggested(earned)
    assert [one.industry for one in found][:4] == ["Pets", "Pets", "VPN & Privacy", "VPN & Privacy"]
    assert len(suggested({})) == 6
