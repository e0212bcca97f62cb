"""Events of operations: what operators and the system did to the platform itself.

`operator` names who asked at the machine itself, where no account did; `request_id` is the request in `engine.request`.
"""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import ClassVar
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Frozen


class _OfProjection(Frozen):
    """Fields of events of a projection."""

    projection: str


class _OfGeneration(_OfProjection):
    """Fields of events of one generation of a projection."""

    generation: int


class _Requested(Frozen):
    """Who requested it, and why. As the first base its fields are the last."""

    reason: str = ""
    operator: str = ""
    request_id: UUID | None = None


class _OfDeadLetter(Frozen):
    """Fields of events of a dead letter."""

    dead_letter_id: UUID
    projection: str
    reason: str = ""
    operator: str = ""


class ProjectionPaused(_Requested, _OfProjection, DomainEvent):
    """A projection was paused."""

    NAME: ClassVar[str] = "projection.paused"


class ProjectionResumed(_Requested, _OfProjection, DomainEvent):
    """A projection was resumed."""

    NAME: ClassVar[str] = "projection.resumed"


class ProjectionRebuildRequested(_Requested, _OfGeneration, DomainEvent):
    """A new generation of a projection is to be built beside the live one."""

    NAME: ClassVar[str] = "projection.rebuild_requested"


class ProjectionPromoted(_Requested, _OfGeneration, DomainEvent):
    """A new generation became the live one."""

    NAME: ClassVar[str] = "projection.promoted"


class ProjectionRolledBack(_Requested, _OfGeneration, DomainEvent):
    """The previous generation became the live one again."""

    NAME: ClassVar[str] = "projection.rolled_back"


class ProjectionBuildCancelled(_Requested, _OfGeneration, DomainEvent):
    """A build was cancelled; the live generation did not change."""

    NAME: ClassVar[str] = "projection.build_cancelled"


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


class ProjectionComparisonCancelled(_Requested, _OfProjection, DomainEvent):
    """A person stopped the comparison of a new generation with the live one; its findings so far are kept."""

    NAME: ClassVar[str] = "projection.comparison_cancelled"


class DeadLetterRevealed(_OfDeadLetter, DomainEvent):
    """A person viewed the content of a record that a projection could not process."""

    NAME: ClassVar[str] = "dead_letter.revealed"


class DeadLetterRetried(_OfDeadLetter, DomainEvent):
    """A record that a projection could not process was processed again."""

    NAME: ClassVar[str] = "dead_letter.retried"


class DeadLetterSkipped(_OfDeadLetter, DomainEvent):
    """A record that a projection could not process was skipped permanently."""

    NAME: ClassVar[str] = "dead_letter.skipped"


class RateSource(StrEnum):
    """Where an exchange rate comes from: a person, a person's CSV file, or the European Central Bank."""

    HAND = "hand"
    IMPORT = "import"
    ECB = "ecb"


class ExchangeRateRecorded(DomainEvent):
    """From `on` (UTC day) on, one major unit of `base` is worth `rate` major units of `quote`."""

    NAME: ClassVar[str] = "exchange_rate.recorded"
    base: str = Field(pattern=r"^[A-Z]{3}$")
    quote: str = Field(pattern=r"^[A-Z]{3}$")
    rate: str = Field(pattern=r"^\d{1,12}(\.\d{1,12})?$")
    on: date
    source: RateSource = RateSource.HAND


class ReferenceRatesMissed(DomainEvent):
    """Several checks for new reference rates failed in a row: tells the admins, once until one succeeds again."""

    NAME: ClassVar[str] = "reference_rates.missed"
    failures: int = Field(ge=1, description="In a row")
    problem: str = Field(description="Why the last check failed")
    newest_day: date | None = Field(description="The last day that has rates")


class AuditTrailAnchored(DomainEvent):
    """The audit trail was intact up to entry `seq`, whose hash is `head` and covers all previous entries."""

    NAME: ClassVar[str] = "audit_trail.anchored"
    seq: int = Field(ge=1)
    head: str = Field(pattern=r"^[0-9a-f]{64}$")
