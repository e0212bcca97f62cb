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
from itertools import pairwise
from typing import Final

WEEK: Final = 7
_MAX_AUTOCORRELATION: Final = 0.9
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


def of_nothing(earlier: int, ratio: float, around: Spread) -> float:
    """The chance of nothing at all after `earlier` of as many chances times `ratio`: Poisson's, the rate itself being
    known from no more than those (a gamma's mean). The normal law of `of_shares` is far too cautious for such small
    numbers."""
    return float((1 + 1 / ratio) ** (-earlier / around.phi))


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
