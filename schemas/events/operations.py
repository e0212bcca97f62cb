"""What operators and the system did to the platform itself.

`operator` names who asked at the machine itself, where no account did; `request_id` is the request in `engine.request`.
"""

from __future__ import annotations

from datetime import date
from typing import ClassVar
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent


class ProjectionPaused(DomainEvent):
    """A projection was told to stop reading."""

    NAME: ClassVar[str] = "projection.paused"
    projection: str
    reason: str = ""
    operator: str = ""
    request_id: UUID | None = None


class ProjectionResumed(DomainEvent):
    """A projection reads on."""

    NAME: ClassVar[str] = "projection.resumed"
    projection: str
    reason: str = ""
    operator: str = ""
    request_id: UUID | None = None


class ProjectionRebuildRequested(DomainEvent):
    """A new generation of a projection is to be built beside the live one."""

    NAME: ClassVar[str] = "projection.rebuild_requested"
    projection: str
    generation: int
    reason: str = ""
    operator: str = ""
    request_id: UUID | None = None


class ProjectionPromoted(DomainEvent):
    """A new generation became the live one."""

    NAME: ClassVar[str] = "projection.promoted"
    projection: str
    generation: int
    reason: str = ""
    operator: str = ""
    request_id: UUID | None = None


class ProjectionRolledBack(DomainEvent):
    """The generation before became the live one again."""

    NAME: ClassVar[str] = "projection.rolled_back"
    projection: str
    generation: int
    reason: str = ""
    operator: str = ""
    request_id: UUID | None = None


class ProjectionBuildCancelled(DomainEvent):
    """A build was given up; the live generation was not touched."""

    NAME: ClassVar[str] = "projection.build_cancelled"
    projection: str
    generation: int
    reason: str = ""
    operator: str = ""
    request_id: UUID | None = None


class ProjectionVerified(DomainEvent):
    """A new generation was compared with the live one, bit by bit; `differences` counts the rows that differ."""

    NAME: ClassVar[str] = "projection.verified"
    projection: str
    generation: int
    live_generation: int
    is_equal: bool
    differences: int = 0
    reason: str = ""
    operator: str = ""
    request_id: UUID | None = None


class ProjectionComparisonCancelled(DomainEvent):
    """Somebody stopped the comparison of a new generation with the live one; what it has found until then stands."""

    NAME: ClassVar[str] = "projection.comparison_cancelled"
    projection: str
    reason: str = ""
    operator: str = ""
    request_id: UUID | None = None


class DeadLetterRevealed(DomainEvent):
    """Somebody looked at the content of a record that a projection could not take."""

    NAME: ClassVar[str] = "dead_letter.revealed"
    dead_letter_id: UUID
    projection: str
    reason: str = ""
    operator: str = ""


class DeadLetterRetried(DomainEvent):
    """A record that a projection could not take was handed to it again."""

    NAME: ClassVar[str] = "dead_letter.retried"
    dead_letter_id: UUID
    projection: str
    reason: str = ""
    operator: str = ""


class DeadLetterSkipped(DomainEvent):
    """A record that a projection could not take was given up for good."""

    NAME: ClassVar[str] = "dead_letter.skipped"
    dead_letter_id: UUID
    projection: str
    reason: str = ""
    operator: str = ""


class ExchangeRateRecorded(DomainEvent):
    """From `on` (UTC day) on, one major unit of `base` is worth `rate` major units of `quote`."""

    NAME: ClassVar[str] = "exchange_rate.recorded"
    base: str = Field(pattern=r"^[A-Z]{3}$")
    quote: str = Field(pattern=r"^[A-Z]{3}$")
    rate: str = Field(pattern=r"^\d{1,12}(\.\d{1,12})?$")
    on: date


class AuditTrailAnchored(DomainEvent):
    """The audit trail was whole up to entry `seq`, whose hash is `head`: it covers all entries before."""

    NAME: ClassVar[str] = "audit_trail.anchored"
    seq: int = Field(ge=1)
    head: str = Field(pattern=r"^[0-9a-f]{64}$")
