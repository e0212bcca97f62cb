"""The taxonomy of industries: names, keywords and wording of each industry (`taxonomy.json`), and related words.

A keyword is a word or phrase, with its weight after a `*`: 3 for one that belongs to the industry alone, 2 for one that
mostly does, 1 (without a number) for a hint. The rest is text for the analysis. `related_words.json` has further
keywords: other words for the same things, the same in other languages, and words that several industries share, each
with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal

from infra.domain.program_matching.words import stems

Difficulty = Literal["easy", "medium", "hard"]
Potential = Literal["high", "medium", "low"]

GENERAL: Final = "general"
"""The industry of an idea without any keyword."""


@dataclass(frozen=True, slots=True)
class IndustryNiche:
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
    niches: tuple[IndustryNiche, ...]


@cache
def taxonomy() -> Mapping[str, Industry]:
    """Every industry by its key, in the order of the file."""
    entries, related = _read("taxonomy.json"), _read("related_words.json")
    return {key: _industry(key, entry, _related(key, related)) for key, entry in entries.items()}


def label_of(key: str) -> str:
    industry = taxonomy().get(key)
    return industry.label if industry is not None else "General"


def _related(key: str, related: Mapping[str, Any]) -> Iterable[tuple[str, int]]:
    for section in ("related", "other_languages"):
        yield from map(_weighted, related[section].get(key, ()))
    for shared in related["shared"]:
        if weight := shared["industries"].get(key):
            yield from ((word, weight) for word in shared["words"])


def _industry(key: str, entry: dict[str, Any], related: Iterable[tuple[str, int]]) -> Industry:
    weights: dict[tuple[str, ...], int] = {}
    for keyword, weight in (*map(_weighted, entry.pop("keywords")), *related):
        stemmed = stems(keyword)
        if not stemmed:
            raise ValueError(f"{keyword!r} of {key} consists of stop words only")
        weights[stemmed] = max(weights.get(stemmed, 0), weight)
    niches = tuple(IndustryNiche(**niche) for niche in entry.pop("niches"))
    texts: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()}
    return Industry(key=key, keywords=weights, niches=niches, **texts)


def _weighted(keyword: str) -> tuple[str, int]:
    word, _, weight = keyword.partition("*")
    return word, int(weight or 1)


def _read(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((files("infra.domain.program_matching") / name).read_text("utf-8"))
    return content
