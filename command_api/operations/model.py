"""State of projections and dead letters: a decision needs only the version. Pure."""

from __future__ import annotations

from schemas.base import DomainEvent


def evolve_version(_: int | None, event: DomainEvent) -> int:
    return event.originator_version
