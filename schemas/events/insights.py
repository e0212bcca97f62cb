"""What was found in a website's figures, and how it was told. One history a website: each look replaces the last."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import ClassVar, Literal
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Frozen

InsightType = Literal["growth", "decline", "opportunity", "warning"]
Teller = Literal["finder", "model"]
DigestMail = Literal["off", "daily", "weekly"]


class About(Frozen):
    """What an insight is about, when it is not the whole website: one value of a dimension of the dashboards."""

    dimension: Literal["partner", "country", "device", "source", "link"]
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
    told_by: Teller
    confidence: float = Field(ge=0, le=1)
    about: About | None
    evidence: tuple[Evidence, ...]
    first_day: date = Field(description="The days that it tells of, inclusive, in the website's time zone")
    last_day: date
    compared_first_day: date
    compared_last_day: date
    filters: Mapping[str, str] = Field(description="What the analytics calls take to show it")
    since: datetime = Field(description="When it was first told")


class InsightsGenerated(DomainEvent):
    """A website's history was looked at: these hold now, the weightiest first; those told before and not here are over.

    `silence`: why no model worded them, none when one did or nothing was to be worded.
    """

    NAME: ClassVar[str] = "insights.generated"
    website_id: UUID
    account_id: UUID
    last_day: date = Field(description="The last whole day that was looked at")
    silence: str | None
    insights: tuple[Insight, ...]


class InsightsDigestChosen(DomainEvent):
    """An account wants new insights by mail, or no longer."""

    NAME: ClassVar[str] = "insights.digest_chosen"
    account_id: UUID
    every: DigestMail
