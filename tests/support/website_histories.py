"""Random histories of websites, with a planted change or none, to count what the insights find.

A website has three to five partners, six to twelve pages with a link to one of them each, five sources, six countries
and three devices, 40 to 800 clicks a day, weekdays, days that resemble the day before, and orders of different sizes.
Every event has all dimensions, so that a change of one shows in the others as it does on a real website.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final, Literal

import numpy as np

from command_api.insights.causes import PERIODS, Cell
from command_api.insights.finding import InsightSubject
from command_api.insights.history import DAYS, Day, Dimension, History

LAST: Final = date(2026, 11, 19)
DIMENSIONS: Final[tuple[Dimension, ...]] = ("partner", "page", "source", "country", "device", "link")
WEEKDAYS: Final = np.array([1.2, 1.1, 1.0, 1.0, 1.1, 0.7, 0.6])
Changed = Literal["clicks", "rate", "value", "rejections"]
Counts = Any
"""An array of numpy: page, source, country, device."""


@dataclass(frozen=True, slots=True)
class Planted:
    """`changed` of one subject times `factor` in the last week (rejections: in the last four)."""

    subject: InsightSubject
    changed: Changed
    factor: float

    @property
    def days(self) -> int:
        return 28 if self.changed == "rejections" else 7


@dataclass(frozen=True, slots=True)
class SimulatedWebsite:
    """A history, and its events by what they have in common."""

    history: History
    planted: Planted | None
    names: dict[Dimension, list[str]]
    places: dict[Dimension, Counts]
    """The number of each cell's value."""
    periods: Counts
    """Clicks, page views, conversions, rejected and revenue of the cells, by period."""

    def read_cells(self, subjects: Sequence[InsightSubject]) -> list[Cell]:
        """The events that the subjects have in common, as ClickHouse answers."""
        belongs = np.zeros(self.periods.shape[2:], int)
        for bit, subject in enumerate(subjects):
            belongs |= self.rows(subject).astype(int) << bit
        return [
            Cell(
                frozenset(subject for bit, subject in enumerate(subjects) if group >> bit & 1),
                period,
                Day(*(int(counts[belongs == group].sum()) for counts in self.periods[period])),
            )
            for group in np.unique(belongs)
            for period in range(len(PERIODS))
        ]

    def rows(self, subject: InsightSubject) -> Counts:
        return self.places[subject.dimension] == self.names[subject.dimension].index(subject.value)

    def is_same(self, one: InsightSubject, other: InsightSubject) -> bool:
        """Returns whether two subjects have the same events, as a page and its only link have."""
        return bool((self.rows(one) == self.rows(other)).all())

    def is_part(self, one: InsightSubject, other: InsightSubject) -> bool:
        """Returns whether all events of one subject are events of the other, as a page's are of its partner."""
        return bool((self.rows(one) <= self.rows(other)).all())

    def usual_conversions(self, subject: InsightSubject) -> float:
        """In a week, before the change."""
        return sum(day.conversions for day in self.history.by[subject.dimension][subject.value][-35:-7]) / 4


def simulated(
    seed: int, dimension: Dimension | None = None, changed: Changed = "rate", factor: float = 1.0, rank: int = 0
) -> SimulatedWebsite:
    """A website; with a `dimension`, a change of its value with the most clicks but `rank`."""
    random = np.random.default_rng(seed)
    partners, pages = int(random.integers(3, 6)), int(random.integers(6, 13))
    by_page = np.arange(pages) % partners
    shape = (pages, 5, 6, 3)
    places = _places(shape, by_page)
    names: dict[Dimension, list[str]] = {
        "partner": [f"partner {number}" for number in range(partners)],
        "page": [f"/page-{number}" for number in range(pages)],
        "link": [f"link {number}" for number in range(pages)],
        "source": ["google", "news.example", "bing", "forum.example", "(none)"],
        "country": ["DE", "US", "FR", "GB", "NL", "AT"],
        "device": ["desktop", "mobile", "tablet"],
    }
    shares = np.einsum(
        "p,s,c,d->pscd", _shares(random, pages, 0.8), _shares(random, 5), _shares(random, 6), [0.6, 0.33, 0.07]
    )
    level = float(np.exp(random.uniform(np.log(40), np.log(800)))) * _moods(random)
    of_partner = (slice(None), None, None, None)
    rate = np.broadcast_to(random.uniform(0.02, 0.06, partners)[by_page][of_partner], shape)
    value, regularity = random.uniform(300, 3_000, partners)[by_page], random.uniform(1.5, 4, partners)[by_page]
    rejected = np.broadcast_to(random.uniform(0.03, 0.12, partners)[by_page][of_partner], shape)
    planted, subjects_rows = None, np.zeros(shape, bool)
    if dimension is not None:
        brought = [shares[places[dimension] == number].sum() for number in range(len(names[dimension]))]
        largest = int(np.argsort(brought)[-1 - rank])
        planted = Planted(InsightSubject(dimension, names[dimension][largest]), changed, factor)
        subjects_rows = places[dimension] == largest

    series: dict[Dimension, dict[str, list[Day]]] = {name: {value: [] for value in names[name]} for name in DIMENSIONS}
    total: list[Day] = []
    periods = np.zeros((len(PERIODS), 5, *shape))
    for index in range(DAYS):
        back = DAYS - 1 - index
        times = {
            what: np.where(subjects_rows, factor, 1.0)
            if planted is not None and back < planted.days and what == changed
            else 1.0
            for what in ("clicks", "rate", "value", "rejections")
        }
        mean = level[index] * shares * np.exp(random.normal(0, 0.05, pages))[of_partner] * times["clicks"]
        clicks, pageviews = random.poisson(mean), random.poisson(mean * 3)
        decided = random.binomial(clicks, np.clip(rate * times["rate"], 0, 1))
        refused = random.binomial(decided, np.clip(rejected * times["rejections"], 0, 0.9))
        paid = decided - refused
        orders = random.gamma(np.maximum(paid, 1e-9) * regularity[of_partner], (value / regularity)[of_partner])
        counted = (clicks, pageviews, paid, refused, np.where(paid > 0, orders * times["value"], 0).round())
        bots = int(random.poisson(mean.sum() * 0.03))
        total.append(replace(Day(*(int(of.sum()) for of in counted)), bot_clicks=bots))
        period = next((number for number, end in enumerate(PERIODS) if back < end), None)
        if period is not None:
            periods[period] += counted
        for name in DIMENSIONS:
            by_value = [np.bincount(places[name].ravel(), of.ravel(), len(names[name])) for of in counted]
            for number, text in enumerate(names[name]):
                series[name][text].append(Day(*(int(of[number]) for of in by_value)))
    partner_of = {f"link {page}": f"partner {partner}" for page, partner in enumerate(by_page)}
    return SimulatedWebsite(History(LAST, "USD", total, series, partner_of), planted, names, places, periods)


def _places(shape: tuple[int, ...], by_page: Counts) -> dict[Dimension, Counts]:
    page, source, country, device = np.indices(shape)
    return {
        "page": page,
        "link": page,
        "partner": by_page[page],
        "source": source,
        "country": country,
        "device": device,
    }


def _shares(random: np.random.Generator, values: int, slope: float = 1.0) -> Counts:
    """Shares of values: a few large ones, many small ones (Zipf)."""
    weights = random.uniform(0.7, 1.3, values) / np.arange(1, values + 1) ** slope
    return weights / weights.sum()


def _moods(random: np.random.Generator) -> Counts:
    """How much more or less each day brings: by its weekday, and by the mood of the day before."""
    sway, alike = random.uniform(0.03, 0.12), random.uniform(0, 0.3)
    mood = np.zeros(DAYS)
    for day in range(1, DAYS):
        mood[day] = alike * mood[day - 1] + np.sqrt(1 - alike**2) * random.normal()
    return WEEKDAYS[np.arange(DAYS) % 7] * np.exp(sway * mood)
