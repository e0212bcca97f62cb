"""What changed on a website, found by arithmetic alone: the same history gives the same findings. Pure.

Each question asked of a history is a `Candidate` with its p-value. All of a website's questions are judged together
(`significance.holm`, level 5 %), so that a website where nothing happens gets no finding in 19 of 20 looks; what is
left is a finding if it is also large enough to matter. `confidence` is 1 less the adjusted p-value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from command_api.insights import significance
from command_api.insights.changepoint import split
from command_api.insights.history import Day, Dimension, History, Range, sums
from command_api.insights.significance import WEEK, spread

InsightType = Literal["growth", "decline", "opportunity", "warning"]
Topic = Literal["week", "level", "share", "rate", "silence", "rejections", "bots", "earnings"]
Metric = Literal["clicks", "conversions", "revenue", "pageviews"]

LEVEL: Final = 0.05
LEAST_EVENTS: Final = 40
"""Fewer in both periods together say nothing."""
LEAST_CHANGE: Final = 0.15
MOST_FINDINGS: Final = 8
MOST_VALUES: Final = 10
"""Of each dimension, the largest."""
BASELINE_WEEKS: Final = 4
LEAST_WEEKS: Final = BASELINE_WEEKS + 1
SILENT_EXPECTED: Final = 15.0
BETTER_EARNINGS: Final = 1.5
SMALL_SHARE: Final = 0.25


@dataclass(frozen=True, slots=True)
class Subject:
    """What a finding is about, when it is not the whole website."""

    dimension: Dimension
    value: str


@dataclass(frozen=True, slots=True)
class Finding:
    """`key`: stable, so that the same finding of the next day is known again. `figures`: all that may be said of it,
    by name; money in minor units. `now` and `before`: the days that are compared."""

    key: str
    topic: Topic
    type: InsightType
    metric: Metric
    subject: Subject | None
    figures: Mapping[str, float]
    now: Range
    before: Range
    confidence: float
    impact: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """One question and its answer, before all of them are judged."""

    finding: Finding
    p_value: float
    matters: bool


def find(history: History) -> list[Finding]:
    """What is worth telling, the weightiest first, at most eight. Empty for less than five weeks of history."""
    if len(history.total) < LEAST_WEEKS * WEEK:
        return []
    asked = list(_asked(history))
    adjusted = significance.holm([candidate.p_value for candidate in asked])
    found = [
        _confident(candidate.finding, p)
        for candidate, p in zip(asked, adjusted, strict=True)
        if p <= LEVEL and candidate.matters
    ]
    return sorted(found, key=lambda finding: (-finding.impact, finding.key))[:MOST_FINDINGS]


def _asked(history: History) -> Iterator[Candidate]:
    yield from _silence(history)
    yield from _week(history)
    yield from _level(history)
    yield from _shares(history)
    yield from _rates(history)
    yield from _rejections(history)
    yield from _bots(history)
    yield from _earnings(history)


def _week(history: History) -> Iterator[Candidate]:
    """The last week against the four before, weekday by weekday."""
    week, weeks = _recent(history.total)
    for metric in ("clicks", "conversions", "revenue"):
        now, before = _of(week, metric), _of(weeks, metric)
        current, usual = sum(now), sum(before) / BASELINE_WEEKS
        if metric == "revenue":
            if sums(week).conversions + sums(weeks).conversions < LEAST_EVENTS:
                continue
            p = significance.of_sums(now, before)
        else:
            if current + sum(before) < LEAST_EVENTS:
                continue
            p = significance.of_counts(current, sum(before), BASELINE_WEEKS, spread(before))
        change = _change(current, usual)
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
                _impact(current, usual, change),
            ),
            p,
            abs(change) >= LEAST_CHANGE,
        )


def _level(history: History) -> Iterator[Candidate]:
    """The day since which there has been more, or less, than before; a change of the last days is the week's."""
    for metric in ("clicks", "conversions"):
        days = _of(history.total, metric)
        if sum(days) < LEAST_EVENTS * 2:
            continue
        found = split(days)
        if found is None:
            continue
        change = _change(found.after, found.before)
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
                _impact(found.after * WEEK, found.before * WEEK, change),
            ),
            found.p_value,
            abs(change) >= LEAST_CHANGE and len(days) - found.at > WEEK + 3,
        )


def _shares(history: History) -> Iterator[Candidate]:
    """What brings another part of the clicks than it did: the mix has shifted."""
    week, weeks = _recent(history.total)
    whole, whole_before = sums(week).clicks, sums(weeks).clicks
    for dimension, values in history.by.items():
        for value in _largest(values):
            now, before = _recent(values[value])
            part, part_before = sums(now).clicks, sums(before).clicks
            if part + part_before < LEAST_EVENTS or not whole or not whole_before:
                continue
            share, usual = part / whole, part_before / whole_before
            p = significance.of_shares(part, whole, part_before, whole_before, spread(_of(before, "clicks")))
            expected = usual * whole
            yield Candidate(
                Finding(
                    f"share:{dimension}:{value}",
                    "share",
                    "growth" if share > usual else "decline",
                    "clicks",
                    Subject(dimension, value),
                    {
                        "current": part,
                        "usual": part_before / BASELINE_WEEKS,
                        "share": share,
                        "usual_share": usual,
                        "change": _change(part, part_before / BASELINE_WEEKS),
                    },
                    history.dates(-WEEK, len(history.total)),
                    history.dates(-LEAST_WEEKS * WEEK, len(history.total) - WEEK),
                    0,
                    _impact(part, expected, _change(part, expected)),
                ),
                p,
                abs(_change(part, expected)) >= LEAST_CHANGE * 2 and abs(share - usual) >= 0.02,
            )


def _rates(history: History) -> Iterator[Candidate]:
    """Conversions for each click, in all and by partner. A partner whose conversions stay away while its clicks do not
    has broken tracking, or does not report them."""
    yield from _rate(history, history.total, None)
    partners = history.by.get("partner", {})
    for value in _largest(partners):
        yield from _rate(history, partners[value], Subject("partner", value))


def _rate(history: History, days: Sequence[Day], subject: Subject | None) -> Iterator[Candidate]:
    now, before = (sums(part) for part in _recent(days))
    if before.conversions + now.conversions < LEAST_EVENTS or now.clicks < LEAST_EVENTS:
        return
    around = spread(_of(_recent(days)[1], "conversions"))
    p = significance.of_shares(
        min(now.conversions, now.clicks),
        now.clicks,
        min(before.conversions, before.clicks),
        before.clicks,
        around,
    )
    rate, usual = now.conversions / now.clicks, before.conversions / max(before.clicks, 1)
    change = _change(rate, usual)
    expected = usual * now.clicks
    fell = change < 0
    yield Candidate(
        Finding(
            f"rate:{subject.value if subject else 'all'}",
            "rate",
            ("warning" if subject is not None or now.conversions == 0 else "decline") if fell else "growth",
            "conversions",
            subject,
            {
                "current": now.conversions,
                "expected": expected,
                "clicks": now.clicks,
                "rate": rate,
                "usual_rate": usual,
                "change": change,
            },
            history.dates(-WEEK, len(history.total)),
            history.dates(-LEAST_WEEKS * WEEK, len(history.total) - WEEK),
            0,
            _impact(now.conversions, expected, change) * 2,
        ),
        p,
        abs(change) >= LEAST_CHANGE,
    )


def _silence(history: History) -> Iterator[Candidate]:
    """Nothing at all for whole days, where something is usual: the script, or the links, are gone."""
    for metric in ("pageviews", "clicks"):
        days = _of(history.total, metric)
        silent = next((index for index, value in enumerate(reversed(days)) if value), len(days))
        if not 1 <= silent <= WEEK:
            continue
        before = days[-LEAST_WEEKS * WEEK : -WEEK]
        if sum(before) < LEAST_EVENTS:
            continue
        expected = sum(before) / len(before) * silent
        yield Candidate(
            Finding(
                f"silence:{metric}",
                "silence",
                "warning",
                metric,
                None,
                {"current": 0, "expected": expected, "days": silent},
                history.dates(-silent, len(days)),
                history.dates(-LEAST_WEEKS * WEEK, len(days) - WEEK),
                0,
                1_000 + expected,
            ),
            significance.of_silence(expected, spread(before)),
            expected >= SILENT_EXPECTED,
        )
        return  # without page views there are no clicks either


def _rejections(history: History) -> Iterator[Candidate]:
    """A partner that rejects a larger part of the conversions than it did."""
    if len(history.total) < (BASELINE_WEEKS + 2) * WEEK:
        return
    partners = history.by.get("partner", {})
    for value in _largest(partners):
        now, before = (sums(part) for part in _halves(partners[value]))
        whole, whole_before = now.conversions + now.rejected, before.conversions + before.rejected
        if whole + whole_before < LEAST_EVENTS or not whole or not whole_before:
            continue
        around = spread(_of(_halves(partners[value])[1], "rejected"))
        share, usual = now.rejected / whole, before.rejected / whole_before
        yield Candidate(
            Finding(
                f"rejections:{value}",
                "rejections",
                "warning",
                "conversions",
                Subject("partner", value),
                {"rejected": now.rejected, "of": whole, "share": share, "usual_share": usual},
                history.dates(-BASELINE_WEEKS * WEEK, len(history.total)),
                history.dates(_halves_begin(history), len(history.total) - BASELINE_WEEKS * WEEK),
                0,
                _impact(now.rejected, usual * whole, share - usual) * 3,
            ),
            significance.of_shares(now.rejected, whole, before.rejected, whole_before, around),
            share - usual >= 0.05,
        )


def _bots(history: History) -> Iterator[Candidate]:
    """A wave of robots among the clicks; they are not counted, but somebody sends them."""
    week, weeks = _recent(history.total)
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
            _impact(now.bot_clicks, before.bot_clicks / BASELINE_WEEKS, share - usual),
        ),
        significance.of_shares(
            now.bot_clicks, whole, before.bot_clicks, whole_before, spread(_of(weeks, "bot_clicks"))
        ),
        share - usual >= 0.10,
    )


def _earnings(history: History) -> Iterator[Candidate]:
    """A partner that earns far more with each click than the others do, and gets few of them."""
    partners = history.by.get("partner", {})
    recent = {value: sums(days[-BASELINE_WEEKS * WEEK :]) for value, days in partners.items()}
    clicks, revenue = sum(day.clicks for day in recent.values()), sum(day.revenue for day in recent.values())
    conversions = sum(day.conversions for day in recent.values())
    for value in _largest(partners):
        own = recent[value]
        others = clicks - own.clicks
        if own.clicks < LEAST_EVENTS or others < LEAST_EVENTS or own.conversions < 10 or revenue <= own.revenue:
            continue
        each, each_other = own.revenue / own.clicks, (revenue - own.revenue) / others
        around = spread(_of(partners[value][-BASELINE_WEEKS * WEEK :], "conversions"))
        yield Candidate(
            Finding(
                f"earnings:{value}",
                "earnings",
                "opportunity",
                "revenue",
                Subject("partner", value),
                {
                    "per_click": each,
                    "others_per_click": each_other,
                    "clicks": own.clicks,
                    "share": own.clicks / clicks,
                    "revenue": own.revenue,
                    "times": each / each_other,
                },
                history.dates(-BASELINE_WEEKS * WEEK, len(history.total)),
                history.dates(-BASELINE_WEEKS * WEEK, len(history.total)),
                0,
                _impact(own.revenue, own.clicks * each_other, each / each_other - 1),
            ),
            significance.of_shares(
                min(own.conversions, own.clicks),
                own.clicks,
                min(conversions - own.conversions, others),
                others,
                around,
            ),
            each >= BETTER_EARNINGS * each_other and own.clicks / clicks <= SMALL_SHARE,
        )


def _recent(days: Sequence[Day]) -> tuple[Sequence[Day], Sequence[Day]]:
    """The last week, and the four before it."""
    return days[-WEEK:], days[-LEAST_WEEKS * WEEK : -WEEK]


def _halves(days: Sequence[Day]) -> tuple[Sequence[Day], Sequence[Day]]:
    """The last four weeks, and up to four before them."""
    return days[-BASELINE_WEEKS * WEEK :], days[-2 * BASELINE_WEEKS * WEEK : -BASELINE_WEEKS * WEEK]


def _halves_begin(history: History) -> int:
    return max(0, len(history.total) - 2 * BASELINE_WEEKS * WEEK)


def _of(days: Sequence[Day], name: str) -> list[int]:
    return [getattr(day, name) for day in days]


def _largest(values: Mapping[str, Sequence[Day]]) -> list[str]:
    """By clicks of the last five weeks."""
    clicks = {value: sum(_of(days[-LEAST_WEEKS * WEEK :], "clicks")) for value, days in values.items()}
    return sorted(clicks, key=lambda value: (-clicks[value], value))[:MOST_VALUES]


def _change(now: float, before: float) -> float:
    """As a part of before; 1 (doubled) where nothing was before."""
    if before == 0:
        return 1.0 if now > 0 else 0.0
    return now / before - 1


def _impact(now: float, before: float, change: float) -> float:
    """How much it moves: a large change of much before a small one, or one of little."""
    return math.log1p(now + before) * min(abs(change), 5.0)


def _confident(finding: Finding, p: float) -> Finding:
    confidence = min(0.99, math.floor((1 - p) * 100) / 100)
    return Finding(
        finding.key,
        finding.topic,
        finding.type,
        finding.metric,
        finding.subject,
        finding.figures,
        finding.now,
        finding.before,
        confidence,
        finding.impact,
    )
