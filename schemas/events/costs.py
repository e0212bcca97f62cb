"""Events of costs: what ads and content of a website cost, for which days and which traffic.

Each event carries the whole entry, so that a projection needs no memory of the ones before: what an event takes back is
in it, too. Entries of imports are those of single days; only their import adds and takes them.
"""

from __future__ import annotations

from datetime import date
from typing import ClassVar
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Frozen, Money, MoneySum
from schemas.report_imports import FileMapping, OpenQuestion, ReportFile

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


class CostMapping(FileMapping):
    """How a person says that a file of costs is read; the rest is detected."""

    source: str | None = Field(
        default=None, max_length=MAX_COST_TEXT, description="Of the visits; empty: any. None: as the platform's are"
    )


class CostImportCounts(Frozen):
    """The lines of a file by what the import does to the cost of their day and traffic."""

    rows: int = Field(default=0, ge=0)
    new: int = Field(default=0, ge=0)
    changed: int = Field(default=0, ge=0, description="They replace the amount of an earlier import")
    unchanged: int = Field(default=0, ge=0)
    rejected: int = Field(default=0, ge=0)


class CostDayChange(Frozen):
    """A day's cost of some traffic that is booked, and the one that it takes the place of."""

    entry: CostEntry | None = None
    replaced: CostEntry | None = None


class CostImportUploaded(DomainEvent):
    """A person uploaded a file of costs. Nothing of it counts yet."""

    NAME: ClassVar[str] = "cost_import.uploaded"
    website_id: UUID
    platform: str
    file: ReportFile
    mapping: CostMapping = CostMapping()
    applies: bool = Field(default=False, description="It is applied once it is read, without a preview")


class CostImportRemapped(DomainEvent):
    """A person corrected how the file is read: it is read again."""

    NAME: ClassVar[str] = "cost_import.remapped"
    website_id: UUID
    mapping: CostMapping


class CostImportQuestioned(DomainEvent):
    """The file leaves something open that nobody may guess."""

    NAME: ClassVar[str] = "cost_import.questioned"
    website_id: UUID
    questions: tuple[OpenQuestion, ...] = Field(min_length=1)


class CostImportRead(DomainEvent):
    """Every line was read and compared with the costs of its day: the preview."""

    NAME: ClassVar[str] = "cost_import.read"
    website_id: UUID
    counts: CostImportCounts
    delta: tuple[MoneySum, ...] = Field(default=(), description="What it changes in costs, by currency")


class CostImportFailed(DomainEvent):
    """The file cannot be read as costs."""

    NAME: ClassVar[str] = "cost_import.failed"
    website_id: UUID
    code: str
    message: str


class CostImportStarted(DomainEvent):
    """A person applied it; its costs are booked as one."""

    NAME: ClassVar[str] = "cost_import.started"
    website_id: UUID


class CostImportBooked(DomainEvent):
    """Some of the costs that an import adds, replaces or, when it is undone, gives back."""

    NAME: ClassVar[str] = "cost_import.booked"
    website_id: UUID
    platform: str
    changes: tuple[CostDayChange, ...] = Field(min_length=1)


class CostImportApplied(DomainEvent):
    """All of its costs count."""

    NAME: ClassVar[str] = "cost_import.applied"
    website_id: UUID


class CostImportUndoStarted(DomainEvent):
    """A person undid it, or cancelled it while it was applied."""

    NAME: ClassVar[str] = "cost_import.undo_started"
    website_id: UUID


class CostImportUndone(DomainEvent):
    """None of its costs counts any more; those that it had replaced count again."""

    NAME: ClassVar[str] = "cost_import.undone"
    website_id: UUID


class CostImportCancelled(DomainEvent):
    """A person gave the import up before anything of it counted."""

    NAME: ClassVar[str] = "cost_import.cancelled"
    website_id: UUID
