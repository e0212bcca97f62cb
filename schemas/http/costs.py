"""Costs, and imports of costs, as both APIs answer them."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from pydantic import Field

from schemas.events.costs import CostEntry
from schemas.http.money import Amount
from schemas.http.report_imports import ImportQuestion, RejectedImportLine
from schemas.http.responses import ResponseModel
from schemas.report_imports import ImportState


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


class CostImport(ResponseModel):
    """An import of a file of costs. Until it is read, its numbers are 0."""

    import_id: UUID
    state: ImportState
    rows: int = Field(default=0, description="Lines of the file with a cost, rejected ones included")
    new: int = Field(default=0, description="Of days and traffic without an imported cost")
    changed: int = Field(default=0, description="They replace the amount of an earlier import")
    unchanged: int = 0
    rejected: list[RejectedImportLine] = Field(default=[], description="The first 100")
    rejected_count: int = 0
    delta: list[Amount] = Field(default=[], description="What the import changes in costs, by currency")
    questions: list[ImportQuestion] = Field(default=[])
    code: str = Field(default="", description="Why it failed")
    message: str = ""
