"""Simulated splits: what the variants of a link earn day by day, by chance and with a known difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from math import exp
from random import Random

from infra.domain.splits.judging import DayFigures, VariantFigures, judge
from infra.domain.splits.shifting import shift
from schemas.events.links import Shifting

FIRST = date(2026, 9, 1)


@dataclass(frozen=True)
class Side:
    """A variant: its clicks a day, the chance of a click's visitor to buy, the median commission in minor units, and
    how much the commissions differ (sigma of their logarithm)."""

    clicks: int
    buys: float
    commission: int = 2_000
    sigma: float = 0.8


@dataclass
class Book:
    """What one variant earned so far."""

    number: int
    days: dict[date, DayFigures] = field(default_factory=dict)
    conversions: int = 0
    visitors: int = 0
    clicks_squared: float = 0.0
    revenue_squared: float = 0.0
    product: float = 0.0

    def add(self, day: date, side: Side, season: float, chance: Random) -> None:
        """Adds a day: `season` is what that day is worth, for every variant alike."""
        clicks = max(round(chance.gauss(side.clicks, side.clicks**0.5)), 1)
        revenue = sold = 0
        wanted = side.buys * season
        # The visitors who buy are few: how many is drawn, then each of them.
        buyers = min(_poisson(clicks * wanted, chance), clicks)
        for _ in range(buyers):
            amount = round(side.commission * exp(chance.gauss(0, side.sigma)))
            own = 2 if chance.random() < 0.2 else 1
            revenue += amount
            sold += 1
            self.revenue_squared += amount**2
            self.product += amount * own
            self.clicks_squared += own**2 - own
        self.clicks_squared += clicks
        self.visitors += clicks
        self.conversions += sold
        self.days[day] = DayFigures(clicks, revenue)

    @property
    def figures(self) -> VariantFigures:
        return VariantFigures(
            self.number,
            dict(self.days),
            self.conversions,
            self.visitors,
            self.conversions,
            self.clicks_squared,
            self.revenue_squared,
            self.product,
        )


def days_of(
    sides: Sequence[Side], days: int, chance: Random, ramp: Sequence[float] = ()
) -> Iterator[list[VariantFigures]]:
    """The figures after each day. Days differ by chance and get better, for all variants alike. `ramp`: how many times
    as many clicks as on the first day each variant has on the last."""
    books = [Book(number) for number, _ in enumerate(sides, 1)]
    for number in range(days):
        season = exp(chance.gauss(0, 0.3)) * (1 + number / days)
        for book, side in zip(books, sides, strict=True):
            share = 1 + (ramp[book.number - 1] - 1) * number / days if ramp else 1.0
            day = FIRST + timedelta(days=number)
            book.add(day, Side(round(side.clicks * share), side.buys, side.commission, side.sigma), season, chance)
        yield [book.figures for book in books]


def shifted_days(
    sides: Sequence[Side], days: int, chance: Random, bounds: Shifting
) -> Iterator[tuple[Mapping[int, int], int]]:
    """The weights after each day's decision, and what the split earned that day. `sides`: with the clicks that each has
    at equal weights."""
    weights: Mapping[int, int] = dict.fromkeys(range(1, len(sides) + 1), 1)
    books = [Book(number) for number in weights]
    for number in range(days):
        season, day = exp(chance.gauss(0, 0.3)) * (1 + number / days), FIRST + timedelta(days=number)
        for book, side in zip(books, sides, strict=True):
            share = weights[book.number] * len(sides) / sum(weights.values())
            book.add(day, replace(side, clicks=round(side.clicks * share)), season, chance)
        weights = shift(judge([book.figures for book in books]), weights, bounds).weights
        yield weights, sum(book.days[day].revenue for book in books)


def certain_split(worse: int, better: int) -> list[VariantFigures]:
    """The figures of two variants of which one earns more than twice as much, as certainly as can be."""
    books = [Book(worse), Book(better)]
    sides = [Side(300, 0.02, sigma=0.1), Side(300, 0.05, sigma=0.1)]
    chance = Random(1)
    for number in range(30):
        for book, side in zip(books, sides, strict=True):
            book.add(FIRST + timedelta(days=number), side, 1.0, chance)
    return [book.figures for book in books]


def _poisson(mean: float, chance: Random) -> int:
    """A number of rare events (Knuth)."""
    limit, product, found = exp(-mean), chance.random(), 0
    while product > limit:
        product *= chance.random()
        found += 1
    return found
