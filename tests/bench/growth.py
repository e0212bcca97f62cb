"""From one million to ten billion events: the page's table and curves of bench `large`, and what its limits are.

Nothing here was measured beyond the largest size: a limit is reached where the power of the number of events that fits
the two largest sizes meets it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tests.bench import Figure
from tests.bench.charts import Panel, Points, svg

PICTURE: Final = "images/benchmarks-growth.svg"
GOAL: Final = 10_000_000_000
DAYS: Final = 395
MIN_SIZES: Final = 2

_CALLS: Final = "five dashboard calls together"
_DURING: Final = f"{_CALLS} during the rebuilds, largest website, 90d, p95"
ALL_ROLLUPS: Final = "rebuild of all 8 rollups, one by one"
ONE_ROLLUP: Final = "rebuild of traffic_15m, beside live events"
PEAK: Final = "memory of ClickHouse during the rebuilds, at most"
ALL_BYTES: Final = "bytes of an event in ClickHouse, all tables"
RESTORE: Final = "restore, every table rebuilt from the log"
WARM_START: Final = "warm start, `althing up` until everything is ready"
MEMORY: Final = "memory (PSS) of all processes after the calls"
LOG_BYTES: Final = "bytes of an event in Kafka's log"
MADE: Final = "made in the raw table, rollups included"
BUILT: Final = "and until visits are built and parts merged"

_PANELS: Final[Sequence[tuple[str, Mapping[str, str], float | None]]] = (
    (
        "Dashboard, five calls together, p95, ms",
        {
            f"{site}, {days}": f"{_CALLS}, {site} website, {days}, p95"
            for site in ("largest", "middle")
            for days in ("30d", "90d")
        },
        150,
    ),
    (
        "Bytes of an event on disk",
        {
            "all tables": ALL_BYTES,
            "raw table": "bytes of an event in table events",
            "built visits": "bytes of an event in the built visits",
        },
        None,
    ),
    ("Rebuild, s", {"one rollup": ONE_ROLLUP, "all rollups": ALL_ROLLUPS}, None),
    ("Memory, GiB", {"all processes": MEMORY, "ClickHouse in a rebuild": PEAK}, None),
    ("Warm start, s", {"warm start": WARM_START}, 10),
    ("Filled, events/s", {"raw table and rollups": MADE, "visits and merges, too": BUILT}, None),
)


@dataclass(frozen=True)
class Limit:
    """`figure` grows with the number of events until it exceeds `limit`. `per_event`: it is a figure of one event, and
    so many of its units make one of `unit`."""

    what: str
    figure: str
    limit: float
    unit: str
    why: str
    per_event: float | None = None


@dataclass(frozen=True)
class Rate:
    """Work at a rate that does not change: it takes longer the more events there are."""

    what: str
    subject: str
    figure: str


_LIMITS: Final = (
    Limit("dashboard of the largest website, 90 days", f"{_CALLS}, largest website, 90d, p95", 150, "ms", "the aim"),
    Limit("dashboard of the largest website, 30 days", f"{_CALLS}, largest website, 30d, p95", 150, "ms", "the aim"),
    Limit("memory of ClickHouse in a rebuild of a rollup", PEAK, 16, "GiB", "two thirds of this machine"),
    Limit("rebuild of all rollups", ALL_ROLLUPS, 86_400, "s", "a day"),
    Limit("disk of ClickHouse", ALL_BYTES, 4_000, "GB", "one disk", per_event=1e9),
    Limit("warm start", WARM_START, 60, "s", "an outage that people notice"),
)
_RATES: Final = (
    Rate("rebuild of the raw table from the log", "projector",
         "rebuild of events from the log, beside the live one, and equal to it"),
    Rate("restore of a backup", "large", RESTORE),
    Rate("build of all visits", "large", BUILT),
)  # fmt: skip
_REMEDIES: Final = (
    "What to do, in this order: shard ClickHouse by website ([scale.md](scale.md)), which divides every line of the "
    "first table by the number of shards, except those of one website, which lies on one shard; raise the partitions "
    "of topic `clicks` and run a projector for each, which divides the second; keep old segments of the log on cheap "
    "disks."
)


def sizes(kept: Mapping[str, Mapping[str, Any]]) -> dict[int, dict[str, Figure]]:
    """The figures of each measured number of events by name, smallest first."""
    found: dict[int, dict[str, Figure]] = {}
    for figure in kept.get("large", {}).get("figures", []):
        label, _, name = figure["name"].partition(": ")
        found.setdefault(round(float(label.split()[0]) * 1_000_000), {})[name] = figure
    return dict(sorted(found.items()))


def pictures(kept: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The curves."""
    found = sizes(kept)
    ticks = {float(events): _short(events) for events in found}
    panels = []
    for title, series, limit in _PANELS:
        lines = {name: _points(found, figure) for name, figure in series.items()}
        panels.append(Panel(title, {name: line for name, line in lines.items() if line}, ticks, limit, is_log=True))
    return {PICTURE: svg(panels)}


def section(kept: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """The part of the page."""
    found = sizes(kept)
    names = [name for _, series, _ in _PANELS for name in series.values()]
    names += [_DURING, "backup of the log, read back", RESTORE]
    yield "## From one million to ten billion events"
    yield (
        "Events of 13 months for 200 websites, of which one has an eighth; the middle website is the hundredth. "
        "`LARGE_EVENTS=100000000 python -m tests.bench large` measures one size. Red: the aim."
    )
    yield f"![Growth with the number of events]({PICTURE})"
    header = "| figure | " + " | ".join(f"{_short(events)}" for events in found) + " |"
    rows = [_row(name, found) for name in names if any(name in figures for figures in found.values())]
    yield "\n".join([header, "|---" * (len(found) + 1) + "|", *rows])
    yield "### What breaks first at 10 billion"
    yield from _limits(found)
    yield from _rates(kept, found)
    yield _REMEDIES


def _limits(found: Mapping[int, Mapping[str, Figure]]) -> Iterator[str]:
    if len(found) < MIN_SIZES:
        yield f"Unknown until {MIN_SIZES} sizes are measured."
        return
    largest = max(found)
    rows = []
    for limit in _LIMITS:
        points = [
            (events, value * events / limit.per_event if limit.per_event else value)
            for events, value in _points(found, limit.figure)
        ]
        if len(points) < MIN_SIZES:
            continue
        power = max(_power(points), 0.0)  # with more events nothing gets faster: less is noise
        at_goal = points[-1][1] * (GOAL / points[-1][0]) ** power
        rows.append((_reaches(points, limit.limit, power), limit, at_goal, power))
    rows.sort(key=lambda row: row[0])
    first = rows[0][1].what
    yield (
        f"On one machine like this one, the first limit is: {first}. The power says how a figure grows between the "
        "two largest sizes (1: in proportion to the events, 0: not at all). "
        f"Nothing was measured beyond {_short(largest)}."
    )
    yield "| what | limit | grows with power | reached at | at 10 billion |\n|---|---|---|---|---|\n" + "\n".join(
        f"| {limit.what} | {limit.limit:,.0f} {limit.unit}, {limit.why} | {power:.2f} "
        f"| {_reached(reached, min(found))} | {_number(at_goal)} {limit.unit} |"
        for reached, limit, at_goal, power in rows
    )


def _rates(kept: Mapping[str, Mapping[str, Any]], found: Mapping[int, Mapping[str, Figure]]) -> Iterator[str]:
    rows = []
    for rate in _RATES:
        figures = kept.get(rate.subject, {}).get("figures", [])
        values = [each["value"] for each in figures if each["name"] == rate.figure]
        if rate.subject == "large":
            values = [value for _, value in _points(found, rate.figure)]
        if values:
            hours = GOAL / values[-1] / 3600
            rows.append(f"| {rate.what} | {values[-1]:,.0f} events/s | {hours:,.0f} h |")
    stored = [each["value"] for each in kept.get("cost", {}).get("figures", []) if each["name"] == LOG_BYTES]
    if stored:
        yield f"The log has {stored[0] * GOAL / 1e9:,.0f} GB then, at {stored[0]:.0f} bytes for a record."
    yield (
        f"Arrival is no limit: 10 billion in 13 months are {GOAL / DAYS / 86_400:,.0f} events/s on average. Work on "
        "all of them at once takes too long on one machine:"
    )
    yield "| work | measured rate | for 10 billion |\n|---|---|---|\n" + "\n".join(rows)


def _reaches(points: Points, limit: float, power: float) -> float:
    """The events with which a limit is reached: those of a measured size, or of the power beyond the largest one."""
    events, value = points[-1]
    if value > limit:
        return next(events for events, value in points if value > limit)
    return events * (limit / value) ** (1 / power) if power > 0.01 else math.inf


def _power(points: Points) -> float:
    """How the last two points grow."""
    (x1, y1), (x2, y2) = points[-2:]
    return math.log(y2 / y1) / math.log(x2 / x1)


def _points(found: Mapping[int, Mapping[str, Figure]], name: str) -> list[tuple[float, float]]:
    """Without zeros, which a logarithmic axis does not have."""
    values = {events: figures[name]["value"] for events, figures in found.items() if name in figures}
    return [(float(events), value) for events, value in values.items() if value > 0]


def _row(name: str, found: Mapping[int, Mapping[str, Figure]]) -> str:
    values = [
        f"{_number(figures[name]['value'])} {figures[name]['unit']}" if name in figures else ""
        for figures in found.values()
    ]
    return f"| {name} | " + " | ".join(values) + " |"


def _reached(events: float, smallest: float) -> str:
    if events < smallest:
        return "every measured size"
    return f"{_short(round(events, -int(math.log10(events)) + 1))} events" if events < 1e13 else "not in sight"


def _short(events: float) -> str:
    for size, letter in ((1e12, "trillion"), (1e9, "billion"), (1e6, "M"), (1e3, "k")):
        if events >= size:
            return f"{events / size:,.3g} {letter}"
    return f"{events:g}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
