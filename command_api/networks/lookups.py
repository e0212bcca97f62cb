"""Inline projection `network_import_lookup`: the imports that are being read, applied or undone."""

from __future__ import annotations

from typing import Final

from command_api.kernel.inline_projection import InlineProjection, Table
from schemas.events import networks

NAME: Final = "network-imports"
"""The process manager; its timeouts are imports."""
NETWORK_IMPORT_TABLE: Final = Table("network_import", columns=("import_id uuid not null",), key=("import_id",))
NETWORK_IMPORTS: Final = InlineProjection("network_import_lookup", version=1, tables=(NETWORK_IMPORT_TABLE,))


NETWORK_IMPORT_TABLE.begins(networks.NetworkImportUploaded)
for _worked_on in (networks.NetworkImportRemapped, networks.NetworkImportStarted, networks.NetworkImportUndoStarted):
    NETWORK_IMPORT_TABLE.begins(_worked_on)
for _at_rest in (
    networks.NetworkImportQuestioned,
    networks.NetworkImportRead,
    networks.NetworkImportFailed,
    networks.NetworkImportApplied,
    networks.NetworkImportUndone,
    networks.NetworkImportCancelled,
):
    NETWORK_IMPORT_TABLE.ends(_at_rest)
