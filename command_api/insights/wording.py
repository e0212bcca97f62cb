"""Rule-based texts of findings: what was counted, what is usual, the days compared; and the named evidence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from command_api.insights.finding import InsightFinding, Metric
from command_api.insights.history import DayRange
from schemas.currencies import digits
from schemas.events.insights import Evidence, NarratedBy
from schemas.filters import NONE, condition, named

_METRICS: Final[Mapping[Metric, str]] = {
    "clicks": "clicks",
    "conversions": "conversions",
    "revenue": "revenue",
    "pageviews": "page views",
}


@dataclass(frozen=True, slots=True)
class InsightText:
    """One finding as plain text: a title of one line and a few sentences."""

    title: str
    content: str


@dataclass(frozen=True, slots=True)
class Narrative:
    """A text and its author."""

    words: InsightText
    by: NarratedBy


def rule_based_text(finding: InsightFinding, name: str, currency: str) -> InsightText:
    """The rule-based text. `name`: of the finding's subject."""
    match finding.topic:
        case "week":
            return _week(finding, currency)
        case "level":
            return _level(finding)
        case "share":
            return _share(finding, name, currency)
        case "rate":
            return _rate(finding, name, currency)
        case "value":
            return _value(finding, name, currency)
        case "silence":
            return _silence(finding, name)
        case "rejections":
            return _rejections(finding, name, currency)
        case "bots":
            return _bots(finding)
        case "earnings":
            return _earnings(finding, name, currency)


def _week(finding: InsightFinding, currency: str) -> InsightText:
    change, metric = finding.figures["change"], _METRICS[finding.metric]
    counted, are = ("", "is") if finding.metric == "revenue" else (f"{metric} ", "are")
    current = f"{_shown(finding, 'current', currency)} {counted}from {days(finding.now)}"
    if math.isinf(change):
        return InsightText(
            f"The first {metric} in five weeks",
            f"{current}, after none in the four weeks before, {days(finding.compared)}.",
        )
    return InsightText(
        f"{metric.capitalize()} {'up' if change > 0 else 'down'} {percent(abs(change))} this week",
        f"{current}; {_shown(finding, 'usual', currency)} {are} usual for these weekdays"
        f" (the four weeks before, {days(finding.compared)}).",
    )


def _level(finding: InsightFinding) -> InsightText:
    figures, metric = finding.figures, _METRICS[finding.metric]
    change, since = figures["change"], day(finding.now.first)
    current = f"About {count(figures['current'])} {metric} a day since then"
    if math.isinf(change):
        return InsightText(f"{metric.capitalize()} since {since}", f"{current}, after none before.")
    up = change > 0
    return InsightText(
        f"{metric.capitalize()} are {'higher' if up else 'lower'} since {since}",
        f"{current}, {'up' if up else 'down'} from {count(figures['usual'])} a day before"
        f" ({'+' if up else '−'}{percent(abs(change))}).",
    )


def _share(finding: InsightFinding, name: str, currency: str) -> InsightText:
    figures, metric = finding.figures, _METRICS[finding.metric]
    up = figures["change"] > 0
    return InsightText(
        f"{name} brings {'more' if up else 'less'} of your {metric}",
        f"{percent(figures['share'])} of the {metric} from {days(finding.now)} came from {name},"
        f" {'up' if up else 'down'} from {percent(figures['usual_share'])} in the four weeks before:"
        f" {count(figures['current'])} {metric}; {count(figures['usual'])} a week are usual."
        f"{_revenue(figures, currency)}{_advice(finding)}",
    )


def _rate(finding: InsightFinding, name: str, currency: str) -> InsightText:
    figures = finding.figures
    who = name or "your links"
    if figures["current"] == 0:
        return InsightText(
            f"No conversions from {who} this week",
            f"{count(figures['clicks'])} clicks from {days(finding.now)} led to no conversion; about"
            f" {count(figures['expected'])} are usual.{_revenue(figures, currency)} The tracking may be broken, or"
            " conversions are not reported: record a test conversion.",
        )
    up = figures["change"] > 0
    return InsightText(
        f"Conversion rate of {who} is {'up' if up else 'down'}",
        f"{percent(figures['share'], 2)} of {count(figures['clicks'])} clicks from {days(finding.now)} converted,"
        f" {'up' if up else 'down'} from {percent(figures['usual_share'], 2)} in the four weeks before:"
        f" {count(figures['current'])} conversion{'' if figures['current'] == 1 else 's'};"
        f" {count(figures['expected'])} would be usual.{_revenue(figures, currency)}{_advice(finding)}",
    )


def _value(finding: InsightFinding, name: str, currency: str) -> InsightText:
    figures = finding.figures
    up = figures["change"] > 0
    return InsightText(
        f"{name or 'Your website'} earns {'more' if up else 'less'} per conversion",
        f"{money(figures['share'], currency)} for each of {count(figures['conversions'])} conversions from"
        f" {days(finding.now)}, {'up' if up else 'down'} from {money(figures['usual_share'], currency)} in the four"
        f" weeks before.{_revenue(figures, currency)}{_advice(finding)}",
    )


def _revenue(figures: Mapping[str, float], currency: str) -> str:
    """A sentence of the revenue; none where there is none to speak of."""
    if not figures["revenue"] and not figures["usual_revenue"]:
        return ""
    return (
        f" Revenue: {money(figures['revenue'], currency)}; {money(figures['usual_revenue'], currency)} a week is usual."
    )


_ADVICE: Final[Mapping[tuple[str, bool], str]] = {
    ("partner", True): "Try it in more places.",
    ("link", True): "Try it in more places.",
    ("page", True): "Look what it does better.",
    ("partner", False): "Check its offer and its terms, and that its conversions are reported.",
    ("link", False): "Check its destination, and where it stands on your pages.",
    ("page", False): "Check the links on it.",
    ("source", False): "Check the pages that it leads to.",
    ("country", False): "Check the offers for these visitors.",
    ("device", False): "Check your pages on such a device.",
}
"""What can be done about a subject, by its dimension, that does better or not."""


def _advice(finding: InsightFinding) -> str:
    dimension = finding.subject.dimension if finding.subject is not None else ""
    advice = _ADVICE.get((dimension, finding.figures["change"] > 0))
    return f" {advice}" if advice else ""


def _silence(finding: InsightFinding, name: str) -> InsightText:
    figures, metric = finding.figures, _METRICS[finding.metric]
    silent = f"{count(figures['days'])} {'day' if figures['days'] == 1 else 'days'}"
    usual = f"about {count(figures['expected'])} {metric} are usual"
    if finding.subject is not None:
        return InsightText(
            f"No {metric} on {name} for {silent}",
            f"Nothing arrived from {days(finding.now)}; {usual}. Other links were clicked. Check that {name} is still"
            " on your pages.",
        )
    return InsightText(
        f"No {metric} for {silent}",
        f"Nothing arrived from {days(finding.now)}; {usual}. Check that the script and the links are still on your"
        " pages.",
    )


def _rejections(finding: InsightFinding, name: str, currency: str) -> InsightText:
    figures, subject = finding.figures, finding.subject
    is_partner = subject is not None and subject.dimension == "partner"
    title = f"{name} rejects more conversions" if is_partner else f"{name or 'Your website'}: more rejected conversions"
    return InsightText(
        title,
        f"{count(figures['current'])} of {count(figures['whole'])} conversions since"
        f" {day(finding.now.first)} were rejected ({percent(figures['share'])}), up from"
        f" {percent(figures['usual_share'])} in the weeks before. Revenue since then:"
        f" {money(figures['revenue'], currency)}. Ask {name if is_partner else 'the partners'} for the reasons.",
    )


def _bots(finding: InsightFinding) -> InsightText:
    figures, metric = finding.figures, _METRICS[finding.metric]
    return InsightText(
        f"Bot traffic spike in your {metric}",
        f"{count(figures['current'])} {metric} {_in(finding.now)} came from bots;"
        f" {count(figures['usual'])} a {_length(finding.now)} are usual. That is {percent(figures['share'])} of all, up"
        f" from {percent(figures['usual_share'])}. Bots are excluded from your numbers. Check where they come from.",
    )


def _earnings(finding: InsightFinding, name: str, currency: str) -> InsightText:
    figures = finding.figures
    return InsightText(
        f"{name} has a high EPC",
        f"{money(figures['per_click'], currency)} per click since {day(finding.now.first)},"
        f" {figures['times']:.1f} times as much as the other partners"
        f" ({money(figures['others_per_click'], currency)}). But only {percent(figures['share'])} of the clicks go"
        " there. Try it in more places.",
    )


def _shown(finding: InsightFinding, key: str, currency: str) -> str:
    figure = finding.figures[key]
    return money(figure, currency) if finding.metric == "revenue" else count(figure)


def evidence(finding: InsightFinding, currency: str) -> tuple[Evidence, ...]:
    """The finding's numbers, labelled and formatted."""
    return tuple(Evidence(label=label, value=value) for label, value in _evidence(finding, currency))


def _evidence(finding: InsightFinding, currency: str) -> Iterator[tuple[str, str]]:
    figures = finding.figures
    metric = _METRICS[finding.metric].capitalize()
    match finding.topic:
        case "week":
            yield metric, _shown(finding, "current", currency)
            yield "Usual in a week", _shown(finding, "usual", currency)
            yield from _change(figures)
        case "level":
            yield f"{metric} a day since then", _shown(finding, "current", currency)
            yield f"{metric} a day before", _shown(finding, "usual", currency)
            yield from _change(figures)
        case "share":
            yield metric, count(figures["current"])
            yield "Usual in a week", count(figures["usual"])
            yield f"Share of all {_METRICS[finding.metric]}", percent(figures["share"], 1)
            yield "Usual share", percent(figures["usual_share"], 1)
            yield from _revenue_evidence(figures, currency)
        case "rate":
            yield "Clicks", count(figures["clicks"])
            yield "Conversions", count(figures["current"])
            yield "Usual for this many clicks", count(figures["expected"])
            yield "Conversion rate", percent(figures["share"], 2)
            yield "Usual rate", percent(figures["usual_share"], 2)
            yield from _revenue_evidence(figures, currency)
        case "value":
            yield "Conversions", count(figures["conversions"])
            yield "Revenue per conversion", money(figures["share"], currency)
            yield "Usual per conversion", money(figures["usual_share"], currency)
            yield from _revenue_evidence(figures, currency)
        case "silence":
            yield f"Days without {_METRICS[finding.metric]}", count(figures["days"])
            yield "Usual for these days", count(figures["expected"])
        case "rejections":
            yield "Rejected conversions", count(figures["current"])
            yield "All conversions", count(figures["whole"])
            yield "Share rejected", percent(figures["share"], 1)
            yield "Usual share", percent(figures["usual_share"], 1)
        case "bots":
            yield f"Bot {_METRICS[finding.metric]}", count(figures["current"])
            yield f"Usual in a {_length(finding.now)}", count(figures["usual"])
            yield f"Share of all {_METRICS[finding.metric]}", percent(figures["share"], 1)
            yield "Usual share", percent(figures["usual_share"], 1)
        case "earnings":
            yield "EPC", money(figures["per_click"], currency)
            yield "Other partners", money(figures["others_per_click"], currency)
            yield "Clicks", count(figures["clicks"])
            yield "Share of all clicks", percent(figures["share"], 1)
            yield "Revenue", money(figures["revenue"], currency)


def _revenue_evidence(figures: Mapping[str, float], currency: str) -> Iterator[tuple[str, str]]:
    if figures["revenue"] or figures["usual_revenue"]:
        yield "Revenue", money(figures["revenue"], currency)
        yield "Usual revenue in a week", money(figures["usual_revenue"], currency)


def _change(figures: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    """Omits a change from zero."""
    if math.isfinite(figures["change"]):
        yield "Change", signed(figures["change"])


def count(value: float) -> str:
    return f"{round(value):,}"


def percent(part: float, decimals: int = 0) -> str:
    return f"{part * 100:.{decimals}f}%"


def signed(change: float) -> str:
    return f"{'+' if change >= 0 else '−'}{percent(abs(change))}"


def money(minor: float, currency: str) -> str:
    """Formats an amount. `minor`: may be a part of a unit, as an average is."""
    return f"{minor / 10 ** digits(currency):,.{digits(currency)}f} {currency}"


def day(when: date) -> str:
    """Formats a day as the app shows it: Nov 20."""
    return f"{when:%b} {when.day}"


def days(when: DayRange) -> str:
    return f"{day(when.first)} to {day(when.last)}"


def _length(when: DayRange) -> str:
    return "day" if when.first == when.last else "week"


def _in(when: DayRange) -> str:
    return f"on {day(when.first)}" if when.first == when.last else f"from {days(when)}"


def link_filters(finding: InsightFinding) -> Mapping[str, str]:
    """Returns the filters and days of the dashboard, as its address has them (interfaces, §6)."""
    filters = {"timeRange": "custom", "from": finding.now.first.isoformat(), "to": finding.now.last.isoformat()}
    if finding.subject is not None and finding.subject.dimension == "page":
        filters["filter"] = condition("page", finding.subject.value)
    elif finding.subject is not None:
        value = finding.subject.value
        filters[finding.subject.dimension] = value if value == NONE else named(value)
    if finding.topic == "bots":
        filters["bots"] = "only"
    return filters
