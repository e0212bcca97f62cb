"""A finding in words: our own, or a model's, which are taken only if every figure in them is one of the finding's.

Our own sentences say what was counted, what is usual and which days are meant. A model may rank and word; a number, a
percentage or an amount that the evidence does not hold drops its words, and ours stand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from command_api.insights.finding import Finding
from command_api.insights.history import Range

MOST_TITLE: Final = 90
MOST_CONTENT: Final = 600
_NUMBER: Final = re.compile(r"(?<![\w.])[-+−]?\d[\d,.\u202f\u00a0' ]*\d|\d")
_FORBIDDEN: Final = re.compile(r"https?:|www\.|[<>@`]|\]\(|\w\.(?:com|net|org|io|example)\b", re.IGNORECASE)
_SMALL: Final = {"1", "2", "7", "24", "100"}
"""Numbers of everyday language: "the last 7 days", "for each 100 clicks"."""


@dataclass(frozen=True, slots=True)
class Words:
    title: str
    content: str


def worded(finding: Finding, name: str, currency: str, digits: int = 2) -> Words:
    """Our own words. `name`: what the finding's subject is called; `digits`: decimals of the currency."""
    figures = finding.figures
    metric = {"clicks": "clicks", "conversions": "conversions", "revenue": "revenue", "pageviews": "page views"}[
        finding.metric
    ]

    def shown(key: str) -> str:
        return money(figures[key], currency, digits) if finding.metric == "revenue" else count(figures[key])

    up = figures.get("change", 0) > 0
    match finding.topic:
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
                f"{name} brings {'more' if up else 'less'} of your clicks",
                f"{percent(figures['share'])} of the clicks from {days(finding.now)} came from {name}, after"
                f" {percent(figures['usual_share'])} in the four weeks before:"
                f" {count(figures['current'])} clicks, where {count(figures['usual'])} a week were usual.",
            )
        case "rate":
            return _rate(finding, name)
        case "silence":
            return Words(
                f"No {metric} for {count(figures['days'])} {'day' if figures['days'] == 1 else 'days'}",
                f"Nothing arrived from {days(finding.now)}, where about {count(figures['expected'])} {metric} are usual"
                ". Check that the script, or the links, are still on your pages.",
            )
        case "rejections":
            return Words(
                f"{name} rejects more conversions",
                f"{count(figures['rejected'])} of {count(figures['of'])} conversions since"
                f" {day(finding.now.first)} were rejected ({percent(figures['share'])}), after"
                f" {percent(figures['usual_share'])} in the weeks before. Ask {name} for the reasons.",
            )
        case "bots":
            return Words(
                "A wave of robots among your clicks",
                f"{count(figures['current'])} clicks from {days(finding.now)} were robots', where"
                f" {count(figures['usual'])} a week are usual: {percent(figures['share'])} of all, after"
                f" {percent(figures['usual_share'])}. They are not in your figures; look where they come from.",
            )
        case "earnings":
            return Words(
                f"{name} earns {figures['times']:.1f} times as much for each click",
                f"{money(figures['per_click'], currency, digits)} for each click since {day(finding.now.first)}, where"
                f" the other partners bring {money(figures['others_per_click'], currency, digits)}, but only"
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
        f" {percent(figures['usual_rate'], 2)} in the four weeks before: {count(figures['current'])} conversions, where"
        f" {count(figures['expected'])} would be usual.",
    )


def trusted(model: Words, ours: Words) -> Words | None:
    """The model's words if they say nothing but what ours say; none otherwise.

    Every number must stand in ours, as it is or without its separators; links, addresses and markup are refused.
    """
    title, content = " ".join(model.title.split()), " ".join(model.content.split())
    if not title or not content or len(title) > MOST_TITLE or len(content) > MOST_CONTENT:
        return None
    text = f"{title} {content}"
    if _FORBIDDEN.search(text) or not text.isprintable():
        return None
    known = _numbers(f"{ours.title} {ours.content}") | _SMALL
    return Words(title, content) if _numbers(text) <= known else None


def count(value: float) -> str:
    return f"{round(value):,}"


def percent(part: float, decimals: int = 0) -> str:
    return f"{part * 100:.{decimals}f}%"


def money(minor: float, currency: str, digits: int) -> str:
    return f"{minor / 10**digits:,.{digits}f} {currency}"


def day(when: date) -> str:
    return f"{when.day} {when:%B}"


def days(when: Range) -> str:
    return f"{day(when.first)} to {day(when.last)}"


def link_filters(finding: Finding) -> Mapping[str, str]:
    """What the dashboard is filtered by and which days it shows, as its address has them (interfaces, §6)."""
    found = {"timeRange": "custom", "from": finding.now.first.isoformat(), "to": finding.now.last.isoformat()}
    if finding.subject is not None:
        found[finding.subject.dimension] = finding.subject.value
    if finding.topic == "bots":
        found["bots"] = "only"
    return found


def _unit(metric: str) -> str:
    return "" if metric == "revenue" else f"{metric} "


def _numbers(text: str) -> set[str]:
    return {re.sub(r"[^\d.]", "", found).strip(".") for found in _NUMBER.findall(text)}
