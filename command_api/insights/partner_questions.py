"""What is asked of a website's partners: whether clicks still convert, conversions still count, and which earn more.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from command_api.insights import significance
from command_api.insights.finding import Candidate, Finding, Subject
from command_api.insights.history import Day, History, sums
from command_api.insights.questions import (
    BASELINE_WEEKS,
    LEAST_CHANGE,
    LEAST_EVENTS,
    LEAST_WEEKS,
    change_of,
    impact,
    largest,
    of,
    recent,
)
from command_api.insights.significance import WEEK, spread

BETTER_EARNINGS: Final = 1.5
SMALL_SHARE: Final = 0.25


def rates(history: History) -> Iterator[Candidate]:
    """Conversions for each click, in all and by partner. A partner whose conversions stay away while its clicks do not
    has broken tracking, or does not report them."""
    yield from _rate(history, history.total, None)
    partners = history.by.get("partner", {})
    for value in largest(partners):
        yield from _rate(history, partners[value], Subject("partner", value))


def _rate(history: History, days: Sequence[Day], subject: Subject | None) -> Iterator[Candidate]:
    now, before = (sums(part) for part in recent(days))
    if before.conversions + now.conversions < LEAST_EVENTS or now.clicks < LEAST_EVENTS:
        return
    around = spread(of(recent(days)[1], "conversions"))
    if now.conversions == 0 and before.clicks:
        p = significance.of_nothing(before.conversions, before.clicks / now.clicks, around)
    else:
        p = significance.of_shares(
            min(now.conversions, now.clicks),
            now.clicks,
            min(before.conversions, before.clicks),
            before.clicks,
            around,
        )
    rate, usual = now.conversions / now.clicks, before.conversions / max(before.clicks, 1)
    change = change_of(rate, usual)
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
            impact(now.conversions, expected, change) * 2,
        ),
        p,
        abs(change) >= LEAST_CHANGE,
    )


def rejections(history: History) -> Iterator[Candidate]:
    """A partner that rejects a larger part of the conversions than it did."""
    if len(history.total) < (BASELINE_WEEKS + 2) * WEEK:
        return
    partners = history.by.get("partner", {})
    for value in largest(partners):
        now, before = (sums(part) for part in _halves(partners[value]))
        whole, whole_before = now.conversions + now.rejected, before.conversions + before.rejected
        if whole + whole_before < LEAST_EVENTS or not whole or not whole_before:
            continue
        around = spread(of(_halves(partners[value])[1], "rejected"))
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
                impact(now.rejected, usual * whole, share - usual) * 3,
            ),
            significance.of_shares(now.rejected, whole, before.rejected, whole_before, around),
            share - usual >= 0.05,
        )


def earnings(history: History) -> Iterator[Candidate]:
    """A partner that earns far more with each click than the others do, and gets few of them."""
    partners = history.by.get("partner", {})
    recent = {value: sums(days[-BASELINE_WEEKS * WEEK :]) for value, days in partners.items()}
    clicks, revenue = sum(day.clicks for day in recent.values()), sum(day.revenue for day in recent.values())
    conversions = sum(day.conversions for day in recent.values())
    for value in largest(partners):
        own = recent[value]
        others = clicks - own.clicks
        if own.clicks < LEAST_EVENTS or others < LEAST_EVENTS or own.conversions < 10 or revenue <= own.revenue:
            continue
        each, each_other = own.revenue / own.clicks, (revenue - own.revenue) / others
        around = spread(of(partners[value][-BASELINE_WEEKS * WEEK :], "conversions"))
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
                impact(own.revenue, own.clicks * each_other, each / each_other - 1),
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


def _halves(days: Sequence[Day]) -> tuple[Sequence[Day], Sequence[Day]]:
    """The last four weeks, and up to four before them."""
    return days[-BASELINE_WEEKS * WEEK :], days[-2 * BASELINE_WEEKS * WEEK : -BASELINE_WEEKS * WEEK]


def _halves_begin(history: History) -> int:
    return max(0, len(history.total) - 2 * BASELINE_WEEKS * WEEK)
