"""An insight as both services show it: what a look answers and what is read later are the same shape."""

from __future__ import annotations

from datetime import date, datetime
from typing import Final
from uuid import UUID, uuid5

from pydantic import Field

from schemas.events.insights import Insight, InsightType, NarratedBy
from schemas.http.responses import Narrated, ResponseModel
from schemas.identity import NAMESPACE

DIGEST_STOP_PATH: Final = "/api/public/insights-digest/stop/"
"""Mail programs POST a form to it."""


class ShownAbout(ResponseModel):
    """The part of the website that the insight is about. `value` is the filter's value, `name` its display name."""

    dimension: str
    value: str
    name: str


class ShownEvidence(ResponseModel):
    """One figure behind the insight, formatted for display."""

    label: str
    value: str


class ShownInsight(Narrated[NarratedBy]):
    """A notable change in a website's numbers."""

    id: UUID
    insight_type: InsightType
    metric: str = Field(description="The metric of the analytics calls that it is about")
    title: str
    content: str
    confidence_score: float = Field(description="0 to 1, from the statistics: 1 less the chance of a false alarm")
    narrated_by: NarratedBy = Field(description="Who wrote the text; the numbers are always measured")
    about: ShownAbout | None = Field(description="Null: the whole website")
    evidence: list[ShownEvidence]
    from_: date = Field(alias="from", description="The days that it covers, inclusive, in the website's time zone")
    to: date
    compared_from: date
    compared_to: date
    filters: dict[str, str] = Field(description="Filters for the analytics endpoints that show it")
    since: datetime = Field(description="When it was first reported")


def insights_id(website_id: UUID) -> UUID:
    """The aggregate of the insights into a website's figures."""
    return uuid5(NAMESPACE, f"insights\n{website_id}")


def insight_id(website_id: UUID, key: str) -> UUID:
    """The id of an insight, stable while it is reported."""
    return uuid5(NAMESPACE, f"insight\n{website_id}\n{key}")


def digest_id(account_id: UUID) -> UUID:
    """The preferences of an account for insights by email."""
    return uuid5(NAMESPACE, f"insights-digest\n{account_id}")


def to_response(website_id: UUID, insight: Insight) -> ShownInsight:
    """The insight as both services answer it."""
    return ShownInsight.model_validate(
        {
            **insight.model_dump(exclude={"confidence", "told_by"}),
            "id": insight_id(website_id, insight.key),
            "confidence_score": insight.confidence,
            "narrated_by": insight.told_by,
            "from": insight.first_day,
            "to": insight.last_day,
            "compared_from": insight.compared_first_day,
            "compared_to": insight.compared_last_day,
        }
    )
