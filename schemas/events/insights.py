"""Findings in a website's figures, and their narrative. One stream per website: each analysis replaces the last."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import ClassVar, Literal
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Frozen

InsightType = Literal["growth", "decline", "opportunity", "warning"]
NarratedBy = Literal["finder", "model"]
DigestMail = Literal["off", "daily", "weekly"]


class InsightAbout(Frozen):
    """What an insight is about, when it is not the whole website: one value of a dimension of the dashboards."""

    dimension: Literal["partner", "page", "country", "device", "source", "link"]
    value: str = Field(description="As dashboards filter by it")
    name: str


class Evidence(Frozen):
    """One figure that an insight stands on, as people read it."""

    label: str
    value: str


class Insight(Frozen):
    """One thing worth telling. `key` stays the same from look to look while it is the same thing."""

    key: str
    insight_type: InsightType
    topic: str
    metric: str
    title: str
    content: str
    told_by: NarratedBy
    confidence: float = Field(ge=0, le=1)
    about: InsightAbout | None
    evidence: tuple[Evidence, ...]
    first_day: date = Field(description="The days that it covers, inclusive, in the website's time zone")
    last_day: date
    compared_first_day: date
    compared_last_day: date
    filters: Mapping[str, str] = Field(description="Parameters of the analytics calls that show it")
    since: datetime = Field(description="When it was first reported")


class InsightsGenerated(DomainEvent):
    """A website was analyzed: these insights are current, the most important first; earlier ones not listed are closed.

    `silence`: why no model worded them; none if a model did or there was nothing to word.
    """

    NAME: ClassVar[str] = "insights.generated"
    website_id: UUID
    account_id: UUID
    last_day: date = Field(description="The last whole day of the analysis")
    silence: str | None
    insights: tuple[Insight, ...]
    dismissed: tuple[str, ...] = Field(default=(), description="Keys that were found again but stay dismissed")


class InsightDismissed(DomainEvent):
    """The owner dismissed an insight. It stays so until an analysis no longer finds it."""

    NAME: ClassVar[str] = "insights.dismissed"
    website_id: UUID
    account_id: UUID
    key: str
    reason: str = Field(max_length=500)


class InsightsDigestChosen(DomainEvent):
    """An account enabled or disabled new insights by email."""

    NAME: ClassVar[str] = "insights.digest_chosen"
    account_id: UUID
    every: DigestMail
