"""`GET /api/admin/projections` and `/dead-letters`: how far everything has read, and what it could not take."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from query_api import paging
from query_api.context import AsAdmin

router = APIRouter(tags=["admin"])


class Place(BaseModel):
    """How far a generation has read one partition."""

    topic: str
    partition: int
    nextOffset: int
    domainPosition: int
    processed: int
    rate: float = Field(description="Records a second, lately")
    error: str = Field(description="Why it waits and tries again; empty: it does not")
    updatedAt: datetime
    recordAt: datetime | None = Field(description="When the last record that it read was written to the log")


class Build(BaseModel):
    """One generation."""

    generation: int
    state: str
    version: int
    reason: str
    error: str
    createdAt: datetime
    promotedAt: datetime | None
    positions: list[Place]


class Projection(BaseModel):
    """A projection with its generations, newest first; those whose tables are gone are left out."""

    name: str
    kind: str
    version: int
    liveGeneration: int
    openDeadLetters: int
    builds: list[Build]


class DeadLetter(BaseModel):
    """A record that a projection could not take."""

    id: UUID
    projection: str
    generation: int
    topic: str
    partition: int
    offset: int
    reason: str
    error: str
    value: str = Field(description="The start of the record, as text")
    firstAt: datetime
    attempts: int
    state: Literal["open", "retried", "skipped"]


_PROJECTIONS: Final = (
    "SELECT p.name, p.kind, p.version, p.live_generation,"
    " (SELECT count(*) FROM engine.dead_letter AS d WHERE d.projection = p.name AND d.state = 'open') AS letters"
    " FROM engine.projection AS p ORDER BY p.kind, p.name"
)
_BUILDS: Final = (
    "SELECT name, generation, state, version, reason, error, created_at, promoted_at FROM engine.build"
    " WHERE dropped_at IS NULL AND state <> 'cancelled' ORDER BY name, generation DESC"
)
_POSITIONS: Final = (
    "SELECT projection, generation, topic, partition, next_offset, domain_position, processed, rate, error,"
    " updated_at, record_at FROM engine.position ORDER BY topic, partition"
)
_VALUE_BYTES: Final = 2000


@router.get("/api/admin/projections")
def get_projections(admin: AsAdmin) -> list[Projection]:
    """Every projection there is."""
    projections, builds, positions = (admin.reader.rows(sql) for sql in (_PROJECTIONS, _BUILDS, _POSITIONS))
    places: dict[tuple[str, int], list[Place]] = {}
    for row in positions:
        places.setdefault((row["projection"], row["generation"]), []).append(_place(row))
    return [
        Projection(
            name=row["name"],
            kind=row["kind"],
            version=row["version"],
            liveGeneration=row["live_generation"],
            openDeadLetters=row["letters"],
            builds=[
                Build(
                    generation=build["generation"],
                    state=build["state"],
                    version=build["version"],
                    reason=build["reason"],
                    error=build["error"],
                    createdAt=build["created_at"],
                    promotedAt=build["promoted_at"],
                    positions=places.get((build["name"], build["generation"]), []),
                )
                for build in builds
                if build["name"] == row["name"]
            ],
        )
        for row in projections
    ]


@router.get("/api/admin/dead-letters")
def get_dead_letters(
    request: Request,
    response: Response,
    admin: AsAdmin,
    projection: Annotated[str | None, Query(max_length=100)] = None,
    state: Literal["open", "retried", "skipped"] | None = None,
    limit: paging.Limit = 50,
    cursor: paging.Cursor = None,
) -> list[DeadLetter]:
    """Newest first."""
    bound: dict[str, Any] = {"projection": projection, "state": state, "limit": limit + 1, "bytes": _VALUE_BYTES}
    after = ""
    if cursor is not None:
        bound["at"], bound["id"] = paging.decode(cursor, datetime, UUID)
        after = " AND (d.first_at, d.id) < (%(at)s, %(id)s)"
    sql = (
        'SELECT d.id, d.projection, d.generation, d.topic, d.partition, d."offset", d.reason, d.error,'  # noqa: S608 - bound
        " substring(d.value FROM 1 FOR %(bytes)s) AS value, d.first_at, d.attempts, d.state"
        " FROM engine.dead_letter AS d WHERE (%(projection)s::text IS NULL OR d.projection = %(projection)s)"
        f" AND (%(state)s::text IS NULL OR d.state = %(state)s){after}"
        " ORDER BY d.first_at DESC, d.id DESC LIMIT %(limit)s"
    )
    rows = admin.reader.rows(sql, bound)
    page = rows[:limit]
    last = paging.encode(page[-1]["first_at"], page[-1]["id"]) if len(rows) > limit else None
    paging.link_next(request, response, last)
    return [_letter(row) for row in page]


def _place(row: dict[str, Any]) -> Place:
    return Place(
        topic=row["topic"],
        partition=row["partition"],
        nextOffset=row["next_offset"],
        domainPosition=row["domain_position"],
        processed=row["processed"],
        rate=row["rate"],
        error=row["error"],
        updatedAt=row["updated_at"],
        recordAt=row["record_at"],
    )


def _letter(row: dict[str, Any]) -> DeadLetter:
    return DeadLetter(
        id=row["id"],
        projection=row["projection"],
        generation=row["generation"],
        topic=row["topic"],
        partition=row["partition"],
        offset=row["offset"],
        reason=row["reason"],
        error=row["error"],
        value=bytes(row["value"]).decode("utf-8", "replace"),
        firstAt=row["first_at"],
        attempts=row["attempts"],
        state=row["state"],
    )
