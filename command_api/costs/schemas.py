"""Bodies of the calls for costs."""

from __future__ import annotations

from datetime import date
from typing import Annotated
from uuid import UUID

from pydantic import Field

from command_api.kernel.http import RequestModel
from schemas.events.costs import MAX_COST_NOTE, MAX_COST_TEXT

Id = Annotated[UUID, Field(strict=False)]
Day = Annotated[date, Field(strict=False)]
Text = Annotated[str, Field(max_length=MAX_COST_TEXT)]
Note = Annotated[str, Field(max_length=MAX_COST_NOTE)]


class CostAmount(RequestModel):
    """Integer minor units and an ISO 4217 code; below zero: a refund or a credit, which needs a note."""

    amount: int
    currency: Annotated[str, Field(max_length=10)]


class CostTarget(RequestModel):
    """The traffic that was paid for. Omitted or null: any."""

    source: Text | None = None
    campaign: Annotated[Text | None, Field(description="`utm_campaign` of the visits")] = None
    term: Annotated[Text | None, Field(description="`utm_term` of the visits")] = None
    content: Annotated[Text | None, Field(description="`utm_content` of the visits")] = None
    link: Annotated[Id | None, Field(description="Id of a link of the website")] = None
    placement: Annotated[Text | None, Field(description="Of the clicks")] = None


class CostInput(CostTarget):
    """What the traffic of a website cost on some days of its time zone, at most 366."""

    website_id: Id
    from_: Annotated[Day, Field(alias="from")]
    to: Annotated[Day, Field(description="Inclusive")]
    amount: CostAmount
    note: Note | None = None


class CostChanges(CostTarget):
    """Omitted fields stay unchanged; null clears a field of the traffic, and the note."""

    from_: Annotated[Day | None, Field(alias="from")] = None
    to: Annotated[Day | None, Field(description="Inclusive")] = None
    amount: CostAmount | None = None
    note: Note | None = None
