"""Classifies a business idea by the taxonomy alone: deterministic, without a model. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from infra.domain.program_matching.classification import fits
from infra.domain.program_matching.taxonomy import GENERAL, Difficulty, Potential

MAX_TEXTS: Final = 8
MAX_TEXT_LENGTH: Final = 300

_NARROW_SHARE: Final = 0.75
_GENERAL_STRATEGY: Final = (
    "Choose one kind of reader and one problem first",
    "Answer the questions that these readers search for, one page each",
    "Compare a few offers in depth instead of many in passing",
)
_GENERAL_FACTORS: Final = (
    "A subject that you know first-hand",
    "A narrow start: one niche in which you can be the best",
    "An email list from the first day",
)


@dataclass(frozen=True, slots=True)
class Analysis:
    """The interpretation of an idea. `industry`: key of the taxonomy, or `general`."""

    industry: str
    target_audience: str
    difficulty: Difficulty
    monetization: Potential
    content_strategy: tuple[str, ...]
    success_factors: tuple[str, ...]


def analyze(idea: str) -> Analysis:
    """The best matching industry, with its data from the taxonomy.

    Where a second industry is nearly as strong, its audience is named, too, and one of its strategies is added.
    """
    fitting = fits(idea)
    if not fitting:
        return Analysis(
            GENERAL, "Not clear from the idea yet: say who should read it", "medium", "medium", _GENERAL_STRATEGY,
            _GENERAL_FACTORS,
        )  # fmt: skip
    best = fitting[0]
    first = best.industry
    second = fitting[1].industry if len(fitting) > 1 and fitting[1].score >= _NARROW_SHARE * best.score else None
    return Analysis(
        first.key,
        first.audience + (f"; also: {second.audience[0].lower()}{second.audience[1:]}" if second else ""),
        first.difficulty,
        first.monetization,
        first.content_strategy + (second.content_strategy[:1] if second else ()),
        first.success_factors,
    )
