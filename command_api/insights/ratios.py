"""Tests of ratios: what part of the traffic a value brings, how many of its clicks convert, what a conversion earns,
and how many are rejected.

Together they are a value's revenue: traffic × conversion rate × revenue per conversion, less what is rejected. Each is
tested on its own, so that a finding says which of them changed. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from command_api.insights import significance
from command_api.insights.finding import Candidate, InsightFinding, InsightSubject, Metric, Topic
from command_api.insights.history import Day, DayRange, Dimension, History, sums
from command_api.insights.significance import WEEK, Law, Portion, Spread
from schemas.events.insights import InsightType

Count = Callable[[Day], int]
BASELINE_DAYS: Final = 4 * WEEK
MIN_EXPECTED: Final = 5.0
"""What would be usual in the last week: fewer say nothing."""
MIN_PAID: Final = 10
"""Conversions of the last week whose revenue is compared: one large order among fewer is no change."""
MIN_SHARE: Final = 0.05
"""Of the website's clicks (or page views) of both periods: a smaller value does not matter."""
MIN_REJECTED_MORE: Final = 0.05
"""Of the conversions: fewer points more do not matter, nor does it if less are rejected."""
MAX_VALUES: Final = 10
"""Values per dimension, the largest first."""
_ENTRY_DIMENSIONS: Final = ("source",)
"""Their share is of the page views: a visit has them before it clicks."""
MIN_CLICKS: Final = 40
"""Fewer clicks in five weeks: the share of every value but partners and links is of the page views."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """`part` of `whole`, in the last `days` and the four weeks before them. `of_website`: the whole is the website's
    one."""

    topic: Topic
    metric: Metric
    law: Law
    part: Count
    whole: Count
    days: int = WEEK
    min_change: float = 0.2
    of_website: bool = False

    def is_enough(self, now: tuple[float, float], earlier: tuple[float, float]) -> bool:
        """Returns whether the last days have enough to say something, whatever they say: this looks at both periods
        together, as a test of those with few now would be one of declines."""
        if self.law is Law.AMOUNT:
            return min(now[1], earlier[1]) >= MIN_PAID
        whole = now[1] + earlier[1]
        part = now[0] + earlier[0]
        return whole > 0 and 0 < part < whole and part * now[1] / whole >= MIN_EXPECTED


def _clicks(day: Day) -> int:
    return day.clicks


def _pageviews(day: Day) -> int:
    return day.pageviews


TRAFFIC: Final = {
    "clicks": Ratio("share", "clicks", Law.PORTION, _clicks, _clicks, min_change=0.3, of_website=True),
    "pageviews": Ratio("share", "pageviews", Law.PORTION, _pageviews, _pageviews, min_change=0.3, of_website=True),
}
RATE: Final = Ratio("rate", "conversions", Law.PORTION, lambda day: day.conversions, _clicks)
VALUE: Final = Ratio("value", "revenue", Law.AMOUNT, lambda day: day.revenue, lambda day: day.conversions)
REJECTIONS: Final = Ratio(
    "rejections",
    "conversions",
    Law.PORTION,
    lambda day: day.rejected,
    lambda day: day.conversions + day.rejected,
    days=BASELINE_DAYS,
)


@dataclass(frozen=True, slots=True)
class RatioCandidate(Candidate):
    """A test of a ratio, with what it takes to repeat it on a part of the events."""

    ratio: Ratio
    around: Spread


def ratios(history: History) -> Iterator[RatioCandidate]:
    """The tests of all values of all dimensions, and of the website."""
    for ratio in (RATE, VALUE, REJECTIONS):
        yield from _tests(history, ratio, {None: history.total})
    for dimension, values in history.by.items():
        subjects = {InsightSubject(dimension, value): days for value, days in values.items()}
        traffic = TRAFFIC[_traffic_metric(history, dimension)]
        largest = _largest(history, subjects, traffic)
        for ratio in (traffic, RATE, VALUE, REJECTIONS):
            yield from _tests(history, ratio, largest)


def _traffic_metric(history: History, dimension: Dimension) -> Metric:
    clicks = sum(day.clicks for day in history.total[-WEEK - BASELINE_DAYS :])
    links = dimension in ("partner", "link")
    return "clicks" if links or (dimension not in _ENTRY_DIMENSIONS and clicks >= MIN_CLICKS) else "pageviews"


def _largest(
    history: History, subjects: Mapping[InsightSubject, Sequence[Day]], traffic: Ratio
) -> dict[InsightSubject | None, Sequence[Day]]:
    """The values that bring at least `MIN_SHARE` of the traffic of the last five weeks, `MAX_VALUES` at most."""
    recent = WEEK + BASELINE_DAYS
    whole = sum(map(traffic.whole, history.total[-recent:]))
    brought = {subject: sum(map(traffic.part, days[-recent:])) for subject, days in subjects.items()}
    ranked = sorted(brought, key=lambda subject: (-brought[subject], subject.value))[:MAX_VALUES]
    return {subject: subjects[subject] for subject in ranked if brought[subject] >= MIN_SHARE * max(whole, 1)}


def _tests(
    history: History, ratio: Ratio, series: Mapping[InsightSubject | None, Sequence[Day]]
) -> Iterator[RatioCandidate]:
    """The tests of one ratio; what the values of a dimension vary by is learned from each other."""
    if len(history.total) < ratio.days + BASELINE_DAYS:
        return
    compared: list[tuple[InsightSubject | None, Portion, Portion]] = []
    for subject, days in series.items():
        now, earlier = (_portion(ratio, days, history.total, period) for period in periods(ratio))
        if ratio.is_enough((now.part, now.whole), (earlier.part, earlier.whole)):
            compared.append((subject, now, earlier))
    spreads = [significance.dispersion((now, earlier), ratio.law) for _, now, earlier in compared]
    if ratio.law is Law.PORTION:
        spreads = significance.moderated(spreads)
    for (subject, now, earlier), around in zip(compared, spreads, strict=True):
        away = significance.deviance((now.part, now.whole), (earlier.part, earlier.whole), ratio.law)
        finding = _finding(history, ratio, subject, series[subject])
        matters = abs(finding.figures["change"]) >= ratio.min_change and (
            ratio is not REJECTIONS or finding.figures["share"] - finding.figures["usual_share"] >= MIN_REJECTED_MORE
        )
        yield RatioCandidate(finding, significance.of_deviance(away, around), matters, ratio, around)


def periods(ratio: Ratio) -> tuple[slice, slice]:
    """The days that are compared, of a series that ends yesterday."""
    return slice(-ratio.days, None), slice(-ratio.days - BASELINE_DAYS, -ratio.days)


def _portion(ratio: Ratio, days: Sequence[Day], total: Sequence[Day], period: slice) -> Portion:
    wholes = total if ratio.of_website else days
    return Portion([ratio.part(day) for day in days[period]], [ratio.whole(day) for day in wholes[period]])


def _finding(history: History, ratio: Ratio, subject: InsightSubject | None, days: Sequence[Day]) -> InsightFinding:
    at, usual_at = periods(ratio)
    now, earlier = sums(days[at]), sums(days[usual_at])
    whole, whole_earlier = sums(history.total[at]), sums(history.total[usual_at])
    if not ratio.of_website:
        whole, whole_earlier = now, earlier
    share, usual_share = ratio.part(now) / ratio.whole(whole), ratio.part(earlier) / max(ratio.whole(whole_earlier), 1)
    expected = usual_share * ratio.whole(whole)
    if ratio.of_website:  # as much as the other values let expect
        others, others_earlier = (
            ratio.whole(of) - ratio.part(part) for of, part in ((whole, now), (whole_earlier, earlier))
        )
        expected = ratio.part(earlier) * others / max(others_earlier, 1)
    change = ratio.part(now) / expected - 1 if expected else math.inf
    weeks = BASELINE_DAYS / ratio.days
    figures = {
        "current": ratio.part(now),
        "usual": ratio.part(earlier) / weeks,
        "expected": expected,
        "whole": ratio.whole(whole),
        "share": share,
        "usual_share": usual_share,
        "change": change,
        "revenue": now.revenue,
        "usual_revenue": earlier.revenue / weeks,
        "clicks": now.clicks,
        "usual_clicks": earlier.clicks / weeks,
        "conversions": now.conversions,
        "usual_conversions": earlier.conversions / weeks,
        "pageviews": now.pageviews,
        "usual_pageviews": earlier.pageviews / weeks,
    }
    dates = _dates(history, at), _dates(history, usual_at)
    kind, key = _type(ratio, subject, change), _key(ratio, subject)
    return InsightFinding(key, ratio.topic, kind, ratio.metric, subject, figures, *dates, _impact(ratio, figures))


def _dates(history: History, period: slice) -> DayRange:
    return history.dates(period.start, len(history.total) if period.stop is None else period.stop)


def _type(ratio: Ratio, subject: InsightSubject | None, change: float) -> InsightType:
    """A partner or link that earns less than it did may be broken."""
    if ratio is REJECTIONS:
        return "warning"
    if change > 0:
        return "growth"
    if ratio is RATE and (change == -1 or (subject is not None and subject.dimension in ("partner", "link"))):
        return "warning"
    return "decline"


def _key(ratio: Ratio, subject: InsightSubject | None) -> str:
    """Stable; those of partners' rates and rejections are of the time when only partners had them."""
    if subject is None:
        return f"{ratio.topic}:all"
    if subject.dimension == "partner" and ratio in (RATE, REJECTIONS):
        return f"{ratio.topic}:{subject.value}"
    return f"{ratio.topic}:{subject.dimension}:{subject.value}"


def _impact(ratio: Ratio, figures: Mapping[str, float]) -> float:
    """The weight of a change: grows with its size and with the number of events. What changes the revenue weighs more
    than what changes the traffic, rejections most."""
    weight = {"share": 1.0, "rate": 2.0, "value": 2.0, "rejections": 3.0}[ratio.topic]
    change = figures["share"] - figures["usual_share"] if ratio is REJECTIONS else figures["change"]
    events = figures["conversions"] + figures["usual_conversions"] if ratio is VALUE else figures["current"]
    return math.log1p(events + (0 if ratio is VALUE else figures["expected"])) * min(abs(change), 5.0) * weight
