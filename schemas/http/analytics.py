"""Saved views and reports by email as both APIs answer them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from uuid import UUID

from pydantic import Field

from schemas.events.analytics import ReportInterval, ReportPause, ViewKind
from schemas.http.responses import ResponseModel


class Bots(StrEnum):
    """Whether events that are flagged as made by bots count."""

    EXCLUDE = "exclude"
    INCLUDE = "include"
    ONLY = "only"


class Compare(StrEnum):
    """What the range is compared with: the one just before, the same a year ago, given days, or nothing."""

    PREVIOUS = "previous"
    YEAR = "year"
    CUSTOM = "custom"
    NONE = "none"


class SavedViewContent(ResponseModel):
    """What is shown, in the terms of the analytics calls; of a segment only filters and bots."""

    filters: list[str]
    bots: Bots
    time_range: str
    from_date: date | None
    to_date: date | None
    compare: Compare
    compare_from: date | None
    compare_to: date | None
    match_weekdays: bool
    metric: str
    bar_metric: str
    tabs: dict[str, str]
    columns: list[str]
    details: list[str]


class SavedView(ResponseModel):
    """A view or segment."""

    id: UUID
    kind: ViewKind
    name: str
    website_id: UUID | None = Field(description="Shared with everyone who may see this website; null: personal")
    state: SavedViewContent


class EmailReport(ResponseModel):
    """A report by email."""

    id: UUID
    website_id: UUID | None
    view_id: UUID | None
    query_id: UUID | None
    every: ReportInterval
    weekday: int = Field(description="0 is Monday; of a weekly report")
    day: int = Field(description="Of the month; of a monthly report")
    hour: int
    parameters: Mapping[str, str] = Field(description="Values of the query's parameters")
    paused: ReportPause | None = Field(description="Why it is not sent; null: it is")
