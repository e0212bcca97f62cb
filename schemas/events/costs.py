"""Events of costs: what ads and content of a website cost, for which days and which traffic.

Each event carries the whole entry, so that a projection needs no memory of the ones before: what an event takes back is
in it, too.
"""

from __future__ import annotations

from datetime import date
from typing import ClassVar
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Frozen, Money

MAX_COST_TEXT: int = 256
MAX_COST_NOTE: int = 280


class CostEntry(Frozen):
    """An amount that was spent on days of the website's time zone. An empty text, or no link: on any traffic."""

    first: date
    last: date = Field(description="Inclusive")
    source: str = Field(default="", max_length=MAX_COST_TEXT)
    campaign: str = Field(default="", max_length=MAX_COST_TEXT, description="`utm_campaign` of the visits")
    term: str = Field(default="", max_length=MAX_COST_TEXT, description="`utm_term` of the visits")
    content: str = Field(default="", max_length=MAX_COST_TEXT, description="`utm_content` of the visits")
    link_id: UUID | None = None
    placement: str = Field(default="", max_length=MAX_COST_TEXT, description="Of the clicks")
    amount: Money = Field(description="As it was entered; below zero: a refund or a credit")
    worth: Money = Field(description="In the website's currency, converted once")
    rate: str | None = Field(default=None, description="Exchange rate of the first day; none: the same currency")
    note: str = Field(default="", max_length=MAX_COST_NOTE)


class CostAdded(DomainEvent):
    """An amount that was spent on a website's traffic was entered."""

    NAME: ClassVar[str] = "cost.added"
    website_id: UUID
    entry: CostEntry


class CostChanged(DomainEvent):
    """The entry is another one; the one before no longer counts."""

    NAME: ClassVar[str] = "cost.changed"
    website_id: UUID
    entry: CostEntry
    replaced: CostEntry


class CostRemoved(DomainEvent):
    """The entry no longer counts."""

    NAME: ClassVar[str] = "cost.removed"
    website_id: UUID
    entry: CostEntry


class CostRestored(DomainEvent):
    """The removal was undone."""

    NAME: ClassVar[str] = "cost.restored"
    website_id: UUID
    entry: CostEntry
