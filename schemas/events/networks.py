"""Events of networks' reports: files that people import. The rows themselves are in the file and in its staged lines;
what they say of sales goes through topic `conversions`."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import ClassVar, Literal
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Frozen, MoneySum
from schemas.report_imports import FileMapping, OpenQuestion, ReportFile


class ReportMapping(FileMapping):
    """How a person says that a report of a network is read; the rest is detected."""

    statuses: dict[str, Literal["pending", "approved", "rejected", "reversed", "paid"]] | None = Field(
        default=None, max_length=100
    )
    is_of_network: bool | None = Field(
        default=None, description="True: a person confirmed the network, though the file looks like another's"
    )
    partners: dict[str, UUID] | None = Field(
        default=None, max_length=500, description="Advertiser, by id or name in the file, to partner"
    )


class ImportCounts(Frozen):
    """The rows of a file by what the import does to their sales. A new or changed row may be without a click, too."""

    rows: int = Field(default=0, ge=0)
    new: int = Field(default=0, ge=0)
    changed: int = Field(default=0, ge=0)
    unchanged: int = Field(default=0, ge=0)
    unmatched: int = Field(default=0, ge=0, description="Without a click of the website")
    rejected: int = Field(default=0, ge=0)
    tests: int = Field(default=0, ge=0, description="Test actions, which never count")


class NetworkImportUploaded(DomainEvent):
    """A person uploaded a report of a network. Nothing of it counts yet."""

    NAME: ClassVar[str] = "network_import.uploaded"
    website_id: UUID
    network: str
    file: ReportFile
    mapping: ReportMapping = ReportMapping()
    partner_id: UUID | None = Field(default=None, description="Of rows that name no advertiser that is known")
    as_of: datetime | None = Field(default=None, description="When the network made the report; none: not known")
    applies: bool = Field(default=False, description="It is applied once it is read, without a preview")


class NetworkImportRemapped(DomainEvent):
    """A person corrected how the file is read: it is read again."""

    NAME: ClassVar[str] = "network_import.remapped"
    website_id: UUID
    mapping: ReportMapping


class NetworkImportQuestioned(DomainEvent):
    """The file leaves something open that nobody may guess."""

    NAME: ClassVar[str] = "network_import.questioned"
    website_id: UUID
    questions: tuple[OpenQuestion, ...] = Field(min_length=1)


class NetworkImportRead(DomainEvent):
    """Every line was read and compared with its sale: the preview."""

    NAME: ClassVar[str] = "network_import.read"
    website_id: UUID
    counts: ImportCounts
    delta: tuple[MoneySum, ...] = Field(default=(), description="What it changes in commissions, by currency")


class NetworkImportFailed(DomainEvent):
    """The file cannot be read as a report."""

    NAME: ClassVar[str] = "network_import.failed"
    website_id: UUID
    code: str
    message: str


class NetworkImportStarted(DomainEvent):
    """Its rows begin to count, sale by sale."""

    NAME: ClassVar[str] = "network_import.started"
    website_id: UUID


class NetworkImportApplied(DomainEvent):
    """All of its rows count."""

    NAME: ClassVar[str] = "network_import.applied"
    website_id: UUID


class NetworkImportUndoStarted(DomainEvent):
    """Its rows begin to count no more: a person undid it, or cancelled it while it was applied."""

    NAME: ClassVar[str] = "network_import.undo_started"
    website_id: UUID


class NetworkImportUndone(DomainEvent):
    """None of its rows counts any more."""

    NAME: ClassVar[str] = "network_import.undone"
    website_id: UUID


class NetworkImportCancelled(DomainEvent):
    """A person gave the import up before anything of it counted."""

    NAME: ClassVar[str] = "network_import.cancelled"
    website_id: UUID


class PullSchedule(StrEnum):
    """How often a network's API is read."""

    HOURLY = "hourly"
    DAILY = "daily"


class NetworkConnectionAdded(DomainEvent):
    """A person connected a website to the API of a network. The credentials are stored apart, sealed."""

    NAME: ClassVar[str] = "network_connection.added"
    website_id: UUID
    network: str
    schedule: PullSchedule
    currency: str | None = Field(
        default=None, pattern="^[A-Z]{3}$", description="Of the account, where the network's rows name none"
    )
    partner_id: UUID | None = Field(default=None, description="Of rows that name no advertiser that is known")


class NetworkConnectionChanged(DomainEvent):
    """A person changed how often the network is read, or entered new credentials."""

    NAME: ClassVar[str] = "network_connection.changed"
    website_id: UUID
    schedule: PullSchedule
    has_new_credentials: bool


class NetworkConnectionRefused(DomainEvent):
    """The network does not accept the credentials: nothing is read until there are new ones."""

    NAME: ClassVar[str] = "network_connection.refused"
    website_id: UUID
    problem: str = Field(max_length=300)


class NetworkReportPulled(DomainEvent):
    """The network was read up to a moment. Without an import it had nothing new."""

    NAME: ClassVar[str] = "network_connection.pulled"
    website_id: UUID
    pulled_until: datetime
    rows: int = Field(ge=0)
    import_id: UUID | None = None


class NetworkConnectionRemoved(DomainEvent):
    """The connection ended, and its credentials were deleted; imports stay."""

    NAME: ClassVar[str] = "network_connection.removed"
    website_id: UUID
