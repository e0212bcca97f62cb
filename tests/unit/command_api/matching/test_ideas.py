"""Twenty ideas as members would write them, over the programs that come with the product.

The expected categories were written down before the scoring was, and are not changed to fit it.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, Final

import pytest

from command_api.matching.rules import analyze
from infra.domain.program_matching.scoring import Idea, Listed, ranked
from infra.domain.program_matching.taxonomy import taxonomy
from tests.support.programs import starter_listed

IDEAS: Final[list[dict[str, Any]]] = json.loads((Path(__file__).parent / "matching_ideas.json").read_text())
UNSEEN: Final[list[dict[str, Any]]] = json.loads((Path(__file__).parent / "matching_ideas_unseen.json").read_text())
"""Written by another person after the scoring was finished; the scoring is not tuned for these."""


@pytest.fixture(scope="module")
def programs() -> list[Listed]:
    return starter_listed()


def test_there_are_twenty_ideas() -> None:
    assert len(IDEAS) == 20


@pytest.mark.parametrize("case", IDEAS, ids=lambda case: case["expected"][0])
def test_an_idea_is_understood_as_its_industry(case: dict[str, Any]) -> None:
    assert analyze(case["idea"]).industry in case["expected"]


@pytest.mark.parametrize("case", IDEAS, ids=lambda case: case["expected"][0])
def test_the_best_programs_are_of_the_expected_categories(case: dict[str, Any], programs: list[Listed]) -> None:
    """The first program is of an expected category, and so are two of the first three at least."""
    idea = Idea(case["idea"], analyze(case["idea"]).industry)
    categories = [match.program.category for match in ranked(idea, programs, {})][:3]
    assert categories[0] in case["expected"], categories
    assert sum(category in case["expected"] for category in categories) >= 2, categories


def _agrees(case: dict[str, Any], listed: list[Listed]) -> bool:
    """The condition of the test above."""
    categories = [one.category for one in listed[:3]]
    return categories[0] in case["expected"] and sum(one in case["expected"] for one in categories) >= 2


def test_an_order_that_knows_nothing_of_the_idea_would_not_pass(programs: list[Listed]) -> None:
    """The twenty ideas tell a ranking from chance, and from one by the terms alone."""
    dice = random.Random(20)
    by_chance = [sum(_agrees(case, dice.sample(programs, 3)) for case in IDEAS) for _ in range(200)]
    assert max(by_chance) <= 3
    terms = ranked(Idea(" ".join(label for label in taxonomy()), "general"), programs, {})
    by_terms = [one.listed for one in sorted(terms, key=lambda one: -sum(
        part.value * part.weight for part in one.parts if part.name in ("commission", "cookie", "approval")
    ))]  # fmt: skip
    assert sum(_agrees(case, by_terms) for case in IDEAS) <= 2


def test_ideas_that_nothing_was_tuned_for_agree_as_well(programs: list[Listed]) -> None:
    agree = 0
    for case in UNSEEN:
        found = ranked(Idea(case["idea"], analyze(case["idea"]).industry), programs, {})
        agree += _agrees(case, [match.listed for match in found])
    assert len(UNSEEN) == 22
    assert agree >= 19
