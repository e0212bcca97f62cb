"""`GET /api/platform/learning/*`: which lessons the member finished, and which niches may be worth a try."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from fastapi import APIRouter
from pydantic import Field

from infra.domain.program_matching.scoring import Listed, Results
from infra.domain.program_matching.taxonomy import Difficulty, Industry, Potential, taxonomy
from infra.kernel.http.problems import Problem
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context
from query_api.matching.directory import active_programs
from query_api.matching.results import own_results
from schemas.currencies import amount_text
from schemas.http.responses import ResponseModel

router = APIRouter(prefix="/api/platform/learning", tags=["learning"])

MAX_SUGGESTIONS: Final = 6
_EASE: Final[Mapping[Difficulty, int]] = {"easy": 0, "medium": 1, "hard": 2}
_WORTH: Final[Mapping[Potential, int]] = {"high": 0, "medium": 1, "low": 2}
_DONE: Final = """
SELECT course, lesson, at AS completed_at FROM read.lessons_done WHERE account_id = %s AND done
ORDER BY at, course, lesson"""


class LessonDone(ResponseModel):
    """A lesson that the member finished."""

    course: str
    lesson: str
    completed_at: datetime


class LearningProgress(ResponseModel):
    """All lessons that the member finished."""

    lessons: list[LessonDone] = Field(description="In the order in which they were finished")


class Suggestion(ResponseModel):
    """A niche, with an idea that can be given to matching as it stands."""

    industry: str
    niche: str
    idea: str
    difficulty: Difficulty
    monetization: Potential
    why: str


class Suggestions(ResponseModel):
    """Niches that the member may try, the most promising first."""

    suggestions: list[Suggestion]
    from_own_results: bool = Field(description="Whether the account's own results rank some of them first")


@router.get("/progress", dependencies=[READS_OWN_WRITES])
def get_learning_progress(scope: CallerScope) -> LearningProgress:
    rows = scope.reader.rows(_DONE, (scope.principal.account_id,))
    return LearningProgress(lessons=[LessonDone.of_row(row) for row in rows])


@router.get("/suggestions", dependencies=[READS_OWN_WRITES])
def get_suggestions(context: Context, scope: CallerScope) -> Suggestions:
    """Niches of the industries that earned the account most in the last 90 days, then easy ones to begin with."""
    listed = [one for one, _ in active_programs(scope.reader)]
    try:
        now = datetime.now(UTC)
        results = own_results(scope.reader, context.clickhouse, scope.principal.account_id, listed, now)
    except Problem:
        results = {}  # suggestions of the taxonomy are better than none while the figures cannot be read
    earned = best_industries(listed, list(results.items()))
    return Suggestions(suggestions=suggested(earned), from_own_results=bool(earned))


def best_industries(listed: Sequence[Listed], results: Sequence[tuple[object, Results]]) -> Mapping[str, str]:
    """Industries that earned something, the best first, each with why. Amounts of several currencies are not added:
    the one with most clicks counts. Pure."""
    category = {one.id: one.category for one in listed}
    sums: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for program, own in results:
        total = sums[category[program], own.currency]  # type: ignore[index]  # the ids are declared as any `object`
        total[0] += own.clicks
        total[1] += own.earned
    best: dict[str, tuple[int, int, str]] = {}
    for (key, currency), (clicks, earned) in sums.items():
        if earned > 0 and clicks > best.get(key, (0, 0, ""))[0]:
            best[key] = clicks, earned, currency
    ordered = sorted(best.items(), key=lambda item: (-item[1][1], item[0]))
    return {
        key: f"Your links in this industry earned {amount_text(earned, currency)} from {clicks:,} clicks in 90 days"
        for key, (clicks, earned, currency) in ordered
        if key in taxonomy()
    }


def suggested(earned: Mapping[str, str]) -> list[Suggestion]:
    """Returns every niche of the two best industries, then the first of the others, the easiest and best paying first.
    Pure."""
    earned_first = [
        _suggestion(taxonomy()[key], number, why)
        for key, why in list(earned.items())[:2]
        for number in range(len(taxonomy()[key].niches))
    ]
    others = sorted(
        (industry for key, industry in taxonomy().items() if key not in earned),
        key=lambda industry: _EASE[industry.difficulty] + _WORTH[industry.monetization],
    )
    easy = [_suggestion(industry, 0, _why(industry)) for industry in others]
    return [*earned_first, *easy][:MAX_SUGGESTIONS]


def _suggestion(industry: Industry, number: int, why: str) -> Suggestion:
    niche = industry.niches[number]
    return Suggestion(
        industry=industry.label,
        niche=niche.name,
        idea=niche.idea,
        difficulty=industry.difficulty,
        monetization=industry.monetization,
        why=why,
    )


def _why(industry: Industry) -> str:
    begin = {"easy": "Easy to start", "medium": "Moderate effort to start", "hard": "Hard to start"}
    return f"{begin[industry.difficulty]}; earning potential: {industry.monetization}"
