"""Words that resemble known ones: misspelled, or compounds of them. Pure; by the letters that they share.

A misspelled word shares most trigrams with the known one (Dice's coefficient: twice the shared ones, by all of both),
and begins alike: `photografy`, 0.74 of `photography`. A compound begins or ends with a known word: `Hundetraining`.
A common English word is neither: `weather` is no `leather`, and `transparent` has no parents.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

from infra.domain.program_matching.words import Word, stem

MIN_LIKENESS: Final = 0.7
"""The minimum likeness of trigrams. From 0.6 on `organ` would be `organic`."""
COMPOUND: Final = 0.6
"""The likeness of a compound and its part: more than half of that of the word alone."""
_MIN_LETTERS: Final = 5
_MAX_LETTERS: Final = 40
_SAME_BEGINNING: Final = 2
_MIN_PART: Final = 4
_MIN_LONE_PART: Final = 5
"""The minimum length of a part whose other half is unknown."""
_MIN_REST: Final = 3


class KnownWords:
    """Stems, and which unknown ones resemble them."""

    def __init__(self, stems: Iterable[str]) -> None:
        self._stems = frozenset(stems)
        self._trigrams = {one: _trigrams(one) for one in self._stems if len(one) >= _MIN_LETTERS}
        self._having: defaultdict[str, list[str]] = defaultdict(list)
        for known_stem in sorted(self._trigrams):
            for trigram in self._trigrams[known_stem]:
                self._having[trigram].append(known_stem)

    def like(self, word: Word) -> Mapping[str, float]:
        """The known stems that an unknown word resembles, each with how much, below 1: what it misspells, else the
        longest known ones that it begins and ends with."""
        return self.misspelled(word) or self._compound(word)

    def misspelled(self, word: Word) -> Mapping[str, float]:
        """The known stems that an unknown word most resembles as a whole."""
        if not _may_resemble(word):
            return {}
        alike: dict[str, float] = {}
        for own in (_trigrams(word.stem), _trigrams(word.plain)):
            shared = Counter(known_stem for trigram in own for known_stem in self._having.get(trigram, ()))
            for known_stem, count in shared.items():
                if known_stem[:_SAME_BEGINNING] == word.stem[:_SAME_BEGINNING]:
                    likeness = 2 * count / (len(own) + len(self._trigrams[known_stem]))
                    alike[known_stem] = max(alike.get(known_stem, 0.0), likeness)
        best = max(alike.values(), default=0.0)
        return (
            {known_stem: value for known_stem, value in alike.items() if value == best} if best >= MIN_LIKENESS else {}
        )

    def _compound(self, word: Word) -> Mapping[str, float]:
        if not _may_resemble(word):
            return {}
        lengths = range(len(word.plain) - _MIN_REST, _MIN_PART - 1, -1)
        first = next((length for length in lengths if stem(word.plain[:length]) in self._stems), 0)
        last = next((length for length in lengths if stem(word.plain[-length:]) in self._stems), 0)
        least = _MIN_PART if first and last and first + last <= len(word.plain) else _MIN_LONE_PART
        parts = (word.plain[:first], word.plain[len(word.plain) - last :])
        return {stem(part): COMPOUND for part in parts if len(part) >= least}


def _may_resemble(word: Word) -> bool:
    return _MIN_LETTERS <= len(word.stem) <= _MAX_LETTERS and _common().isdisjoint((word.plain, word.stem))


@cache
def _common() -> frozenset[str]:
    """English words; they take 12 MB, which a process without programs to match does not load."""
    from zxcvbn.frequency_lists import FREQUENCY_LISTS

    return frozenset((*FREQUENCY_LISTS["english_wikipedia"], *FREQUENCY_LISTS["us_tv_and_film"]))


def _trigrams(stem: str) -> frozenset[str]:
    padded = f"^{stem}$"
    return frozenset(padded[at : at + 3] for at in range(len(padded) - 2))
