"""What is asked of a history of every website: its last week, its level, its mix, its silence, its robots. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from command_api.insights import significance
from command_api.insights.changepoint import split
from command_api.insights.finding import Candidate, Finding, Metric, Subject
from command_api.insights.history import Day, Dimension, History, sums
from command_api.insights.significance import WEEK, Spread, spread

LEAST_EVENTS: Final = 40
"""Fewer in both periods together say nothing."""
LEAST_CHANGE: Final = 0.15
MOST_VALUES: Final = 10
"""Of each dimension, the largest."""
BASELINE_WEEKS: Final = 4
LEAST_WEEKS: Final = BASELINE_WEEKS + 1
SILENT_EXPECTED: Final = 15.0
LEAST_DAYS: Final = 3
MORE_ROBOTS: Final = 1.3
"""Their share also grows when people stay away: that is no wave."""
ROBOTS_BUNCH: Final = Spread(4.0, 1_000)
"""A young history cannot tell how much robots' share usually varies. In the hours of a real access log (10,000 requests
of four days) it did four times as much as chance alone would."""


def week(history: History) -> Iterator[Candidate]:
    """The last week against the four before, weekday by weekday."""
    week, weeks = recent(history.total)
    for metric in ("clicks", "conversions", "revenue"):
        now, before = of(week, metric), of(weeks, metric)
        current, usual = sum(now), sum(before) / BASELINE_WEEKS
        if metric == "revenue":
            if sums(week).conversions + sums(weeks).conversions < LEAST_EVENTS:
                continue
            p = significance.of_sums(now, before)
        else:
            if current + sum(before) < LEAST_EVENTS:
                continue
            p = significance.of_counts(current, sum(before), BASELINE_WEEKS, spread(before))
        change = change_of(current, usual)
        yield Candidate(
            Finding(
                f"week:{metric}",
                "week",
                "growth" if change > 0 else "decline",
                metric,
                None,
                {"current": current, "usual": usual, "change": change},
                history.dates(-WEEK, len(history.total)),
                history.dates(-LEAST_WEEKS * WEEK, len(history.total) - WEEK),
                0,
                impact(current, usual, change),
            ),
            p,
            abs(change) >= LEAST_CHANGE,
        )


def level(history: History) -> Iterator[Candidate]:
    """The day since which there has been more, or less, than before; a change of the last days is the week's."""
    for metric in ("clicks", "conversions"):
        days = of(history.total, metric)
        if sum(days) < LEAST_EVENTS * 2:
            continue
        found = split(days)
        if found is None:
            continue
        change = change_of(found.after, found.before)
        yield Candidate(
            Finding(
                f"level:{metric}",
                "level",
                "growth" if change > 0 else "decline",
                metric,
                None,
                {"current": found.after, "usual": found.before, "change": change},
                history.dates(found.at, len(days)),
                history.dates(0, found.at),
                0,
                impact(found.after * WEEK, found.before * WEEK, change),
            ),
            found.p_value,
            abs(change) >= LEAST_CHANGE and len(days) - found.at > WEEK + 3,
        )


def shares(history: History) -> Iterator[Candidate]:
    """What brings another part of the clicks, or of the page views, than it did: the mix has shifted."""
    for dimension, values in history.by.items():
        metric = _shared(history, dimension)
        for value in largest(values):
            yield from _share(history, Subject(dimension, value), metric)


def _shared(history: History, dimension: Dimension) -> Metric:
    """Only page views know where visitors came from; where there are no clicks, page views have to do."""
    clicks = sum(of(history.total[-LEAST_WEEKS * WEEK :], "clicks"))
    links = dimension in ("partner", "link")
    return "clicks" if links or (dimension != "source" and clicks >= LEAST_EVENTS) else "pageviews"


def _share(history: History, subject: Subject, metric: Metric) -> Iterator[Candidate]:
    now, before = (of(days, metric) for days in recent(history.by[subject.dimension][subject.value]))
    whole, whole_before = (sum(of(days, metric)) for days in recent(history.total))
    part, part_before = sum(now), sum(before)
    if part + part_before < LEAST_EVENTS or not whole or not whole_before:
        return
    share, usual = part / whole, part_before / whole_before
    expected = usual * whole
    yield Candidate(
        Finding(
            f"share:{subject.dimension}:{subject.value}",
            "share",
            "growth" if share > usual else "decline",
            metric,
            subject,
            {
                "current": part,
                "usual": part_before / BASELINE_WEEKS,
                "share": share,
                "usual_share": usual,
                "change": change_of(part, part_before / BASELINE_WEEKS),
            },
            history.dates(-WEEK, len(history.total)),
            history.dates(-LEAST_WEEKS * WEEK, len(history.total) - WEEK),
            0,
            impact(part, expected, change_of(part, expected)),
        ),
        significance.of_shares(part, whole, part_before, whole_before, spread(before)),
        abs(change_of(part, expected)) >= LEAST_CHANGE * 2 and abs(share - usual) >= 0.02,
    )


def silence(history: History) -> Iterator[Candidate]:
    """Nothing at all for whole days, where something is usual: the script, or the links, are gone. Where the whole
    website is silent, nobody needs to hear it of each partner and link."""
    for metric in ("pageviews", "clicks"):
        found = _silence(history, history.total, metric, None)
        if found is not None:
            yield found
            return  # without page views there are no clicks either
    for dimension in ("partner", "link"):
        values = history.by.get(dimension, {})
        for value in largest(values):
            found = _silence(history, values[value], "clicks", Subject(dimension, value))
            if found is not None:
                yield found


def _silence(history: History, series: Sequence[Day], metric: Metric, subject: Subject | None) -> Candidate | None:
    days = of(series, metric)
    silent = next((index for index, value in enumerate(reversed(days)) if value), len(days))
    before = days[-LEAST_WEEKS * WEEK : -WEEK]
    if not 1 <= silent <= WEEK or sum(before) < LEAST_EVENTS:
        return None
    expected = sum(sum(before[-back::-WEEK]) for back in range(1, silent + 1)) / BASELINE_WEEKS  # of these weekdays
    return Candidate(
        Finding(
            f"silence:{metric}" if subject is None else f"silence:{subject.dimension}:{subject.value}",
            "silence",
            "warning",
            metric,
            subject,
            {"current": 0, "expected": expected, "days": silent},
            history.dates(-silent, len(days)),
            history.dates(-LEAST_WEEKS * WEEK, len(days) - WEEK),
            0,
            (1_000 if subject is None else 10) + expected ** (1 if subject is None else 0.5),
        ),
        significance.of_silence(expected, spread(before)),
        expected >= SILENT_EXPECTED,
    )


def bots(history: History) -> Iterator[Candidate]:
    """A wave of robots among the clicks; they are not counted, but somebody sends them."""
    week, weeks = recent(history.total)
    now, before = sums(week), sums(weeks)
    whole, whole_before = now.clicks + now.bot_clicks, before.clicks + before.bot_clicks
    if now.bot_clicks < LEAST_EVENTS or not whole_before:
        return
    share, usual = now.bot_clicks / whole, before.bot_clicks / whole_before
    yield Candidate(
        Finding(
            "bots",
            "bots",
            "warning",
            "clicks",
            None,
            {
                "current": now.bot_clicks,
                "usual": before.bot_clicks / BASELINE_WEEKS,
                "share": share,
                "usual_share": usual,
            },
            history.dates(-WEEK, len(history.total)),
            history.dates(-LEAST_WEEKS * WEEK, len(history.total) - WEEK),
            0,
            impact(now.bot_clicks, before.bot_clicks / BASELINE_WEEKS, share - usual) * 3,
        ),
        significance.of_shares(now.bot_clicks, whole, before.bot_clicks, whole_before, spread(of(weeks, "bot_clicks"))),
        share - usual >= 0.10 and now.bot_clicks >= MORE_ROBOTS * before.bot_clicks / BASELINE_WEEKS,
    )


def bots_of_a_day(history: History) -> Iterator[Candidate]:
    """A day on which far more of the page views were robots' than on the other days of a young history."""
    seen = [index for index, day in enumerate(history.total) if day.pageviews + day.bot_pageviews]
    all_ = sums(history.total)
    if len(seen) < LEAST_DAYS:
        return
    for index in seen:
        day = history.total[index]
        part, whole = day.bot_pageviews, day.pageviews + day.bot_pageviews
        others = all_.bot_pageviews - part
        whole_others = all_.pageviews + all_.bot_pageviews - whole
        share, usual = part / whole, others / whole_others
        yield Candidate(
            Finding(
                f"bots:{(history.dates(index, index + 1)).first.isoformat()}",
                "bots",
                "warning",
                "pageviews",
                None,
                {"current": part, "usual": others / (len(seen) - 1), "share": share, "usual_share": usual},
                history.dates(index, index + 1),
                history.dates(seen[0], len(history.total)),
                0,
                impact(part, others / (len(seen) - 1), share - usual) * 3,
            ),
            significance.of_shares(part, whole, others, whole_others, ROBOTS_BUNCH),
            share - usual >= 0.08 and part >= max(LEAST_EVENTS * 2, MORE_ROBOTS * others / (len(seen) - 1)),
        )


def recent(days: Sequence[Day]) -> tuple[Sequence[Day], Sequence[Day]]:
    """The last week, and the four before it."""
    return days[-WEEK:], days[-LEAST_WEEKS * WEEK : -WEEK]


def of(days: Sequence[Day], name: str) -> list[int]:
    return [getattr(day, name) for day in days]


def largest(values: Mapping[str, Sequence[Day]]) -> list[str]:
    """By clicks and page views of the last five weeks."""
    lately = {value: sums(days[-LEAST_WEEKS * WEEK :]) for value, days in values.items()}
    seen = {value: day.clicks + day.pageviews for value, day in lately.items()}
    return sorted(seen, key=lambda value: (-seen[value], value))[:MOST_VALUES]


def change_of(now: float, before: float) -> float:
    """As a part of before; infinite where nothing was before."""
    if before == 0:
        return math.inf if now > 0 else 0.0
    return now / before - 1


def impact(now: float, before: float, change: float) -> float:
    """How much it moves: a large change of much before a small one, or one of little."""
    return math.log1p(now + before) * min(abs(change), 5.0)
