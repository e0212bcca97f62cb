"""The clicks among which attribution searches, as they are projected. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from schemas.events.conversions import VisitDetails

PAGE_SIZE: Final = 200
"""Clicks of one visitor per query."""
MAX_PAGES: Final = 50
"""Pages read per visitor: a visitor with more clicks within a year is not a person."""


@dataclass(frozen=True, slots=True)
class ClickRow:
    """One click as ClickHouse has it."""

    website_id: UUID
    event_id: UUID
    visitor: int
    occurred_at: datetime
    click_id: str
    link_id: UUID | None
    partner_id: UUID | None
    country: str
    device: str
    source: str
    subs: Mapping[str, str] = field(default_factory=dict)
    bot_reason: str = ""
    """Why analytics exclude the click; empty: they do not."""
    place: tuple[int, int] | None = None
    """Partition and offset of its record; none: not known."""
    route: str = ""
    """Rule or variant of the link that it took; empty: none."""


@dataclass(frozen=True, slots=True)
class ClickVisit:
    """The source of a click's visitor, and the details of its visit."""

    source: str
    details: VisitDetails


@dataclass(frozen=True, slots=True)
class ClickQuery:
    """Query for the clicks of a visitor of a website before a conversion."""

    website_id: UUID
    visitor: int
    occurred_at: datetime
