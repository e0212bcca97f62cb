"""`GET /api/admin/subscriptions`: subscribers of the log that are no projections, process managers, inline projections.

The ends of the log are what the running projectors note (`engine.log_end`).
"""

# ruff: noqa: S608 - own text; values are bound

from __future__ import annotations

from datetime import datetime
from typing import Final

from fastapi import APIRouter
from pydantic import Field

from query_api.kernel.dependencies import AdminScope
from schemas.http.responses import ResponseModel

router = APIRouter(tags=["admin"])


class LogSubscriber(ResponseModel):
    """A policy or an event handler: how far it has read one partition of a topic."""

    name: str
    topic: str
    partition: int
    lag_events: int | None = Field(description="Null: nobody has seen the log's end yet")
    lag_seconds: float = Field(description="How long it has not moved, while there are more records")
    open_dead_letters: int
    error: str = Field(description="Why it is retrying; empty: it is not")
    updated_at: datetime


class ProcessManagerShown(ResponseModel):
    """A process manager: commands that time issues."""

    name: str
    waiting: int = Field(description="Timeouts that are not due yet")
    due: int
    due_seconds: float = Field(description="How long the oldest of those that are due has been due")
    next_at: datetime | None
    open_dead_letters: int


class InlineProjectionShown(ResponseModel):
    """A table that is written with its events, so it is never behind."""

    name: str
    version: int
    generation: int = Field(description="How often it was built")
    rebuilt_at: datetime


class Subscriptions(ResponseModel):
    """Everything that follows the event store besides the projections."""

    subscribers: list[LogSubscriber]
    process_managers: list[ProcessManagerShown]
    inline_projections: list[InlineProjectionShown]


@router.get("/api/admin/subscriptions")
def get_subscriptions(admin: AdminScope) -> Subscriptions:
    """Subscribers, process managers and inline projections of the write side."""
    return Subscriptions(
        subscribers=[LogSubscriber.model_validate(row) for row in admin.reader.rows(_SUBSCRIBERS)],
        process_managers=[ProcessManagerShown.model_validate(row) for row in admin.reader.rows(_PROCESS_MANAGERS)],
        inline_projections=[InlineProjectionShown.model_validate(row) for row in admin.reader.rows(_INLINE)],
    )


_LETTERS: Final = "(SELECT count(*) FROM engine.dead_letter AS d WHERE d.state = 'open' AND d.projection = {}{})"
_SUBSCRIBERS: Final = (
    "SELECT p.projection AS name, p.topic, p.partition, greatest(e.end_offset - p.next_offset, 0) AS lag_events,"
    " CASE WHEN e.end_offset > p.next_offset THEN extract(epoch FROM now() - coalesce(p.record_at, p.updated_at))"
    " ELSE 0 END::float8 AS lag_seconds,"
    f" {_LETTERS.format('p.projection', ' AND d.partition = p.partition')} AS open_dead_letters,"
    " p.error, p.updated_at"
    " FROM engine.position AS p LEFT JOIN engine.log_end AS e USING (topic, partition)"
    " WHERE p.generation = 0 ORDER BY p.projection, p.partition"
)
"""Subscribers without generations have generation 0."""
_PROCESS_MANAGERS: Final = (
    "SELECT t.process AS name, count(*) FILTER (WHERE t.due_at > now() AND NOT t.is_quarantined) AS waiting,"
    " count(*) FILTER (WHERE t.due_at <= now() AND NOT t.is_quarantined) AS due,"
    " greatest(coalesce(extract(epoch FROM now() - min(t.due_at) FILTER (WHERE NOT t.is_quarantined)), 0), 0)::float8"
    " AS due_seconds, min(t.due_at) FILTER (WHERE t.due_at > now() AND NOT t.is_quarantined) AS next_at,"
    f" {_LETTERS.format('t.process', '')} AS open_dead_letters"
    " FROM kernel.timeout AS t GROUP BY t.process ORDER BY t.process"
)
_INLINE: Final = "SELECT name, version, generation, rebuilt_at FROM lookup.projection ORDER BY name"
