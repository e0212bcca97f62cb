"""Inline projection `cost_import_lookup`: the imports that are to be read, applied or undone."""

from __future__ import annotations

from typing import Final

from command_api.kernel.inline_projection import InlineProjection, Table
from schemas.events import costs

NAME: Final = "cost-imports"
"""The process manager; its timeouts are imports."""
COST_IMPORT_TABLE: Final = Table("cost_import", columns=("import_id uuid not null",), key=("import_id",))
COST_IMPORTS: Final = InlineProjection("cost_import_lookup", version=1, tables=(COST_IMPORT_TABLE,))


COST_IMPORT_TABLE.begins(costs.CostImportUploaded)
for _worked_on in (costs.CostImportRemapped, costs.CostImportStarted, costs.CostImportUndoStarted):
    COST_IMPORT_TABLE.begins(_worked_on)
for _at_rest in (
    costs.CostImportQuestioned,
    costs.CostImportRead,
    costs.CostImportFailed,
    costs.CostImportApplied,
    costs.CostImportUndone,
    costs.CostImportCancelled,
):
    COST_IMPORT_TABLE.ends(_at_rest)
