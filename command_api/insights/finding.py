"""Data classes of the finder: findings and candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from command_api.insights.history import DayRange, Dimension
from schemas.events.insights import InsightType

Topic = Literal["week", "level", "share", "rate", "value", "silence", "rejections", "bots", "earnings"]
Metric = Literal["clicks", "conversions", "revenue", "pageviews"]


@dataclass(frozen=True, slots=True)
class InsightSubject:
    """The subject of a finding that is not about the whole website."""

    dimension: Dimension
    value: str


@dataclass(frozen=True, slots=True)
class InsightFinding:
    """`key`: stable, so that the same finding is recognized the next day. `figures`: its numbers by name; money in
    minor units. `now` and `compared`: the days that are compared."""

    key: str
    topic: Topic
    type: InsightType
    metric: Metric
    subject: InsightSubject | None
    figures: Mapping[str, float]
    now: DayRange
    compared: DayRange
    impact: float
    confidence: float = 0.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """The result of one test, before the adjustment for multiple tests."""

    finding: InsightFinding
    p_value: float
    matters: bool
