"""Of a projection or a dead letter, deciding needs only the version. Pure."""

from __future__ import annotations

from schemas.base import DomainEvent


def evolve_version(_: int | None, event: DomainEvent) -> int:
    return event.originator_version
