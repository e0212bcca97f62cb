"""BM25 over a few thousand short texts, in memory. Pure.

The formula is Okapi BM25 with the idf of Lucene (S. Robertson, H. Zaragoza: The Probabilistic Relevance Framework:
BM25 and Beyond, 2009, section 3.4; idf = ln(1 + (N - n + 0.5) / (n + 0.5)), which is never negative):

    score(q, d) = sum over t in q of  idf(t) * tf(t, d) * (K1 + 1) / (tf(t, d) + K1 * (1 - B + B * |d| / avgdl))

Each stem of the query counts once.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

K1: Final = 1.2
B: Final = 0.75


class TextIndex:
    """The texts, as their stems, and the statistics computed from them once."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self._counts = [Counter(text) for text in texts]
        self._lengths = [len(text) for text in texts]
        self._average = sum(self._lengths) / len(texts) if texts else 0.0
        self._having = Counter(stem for counts in self._counts for stem in counts)

    def idf(self, stem: str) -> float:
        """Returns how much a stem says: the fewer texts have it, the more. 0 for one that none has."""
        having = self._having[stem]
        return math.log(1 + (len(self._counts) - having + 0.5) / (having + 0.5)) if having else 0.0

    def scores(self, query: Iterable[str]) -> list[float]:
        """The score of each text, in order; 0 where no stem of the query occurs."""
        asked = [(stem, idf) for stem in dict.fromkeys(query) if (idf := self.idf(stem))]
        return [self._score(asked, at) for at in range(len(self._counts))]

    def best_possible(self, query: Iterable[str]) -> float:
        """The score of a text of average length in which every known stem of the query occurs once."""
        return sum(self.idf(stem) for stem in dict.fromkeys(query))

    def _score(self, asked: Sequence[tuple[str, float]], at: int) -> float:
        counts = self._counts[at]
        norm = K1 * (1 - B + B * self._lengths[at] / self._average) if self._average else K1
        return sum(idf * (K1 + 1) * counts[stem] / (counts[stem] + norm) for stem, idf in asked if stem in counts)
