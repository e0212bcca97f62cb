"""Costs as both APIs answer them."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from pydantic import Field

from schemas.events.costs import CostEntry
from schemas.http.money import Amount
from schemas.http.responses import ResponseModel


class Cost(ResponseModel):
    """An amount that was spent on the traffic of a website. Null: on any source, campaign and so on."""

    id: UUID
    website_id: UUID
    from_: date = Field(alias="from", description="First day, in the website's time zone")
    to: date = Field(description="Last day, inclusive")
    source: str | None
    campaign: str | None = Field(description="`utm_campaign` of the visits")
    term: str | None = Field(description="`utm_term`")
    content: str | None = Field(description="`utm_content`")
    link: UUID | None
    placement: str | None = Field(description="Of the clicks")
    amount: Amount = Field(description="As entered; below zero: a refund or a credit")
    worth: Amount = Field(description="In the website's currency")
    rate: str | None = Field(description="Exchange rate of the first day; null: entered in the website's currency")
    note: str | None


def cost_of(cost_id: UUID, website_id: UUID, entry: CostEntry) -> Cost:
    """The response of an entry."""
    return Cost.model_validate(
        {
            "id": cost_id,
            "website_id": website_id,
            "from": entry.first,
            "to": entry.last,
            **{name: getattr(entry, name) or None for name in ("source", "campaign", "term", "content", "placement")},
            "link": entry.link_id,
            "amount": entry.amount,
            "worth": entry.worth,
            "rate": entry.rate,
            "note": entry.note or None,
        }
    )
