"""Commands of imports of costs."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from command_api.kernel.command_handlers import Command
from schemas.events.costs import CostMapping
from schemas.http.costs import CostImport
from schemas.report_imports import ReportFile


class UploadCosts(Command[CostImport]):
    """Takes a file of costs. `parts`: its content as it is stored."""

    import_id: UUID
    website_id: UUID
    platform: str
    file: ReportFile
    parts: Sequence[bytes]
    mapping: CostMapping
    applies: bool


class RemapCostImport(Command[CostImport]):
    """Corrects how the file is read; it is read again."""

    import_id: UUID
    mapping: CostMapping


class ApplyCostImport(Command[CostImport]):
    """Lets the costs of a previewed import count."""

    import_id: UUID


class CancelCostImport(Command[CostImport]):
    """Gives an import up, also while it is applied."""

    import_id: UUID


class UndoCostImport(Command[CostImport]):
    """Takes all costs of an applied import back."""

    import_id: UUID


class ContinueCostImport(Command[None]):
    """Does what the import waits for: reads its file, or lets its costs count or not."""

    import_id: UUID
