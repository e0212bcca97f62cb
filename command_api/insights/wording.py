"""A finding in words of our own: what was counted, what is usual and which days are meant; and its figures, named."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from command_api.insights.finding import Finding, Metric
from command_api.insights.history import Range
from schemas.currencies import digits
from schemas.events.insights import Evidence, Teller
from schemas.filters import NONE, named

_METRICS: Final[Mapping[Metric, str]] = {
    "clicks": "clicks",
    "conversions": "conversions",
    "revenue": "revenue",
    "pageviews": "page views",
}


@dataclass(frozen=True, slots=True)
class Words:
    title: str
    content: str


@dataclass(frozen=True, slots=True)
class Told:
    """Words, and whose they are."""

    words: Words
    by: Teller


def worded(finding: Finding, name: str, currency: str) -> Words:
    """Our own words. `name`: what the finding's subject is called."""
    figures = finding.figures
    metric = _METRICS[finding.metric]

    def shown(key: str) -> str:
        return money(figures[key], currency) if finding.metric == "revenue" else count(figures[key])

    change = figures.get("change", 0.0)
    up = change > 0
    match finding.topic:
        case "week" if math.isinf(change):
            return Words(
                f"The first {metric} in five weeks",
                f"{shown('current')} {_unit(metric)}from {days(finding.now)}, where there {_was(metric)} none in the"
                f" four weeks before, {days(finding.before)}.",
            )
        case "level" if math.isinf(change):
            return Words(
                f"{metric.capitalize()} since {day(finding.now.first)}",
                f"About {count(figures['current'])} {metric} a day since then, after none before.",
            )
        case "week":
            return Words(
                f"{metric.capitalize()} {'up' if up else 'down'} {percent(abs(figures['change']))} this week",
                f"{shown('current')} {_unit(metric)}from {days(finding.now)}, where {shown('usual')} is usual for"
                f" these weekdays (the four weeks before, {days(finding.before)}).",
            )
        case "level":
            return Words(
                f"{metric.capitalize()} are {'higher' if up else 'lower'} since {day(finding.now.first)}",
                f"About {count(figures['current'])} {metric} a day since then, after {count(figures['usual'])} a day"
                f" before ({'+' if up else '−'}{percent(abs(figures['change']))}).",
            )
        case "share":
            return Words(
                f"{name} brings {'more' if up else 'less'} of your {metric}",
                f"{percent(figures['share'])} of the {metric} from {days(finding.now)} came from {name}, after"
                f" {percent(figures['usual_share'])} in the four weeks before:"
                f" {count(figures['current'])} {metric}, where {count(figures['usual'])} a week were usual.",
            )
        case "rate":
            return _rate(finding, name)
        case "silence":
            return _silence(finding, name, metric)
        case "rejections":
            return Words(
                f"{name} rejects more conversions",
                f"{count(figures['rejected'])} of {count(figures['of'])} conversions since"
                f" {day(finding.now.first)} were rejected ({percent(figures['share'])}), after"
                f" {percent(figures['usual_share'])} in the weeks before. Ask {name} for the reasons.",
            )
        case "bots":
            return Words(
                f"A wave of robots among your {metric}",
                f"{count(figures['current'])} {metric} {_in(finding.now)} were robots', where"
                f" {count(figures['usual'])} a {_length(finding.now)} are usual: {percent(figures['share'])} of all,"
                f" after {percent(figures['usual_share'])}. They are not in your figures; look where they come from.",
            )
        case "earnings":
            return Words(
                f"{name} earns {figures['times']:.1f} times as much for each click",
                f"{money(figures['per_click'], currency)} for each click since {day(finding.now.first)}, where"
                f" the other partners bring {money(figures['others_per_click'], currency)}, but only"
                f" {percent(figures['share'])} of the clicks go there. Try it in more places.",
            )


def _rate(finding: Finding, name: str) -> Words:
    figures = finding.figures
    who = name or "your links"
    if figures["current"] == 0:
        return Words(
            f"No conversions from {who} this week",
            f"{count(figures['clicks'])} clicks from {days(finding.now)} led to no conversion, where about"
            f" {count(figures['expected'])} are usual. The tracking may be broken, or they are not reported.",
        )
    up = figures["change"] > 0
    return Words(
        f"{'More' if up else 'Fewer'} clicks of {who} convert",
        f"{percent(figures['rate'], 2)} of {count(figures['clicks'])} clicks from {days(finding.now)} converted, after"
        f" {percent(figures['usual_rate'], 2)} in the four weeks before: {count(figures['current'])}"
        f" conversion{'' if figures['current'] == 1 else 's'}, where {count(figures['expected'])} would be usual.",
    )


def _silence(finding: Finding, name: str, metric: str) -> Words:
    figures = finding.figures
    silent = f"{count(figures['days'])} {'day' if figures['days'] == 1 else 'days'}"
    usual = f"about {count(figures['expected'])} {metric} are usual"
    if finding.subject is not None:
        return Words(
            f"No {metric} on {name} for {silent}",
            f"Nothing arrived from {days(finding.now)}, where {usual}, while other links were clicked. Check that"
            f" {name} still stands on your pages.",
        )
    return Words(
        f"No {metric} for {silent}",
        f"Nothing arrived from {days(finding.now)}, where {usual}. Check that the script, or the links, are still on"
        " your pages.",
    )


def evidence(finding: Finding, currency: str) -> tuple[Evidence, ...]:
    """The finding's figures, named and as people read them."""
    return tuple(Evidence(label=label, value=value) for label, value in _evidence(finding, currency))


def _evidence(finding: Finding, currency: str) -> Iterator[tuple[str, str]]:
    figures = finding.figures
    metric = _METRICS[finding.metric].capitalize()

    def shown(key: str) -> str:
        return money(figures[key], currency) if finding.metric == "revenue" else count(figures[key])

    match finding.topic:
        case "week":
            yield metric, shown("current")
            yield "Usual in a week", shown("usual")
            yield from _change(figures)
        case "level":
            yield f"{metric} a day since then", shown("current")
            yield f"{metric} a day before", shown("usual")
            yield from _change(figures)
        case "share":
            yield metric, count(figures["current"])
            yield "Usual in a week", count(figures["usual"])
            yield f"Share of all {_METRICS[finding.metric]}", percent(figures["share"], 1)
            yield "Usual share", percent(figures["usual_share"], 1)
        case "rate":
            yield "Clicks", count(figures["clicks"])
            yield "Conversions", count(figures["current"])
            yield "Usual for so many clicks", count(figures["expected"])
            yield "Conversion rate", percent(figures["rate"], 2)
            yield "Usual rate", percent(figures["usual_rate"], 2)
        case "silence":
            yield f"Days without {_METRICS[finding.metric]}", count(figures["days"])
            yield "Usual in so many days", count(figures["expected"])
        case "rejections":
            yield "Rejected conversions", count(figures["rejected"])
            yield "Of conversions", count(figures["of"])
            yield "Share rejected", percent(figures["share"], 1)
            yield "Usual share", percent(figures["usual_share"], 1)
        case "bots":
            yield f"{metric} of robots", count(figures["current"])
            yield f"Usual in a {_length(finding.now)}", count(figures["usual"])
            yield f"Share of all {_METRICS[finding.metric]}", percent(figures["share"], 1)
            yield "Usual share", percent(figures["usual_share"], 1)
        case "earnings":
            yield "Earned for each click", money(figures["per_click"], currency)
            yield "Other partners", money(figures["others_per_click"], currency)
            yield "Clicks", count(figures["clicks"])
            yield "Share of all clicks", percent(figures["share"], 1)
            yield "Revenue", money(figures["revenue"], currency)


def _change(figures: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    """Nothing is no measure of what came after it."""
    if math.isfinite(figures["change"]):
        yield "Change", signed(figures["change"])


def count(value: float) -> str:
    return f"{round(value):,}"


def percent(part: float, decimals: int = 0) -> str:
    return f"{part * 100:.{decimals}f}%"


def signed(change: float) -> str:
    return f"{'+' if change >= 0 else '−'}{percent(abs(change))}"


def money(minor: float, currency: str) -> str:
    """`minor`: may be a part of a unit, as an average is."""
    return f"{minor / 10 ** digits(currency):,.{digits(currency)}f} {currency}"


def day(when: date) -> str:
    return f"{when.day} {when:%B}"


def days(when: Range) -> str:
    return f"{day(when.first)} to {day(when.last)}"


def _length(when: Range) -> str:
    return "day" if when.first == when.last else "week"


def _in(when: Range) -> str:
    return f"on {day(when.first)}" if when.first == when.last else f"from {days(when)}"


def link_filters(finding: Finding) -> Mapping[str, str]:
    """What the dashboard is filtered by and which days it shows, as its address has them (interfaces, §6)."""
    found = {"timeRange": "custom", "from": finding.now.first.isoformat(), "to": finding.now.last.isoformat()}
    if finding.subject is not None:
        value = finding.subject.value
        found[finding.subject.dimension] = value if value == NONE else named(value)
    if finding.topic == "bots":
        found["bots"] = "only"
    return found


def _was(metric: str) -> str:
    return "was" if metric == "revenue" else "were"


def _unit(metric: str) -> str:
    return "" if metric == "revenue" else f"{metric} "
