"""Counts of the edge, as `/metrics` shows them (Prometheus text, loopback only). Plain numbers: no cost per event."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(slots=True)
class Counters:
    """Everything that is counted since the start of the process."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Events and refused requests, by endpoint and outcome."""
    answers: Counter[int] = field(default_factory=Counter)
    """Answers by HTTP status."""
    published: int = 0
    """Records that the log acknowledged."""
    publish_failures: int = 0
    """Records that it did not."""
    clicks_retried: int = 0
    """Redirected clicks that the log did not take at once and that were kept for another try."""
    clicks_lost: int = 0
    """Redirected clicks that did not fit the buffer while the log was away."""
    refusals_lost: int = 0
    """Refusals that did not fit the buffer while the log was away."""


def exposition(counters: Counters, gauges: Mapping[str, float]) -> bytes:
    """The Prometheus text of the counters and of what is measured now."""
    lines = ["# TYPE althing_ingest_outcomes_total counter"]
    lines += [
        f'althing_ingest_outcomes_total{{endpoint="{endpoint}",outcome="{outcome}"}} {count}'
        for (endpoint, outcome), count in sorted(counters.outcomes.items())
    ]
    lines.append("# TYPE althing_ingest_answers_total counter")
    lines += [f'althing_ingest_answers_total{{status="{s}"}} {count}' for s, count in sorted(counters.answers.items())]
    for name in ("published", "publish_failures", "clicks_retried", "clicks_lost", "refusals_lost"):
        lines.append(f"# TYPE althing_ingest_{name}_total counter")
        lines.append(f"althing_ingest_{name}_total {getattr(counters, name)}")
    for name, value in gauges.items():
        lines.append(f"# TYPE althing_ingest_{name} gauge")
        lines.append(f"althing_ingest_{name} {value:g}")
    return ("\n".join(lines) + "\n").encode()
