"""Ideas as people type them, understood without a model.

`ideas.json` was written before the scoring that it measures. The scoring is tuned on `seen` only; `aside` shows what
that is worth. `expected`: the categories that an expert accepts as the best one. An idea is understood if one of them
is among the first three industries, and served if one of the first three programs has one of them. What is in
`nothing_seen` and `nothing_aside` is no idea for any industry of the taxonomy.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from infra.domain.program_matching.classification import fits
from infra.domain.program_matching.scoring import Idea, Listed, Match, is_understood, ranked
from infra.domain.program_matching.taxonomy import GENERAL, taxonomy
from tests.support.programs import starter_listed

IDEAS: Final[dict[str, Any]] = json.loads((Path(__file__).parent / "ideas.json").read_text("utf-8"))
MIN_SHARE: Final = 0.85
NAMED: Final = {
    "online accounting for small bakeries": "software",
    "accounting software for freelancers": "software",
    "electric bike reviews": "fitness",
    "wine podcast": "food",
}


@pytest.fixture(scope="module")
def programs() -> list[Listed]:
    return starter_listed()


def test_sixty_ideas_have_one_to_three_categories_of_the_taxonomy() -> None:
    assert (len(IDEAS["seen"]), len(IDEAS["aside"])) == (40, 20)
    ideas = [*IDEAS["seen"], *IDEAS["aside"]]
    assert all(1 <= len(case["expected"]) <= 3 and set(case["expected"]) <= set(taxonomy()) for case in ideas)
    texts = [case["idea"] for case in ideas] + IDEAS["nothing_seen"] + IDEAS["nothing_aside"]
    assert len(set(texts)) == len(texts)
    examples = {niche.idea for industry in taxonomy().values() for niche in industry.niches}
    assert examples.isdisjoint(texts)


@pytest.mark.parametrize("part", ["seen", "aside"])
def test_ideas_are_understood_without_a_model(part: str, programs: list[Listed]) -> None:
    """An expected category is among the first three industries, and among the categories of the first three programs,
    for at least 85 % of the ideas."""
    cases = IDEAS[part]
    missed = [case["idea"] for case in cases if not _understood(case)]
    unserved = [case["idea"] for case in cases if not _served(case, programs)]
    assert len(missed) <= (1 - MIN_SHARE) * len(cases), missed
    assert len(unserved) <= (1 - MIN_SHARE) * len(cases), unserved


@pytest.mark.parametrize(("idea", "category"), NAMED.items(), ids=NAMED)
def test_the_first_program_of_a_plain_idea_is_of_its_category(idea: str, category: str, programs: list[Listed]) -> None:
    assert fits(idea)[0].industry.key == category
    assert _recommended(idea, programs)[0].program.category == category


@pytest.mark.parametrize("part", ["nothing_seen", "nothing_aside"])
def test_what_is_no_idea_for_any_industry_gets_no_program(part: str, programs: list[Listed]) -> None:
    found = {text: [match.program.company_name for match in _recommended(text, programs)] for text in IDEAS[part]}
    assert {text: names for text, names in found.items() if names} == {}
    assert [text for text in IDEAS[part] if is_understood(Idea(text, GENERAL))] == []


def _understood(case: dict[str, Any]) -> bool:
    return any(fit.industry.key in case["expected"] for fit in fits(case["idea"])[:3])


def _served(case: dict[str, Any], programs: list[Listed]) -> bool:
    return any(match.program.category in case["expected"] for match in _recommended(case["idea"], programs)[:3])


def _recommended(idea: str, programs: list[Listed]) -> list[Match]:
    return ranked(Idea(idea, GENERAL), programs, {})
