"""The questions of a dashboard, how each system is asked, and whether the answers are the same. Pure.

Definitions are the same but for these: Umami counts a visitor once a month (address and user agent), and its reports by
country and device count visitors only; Althing's visitors are estimates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

QUESTIONS: Final = ("totals", "days", "hours", "pages", "referrers", "countries", "devices")
"""Totals with those of the range before, page views and visitors by day and by hour, and the first hundred values of
four dimensions. All but the hours, which are those of the last day, are about thirty days."""
DAYS: Final = 30
LIMIT: Final = 100
ESTIMATE: Final = 0.08
"""By how much Althing's visitors may be wrong: five times the standard error of its estimate."""


class Counts(NamedTuple):
    """None where a system does not tell."""

    pageviews: int | None
    visitors: int | None


Answer = Mapping[str, Counts]
Params = Mapping[str, str]


@dataclass(frozen=True)
class Call:
    """A request, and how its response is read."""

    path: str
    params: Params
    read: Callable[[Any], Answer]


def plain(question: str, end: datetime) -> Call:
    """The plain service knows the website by the key."""
    start, end = span(question, end)
    params = {"start": start.isoformat(), "end": end.isoformat()}
    if question == "totals":
        return Call("/totals", params, lambda found: {"": Counts(found["pageviews"], found["visitors"])})
    if question in _UNITS:
        return Call("/series", {**params, "unit": _UNITS[question]}, _of_series)
    by = {"pages": "path", "referrers": "referrer_host", "countries": "country", "devices": "device"}[question]
    return Call("/top", {**params, "by": by, "limit": str(LIMIT)}, _of_plain_values)


def umami(question: str, end: datetime, website: str) -> Call:
    start, end = span(question, end)
    base = f"/api/websites/{website}"
    params = {"startAt": str(_ms(start)), "endAt": str(_ms(end) - 1)}
    if question == "totals":
        return Call(f"{base}/stats", params, _of_umami_stats)
    if question in _UNITS:
        return Call(f"{base}/pageviews", {**params, "unit": _UNITS[question], "timezone": "UTC"}, _of_umami_series)
    kind = {"pages": "url", "referrers": "referrer", "countries": "country", "devices": "device"}[question]
    read = _of_umami_visitors if question in ("countries", "devices") else _of_umami_views
    return Call(f"{base}/metrics", {**params, "type": kind, "limit": str(LIMIT)}, read)


def althing(question: str, end: datetime, website: str) -> Call:
    start, end = span(question, end)
    last = end - timedelta(days=1)
    base = "/api/platform/analytics"
    params = {"websiteId": website, "timeRange": "custom", "from": f"{start:%Y-%m-%d}", "to": f"{last:%Y-%m-%d}"}
    if question == "totals":
        read = lambda found: {"": Counts(found["pageviews"], found["visitors"])}  # noqa: E731 - as short as the others
        return Call(f"{base}/overview", params, read)
    if question in _UNITS:
        return Call(f"{base}/clicks", params, _of_series)
    by = {"pages": "page", "referrers": "referrer", "countries": "country", "devices": "device"}[question]
    shown = {"metrics": "pageviews,visitors", "sort": "-pageviews", "limit": str(LIMIT), "compare": "none"}
    return Call(f"{base}/breakdown", {**params, "by": by, **shown}, lambda found: _of_breakdown(found, by))


def span(question: str, end: datetime) -> tuple[datetime, datetime]:
    """First instant, and the first one after it."""
    return end - timedelta(days=1 if question == "hours" else DAYS), end


def differences(answer: Answer, reference: Answer, visitors_within: float = 0.0) -> Iterator[str]:
    """What contradicts the reference. Of a list that ends at the limit, equal values at its end may be others."""
    for value in sorted({*answer, *reference}):
        here, there = answer.get(value), reference.get(value)
        if here is None or there is None:
            shown, other_list = (there, answer) if here is None else (here, reference)
            if len(other_list) < LIMIT or shown is None or _size(shown) != min(map(_size, other_list.values())):
                yield f"{value!r}: {here} instead of {there}"
            continue
        for name, one, other in zip(Counts._fields, here, there, strict=True):
            if one is None or other is None:
                continue
            if abs(one - other) > (visitors_within * other if name == "visitors" else 0):
                yield f"{value!r}: {one} {name} instead of {other}"


def furthest(answer: Answer, reference: Answer) -> float:
    """The largest relative difference of visitors."""
    pairs = ((answer[value].visitors, reference[value].visitors) for value in answer if value in reference)
    return max((abs(one - other) / other for one, other in pairs if one is not None and other), default=0.0)


def _size(counts: Counts) -> int:
    """What lists are sorted by."""
    return counts.pageviews or counts.visitors or 0


_UNITS: Final = {"days": "day", "hours": "hour"}


def _ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def _moment(text: str) -> str:
    """A day, or an hour of a day, however it is written."""
    day, hour = text[:10], text[11:13]
    return f"{day} {hour}" if hour else f"{day} 00"


def _of_series(found: Any) -> Answer:
    points = {_moment(point["date"]): Counts(point["pageviews"], point["visitors"]) for point in found}
    return {moment: counts for moment, counts in points.items() if counts.pageviews}


def _of_plain_values(found: Any) -> Answer:
    return {row["value"]: Counts(row["pageviews"], row["visitors"]) for row in found}


def _of_umami_stats(found: Any) -> Answer:
    return {"": Counts(int(found["pageviews"]["value"]), int(found["uniques"]["value"]))}


def _of_umami_series(found: Any) -> Answer:
    views, visitors = ({_moment(point["x"]): int(point["y"]) for point in found[name]} for name in _SERIES)
    return {moment: Counts(views[moment], visitors.get(moment)) for moment in views}


_SERIES: Final = ("pageviews", "sessions")


def _of_umami_views(found: Any) -> Answer:
    return {row["x"] or "": Counts(int(row["y"]), None) for row in found}


def _of_umami_visitors(found: Any) -> Answer:
    return {row["x"] or "": Counts(None, int(row["y"])) for row in found}


def _of_breakdown(found: Any, by: str) -> Answer:
    return {row["values"][by]: Counts(row["pageviews"], row["visitors"]) for row in found["rows"]}
