"""Tests of a website's history: last week, level, silence, bots, and earnings per click. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from command_api.insights import significance
from command_api.insights.changepoint import split
from command_api.insights.finding import Candidate, InsightFinding, InsightSubject, Metric
from command_api.insights.history import Day, DayRange, History, sums
from command_api.insights.significance import WEEK, Spread, spread
from schemas.events.insights import InsightType

MIN_EVENTS: Final = 40
"""Minimum number of events in both periods together."""
MIN_CHANGE: Final = 0.15
MAX_VALUES: Final = 10
"""Values per dimension, the largest first."""
BASELINE_WEEKS: Final = 4
MIN_WEEKS: Final = BASELINE_WEEKS + 1
MIN_EXPECTED_EVENTS: Final = 15.0
MIN_DAYS: Final = 3
BETTER_EARNINGS: Final = 1.5
SMALL_SHARE: Final = 0.25
BOT_GROWTH_FACTOR: Final = 1.3
"""Minimum growth of bot traffic: its share also grows when human traffic falls."""
BOT_SPREAD: Final = Spread(4.0, 1_000)
"""Variation of the bot share for histories that are too short to estimate it: in a real access log (10,000 requests of
four days) it varied four times as much as by chance."""


def week(history: History) -> Iterator[Candidate]:
    """The last week against the four before, weekday by weekday."""
    week, weeks = recent(history.total)
    for metric in ("clicks", "conversions", "revenue"):
        now, earlier = values_of(week, metric), values_of(weeks, metric)
        current, usual = sum(now), sum(earlier) / BASELINE_WEEKS
        if metric == "revenue":
            if sums(week).conversions + sums(weeks).conversions < MIN_EVENTS:
                continue
            p = significance.of_sums(now, earlier)
        else:
            if current + sum(earlier) < MIN_EVENTS:
                continue
            p = significance.of_counts(current, sum(earlier), BASELINE_WEEKS, spread(earlier))
        change = change_of(current, usual)
        figures = {"current": current, "usual": usual, "change": change}
        weight, dates = impact(current, usual, change), last_week(history)
        finding = InsightFinding(f"week:{metric}", "week", direction(change), metric, None, figures, *dates, weight)
        yield Candidate(finding, p, abs(change) >= MIN_CHANGE)


def level(history: History) -> Iterator[Candidate]:
    """The day on which the level changed; a change in the last days belongs to `week`."""
    for metric in ("clicks", "conversions"):
        days = values_of(history.total, metric)
        if sum(days) < MIN_EVENTS * 2:
            continue
        shift = split(days)
        if shift is None:
            continue
        change = change_of(shift.after, shift.before)
        figures = {"current": shift.after, "usual": shift.before, "change": change}
        weight = impact(shift.after * WEEK, shift.before * WEEK, change)
        dates = history.dates(shift.at, len(days)), history.dates(0, shift.at)
        finding = InsightFinding(f"level:{metric}", "level", direction(change), metric, None, figures, *dates, weight)
        matters = abs(change) >= MIN_CHANGE and len(days) - shift.at > WEEK + 3
        yield Candidate(finding, shift.p_value, matters)


def silence(history: History) -> Iterator[Candidate]:
    """Tests for whole days without events where some are usual: the script or the links are missing. If the whole
    website is silent, its partners and links are not reported."""
    for metric in ("pageviews", "clicks"):
        candidate = _silence(history, history.total, metric, None)
        if candidate is not None:
            yield candidate
            return  # without page views there are no clicks either
    for dimension in ("partner", "link"):
        values = history.by.get(dimension, {})
        for value in largest(values):
            candidate = _silence(history, values[value], "clicks", InsightSubject(dimension, value))
            if candidate is not None:
                yield candidate


def _silence(
    history: History, series: Sequence[Day], metric: Metric, subject: InsightSubject | None
) -> Candidate | None:
    days = values_of(series, metric)
    silent = next((index for index, value in enumerate(reversed(days)) if value), len(days))
    earlier = days[-MIN_WEEKS * WEEK : -WEEK]
    if not 1 <= silent <= WEEK or sum(earlier) < MIN_EVENTS:
        return None
    expected = sum(sum(earlier[-back::-WEEK]) for back in range(1, silent + 1)) / BASELINE_WEEKS  # of these weekdays
    figures = {"current": 0, "expected": expected, "days": silent}
    dates = history.dates(-silent, len(days)), last_week(history)[1]
    key = f"silence:{metric}" if subject is None else f"silence:{subject.dimension}:{subject.value}"
    weight = 1_000 + expected if subject is None else 10 + expected**0.5
    finding = InsightFinding(key, "silence", "warning", metric, subject, figures, *dates, weight)
    return Candidate(finding, significance.of_silence(expected, spread(earlier)), expected >= MIN_EXPECTED_EVENTS)


def bots(history: History) -> Iterator[Candidate]:
    """A spike of bot clicks, which analytics exclude."""
    week, weeks = recent(history.total)
    now, earlier = sums(week), sums(weeks)
    whole, whole_earlier = now.clicks + now.bot_clicks, earlier.clicks + earlier.bot_clicks
    if now.bot_clicks < MIN_EVENTS or not whole_earlier:
        return
    share, usual = now.bot_clicks / whole, earlier.bot_clicks / whole_earlier
    in_a_week = earlier.bot_clicks / BASELINE_WEEKS
    figures = {"current": now.bot_clicks, "usual": in_a_week, "share": share, "usual_share": usual}
    weight = impact(now.bot_clicks, in_a_week, share - usual) * 3
    finding = InsightFinding("bots", "bots", "warning", "clicks", None, figures, *last_week(history), weight)
    around = spread(values_of(weeks, "bot_clicks"))
    p = significance.of_shares(now.bot_clicks, whole, earlier.bot_clicks, whole_earlier, around)
    yield Candidate(finding, p, share - usual >= 0.10 and now.bot_clicks >= BOT_GROWTH_FACTOR * in_a_week)


def bots_of_a_day(history: History) -> Iterator[Candidate]:
    """A day with a far larger bot share of page views than the other days of a short history."""
    seen = [index for index, day in enumerate(history.total) if day.pageviews + day.bot_pageviews]
    all_ = sums(history.total)
    if len(seen) < MIN_DAYS:
        return
    for index in seen:
        day = history.total[index]
        part, whole = day.bot_pageviews, day.pageviews + day.bot_pageviews
        others = all_.bot_pageviews - part
        whole_others = all_.pageviews + all_.bot_pageviews - whole
        share, usual, in_a_day = part / whole, others / whole_others, others / (len(seen) - 1)
        figures = {"current": part, "usual": in_a_day, "share": share, "usual_share": usual}
        dates = history.dates(index, index + 1), history.dates(seen[0], len(history.total))
        key, weight = f"bots:{dates[0].first.isoformat()}", impact(part, in_a_day, share - usual) * 3
        finding = InsightFinding(key, "bots", "warning", "pageviews", None, figures, *dates, weight)
        p = significance.of_shares(part, whole, others, whole_others, BOT_SPREAD)
        yield Candidate(finding, p, share - usual >= 0.08 and part >= max(MIN_EVENTS * 2, BOT_GROWTH_FACTOR * in_a_day))


def earnings(history: History) -> Iterator[Candidate]:
    """A partner with far higher earnings per click than the others and a small share of the clicks."""
    partners = history.by.get("partner", {})
    recent = {value: sums(days[-BASELINE_WEEKS * WEEK :]) for value, days in partners.items()}
    clicks, revenue = sum(day.clicks for day in recent.values()), sum(day.revenue for day in recent.values())
    conversions = sum(day.conversions for day in recent.values())
    dates = history.dates(-BASELINE_WEEKS * WEEK, len(history.total))
    for value in largest(partners):
        own = recent[value]
        others = clicks - own.clicks
        if own.clicks < MIN_EVENTS or others < MIN_EVENTS or own.conversions < 10 or revenue <= own.revenue:
            continue
        each, each_other = own.revenue / own.clicks, (revenue - own.revenue) / others
        around = spread(values_of(partners[value][-BASELINE_WEEKS * WEEK :], "conversions"))
        figures = {
            "per_click": each,
            "others_per_click": each_other,
            "clicks": own.clicks,
            "share": own.clicks / clicks,
            "revenue": own.revenue,
            "times": each / each_other,
        }
        about, weight = (
            InsightSubject("partner", value),
            impact(own.revenue, own.clicks * each_other, each / each_other - 1),
        )
        finding = InsightFinding(
            f"earnings:{value}", "earnings", "opportunity", "revenue", about, figures, dates, dates, weight
        )
        converted = min(own.conversions, own.clicks), min(conversions - own.conversions, others)
        p = significance.of_shares(converted[0], own.clicks, converted[1], others, around)
        yield Candidate(finding, p, each >= BETTER_EARNINGS * each_other and own.clicks / clicks <= SMALL_SHARE)


def recent(days: Sequence[Day]) -> tuple[Sequence[Day], Sequence[Day]]:
    """The last week, and the four before it."""
    return days[-WEEK:], days[-MIN_WEEKS * WEEK : -WEEK]


def last_week(history: History) -> tuple[DayRange, DayRange]:
    """The dates of the last week, and of the four before it."""
    length = len(history.total)
    return history.dates(-WEEK, length), history.dates(-MIN_WEEKS * WEEK, length - WEEK)


def direction(change: float) -> InsightType:
    return "growth" if change > 0 else "decline"


def values_of(days: Sequence[Day], name: str) -> list[int]:
    return [getattr(day, name) for day in days]


def largest(values: Mapping[str, Sequence[Day]]) -> list[str]:
    """Returns the values with the most clicks and page views of the last five weeks."""
    lately = {value: sums(days[-MIN_WEEKS * WEEK :]) for value, days in values.items()}
    seen = {value: day.clicks + day.pageviews for value, day in lately.items()}
    return sorted(seen, key=lambda value: (-seen[value], value))[:MAX_VALUES]


def change_of(now: float, earlier: float) -> float:
    """The relative change; infinite from zero."""
    if earlier == 0:
        return math.inf if now > 0 else 0.0
    return now / earlier - 1


def impact(now: float, earlier: float, change: float) -> float:
    """The weight of a change: grows with its size and with the number of events."""
    return math.log1p(now + earlier) * min(abs(change), 5.0)
