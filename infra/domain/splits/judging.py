"""Judges a split: which variant earns more per click, by how much, and how sure that is. Pure.

The unit is the visitor of one day, with all clicks and all revenue of them: clicks of one person are not independent.
`EPC = revenue / clicks` is a ratio of two sums over visitors; its variance is that of the ratio by the delta method,
with `s² = Σ (revenue - EPC · clicks)² / Σ clicks` for one click.

Two variants are compared day by day, and the days are added up with the weights of Cochran, Mantel and Haenszel,
`w = clicks_a · clicks_b / (clicks_a + clicks_b)`: a good day on which one variant had more traffic counts for both
alike, so the weights of the split may change during the test. `z` is the difference in its standard errors.

People look at a test every day and stop when it looks good, which an ordinary 95 % test does not survive. The boundary
is therefore that of Robbins' normal mixture, which holds at all times at once (a confidence sequence):

    z² < (1 + T / n) · (ln(1 + n / T) + 2 · ln(1 / α))

`n` is the number of visitors who bought, which the variance of EPC is made of, as nearly all clicks earn nothing; `T`
chooses where the boundary is tightest. `α` is divided by the number of pairs. Sources: H. Robbins, "Statistical methods
related to the law of the iterated logarithm", Ann. Math. Stat. 41 (1970); I. Waudby-Smith, D. Arbour, R. Sinha, E. H.
Kennedy, A. Ramdas, "Time-uniform central limit theory and asymptotic confidence sequences", Ann. Stat. 52 (2024).
`tests/contract/links/test_split_quality.py` shows the shares of wrong verdicts, docs/splits.md states them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from functools import cached_property
from itertools import combinations
from math import ceil, exp, log, sqrt
from typing import Final

ALPHA: Final = 0.05
"""The share of tests that may name a winner where there is none, however often they are looked at."""
MIN_BUYERS: Final = 25
"""Visitors of each variant who bought: with fewer, sums of a few large sales are not normal enough."""
MIN_DAYS: Final = 7
"""Whole days with clicks on all variants: weekdays and weekends buy differently."""
TIGHTEST_AT: Final = 200
"""Buyers of both variants for which the boundary is tightest."""
EQUAL_WITHIN: Final = 0.1
"""Variants whose EPC certainly differs by less than this part are equally good."""
_LEVEL: Final = -2 * log(ALPHA)
_T: Final = TIGHTEST_AT / (_LEVEL + log(_LEVEL + 1))


@dataclass(frozen=True, slots=True)
class DayFigures:
    """The clicks of a variant on one day, and what they earned by now, in minor units."""

    clicks: int
    revenue: int


@dataclass(frozen=True)
class VariantFigures:
    """A variant's figures. `buyers`: visitors of a day with a sale that counts; `clicks_squared`, `revenue_squared`,
    `product`: sums over visitors of a day."""

    number: int
    days: Mapping[date, DayFigures] = field(default_factory=dict)
    conversions: int = 0
    visitors: int = 0
    buyers: int = 0
    clicks_squared: float = 0.0
    revenue_squared: float = 0.0
    product: float = 0.0

    @cached_property
    def clicks(self) -> int:
        return sum(day.clicks for day in self.days.values())

    @cached_property
    def revenue(self) -> int:
        return sum(day.revenue for day in self.days.values())

    @property
    def epc(self) -> float:
        """Minor units a click."""
        return self.revenue / self.clicks if self.clicks else 0.0

    @cached_property
    def variance(self) -> float:
        """Returns the variance of the revenue of one click, by visitors."""
        if self.visitors < 2:
            return 0.0
        residuals = self.revenue_squared - 2 * self.epc * self.product + self.epc**2 * self.clicks_squared
        return max(residuals, 0.0) / self.clicks * self.visitors / (self.visitors - 1)


@dataclass(frozen=True, slots=True)
class Interval:
    """A value and where it certainly lies, at all times at once."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PairComparison:
    """How much more the variant `better` earns per click than `other`, in minor units. `sureness`: 1 less the chance
    that a split of equal variants ever looks like this, for all pairs together."""

    better: int
    other: int
    by: Interval
    sureness: float
    z: float
    buyers: int

    @property
    def is_certain(self) -> bool:
        return self.by.low > 0


class Verdict(StrEnum):
    """The state of a test."""

    COLLECTING = "collecting"
    """There is too little to say anything."""
    UNDECIDED = "undecided"
    """No difference is certain yet."""
    WINNER = "winner"
    EQUAL = "equal"
    """The variants certainly differ by less than `EQUAL_WITHIN`."""


@dataclass(frozen=True, slots=True)
class Missing:
    """The lack of data until a verdict is possible. `buyers`: by variant; `more_buyers`: an estimate of all that are
    missing if the difference stays as it is."""

    days: int = 0
    buyers: Mapping[int, int] = field(default_factory=dict)
    more_buyers: int | None = None


@dataclass(frozen=True, slots=True)
class SplitResult:
    """The verdict on a split. `leader`: the variant with the highest EPC, which is the winner if there is one;
    `comparisons`: of the leader with every other variant; `epc`: intervals by variant, of those that have sales."""

    verdict: Verdict
    leader: int | None = None
    comparisons: Sequence[PairComparison] = ()
    epc: Mapping[int, Interval] = field(default_factory=dict)
    missing: Missing = Missing()


def judge(variants: Sequence[VariantFigures]) -> SplitResult:
    """Judges the variants that get traffic; figures are of days whose sales are all known."""
    days = len(_common_days(variants))
    few = {each.number: MIN_BUYERS - each.buyers for each in variants if each.buyers < MIN_BUYERS}
    missing = Missing(max(MIN_DAYS - days, 0), few)
    intervals = {each.number: _interval(each) for each in variants if each.buyers}
    pairs = max(len(list(combinations(variants, 2))), 1)
    if len(variants) < 2 or missing.days or few:
        return SplitResult(Verdict.COLLECTING, epc=intervals, missing=missing)
    leader = max(variants, key=lambda each: (_advantage(each, variants), -each.number))
    found = [_compare(leader, each, pairs) for each in variants if each is not leader]
    if all(each.is_certain for each in found):
        return SplitResult(Verdict.WINNER, leader.number, found, intervals)
    pooled = sum(each.revenue for each in variants) / sum(each.clicks for each in variants)
    all_pairs = [_compare(one, other, pairs) for one, other in combinations(variants, 2)]
    if all(max(abs(each.by.low), abs(each.by.high)) < EQUAL_WITHIN * pooled for each in all_pairs):
        return SplitResult(Verdict.EQUAL, leader.number, found, intervals)
    more = [_more_buyers(each, pairs) for each in found if not each.is_certain]
    known = [each for each in more if each is not None]
    missing = Missing(more_buyers=max(known) if len(known) == len(more) else None)
    return SplitResult(Verdict.UNDECIDED, leader.number, found, intervals, missing)


def _common_days(variants: Sequence[VariantFigures]) -> set[date]:
    """Returns the days on which every variant had clicks."""
    days = [{day for day, figures in each.days.items() if figures.clicks} for each in variants]
    return set.intersection(*days) if days else set()


def _boundary(buyers: int, pairs: int) -> float:
    """Returns the standard errors beyond which a difference of zero does not go, with the certainty of 1 - α / pairs,
    at all times."""
    return sqrt((1 + _T / buyers) * (log(1 + buyers / _T) + 2 * log(pairs / ALPHA)))


def _sureness(z: float, buyers: int, pairs: int) -> float:
    """The inverse of the boundary: 1 less the smallest α for which `z` is beyond it."""
    return 1 - min(1.0, pairs * sqrt(1 + buyers / _T) * exp(-(z**2) / (2 * (1 + _T / buyers))))


def _interval(variant: VariantFigures) -> Interval:
    reach = _boundary(variant.buyers, 1) * sqrt(variant.variance / variant.clicks)
    return Interval(variant.epc, max(variant.epc - reach, 0.0), variant.epc + reach)


def _difference(one: VariantFigures, other: VariantFigures) -> tuple[float, float]:
    """The difference of EPC over the days on which both had clicks, and its standard error."""
    total = weighted = variance = 0.0
    for day, mine in one.days.items():
        opposite = other.days.get(day)
        if opposite is None or not mine.clicks or not opposite.clicks:
            continue
        weight = mine.clicks * opposite.clicks / (mine.clicks + opposite.clicks)
        total += weight
        weighted += weight * (mine.revenue / mine.clicks - opposite.revenue / opposite.clicks)
        variance += weight**2 * (one.variance / mine.clicks + other.variance / opposite.clicks)
    return (weighted / total, sqrt(variance) / total) if total else (0.0, 0.0)


def _advantage(variant: VariantFigures, variants: Sequence[VariantFigures]) -> float:
    """Returns the variant's smallest difference from another one."""
    return min((_difference(variant, each)[0] for each in variants if each is not variant), default=0.0)


def _compare(one: VariantFigures, other: VariantFigures, pairs: int) -> PairComparison:
    difference, error = _difference(one, other)
    buyers = one.buyers + other.buyers
    z = difference / error if error else 0.0
    reach = _boundary(buyers, pairs) * error
    by = Interval(difference, difference - reach, difference + reach)
    return PairComparison(one.number, other.number, by, _sureness(z, buyers, pairs), z, buyers)


def _more_buyers(found: PairComparison, pairs: int) -> int | None:
    """How many buyers more a certain difference needs if it stays as large; none for hardly any difference."""
    needed = found.buyers
    for _ in range(20):
        if found.z <= 0.1:
            return None
        needed = ceil(found.buyers * (_boundary(needed, pairs) / found.z) ** 2)
    return max(needed - found.buyers, 1)
