"""Counters of ingest for `/metrics` (Prometheus text). Plain numbers without a cost per event.

Steps of the pipelines (`ingest.pipeline`): drops by reason of every event, the times of one request in 256.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

MAX_REASONS: Final = 200
"""Pairs of step and reason per source; further ones are counted under `OTHER`."""
OTHER: Final = "other"


class SourceMetrics:
    """The counters of the steps of one source."""

    __slots__ = ("drops", "requests", "timed")

    def __init__(self) -> None:
        self.requests = 0
        self.drops: Counter[tuple[str, str]] = Counter()
        """Dropped events and rejected requests, by step and reason."""
        self.timed: dict[str, tuple[int, float]] = {}
        """How often each step was timed, and the seconds of these together."""

    def drop(self, step: str, reason: str, count: int = 1) -> None:
        """Counts events that a step dropped."""
        key = step, reason
        if key not in self.drops and len(self.drops) >= MAX_REASONS:
            key = step, OTHER
        self.drops[key] += count

    def observe(self, step: str, seconds: float) -> None:
        """Adds one measured time."""
        count, total = self.timed.get(step, (0, 0.0))
        self.timed[step] = count + 1, total + seconds


@dataclass(slots=True)
class Counters:
    """All counters since the start of the process."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Events and refused requests, by endpoint and outcome."""
    answers: Counter[int] = field(default_factory=Counter)
    """Answers by HTTP status."""
    sources: defaultdict[str, SourceMetrics] = field(default_factory=lambda: defaultdict(SourceMetrics))
    """Steps, by source."""
    published: int = 0
    """Records that the log acknowledged."""
    publish_failures: int = 0
    """Records that it did not acknowledge."""
    clicks_retried: int = 0
    """Redirected clicks that the log did not accept at first and that were kept for a retry."""
    clicks_lost: int = 0
    """Redirected clicks that did not fit the buffer while the log was unavailable."""
    ad_ids_not_kept: int = 0
    """Events whose ad click ids were to be kept while there was no key at hand."""
    refusals_lost: int = 0
    """Rejections that did not fit the buffer while the log was unavailable."""


def exposition(counters: Counters, gauges: Mapping[str, float]) -> bytes:
    """Returns the Prometheus text of the counters and of the current measurements."""
    lines = ["# TYPE althing_ingest_outcomes_total counter"]
    lines += [
        f'althing_ingest_outcomes_total{{endpoint="{endpoint}",outcome="{outcome}"}} {count}'
        for (endpoint, outcome), count in sorted(counters.outcomes.items())
    ]
    lines.append("# TYPE althing_ingest_answers_total counter")
    lines += [f'althing_ingest_answers_total{{status="{s}"}} {count}' for s, count in sorted(counters.answers.items())]
    lines += _steps(counters.sources)
    for name in ("published", "publish_failures", "clicks_retried", "clicks_lost", "refusals_lost", "ad_ids_not_kept"):
        lines.append(f"# TYPE althing_ingest_{name}_total counter")
        lines.append(f"althing_ingest_{name}_total {getattr(counters, name)}")
    for name, value in gauges.items():
        lines.append(f"# TYPE althing_ingest_{name} gauge")
        lines.append(f"althing_ingest_{name} {value:g}")
    return ("\n".join(lines) + "\n").encode()


def _steps(sources: Mapping[str, SourceMetrics]) -> Iterator[str]:
    yield "# TYPE althing_ingest_step_drops_total counter"
    for source, metrics in sorted(sources.items()):
        for (step, reason), count in sorted(metrics.drops.items()):
            labels = f'source="{source}",step="{step}",reason="{reason}"'
            yield f"althing_ingest_step_drops_total{{{labels}}} {count}"
    yield "# TYPE althing_ingest_step_duration_seconds summary"
    for source, metrics in sorted(sources.items()):
        for step, (count, seconds) in metrics.timed.items():
            labels = f'source="{source}",step="{step}"'
            yield f"althing_ingest_step_duration_seconds_sum{{{labels}}} {seconds:.9f}"
            yield f"althing_ingest_step_duration_seconds_count{{{labels}}} {count}"
