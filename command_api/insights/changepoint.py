"""Change point of a series: the split that separates the two sides best, and its p-value.

The statistic is the largest difference of the two sides' means over all splits, in units of its spread (CUSUM); chance
is what remains of it when the days, freed of their weekday's habit, are shuffled. Shuffled days know nothing of each
other, real ones do: a good day follows a good one, and means of such days wander further, by the factor that
`autocorrelation_factor` takes from them. Shuffles are drawn from a generator with a fixed seed, so the same history
gives the same answer. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from statistics import median
from typing import Final

from command_api.insights.significance import WEEK, autocorrelation_factor

SHUFFLES: Final = 999
MAX_EXCEEDANCES: Final = 20
"""Shuffles that reach the statistic before sampling stops (Besag and Clifford 1991)."""
MIN_SIDE_DAYS: Final = 7
"""Minimum days on either side of a split."""


@dataclass(frozen=True, slots=True)
class LevelShift:
    """`at`: index of the first day of the new level; means per day on both sides."""

    at: int
    before: float
    after: float
    p_value: float


def split(days: Sequence[int]) -> LevelShift | None:
    """The best split of a daily series, oldest first; none when it is too short or never varies."""
    if len(days) < 4 * WEEK:
        return None
    values = _without_weekdays(days)
    if max(values) - min(values) < 1e-9:
        return None
    at, largest = _best(values)
    largest /= math.sqrt(autocorrelation_factor(values[:at], values[at:]))
    random = Random(len(days))  # noqa: S311 - no secret, and the same history must give the same answer
    shuffled = list(values)
    as_good, p_value = 0, 1.0
    for drawn in range(1, SHUFFLES + 1):
        random.shuffle(shuffled)
        as_good += _best(shuffled)[1] >= largest
        p_value = (as_good + 1) / (SHUFFLES + 1)
        if as_good == MAX_EXCEEDANCES:
            p_value = as_good / drawn
            break
    before, after = days[:at], days[at:]
    return LevelShift(at, sum(before) / at, sum(after) / len(after), p_value)


def _without_weekdays(days: Sequence[int]) -> list[float]:
    """Returns the difference of each day from the mean, without what its weekday usually brings more or less than
    others."""
    overall = sum(days) / len(days)
    habit = [median(days[weekday::WEEK]) for weekday in range(WEEK)]
    middle = sum(habit) / WEEK
    if middle <= 0:
        return [value - overall for value in days]
    return [value * middle / max(habit[index % WEEK], middle / 4) - overall for index, value in enumerate(days)]


def _best(values: Sequence[float]) -> tuple[int, float]:
    total, length = sum(values), len(values)
    left, best, at = 0.0, -1.0, MIN_SIDE_DAYS
    for index in range(1, length - MIN_SIDE_DAYS + 1):
        left += values[index - 1]
        if index < MIN_SIDE_DAYS:
            continue
        gap = abs(left / index - (total - left) / (length - index)) * math.sqrt(index * (length - index) / length)
        if gap > best:
            best, at = gap, index
    return at, best
