"""Commands of imports of links."""

from __future__ import annotations

from uuid import UUID

from command_api.kernel.command_handlers import Command
from command_api.links.importing.files import LinkFile
from command_api.links.importing.schemas import ImportedLinks, LinkImportPlan


class PlanLinkImport(Command[LinkImportPlan]):
    """Says what the import of a file would do; changes nothing. `website_id`: of lines that name none."""

    website_id: UUID
    file: LinkFile
    updates_existing: bool


class ImportLinkFile(Command[ImportedLinks]):
    """Imports all lines of a file or none."""

    website_id: UUID
    file: LinkFile
    updates_existing: bool
