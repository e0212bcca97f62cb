"""Aggregate of an import of a network's report. Pure.

uploaded -> reading -> (asking ->) ready -> applying -> applied -> undoing -> undone. A person corrects the mapping of
what is not applied, cancels what has not ended, and undoes what is applied. The work itself is `process`'s, whose steps
may run again; it tells the aggregate how each phase ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from command_api.kernel.aggregates import first_event, next_event
from command_api.kernel.decision import CommandContext, conflict, invalid, not_found
from command_api.websites.model import Website
from schemas.base import DomainEvent, MoneySum
from schemas.events import networks
from schemas.events.networks import ImportCounts, ReportMapping
from schemas.evolution import Evolution
from schemas.networks import NETWORKS
from schemas.report_imports import ImportState, OpenQuestion, ReportFile

MAX_QUESTIONS: Final = 100
_OPEN: Final = frozenset({ImportState.READING, ImportState.ASKING, ImportState.READY})
_REMAPPABLE: Final = _OPEN | {ImportState.FAILED}


@dataclass(frozen=True, slots=True)
class NetworkImportAggregate:
    """State of one import."""

    id: UUID
    version: int
    website_id: UUID
    network: str
    file: ReportFile
    mapping: ReportMapping
    partner_id: UUID | None
    as_of: datetime | None
    applies: bool
    state: ImportState = ImportState.READING
    counts: ImportCounts = ImportCounts()
    delta: tuple[MoneySum, ...] = ()
    questions: tuple[OpenQuestion, ...] = ()
    code: str = ""
    message: str = ""


def upload(
    import_id: UUID,
    website: Website,
    network: str,
    file: ReportFile,
    mapping: ReportMapping,
    *,
    partner_id: UUID | None,
    as_of: datetime | None,
    applies: bool,
    context: CommandContext,
) -> networks.NetworkImportUploaded:
    """Raises `CommandRejected` for a network that is not known, or a report of the future."""
    if network not in NETWORKS:
        raise invalid("unknown_network", "There is no such network.", "network")
    if as_of is not None and as_of > context.at:
        raise invalid("bad_time", "The report cannot be of the future.", "asOf")
    return networks.NetworkImportUploaded(
        **first_event(import_id, context),
        website_id=website.id,
        network=network,
        file=file,
        mapping=mapping,
        partner_id=partner_id,
        as_of=as_of,
        applies=applies,
    )


def remap(held: NetworkImportAggregate, mapping: ReportMapping, context: CommandContext) -> list[DomainEvent]:
    """Reads the file again with another mapping. Raises `CommandRejected` (already_applied, already_ended)."""
    if held.state in (ImportState.APPLYING, ImportState.APPLIED):
        raise conflict("already_applied", "This import is applied. Undo it first.")
    if held.state not in _REMAPPABLE:
        raise conflict("already_ended", "This import has ended. Upload the file again.")
    if mapping == held.mapping and held.state in (ImportState.READING, ImportState.READY):
        return []
    return [networks.NetworkImportRemapped(**next_event(held, context), website_id=held.website_id, mapping=mapping)]


def ask(held: NetworkImportAggregate, questions: Sequence[OpenQuestion], context: CommandContext) -> list[DomainEvent]:
    """Asks a person what has to be known before the file can be read."""
    if held.state is not ImportState.READING:
        return []
    shown = tuple(questions[:MAX_QUESTIONS])
    return [networks.NetworkImportQuestioned(**next_event(held, context), website_id=held.website_id, questions=shown)]


def finish_reading(
    held: NetworkImportAggregate, counts: ImportCounts, delta: Sequence[MoneySum], context: CommandContext
) -> list[DomainEvent]:
    """The preview; of an import without one, its rows begin to count."""
    if held.state is not ImportState.READING:
        return []
    read = networks.NetworkImportRead(
        **next_event(held, context), website_id=held.website_id, counts=counts, delta=tuple(delta)
    )
    return [read, *apply(evolve(held, read), context)] if held.applies else [read]


def fail(held: NetworkImportAggregate, code: str, message: str, context: CommandContext) -> list[DomainEvent]:
    """The file is no report that can be read."""
    if held.state is not ImportState.READING:
        return []
    return [
        networks.NetworkImportFailed(
            **next_event(held, context), website_id=held.website_id, code=code, message=message[:1_000]
        )
    ]


def apply(held: NetworkImportAggregate, context: CommandContext) -> list[DomainEvent]:
    """Lets the rows count. Raises `CommandRejected` (not_ready)."""
    if held.state in (ImportState.APPLYING, ImportState.APPLIED):
        return []
    if held.state is not ImportState.READY:
        raise conflict("not_ready", "Only an import with a preview can be applied.")
    return [networks.NetworkImportStarted(**next_event(held, context), website_id=held.website_id)]


def finish_applying(held: NetworkImportAggregate, context: CommandContext) -> list[DomainEvent]:
    """All rows count."""
    if held.state is not ImportState.APPLYING:
        return []
    return [networks.NetworkImportApplied(**next_event(held, context), website_id=held.website_id)]


def cancel(held: NetworkImportAggregate, context: CommandContext) -> list[DomainEvent]:
    """Gives it up; rows that count already are withdrawn. Raises `CommandRejected` (already_applied)."""
    if held.state in _OPEN:
        return [networks.NetworkImportCancelled(**next_event(held, context), website_id=held.website_id)]
    if held.state is ImportState.APPLYING:
        return undo(held, context)
    if held.state is ImportState.APPLIED:
        raise conflict("already_applied", "This import is applied. Undo it instead.")
    return []


def undo(held: NetworkImportAggregate, context: CommandContext) -> list[DomainEvent]:
    """Takes all rows back. Raises `CommandRejected` (not_applied)."""
    if held.state in (ImportState.UNDOING, ImportState.UNDONE):
        return []
    if held.state not in (ImportState.APPLYING, ImportState.APPLIED):
        raise conflict("not_applied", "This import is not applied.")
    return [networks.NetworkImportUndoStarted(**next_event(held, context), website_id=held.website_id)]


def finish_undoing(held: NetworkImportAggregate, context: CommandContext) -> list[DomainEvent]:
    """No row counts any more."""
    if held.state is not ImportState.UNDOING:
        return []
    return [networks.NetworkImportUndone(**next_event(held, context), website_id=held.website_id)]


def require_owned(
    held: NetworkImportAggregate | None, website: Website | None, context: CommandContext
) -> NetworkImportAggregate:
    """The import, if its website's owner asks. Raises `CommandRejected` (missing)."""
    if held is None or website is None or not context.may_act_for(website.account_id):
        raise not_found("import")
    return held


evolve: Final = (
    Evolution(NetworkImportAggregate)
    .begins(networks.NetworkImportUploaded)
    .follows(networks.NetworkImportRemapped, but="website_id", state=ImportState.READING, questions=(), code="")
    .follows(networks.NetworkImportQuestioned, but="website_id", state=ImportState.ASKING)
    .follows(networks.NetworkImportRead, but="website_id", state=ImportState.READY)
    .follows(networks.NetworkImportFailed, but="website_id", state=ImportState.FAILED)
    .follows(networks.NetworkImportStarted, but="website_id", state=ImportState.APPLYING)
    .follows(networks.NetworkImportApplied, but="website_id", state=ImportState.APPLIED)
    .follows(networks.NetworkImportUndoStarted, but="website_id", state=ImportState.UNDOING)
    .follows(networks.NetworkImportUndone, but="website_id", state=ImportState.UNDONE)
    .follows(networks.NetworkImportCancelled, but="website_id", state=ImportState.CANCELLED)
)
