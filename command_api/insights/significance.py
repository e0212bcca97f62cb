"""How surprising a change is: p-values of counts, shares and sums against what they usually do. Pure, deterministic.

Counts of people come in bunches, so they vary more than Poisson's law says. Every test here therefore takes the spread
from the days before: Pearson's dispersion `phi` (at least 1) of the daily counts around their weekday's mean, with its
degrees of freedom, and Student's t instead of the normal law (McCullagh and Nelder, Generalized Linear Models, 4.5).
Many questions are asked of one website at once; `holm` keeps the chance that any of the answers is false alarm at the
level (Holm 1979).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

WEEK: Final = 7
_LEAST_MEAN: Final = 0.5
"""A weekday's mean below this is taken for this: a single event on a quiet day is no surprise."""


@dataclass(frozen=True, slots=True)
class Spread:
    """`phi`: how many times more than Poisson a series varies; `freedom`: how well we know that."""

    phi: float
    freedom: int


def spread(days: Sequence[int]) -> Spread:
    """Of daily counts in whole weeks, oldest first, around the mean of their weekday."""
    weeks = len(days) // WEEK
    freedom = WEEK * (weeks - 1)
    if freedom < 1:
        raise ValueError("two weeks are the least that a spread can be taken from")
    total = 0.0
    for weekday in range(WEEK):
        values = days[weekday::WEEK][:weeks]
        mean = sum(values) / weeks
        total += sum((value - mean) ** 2 for value in values) / max(mean, _LEAST_MEAN)
    return Spread(max(1.0, total / freedom), freedom)


def of_counts(now: int, before: int, ratio: float, around: Spread) -> float:
    """Two-sided p-value of `now` against `before`, a period `ratio` times as long: the score test of equal rates."""
    rate = (now + before) / (1 + ratio)
    variance = around.phi * rate * (1 + 1 / ratio)
    if variance <= 0:
        return 1.0
    return two_sided((now - before / ratio) / math.sqrt(variance), around.freedom)


def of_shares(part: int, whole: int, part_before: int, whole_before: int, around: Spread) -> float:
    """Two-sided p-value of `part` of `whole` against the same share before: the pooled test of two proportions."""
    if whole <= 0 or whole_before <= 0:
        return 1.0
    pooled = (part + part_before) / (whole + whole_before)
    variance = around.phi * pooled * (1 - pooled) * (1 / whole + 1 / whole_before)
    if variance <= 0:
        return 1.0
    return two_sided((part / whole - part_before / whole_before) / math.sqrt(variance), around.freedom)


def of_sums(now: Sequence[int], before: Sequence[int]) -> float:
    """Two-sided p-value of a week's sum against the weeks before, whose days vary around their weekday's mean."""
    weeks = len(before) // WEEK
    freedom = WEEK * (weeks - 1)
    if freedom < 1 or len(now) != WEEK:
        raise ValueError("a week, and two whole weeks before it, are needed")
    squares, expected = 0.0, 0.0
    for weekday in range(WEEK):
        values = before[weekday::WEEK][:weeks]
        mean = sum(values) / weeks
        expected += mean
        squares += sum((value - mean) ** 2 for value in values)
    variance = squares / freedom * WEEK * (1 + 1 / weeks)
    if variance <= 0:
        return 1.0
    return two_sided((sum(now) - expected) / math.sqrt(variance), freedom)


def of_silence(expected: float, around: Spread) -> float:
    """The chance of nothing at all where `expected` is usual."""
    return math.exp(-expected / around.phi)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values, in the order given: whoever reports those below a level is wrong anywhere with that chance."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted, highest = [1.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted


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
    """Lentz's way from the front; it settles within a few dozen terms."""
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
