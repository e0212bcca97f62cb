"""Commands of imports of networks' reports."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from command_api.kernel.command_handlers import Command
from schemas.base import MoneySum
from schemas.events.networks import ImportCounts, ReportMapping
from schemas.http.networks import NetworkImport
from schemas.report_imports import OpenQuestion, ReportFile


class UploadNetworkReport(Command[NetworkImport]):
    """Takes a report file. `parts`: its content as it is stored."""

    import_id: UUID
    website_id: UUID
    network: str
    file: ReportFile
    parts: Sequence[bytes]
    mapping: ReportMapping
    partner_id: UUID | None
    as_of: datetime | None
    applies: bool


class RemapNetworkImport(Command[NetworkImport]):
    """Corrects how the file is read; it is read again."""

    import_id: UUID
    mapping: ReportMapping


class ApplyNetworkImport(Command[NetworkImport]):
    """Lets the rows of a previewed import count."""

    import_id: UUID


class CancelNetworkImport(Command[NetworkImport]):
    """Gives an import up, also while it is applied."""

    import_id: UUID


class UndoNetworkImport(Command[NetworkImport]):
    """Takes all rows of an applied import back."""

    import_id: UUID


class AskAboutNetworkImport(Command[None]):
    """Tells what the file leaves open."""

    import_id: UUID
    version: int
    questions: Sequence[OpenQuestion]


class FinishReading(Command[None]):
    """Tells what the import would do."""

    import_id: UUID
    version: int
    counts: ImportCounts
    delta: Sequence[MoneySum]


class FailNetworkImport(Command[None]):
    """Tells that the file cannot be read."""

    import_id: UUID
    version: int
    code: str
    message: str


class FinishApplying(Command[None]):
    """Tells that all rows count."""

    import_id: UUID


class FinishUndoing(Command[None]):
    """Tells that no row counts any more."""

    import_id: UUID
