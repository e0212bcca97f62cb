"""Ideas: the parts add up, interests and own results lead to them, reasons of dismissals change the next round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from uuid import UUID

import pytest

from infra.domain.program_ideas.answers import Answers, Dismissal, answers_of
from infra.domain.program_ideas.content_plan import ARTICLES, content_plan
from infra.domain.program_ideas.earnings import expected
from infra.domain.program_ideas.generator import (
    MIN_SCORE,
    WEIGHTS,
    BusinessIdea,
    FittingProgram,
    PartName,
    ProgramDirectory,
    fitting,
    generate,
    idea_of,
)
from infra.domain.program_ideas.niches import SKILLS, niches
from infra.domain.program_matching.scoring import Results
from schemas.base import ERASED, Money
from schemas.events.matching import DismissReason
from tests.support.programs import starter_listed

DOGS, CATS = "pets.city-dogs", "pets.indoor-cats"
ANSWERS = Answers(("dogs", "coffee"), ("photo", "testing"), ("en",), 6, 200)
PROGRAMS = starter_listed()
DIRECTORY = ProgramDirectory(PROGRAMS)


def part(idea: BusinessIdea | None, name: PartName) -> tuple[float, str]:
    assert idea is not None
    return next((one.value, one.why) for one in idea.parts if one.name == name)


def program(name: str) -> UUID:
    return next(listed.id for listed in PROGRAMS if listed.program.company_name == name)


def earned(name: str, clicks: int, earned: int) -> Mapping[UUID, Results]:
    return {program(name): Results(clicks, 5, earned, clicks + 1_000, earned + 1_000, "USD")}


def test_every_niche_of_the_taxonomy_has_its_estimates_with_reasons() -> None:
    assert len(niches()) == 44
    for niche in niches().values():
        assert niche.competition_reason and niche.season_reason and niche.effort_reason and niche.order_reason
        assert set(niche.skills) <= set(SKILLS) and len(niche.queries) == 3
        assert all(1 <= month <= 12 for month in niche.months) and niche.hours > 0


@pytest.mark.parametrize("key", niches())
def test_every_niche_has_a_program_of_the_starter_set_and_ten_different_articles(key: str) -> None:
    idea = idea_of(key, ANSWERS, DIRECTORY)
    assert idea is not None
    assert len({article.title for article in idea.articles}) == ARTICLES == len(idea.articles)
    assert [article.intent for article in idea.articles].count("informational") == 3
    assert all(article.outline for article in idea.articles)


def test_the_parts_of_a_score_are_the_score() -> None:
    assert sum(WEIGHTS.values()) == pytest.approx(1)
    for idea in generate(ANSWERS, DIRECTORY).ideas:
        assert idea.score == pytest.approx(sum(one.weight * one.value for one in idea.parts), abs=1e-4)
        assert [one.name for one in idea.parts] == list(WEIGHTS)


def test_interests_lead_to_their_niches_and_skills_put_the_suitable_first() -> None:
    found = generate(ANSWERS, DIRECTORY)
    assert found.empty_reason is None
    assert found.ideas[0].niche.key == DOGS
    assert {idea.niche.industry.key for idea in found.ideas} == {"pets", "food"}
    assert part(found.ideas[0], "interest") == (1.0, "Your interest: dogs")


def test_an_interest_that_the_words_of_a_niche_have_is_understood() -> None:
    found = generate(replace(ANSWERS, interests=("trains",)), DIRECTORY)
    assert "travel.slow-travel-by-train" in [idea.niche.key for idea in found.ideas]


@pytest.mark.parametrize("interest", ["qwertz", "things", "my life"])
def test_nothing_is_made_up_for_interests_that_nobody_understands(interest: str) -> None:
    found = generate(replace(ANSWERS, interests=(interest,)), DIRECTORY)
    assert (found.ideas, found.empty_reason) == ((), "interests_unclear")


def test_without_time_money_and_programs_nothing_reaches_the_minimum() -> None:
    poor = Answers(("vpn",), (), ("en",), 1, 0)
    assert all(idea.score >= MIN_SCORE for idea in generate(poor, DIRECTORY).ideas)
    assert generate(ANSWERS, ProgramDirectory(())).empty_reason == "below_minimum"


def test_an_industry_that_earned_money_is_an_idea_without_any_interest() -> None:
    given = replace(ANSWERS, interests=("qwertz",), hours=20, money=500)
    results = earned("BarkBox", 500, 50_000)
    found = generate(given, replace(DIRECTORY, results=results))
    assert {idea.niche.industry.key for idea in found.ideas} == {"pets"}
    value, why = part(found.ideas[0], "results")
    assert value > 0.5
    assert why == "Your links in Pets earned 500.00 USD from 500 clicks"


def test_a_language_with_fewer_pages_lowers_the_estimate_and_says_so() -> None:
    english = idea_of("food.coffee-at-home", ANSWERS, DIRECTORY)
    german = idea_of("food.coffee-at-home", replace(ANSWERS, languages=("en", "de")), DIRECTORY)
    assert english is not None and german is not None
    assert (english.language, english.competition) == ("en", "medium")
    assert (german.language, german.competition) == ("de", "low")
    assert german.competition_reason.endswith("one level lower, as fewer pages are in German than in English")
    low = idea_of(DOGS, replace(ANSWERS, languages=("en", "de")), DIRECTORY)
    assert low is not None and low.language == "en"


@pytest.mark.parametrize(
    ("reason", "name", "value"),
    [
        ("not_interested", "interest", 0.5),
        ("too_competitive", "competition", 0.0),
        ("no_time", "time", 0.0),
        ("no_money", "money", 0.0),
    ],
)
def test_the_reason_of_a_dismissal_changes_its_part_of_similar_ideas(
    reason: DismissReason, name: PartName, value: float
) -> None:
    given = replace(ANSWERS, interests=("dogs", "cats"), hours=10)
    dismissed = Dismissal(CATS, reason)
    before, after = idea_of(DOGS, given, DIRECTORY), idea_of(DOGS, given, DIRECTORY, [dismissed])
    assert part(before, name)[0] == 1.0
    assert part(after, name)[0] == value
    assert part(after, name)[1].endswith(": Indoor cats")
    assert before is not None and after is not None and after.score < before.score
    others = [one for one in before.parts if one.name != name]
    assert [one for one in after.parts if one.name != name] == others


def test_what_is_easier_than_the_dismissed_idea_keeps_its_score() -> None:
    hard = Dismissal("green.solar-for-balconies", "no_money")
    assert idea_of(DOGS, ANSWERS, DIRECTORY, [hard]) == idea_of(DOGS, ANSWERS, DIRECTORY)
    other = Dismissal(CATS, "other")
    assert idea_of(DOGS, ANSWERS, DIRECTORY, [other]) == idea_of(DOGS, ANSWERS, DIRECTORY)
    unknown = Dismissal("pets.no-such-niche", "no_money")
    assert idea_of(DOGS, ANSWERS, DIRECTORY, [unknown]) == idea_of(DOGS, ANSWERS, DIRECTORY)


def test_saved_and_dismissed_ideas_are_not_offered_again() -> None:
    given = replace(ANSWERS, interests=("dogs",))
    keys = [idea.niche.key for idea in generate(given, DIRECTORY).ideas]
    assert DOGS in keys
    assert DOGS not in [idea.niche.key for idea in generate(given, DIRECTORY, hidden={DOGS}).ideas]
    assert generate(given, DIRECTORY, hidden=niches()).empty_reason == "all_chosen"


def named(name: str, niche: str, directory: ProgramDirectory = DIRECTORY) -> FittingProgram:
    return next(one for one in fitting(niches()[niche], directory) if one.match.program.company_name == name)


def test_earnings_by_terms_are_a_rounded_range_with_its_assumptions() -> None:
    flat = named("BarkBox", DOGS).earnings
    assert flat is not None
    # 50 clicks, 1 to 3 of 100 buy, 18 USD each: 9 and 27, to one figure
    assert (flat.low, flat.high, flat.currency, flat.basis) == (900, 3_000, "USD", "terms")
    assert "Assumption: 50 of 1,000 visitors click the link" in flat.assumptions
    share = named("Chewy", DOGS).earnings
    # 4 % of 60 USD are 2.40: 1.20 and 3.60, to one figure
    assert share is not None and (share.low, share.high) == (100, 400)
    assert "Assumption: a sale is worth 60.00 USD: food for a month" in share.assumptions


def test_earnings_by_own_results_need_no_assumption_of_sales() -> None:
    own = named("BarkBox", DOGS, replace(DIRECTORY, results=earned("BarkBox", 512, 20_480))).earnings
    assert own is not None
    assert (own.low, own.high, own.basis) == (2_000, 2_000, "results")  # 0.40 USD per click, 50 clicks
    assert own.assumptions[0] == "Your links to it earned 40.00 USD per 100 clicks (512 clicks in 90 days)"
    few = named("BarkBox", DOGS, replace(DIRECTORY, results=earned("BarkBox", 10, 9_000))).earnings
    assert few is not None and few.basis == "terms"


def test_terms_of_two_currencies_need_a_rate() -> None:
    match = named("BarkBox", DOGS).match
    mixed = match.program.model_copy(
        update={"commission_bp": 1_000, "commission_amount": Money(amount=1_000, currency="EUR")}
    )
    hybrid = replace(match, listed=replace(match.listed, program=mixed))
    assert expected(hybrid, niches()[DOGS], {}) is None
    found = expected(hybrid, niches()[DOGS], {"EUR": Decimal("1.2")})
    assert found is not None and (found.low, found.high, found.currency) == (900, 3_000, "USD")


def test_one_program_is_reviewed_and_has_alternatives() -> None:
    [only, *_] = [listed for listed in PROGRAMS if listed.category == "pets"]
    titles = [article.title for article in content_plan(niches()[DOGS], [only])]
    assert len(set(titles)) == ARTICLES
    assert f"Alternatives to {only.program.company_name} and when they fit better" in titles


def test_answers_are_kept_as_they_are_and_gone_once_erased() -> None:
    assert answers_of(ANSWERS.to_json()) == ANSWERS
    assert answers_of(ERASED) is None
