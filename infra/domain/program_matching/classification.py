"""Finds the industries that a text is about, by the words that the taxonomy knows. Pure.

A known word or phrase counts by its weight; one that a word of the text merely resembles, by that part of it
(`resemblance.py`). Once the subject is certain, words after `for` name its audience and count half: accounting for
bakeries is no food. `docs/matching.md` says why.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Final

from infra.domain.program_matching.resemblance import KnownWords
from infra.domain.program_matching.taxonomy import Industry, taxonomy
from infra.domain.program_matching.words import Word, words

CERTAIN: Final = 3.0
"""Score from which an industry is taken as certain: one word that belongs to it alone."""
MIN_FIT: Final = 1.5
"""Half of that. A text without any industry above it is about none: a single vague word ("money") occurs anywhere."""
AUDIENCE: Final = 0.5
MAX_UNKNOWN: Final = 100
"""Words of a text that are compared with the known ones: long texts have enough known ones."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How much of a text speaks for an industry: `score`, and the `words` that do, the weightiest first."""

    industry: Industry
    score: float
    words: tuple[str, ...] = ()


@dataclass(slots=True)
class _Clue:
    """The weight of a known word, and how often it occurs. Any occurrence outside the audience counts for all."""

    weight: float
    written: str
    times: int = 0
    is_audience: bool = True

    def score(self, audience: float) -> float:
        return self.weight * (audience if self.is_audience else 1.0) * (1 + math.log(self.times))


@dataclass(slots=True)
class _Clues:
    """The clues of one industry, by known word."""

    found: dict[tuple[str, ...], _Clue] = field(default_factory=dict)

    def add(self, phrase: tuple[str, ...], weight: float, written: Sequence[Word]) -> None:
        clue = self.found.setdefault(phrase, _Clue(weight, " ".join(word.written for word in written)))
        clue.times += 1
        clue.is_audience = clue.is_audience and all(word.is_audience for word in written)

    def score(self, audience: float) -> float:
        return sum(clue.score(audience) for clue in self.found.values())

    def written(self) -> tuple[str, ...]:
        ordered = sorted(self.found.values(), key=lambda clue: -clue.score(AUDIENCE))
        return tuple(dict.fromkeys(clue.written for clue in ordered))


def fits(text: str) -> list[Fit]:
    """The industries that match the text, best first; ties in the order of the taxonomy; none if even the best one
    has less than `MIN_FIT`.

    The score is the sum, over known words in the text, of weight × (1 + ln count).
    """
    of = _clues(words(text))
    is_certain = any(clues.score(0) >= CERTAIN for clues in of.values())
    audience = AUDIENCE if is_certain else 1.0
    matches = [
        Fit(industry, score, of[key].written())
        for key, industry in taxonomy().items()
        if key in of and (score := of[key].score(audience)) > 0
    ]
    matches.sort(key=lambda fit: -fit.score)
    return matches if matches and matches[0].score >= MIN_FIT else []


@lru_cache(maxsize=10_000)
def meanings(word: Word) -> tuple[str, ...]:
    """The stem of a word, and the known ones that it seems to misspell."""
    if word.stem in _known_stems():
        return (word.stem,)
    return (word.stem, *_known_words().misspelled(word))


def _clues(text: Sequence[Word]) -> Mapping[str, _Clues]:
    clues: defaultdict[str, _Clues] = defaultdict(_Clues)
    keywords, unknown = _known(), 0
    for at, word in enumerate(text):
        for length in range(1, min(_longest(), len(text) - at) + 1):
            phrase = text[at : at + length]
            stems = tuple(one.stem for one in phrase)
            for key, whole in keywords.get(stems, ()):
                clues[key].add(stems, whole, phrase)
        if word.stem not in _known_stems() and unknown < MAX_UNKNOWN:
            unknown += 1
            for key, weight in _resembled(word).items():
                clues[key].add((word.stem,), weight, (word,))
    return clues


@lru_cache(maxsize=10_000)
def _resembled(word: Word) -> Mapping[str, float]:
    """The industries of an unknown word, each with the weight of the known word that says most."""
    weights: defaultdict[str, float] = defaultdict(float)
    for part, likeness in _known_words().like(word).items():
        for key, whole in _known()[part,]:
            weights[key] = max(weights[key], whole * likeness)
    return weights


@cache
def _known() -> Mapping[tuple[str, ...], tuple[tuple[str, int], ...]]:
    """Returns the industries of each known word or phrase, with its weight there."""
    by_phrase: defaultdict[tuple[str, ...], list[tuple[str, int]]] = defaultdict(list)
    for key, industry in taxonomy().items():
        for phrase, weight in industry.keywords.items():
            by_phrase[phrase].append((key, weight))
    return {phrase: tuple(industries) for phrase, industries in by_phrase.items()}


@cache
def _longest() -> int:
    return max(len(phrase) for phrase in _known())


@cache
def _known_stems() -> frozenset[str]:
    return frozenset(stem for phrase in _known() for stem in phrase)


@cache
def _known_words() -> KnownWords:
    return KnownWords(phrase[0] for phrase in _known() if len(phrase) == 1)
