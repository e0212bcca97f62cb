"""The taxonomy of industries (`taxonomy.json`): what each is called, which words speak for it, what is known about it.

A keyword is a word or phrase, with its weight after a `*` (1 without): `vpn*3`. The rest is wording for the analysis.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, Literal

from infra.matching.words import count_phrase, stems

Difficulty = Literal["easy", "medium", "hard"]
Potential = Literal["high", "medium", "low"]

GENERAL: Final = "general"
"""The industry of an idea in which no keyword stands."""


@dataclass(frozen=True, slots=True)
class Niche:
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
    found: tuple[str, ...]


@cache
def taxonomy() -> Mapping[str, Industry]:
    """Every industry by its key, in the order of the file."""
    entries = json.loads((files("infra.matching") / "taxonomy.json").read_text("utf-8"))
    return {key: _industry(key, entry) for key, entry in entries.items()}


def label_of(key: str) -> str:
    industry = taxonomy().get(key)
    return industry.label if industry is not None else "General"


def fits(text: str) -> list[Fit]:
    """The industries for which something in the text speaks, best first; equal ones in the order of the file.

    The score is the sum, over keywords that stand in the text, of weight × (1 + ln times).
    """
    words = stems(text)
    found = [_fit(industry, words) for industry in taxonomy().values()]
    return sorted((fit for fit in found if fit.score > 0), key=lambda fit: -fit.score)


def _fit(industry: Industry, words: Sequence[str]) -> Fit:
    score, found = 0.0, []
    for phrase, weight in industry.keywords.items():
        if times := count_phrase(words, phrase):
            score += weight * (1 + math.log(times))
            found.append(" ".join(phrase))
    return Fit(industry, score, tuple(found))


def _industry(key: str, entry: Mapping[str, object]) -> Industry:
    fields = dict(entry)
    keywords = fields.pop("keywords")
    niches = fields.pop("niches")
    assert isinstance(keywords, list) and isinstance(niches, list)  # noqa: S101 - our own file
    weighted: dict[tuple[str, ...], int] = {}
    for keyword in keywords:
        phrase, _, weight = str(keyword).partition("*")
        stemmed = stems(phrase)
        if not stemmed:
            raise ValueError(f"{keyword!r} of {key} is made of stop words alone")
        weighted[stemmed] = max(weighted.get(stemmed, 0), int(weight or 1))
    texts = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    known = tuple(Niche(**niche) for niche in niches)
    return Industry(key=key, keywords=weighted, niches=known, **texts)  # type: ignore[arg-type]  # names and kinds are those of the file
