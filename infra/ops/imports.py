"""`althing import`: ingest imports events, and the write side records it for the notes on the website's charts; reports
of networks are imported by `infra.ops.network_imports`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import closing

import psycopg
from eventsourcing.persistence import PersistenceError

from command_api.analytics.commands import RecordImport
from command_api.kernel.decision import CommandRejected, system_context
from command_api.registry import open_container
from infra.kernel.config.settings import Settings
from infra.ops import network_imports
from ingest.importing import command
from ingest.importing.command import ImportTotals
from schemas.uuid7 import uuid7


def main(argv: Sequence[str]) -> int:
    """See `ingest.importing.command.main` and `infra.ops.network_imports.main`."""
    if list(argv[:1]) == ["network"]:
        return network_imports.main(argv[1:])
    return command.main(argv, _try_to_record)


def _try_to_record(settings: Settings, imported: ImportTotals) -> None:
    """The events are in the log already: without the note the import has still succeeded."""
    try:
        record(settings, imported)
    except (PersistenceError, psycopg.Error, CommandRejected) as error:
        sys.stderr.write(f"althing import: the charts have no note about it: {error}\n")


def record(settings: Settings, imported: ImportTotals) -> None:
    """Stores the event. Raises `CommandRejected`, and the errors of the event store."""
    recorded = RecordImport(
        uuid7(), imported.website_id, imported.events, first_at=imported.first_at, last_at=imported.last_at
    )
    with closing(open_container(settings)) as container:
        container.commands.dispatch(recorded, system_context())
