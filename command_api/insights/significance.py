"""Significance of a change: p-values of counts, shares and sums against what they usually do. Pure, deterministic.

Counts of people come in bunches, so they vary more than Poisson's law says. Every test here therefore takes the spread
from the days before: Pearson's dispersion `phi` (at least 1) of the daily counts around their weekday's mean, with its
degrees of freedom, and Student's t instead of the normal law (McCullagh and Nelder, Generalized Linear Models, 4.5);
where days resemble the day before, it is larger by that (`autocorrelation_factor`).
Many questions are asked of one website at once; `holm` keeps the chance that any of the answers is false alarm at the
level (Holm 1979).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import Final

WEEK: Final = 7
_MAX_AUTOCORRELATION: Final = 0.9
_MIN_VARIATION: Final = 0.1
"""Of amounts, as a part of their mean: a partner that pays the same sum for each sale pays another one now and then."""
_KNOWN: Final = 1_000
"""Degrees of freedom of a spread that needs no estimate."""
_MIN_MEAN: Final = 0.5
"""A weekday's mean below this is taken for this: a single event on a quiet day is no surprise."""


@dataclass(frozen=True, slots=True)
class Spread:
    """`phi`: how many times more than Poisson a series varies; `freedom`: how well we know that."""

    phi: float
    freedom: int


def spread(days: Sequence[int]) -> Spread:
    """Returns the spread of daily counts in whole weeks, oldest first, around the mean of their weekday."""
    weeks = len(days) // WEEK
    if weeks < 2:
        raise ValueError("two weeks are the least that a spread can be taken from")
    means, away = _weekdays(days, weeks)
    varies = sum(one * one for one in away) / (weeks - 1) * autocorrelation_factor(away)
    return Spread(max(1.0, varies / max(sum(means), WEEK * _MIN_MEAN)), _freedom(means, weeks))


def _weekdays(days: Sequence[int], weeks: int) -> tuple[list[float], list[float]]:
    """The mean of each weekday, and how far each day is away from its own."""
    means = [sum(days[weekday::WEEK][:weeks]) / weeks for weekday in range(WEEK)]
    return means, [value - mean for value, mean in zip(days[: weeks * WEEK], means * weeks, strict=True)]


def _freedom(means: Sequence[float], weeks: int) -> int:
    """Returns the number of days by which the spread of a week is known: fewer than all of them where most happens on
    one or two weekdays (Satterthwaite, taking each to vary as much as it brings)."""
    squares = sum(mean * mean for mean in means)
    return max(1, round(sum(means) ** 2 / squares * (weeks - 1))) if squares else weeks - 1


def autocorrelation_factor(*sides: Sequence[float]) -> float:
    """Returns how many times more than of independent days the sum of such days varies: (1 + r) / (1 - r), r being how
    alike a day and the next one are, where a good day follows a good one. Each side has a mean of its own."""
    squares = products = 0.0
    for side in sides:
        mean = sum(side) / len(side)
        squares += sum((value - mean) ** 2 for value in side)
        products += sum((one - mean) * (next_ - mean) for one, next_ in pairwise(side))
    alike = min(max(products / squares, 0.0), _MAX_AUTOCORRELATION) if squares else 0.0
    return (1 + alike) / (1 - alike)


class Law(Enum):
    """How a part varies around its share of a whole."""

    PORTION = "portion"
    """Some of the whole are of the part, each by chance: a binomial law."""
    AMOUNT = "amount"
    """Each of the whole brings an amount: only the spread says how they vary."""


@dataclass(frozen=True, slots=True)
class Portion:
    """How much of a whole a part is, day by day, oldest first."""

    parts: Sequence[int]
    wholes: Sequence[int]

    @property
    def part(self) -> int:
        return sum(self.parts)

    @property
    def whole(self) -> int:
        return sum(self.wholes)


def dispersion(periods: Sequence[Portion], law: Law) -> Spread:
    """Returns the spread of the daily parts around the ratio of their period: Pearson's. Not limited to at least 1;
    amounts that are all the same still vary a little."""
    squares, days, least = 0.0, 0, 0.0
    for period in periods:
        ratio = period.part / period.whole if period.whole else 0.0
        chance = 1 - ratio if law is Law.PORTION else 1.0
        if ratio * chance <= 0:
            continue
        counted = [(part, whole) for part, whole in zip(period.parts, period.wholes, strict=True) if whole]
        squares += sum((part - ratio * whole) ** 2 / (ratio * whole * chance) for part, whole in counted)
        days += len(counted) - 1
        if law is Law.AMOUNT:
            least = max(least, ratio * _MIN_VARIATION**2)
    return Spread(max(squares / days, least) if days else 1.0, max(1, days))


def moderated(spreads: Sequence[Spread]) -> list[Spread]:
    """Returns the spread of each value, weighed half by its own days and half by those of all values, as few days say
    little (Smyth 2004). Chance alone gives 1: a smaller one is taken for that, which needs no estimate."""
    freedom = sum(one.freedom for one in spreads)
    common = sum(one.phi * one.freedom for one in spreads) / freedom if freedom else 1.0
    halves = [Spread((one.phi + common) / 2, 2 * one.freedom if len(spreads) > 1 else one.freedom) for one in spreads]
    return [half if half.phi > 1 else Spread(1.0, _KNOWN) for half in halves]


def deviance(now: tuple[float, float], earlier: tuple[float, float], law: Law) -> float:
    """Returns how far the (part, whole) of two periods are from one ratio, signed: the root of the likelihood ratio's
    statistic, which follows the normal law far better than a difference of small counts does (McCullagh and Nelder,
    4.4)."""
    (part, whole), (part_earlier, whole_earlier) = now, earlier
    if law is Law.PORTION:  # conversions come later than their clicks, also more than clicks on a quiet day
        part, part_earlier = min(part, whole), min(part_earlier, whole_earlier)
    if whole <= 0 or whole_earlier <= 0:
        return 0.0
    ratio = (part + part_earlier) / (whole + whole_earlier)
    if ratio <= 0 or (law is Law.PORTION and ratio >= 1):
        return 0.0
    terms = _surplus(part, ratio * whole) + _surplus(part_earlier, ratio * whole_earlier)
    if law is Law.PORTION:
        terms += _surplus(whole - part, (1 - ratio) * whole)
        terms += _surplus(whole_earlier - part_earlier, (1 - ratio) * whole_earlier)
    return math.copysign(math.sqrt(max(0.0, 2 * terms)), part / whole - part_earlier / whole_earlier)


def of_deviance(away: float, around: Spread) -> float:
    """Returns the two-sided p-value of a deviance."""
    return two_sided(away / math.sqrt(around.phi), around.freedom)


def _surplus(counted: float, expected: float) -> float:
    return counted * math.log(counted / expected) if counted > 0 else 0.0


def of_counts(now: int, earlier: int, ratio: float, around: Spread) -> float:
    """Returns the two-sided p-value of `now` against `earlier`, a period `ratio` times as long: the score test of equal
    rates."""
    rate = (now + earlier) / (1 + ratio)
    variance = around.phi * rate * (1 + 1 / ratio)
    return _surprise(now - earlier / ratio, variance, around.freedom)


def of_shares(part: int, whole: int, part_earlier: int, whole_earlier: int, around: Spread) -> float:
    """Returns the two-sided p-value of `part` of `whole` against the same share before: the pooled test of two
    proportions."""
    if whole <= 0 or whole_earlier <= 0:
        return 1.0
    pooled = (part + part_earlier) / (whole + whole_earlier)
    variance = around.phi * pooled * (1 - pooled) * (1 / whole + 1 / whole_earlier)
    return _surprise(part / whole - part_earlier / whole_earlier, variance, around.freedom)


def of_sums(now: Sequence[int], earlier: Sequence[int]) -> float:
    """Returns the two-sided p-value of a week's sum against the weeks before, whose days vary around their weekday's
    mean."""
    weeks = len(earlier) // WEEK
    if weeks < 2 or len(now) != WEEK:
        raise ValueError("a week, and two whole weeks before it, are needed")
    means, away = _weekdays(earlier, weeks)
    variance = sum(one * one for one in away) / (weeks - 1) * (1 + 1 / weeks) * autocorrelation_factor(away)
    return _surprise(sum(now) - sum(means), variance, _freedom(means, weeks))


def of_silence(expected: float, around: Spread) -> float:
    """The chance of nothing at all where `expected` is usual."""
    return math.exp(-expected / around.phi)


def holm(p_values: Sequence[float]) -> list[float]:
    """Returns adjusted p-values, in the same order: reporting those below a level is wrong anywhere with that
    chance."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted, highest = [1.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def _surprise(difference: float, variance: float, freedom: int) -> float:
    return two_sided(difference / math.sqrt(variance), freedom) if variance > 0 else 1.0


def two_sided(t: float, freedom: int) -> float:
    """The chance of being at least so far from zero, under Student's law."""
    return _incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularized incomplete beta function, by its continued fraction (Abramowitz and Stegun 26.5.8)."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    if x > (a + 1) / (a + b + 2):
        return 1 - front * _fraction(b, a, 1 - x) / b
    return front * _fraction(a, b, x) / a


def _fraction(a: float, b: float, x: float) -> float:
    """Evaluates the continued fraction by Lentz's method; it converges within a few dozen terms."""
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    value = d
    for m in range(1, 300):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + term * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + term / c
            c = c if abs(c) > tiny else tiny
            value *= d * c
        if abs(d * c - 1) < 1e-14:
            break
    return value
