"""The taxonomy of industries (`taxonomy.json`): names, keywords and wording of each industry.

A keyword is a word or phrase, with its weight after a `*` (1 without): `vpn*3`. The rest is text for the analysis.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal

from infra.domain.program_matching.words import count_phrase, stems

Difficulty = Literal["easy", "medium", "hard"]
Potential = Literal["high", "medium", "low"]

GENERAL: Final = "general"
"""The industry of an idea without any keyword."""


@dataclass(frozen=True, slots=True)
class Niche:
    """A niche of an industry. `idea`: an example that a member can submit unchanged."""

    name: str
    idea: str


@dataclass(frozen=True, slots=True)
class Industry:
    """One entry. `keywords`: stems of each word or phrase, with its weight."""

    key: str
    label: str
    difficulty: Difficulty
    monetization: Potential
    audience: str
    keywords: Mapping[tuple[str, ...], int]
    content_strategy: tuple[str, ...]
    success_factors: tuple[str, ...]
    niches: tuple[Niche, ...]


@dataclass(frozen=True, slots=True)
class Fit:
    """How much of a text speaks for an industry; `score` grows with each keyword, ever more slowly."""

    industry: Industry
    score: float


@cache
def taxonomy() -> Mapping[str, Industry]:
    """Every industry by its key, in the order of the file."""
    entries = json.loads((files("infra.domain.program_matching") / "taxonomy.json").read_text("utf-8"))
    return {key: _industry(key, entry) for key, entry in entries.items()}


def label_of(key: str) -> str:
    industry = taxonomy().get(key)
    return industry.label if industry is not None else "General"


def fits(text: str) -> list[Fit]:
    """The industries that match the text, best first; ties in the order of the file.

    The score is the sum, over keywords in the text, of weight × (1 + ln count).
    """
    words = stems(text)
    found = [Fit(industry, _score(industry, words)) for industry in taxonomy().values()]
    return sorted((fit for fit in found if fit.score > 0), key=lambda fit: -fit.score)


def _score(industry: Industry, words: Sequence[str]) -> float:
    counts = ((weight, count_phrase(words, phrase)) for phrase, weight in industry.keywords.items())
    return sum(weight * (1 + math.log(times)) for weight, times in counts if times)


def _industry(key: str, entry: dict[str, Any]) -> Industry:
    weighted: dict[tuple[str, ...], int] = {}
    for keyword in entry.pop("keywords"):
        phrase, _, weight = keyword.partition("*")
        stemmed = stems(phrase)
        if not stemmed:
            raise ValueError(f"{keyword!r} of {key} consists of stop words only")
        weighted[stemmed] = max(weighted.get(stemmed, 0), int(weight or 1))
    niches = tuple(Niche(**niche) for niche in entry.pop("niches"))
    texts: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()}
    return Industry(key=key, keywords=weighted, niches=niches, **texts)
