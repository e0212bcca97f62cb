"""`GET /api/platform/affiliate/recommendations` says from which score on it recommends, and why there is nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime
from types import SimpleNamespace
from typing import Any, Final
from uuid import uuid4

import pytest

from infra.domain.program_matching.directory import ACTIVE
from infra.domain.program_matching.scoring import MIN_SCORE, Listed
from query_api.matching.routes import Recommendations, get_recommendations
from tests.support.programs import starter_listed

DAY: Final = date(2026, 11, 21)
TEXTS: Final = {"target_audience": "Owners", "content_strategy": ["Guides"], "key_success_factors": ["Photos"]}


class Rows:
    """A reader of one profile and some programs; there are no other rows."""

    def __init__(self, profile: dict[str, Any] | None, programs: Sequence[Listed]) -> None:
        self._profile = profile
        self._programs = [_row(listed) for listed in programs]

    def row(self, _sql: str, _bound: object) -> dict[str, Any] | None:
        return self._profile

    def rows(self, sql: str, _bound: object = None) -> list[dict[str, Any]]:
        return self._programs if sql == ACTIVE else []


def recommendations(idea: str | None, programs: Sequence[Listed] | None = None, **analysis: str) -> Recommendations:
    profile = None if idea is None else {
        "business_idea": idea, "industry": "general", "wording": json.dumps(TEXTS), "method": "rules", "words": "",
        "words_silent": "", "analyzed_at": datetime(2026, 11, 21, tzinfo=UTC), **analysis,
    }  # fmt: skip
    settings = SimpleNamespace(openai_base_url=None, llm_enabled=True)
    scope = SimpleNamespace(
        reader=Rows(profile, starter_listed() if programs is None else programs),
        principal=SimpleNamespace(account_id=uuid4()),
    )
    context = SimpleNamespace(settings=settings, clickhouse=None)
    return get_recommendations(context, scope)  # type: ignore[arg-type]  # what it reads of them


def _row(listed: Listed) -> dict[str, Any]:
    amount = listed.program.commission_amount
    facts = listed.program.model_dump(exclude={"commission_amount"})
    return {
        **facts, "id": listed.id, "commission_amount": amount.model_dump() if amount is not None else None,
        "checked_on": None, "is_due": True, "recorded_on": DAY, "review_on": DAY,
    }  # fmt: skip


def test_programs_have_the_minimum_and_name_the_words_that_led_to_them() -> None:
    found = recommendations("online accounting for small bakeries")
    assert (found.min_score, found.empty_reason) == (MIN_SCORE, None)
    assert all(one.match_score >= MIN_SCORE for one in found.recommendations)
    first = found.recommendations[0]
    assert first.primary_category == "Software & SaaS"
    industry = next(part.why for part in first.parts if part.name == "industry")
    assert industry == "Matches your niche: Software & SaaS (accounting)"
    assert "Matches your niche: Software & SaaS" in first.pros


@pytest.mark.parametrize(
    "idea", ["asdf qwer jkl zxcv", "used cars: which engine lasts longest", "something with money"]
)
def test_an_idea_about_no_known_industry_gets_a_reason_instead_of_programs(idea: str) -> None:
    found = recommendations(idea)
    assert (found.recommendations, found.empty_reason, found.min_score) == ([], "idea_unclear", MIN_SCORE)


def test_a_directory_without_the_industry_recommends_nothing_else_in_its_place() -> None:
    others = [one for one in starter_listed() if one.category not in ("pets", "parenting")]
    found = recommendations("Toys for puppies", others)
    assert (found.recommendations, found.empty_reason) == ([], "below_minimum")
    by_model = recommendations("For our furry companions", others, industry="pets", method="model")
    assert (by_model.recommendations, by_model.empty_reason) == ([], "below_minimum")


def test_without_an_idea_there_is_no_reason() -> None:
    found = recommendations(None)
    assert (found.recommendations, found.empty_reason, found.min_score) == ([], None, MIN_SCORE)
