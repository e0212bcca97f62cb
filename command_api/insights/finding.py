"""What the finder finds, and the questions it asks: data alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from command_api.insights.history import Dimension, Range
from schemas.events.insights import InsightType

Topic = Literal["week", "level", "share", "rate", "silence", "rejections", "bots", "earnings"]
Metric = Literal["clicks", "conversions", "revenue", "pageviews"]


@dataclass(frozen=True, slots=True)
class Subject:
    """What a finding is about, when it is not the whole website."""

    dimension: Dimension
    value: str


@dataclass(frozen=True, slots=True)
class Finding:
    """`key`: stable, so that the same finding of the next day is known again. `figures`: all that may be said of it,
    by name; money in minor units. `now` and `before`: the days that are compared."""

    key: str
    topic: Topic
    type: InsightType
    metric: Metric
    subject: Subject | None
    figures: Mapping[str, float]
    now: Range
    before: Range
    confidence: float
    impact: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """One question and its answer, before all of them are judged."""

    finding: Finding
    p_value: float
    matters: bool
