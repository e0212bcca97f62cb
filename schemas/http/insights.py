"""An insight as both services show it: what a look answers and what is read later are the same shape."""

from __future__ import annotations

from datetime import date, datetime
from typing import Final
from uuid import UUID, uuid5

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from schemas.events.insights import Insight, InsightType, Teller
from schemas.identity import NAMESPACE

DIGEST_STOP_PATH: Final = "/api/public/insights-digest/stop/"
"""Mail programs POST a form to it."""


class Shown(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)


class ShownAbout(Shown):
    dimension: str
    value: str
    name: str


class ShownEvidence(Shown):
    label: str
    value: str


class ShownInsight(Shown):
    """Something worth telling about a website's figures."""

    id: UUID
    insight_type: InsightType
    title: str
    content: str
    confidence_score: float = Field(description="0 to 1, from the statistics: 1 less the chance of a false alarm")
    told_by: Teller = Field(description="Whose words these are; figures are the finder's own in both cases")
    about: ShownAbout | None = Field(description="Null: the whole website")
    evidence: list[ShownEvidence]
    from_: date = Field(alias="from", description="The days that it tells of, inclusive, in the website's time zone")
    to: date
    compared_from: date
    compared_to: date
    filters: dict[str, str] = Field(description="What the analytics calls take to show it")
    since: datetime = Field(description="When it was first told")


def insights_id(website_id: UUID) -> UUID:
    """What was found in a website's figures."""
    return uuid5(NAMESPACE, f"insights\n{website_id}")


def insight_id(website_id: UUID, key: str) -> UUID:
    """One thing that is told of a website, the same as long as it is told."""
    return uuid5(NAMESPACE, f"insight\n{website_id}\n{key}")


def digest_id(account_id: UUID) -> UUID:
    """How an account is mailed its insights."""
    return uuid5(NAMESPACE, f"insights-digest\n{account_id}")


def shown(website_id: UUID, insight: Insight) -> ShownInsight:
    about = insight.about
    return ShownInsight(
        id=insight_id(website_id, insight.key),
        insight_type=insight.insight_type,
        title=insight.title,
        content=insight.content,
        confidence_score=insight.confidence,
        told_by=insight.told_by,
        about=ShownAbout(dimension=about.dimension, value=about.value, name=about.name) if about else None,
        evidence=[ShownEvidence(label=one.label, value=one.value) for one in insight.evidence],
        from_=insight.first_day,
        to=insight.last_day,
        compared_from=insight.compared_first_day,
        compared_to=insight.compared_last_day,
        filters=dict(insight.filters),
        since=insight.since,
    )
