"""The twenty figures that matter, with their aims: the first table of `docs/benchmarks.md`.

A bench may measure anything; these are what a decision for or against the product, or a change of it, depends on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tests.bench import Figure

LARGEST: Final = "*: "
"""Begins the name of a figure of subject `large` that is taken from the largest measured size."""


@dataclass(frozen=True)
class Headline:
    """`figure`: its name in `subject`; `title`: as the table says it. The aim is one of the two bounds.

    `limit`: what limits the figure, where a run has missed the aim.
    """

    subject: str
    figure: str
    title: str
    at_most: float | None = None
    at_least: float | None = None
    limit: str = ""

    @property
    def aim(self) -> str:
        """The bound as text."""
        return f"≤ {self.at_most:,g}" if self.at_most is not None else f"≥ {self.at_least:,g}"

    def is_met(self, value: float) -> bool:
        """Whether a measured value is within the aim."""
        return value <= self.at_most if self.at_most is not None else value >= (self.at_least or 0)

    def find(self, kept: Mapping[str, Mapping[str, Any]]) -> Figure:
        """The measured figure. Raises `LookupError` if no run of the bench measured it."""
        figures: Sequence[Figure] = kept.get(self.subject, {}).get("figures", [])
        wanted = self.figure.removeprefix(LARGEST)
        if self.figure.startswith(LARGEST):
            found = [each for each in figures if each["name"].partition(": ")[2] == wanted]
            found.sort(key=lambda each: float(each["name"].split()[0]))
        else:
            found = [each for each in figures if each["name"] == wanted]
        if not found:
            raise LookupError(f"{self.subject} has no figure {self.figure!r}")
        return found[-1]


_CALLS: Final = "five dashboard calls together, largest website"
_LINK: Final = "PATCH a link, GET the website's links with their clicks: Postgres and ClickHouse"

_INSERTS: Final = (
    "Live events are inserted beside it, 50 to 70 ms of the same two cores for each insert; without them the five "
    "calls take 96 to 123 ms."
)

HEADLINES: Final = (
    Headline("ingest", "single events, acknowledged by Kafka", "single events acknowledged", at_least=10_000),
    Headline("ingest", "batches of 1000, acknowledged by Kafka", "events in batches acknowledged", at_least=50_000),
    Headline("ingest", "single events, p99", "time to acknowledge a single event, p99", at_most=50),
    Headline("cost", "batches of 1,000 at 5,000/s, without ids, processor time of all processes",
             "processor time of an event, batches at 5,000/s", at_most=60,
             limit="ClickHouse and ingest take a third each: an insert takes 50 to 70 ms for its eight rollups, "
                   "however few rows it has, and events are shown within a second; ingest reads, checks and writes "
                   "JSON in Python. Personal texts, which these events have none of, add 5.4 µs: 2.5 where they are "
                   "sealed, 2.9 where they are opened (`tests.bench gate`; decision 43 says what limits it)."),
    Headline("cost", "single events at 1,000/s, processor time of all processes",
             "processor time of an event, singles at 1,000/s", at_most=250,
             limit="Half is ingest, whose bare HTTP server takes 97 to 137 µs of it for a request without work; a "
                   "quarter is ClickHouse, whose inserts are as many as in the line above and have fewer rows."),
    Headline("cost", "idle, share of one core", "idle stack, share of one core", at_most=3,
             limit="Kafka's JVM takes most of the aim alone, for its own timers; each reader of the log asks it again "
                   "every two seconds, and leaders say that they live."),
    Headline("cost", "idle, memory (PSS)", "idle stack, memory", at_most=600,
             limit="The three engines take 610 MiB; the six services, which share what they import, 400 more, and the "
                   "supervisor 38."),
    Headline("cost", "drain of 600,000 events, first one read -> last one in ClickHouse",
             "backlog drained end to end", at_least=60_000),
    Headline("projector", "rebuild of events from the log, beside the live one, and equal to it",
             "rebuild of the raw table from the log", at_least=50_000),
    Headline("stack", "click sent -> pushed in the live view, p95", "click until seen in the live view, p95",
             at_most=1_000),
    Headline("stack", f"command sent -> its effect read ({_LINK}), p95", "command until its effect is read, p95",
             at_most=50,
             limit="The command's answer takes 16 ms and the read 30 (p95 of each) on two cores that run everything; "
                   "the log and the projector's transaction take the rest."),
    Headline("commands", "command answered, one client, p95", "command answered, p95", at_most=50),
    Headline("large", f"{LARGEST}{_CALLS}, 30d, p95", "dashboard of the largest website, 30 days, p95", at_most=150,
             limit=_INSERTS),
    Headline("large", f"{LARGEST}{_CALLS}, 90d, p95", "dashboard of the largest website, 90 days, p95", at_most=150,
             limit=_INSERTS),
    Headline("large", f"{LARGEST}bytes of an event in table events", "an event in the raw table", at_most=60),
    Headline("breakdown", "20 M events, 30 days, any of 35 dimensions, p95", "report by any of 35 dimensions, p95",
             at_most=300),
    Headline("large", f"{LARGEST}warm start, `althing up` until everything is ready", "warm start", at_most=10,
             limit="Measured before services were forks of one process; since then 7.5 s with ten million events in "
                   "place of 9.9."),
    Headline("install", "Kafka: from nothing to the first counted event", "from the wheel to the first counted event",
             at_most=60),
    Headline("web", "dashboard: largest contentful paint", "dashboard painted, slow phone", at_most=2_500),
    Headline("web", "analytics, once loaded: change of range or filter to the next paint, p95",
             "change of a filter until painted, p95", at_most=150),
)  # fmt: skip
