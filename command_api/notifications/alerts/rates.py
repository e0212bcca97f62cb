"""Alerts when conversion rate or earnings per click fell: yesterday, or the last seven days, against the same weekdays
of the four weeks before. Pure.

Like is compared with like: many networks report a sale days after it happened, so every day before counts what it had
when it was as old as its counterpart is now (`received_at` of a conversion's changes). Right-truncated counts are
biased low otherwise (Lawless, Adjustments for reporting delays, Canadian Journal of Statistics 22, 1994).

A fall counts if it is as large as the rule says, if both sides have as many clicks, and if it is no play of chance
(`command_api.insights.significance`). An open alert stays open as long as the fall is as large.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from statistics import fmean, variance
from typing import Final, Literal

from command_api.insights.history import Day, DaysAtAge, sums
from command_api.insights.significance import WEEK, of_shares, of_sums, spread, two_sided
from command_api.insights.wording import money, percent
from command_api.notifications.alerts.checks import Watched
from command_api.notifications.alerts.model import AlertCause, EffectiveRule
from schemas.events.notifications import AlertKind

LEVEL: Final = 0.01
BASE_WEEKS: Final = 4
MIN_DAYS: Final = (BASE_WEEKS + 1) * WEEK
"""Websites with fewer days have no weekdays to compare with."""


@dataclass(frozen=True, slots=True)
class Window:
    """The days that are compared. Both sides have the same weekdays."""

    name: Literal["yesterday", "week"]
    now: Sequence[Day]
    earlier: Sequence[Day]
    around: Sequence[Day]
    """The four whole weeks before, from which the usual spread is taken."""

    @property
    def label(self) -> str:
        return "yesterday" if self.name == "yesterday" else "in the last 7 days"

    @property
    def base(self) -> str:
        return "On the same weekday" if self.name == "yesterday" else "On the same weekdays"


def windows(days: DaysAtAge) -> list[Window]:
    """The last week first: it says more than one day. The days end with yesterday."""
    if len(days.week) < MIN_DAYS:
        return []
    base = BASE_WEEKS * WEEK
    earlier_weeks = days.week[-base - WEEK : -WEEK]
    return [
        Window("week", days.week[-WEEK:], earlier_weeks, earlier_weeks),
        Window("yesterday", days.yesterday[-1:], days.yesterday[-base - 1 : -1 : WEEK], days.yesterday[-base - 1 : -1]),
    ]


def conversion_rate_fell(one: Watched, last: date, days: DaysAtAge) -> AlertCause | None:
    """The finding of the first window that fell."""
    kind = AlertKind.CONVERSION_RATE_FELL
    for window in windows(days):
        now, earlier = sums(window.now), sums(window.earlier)
        fall = _fall(window, one.rules[kind], now.conversions, earlier.conversions)
        if fall is None or not (one.is_open(kind) or _of_conversions(window) < LEVEL):
            continue
        rates = percent(now.conversions / now.clicks, 2), percent(earlier.conversions / earlier.clicks, 2)
        return AlertCause(
            kind,
            "",
            f"Conversion rate fell {percent(fall)} {window.label}: {rates[0]} instead of {rates[1]}",
            f"{window.label.capitalize()} {now.clicks:,} clicks led to {now.conversions:,} conversions."
            f" {window.base} of the 4 weeks before, {earlier.clicks:,} clicks had led to {earlier.conversions:,}"
            " by the same time after.",
            _path(one, window, last, "conversion_rate"),
        )
    return None


def epc_fell(one: Watched, last: date, days: DaysAtAge) -> AlertCause | None:
    """The finding of the first window that fell."""
    kind, currency = AlertKind.EPC_FELL, one.website.currency
    for window in windows(days):
        now, earlier = sums(window.now), sums(window.earlier)
        fall = _fall(window, one.rules[kind], now.revenue, earlier.revenue)
        if fall is None or not (one.is_open(kind) or _of_revenue(window) < LEVEL):
            continue
        values = money(now.revenue / now.clicks, currency), money(earlier.revenue / earlier.clicks, currency)
        return AlertCause(
            kind,
            "",
            f"EPC fell {percent(fall)} {window.label}: {values[0]} instead of {values[1]}",
            f"{window.label.capitalize()} {now.clicks:,} clicks earned {money(now.revenue, currency)}."
            f" {window.base} of the 4 weeks before, {earlier.clicks:,} clicks had earned"
            f" {money(earlier.revenue, currency)} by the same time after.",
            _path(one, window, last, "epc"),
        )
    return None


def _fall(window: Window, rule: EffectiveRule, now: int, earlier: int) -> float | None:
    """Returns the share by which the rate per click fell, if it is large enough and known well enough."""
    clicks, earlier_clicks = sums(window.now).clicks, sums(window.earlier).clicks
    if min(clicks, earlier_clicks) < rule.minimum or earlier <= 0:
        return None
    fall = 1 - (now / clicks) / (earlier / earlier_clicks)
    return fall if fall * 100 >= rule.threshold else None


def _of_conversions(window: Window) -> float:
    now, earlier = sums(window.now), sums(window.earlier)
    around = spread([day.conversions for day in window.around])
    return of_shares(now.conversions, now.clicks, earlier.conversions, earlier.clicks, around)


def _of_revenue(window: Window) -> float:
    """Returns the p-value of each day's earnings with the usual clicks: sums of money vary more than numbers of
    sales."""
    usual = fmean(day.clicks for day in window.around)
    if window.name == "week":
        return of_sums(_at(window.now, usual), _at(window.earlier, usual))
    [now], then = _at(window.now, usual), _at(window.earlier, usual)
    varies = variance(then) * (1 + 1 / len(then))
    return two_sided((now - fmean(then)) / math.sqrt(varies), len(then) - 1) if varies else float(now == then[0])


def _at(days: Sequence[Day], clicks: float) -> list[int]:
    return [round(day.revenue / day.clicks * clicks) if day.clicks else 0 for day in days]


def _path(one: Watched, window: Window, last: date, metric: str) -> str:
    first = last if window.name == "yesterday" else last - timedelta(days=WEEK - 1)
    days = f"range=custom&from={first}&to={last}"
    return f"/analytics?website={one.website.id}&{days}&metric={metric}&compare=previous&weekdays=match"
