"""Saved queries, charts and tokens of analysts as both APIs answer them."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from pydantic import Field

from schemas.events.sql import ChartKind
from schemas.http.responses import ResponseModel


class QueryHead(ResponseModel):
    """A query that an analyst saved, without its text."""

    id: UUID
    title: str
    version: int = Field(description="Number of the current version")
    is_shared: bool = Field(description="Whether all analysts may see and run it")


class SavedQuery(QueryHead):
    """A saved query with its text."""

    sql: str


class PinnedChart(ResponseModel):
    """A chart on the dashboard."""

    id: UUID
    query_id: UUID
    kind: ChartKind
    x: str = Field(description="Column of the x axis; empty: the chart's choice")
    y: list[str] = Field(description="Columns that are drawn; empty: all numbers")
    parameters: dict[str, str]


class SqlToken(ResponseModel):
    """An access token of a ClickHouse client; the token itself is shown once."""

    id: UUID
    name: str
    last4: str
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime
