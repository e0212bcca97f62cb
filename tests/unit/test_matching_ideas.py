"""Twenty ideas as members would write them, over the programs that come with the product.

The expected categories were written down before the scoring was, and are not changed to fit it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from command_api.matching.rules import analyze
from query_api.matching.scoring import Idea, Listed, ranked
from tests.support.programs import starter_listed

IDEAS: Final[list[dict[str, Any]]] = json.loads((Path(__file__).parent / "matching_ideas.json").read_text())


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
