"""Tests of a website's partners: conversion rates, rejections and earnings per click.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from command_api.insights import significance
from command_api.insights.finding import Candidate, InsightFinding, InsightSubject
from command_api.insights.history import Day, History, sums
from command_api.insights.questions import (
    BASELINE_WEEKS,
    MIN_CHANGE,
    MIN_EVENTS,
    change_of,
    impact,
    largest,
    last_week,
    recent,
    values_of,
)
from command_api.insights.significance import WEEK, spread
from schemas.events.insights import InsightType

BETTER_EARNINGS: Final = 1.5
SMALL_SHARE: Final = 0.25


def rates(history: History) -> Iterator[Candidate]:
    """Tests conversion rates, in total and by partner. A partner with clicks but without conversions has broken
    tracking or does not report them."""
    yield from _rate(history, history.total, None)
    partners = history.by.get("partner", {})
    for value in largest(partners):
        yield from _rate(history, partners[value], InsightSubject("partner", value))


def _rate(history: History, days: Sequence[Day], subject: InsightSubject | None) -> Iterator[Candidate]:
    now, earlier = (sums(part) for part in recent(days))
    if earlier.conversions + now.conversions < MIN_EVENTS or now.clicks < MIN_EVENTS:
        return
    around = spread(values_of(recent(days)[1], "conversions"))
    if now.conversions == 0 and earlier.clicks:
        p = significance.of_nothing(earlier.conversions, earlier.clicks / now.clicks, around)
    else:
        converted = min(now.conversions, now.clicks), min(earlier.conversions, earlier.clicks)
        p = significance.of_shares(converted[0], now.clicks, converted[1], earlier.clicks, around)
    rate, usual = now.conversions / now.clicks, earlier.conversions / max(earlier.clicks, 1)
    change, expected = change_of(rate, usual), usual * now.clicks
    figures = {
        "current": now.conversions,
        "expected": expected,
        "clicks": now.clicks,
        "rate": rate,
        "usual_rate": usual,
        "change": change,
    }
    kind: InsightType = "growth"
    if change < 0:
        kind = "warning" if subject is not None or now.conversions == 0 else "decline"
    key = f"rate:{subject.value if subject else 'all'}"
    weight = impact(now.conversions, expected, change) * 2
    finding = InsightFinding(key, "rate", kind, "conversions", subject, figures, *last_week(history), weight)
    yield Candidate(finding, p, abs(change) >= MIN_CHANGE)


def rejections(history: History) -> Iterator[Candidate]:
    """A partner that rejects a larger part of the conversions than it did."""
    if len(history.total) < (BASELINE_WEEKS + 2) * WEEK:
        return
    partners, length = history.by.get("partner", {}), len(history.total)
    begin = length - BASELINE_WEEKS * WEEK
    dates = history.dates(begin, length), history.dates(max(0, begin - BASELINE_WEEKS * WEEK), begin)
    for value in largest(partners):
        now, earlier = (sums(part) for part in _halves(partners[value]))
        whole, whole_earlier = now.conversions + now.rejected, earlier.conversions + earlier.rejected
        if whole + whole_earlier < MIN_EVENTS or not whole or not whole_earlier:
            continue
        around = spread(values_of(_halves(partners[value])[1], "rejected"))
        share, usual = now.rejected / whole, earlier.rejected / whole_earlier
        figures = {"rejected": now.rejected, "of": whole, "share": share, "usual_share": usual}
        about, weight = InsightSubject("partner", value), impact(now.rejected, usual * whole, share - usual) * 3
        finding = InsightFinding(
            f"rejections:{value}", "rejections", "warning", "conversions", about, figures, *dates, weight
        )
        p = significance.of_shares(now.rejected, whole, earlier.rejected, whole_earlier, around)
        yield Candidate(finding, p, share - usual >= 0.05)


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


def _halves(days: Sequence[Day]) -> tuple[Sequence[Day], Sequence[Day]]:
    """The last four weeks, and up to four before them."""
    return days[-BASELINE_WEEKS * WEEK :], days[-2 * BASELINE_WEEKS * WEEK : -BASELINE_WEEKS * WEEK]
