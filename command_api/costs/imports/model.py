"""Aggregate of an import of costs. Pure.

uploaded -> reading -> (asking ->) ready -> applying -> applied -> undoing -> undone. A person corrects the mapping of
what is not applied, cancels what has not ended, and undoes what is applied. Reading and booking are one transaction
each, which a process manager begins: an import counts as a whole, or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from command_api.kernel.aggregates import first_event, next_event, state_after
from command_api.kernel.decision import CommandContext, conflict, invalid, not_found
from command_api.websites.model import Website, require_owned
from schemas.base import DomainEvent, MoneySum
from schemas.cost_files import COST_PLATFORMS
from schemas.events import costs
from schemas.events.costs import CostDayChange, CostImportCounts, CostMapping
from schemas.evolution import Evolution
from schemas.report_imports import ImportState, OpenQuestion, ReportFile

MAX_QUESTIONS: Final = 10
MAX_BOOKED: Final = 200
"""Changes of one event."""
MAX_BOOKED_BYTES: Final = 256 * 1024
"""Of these as JSON: a record of the log has a bound."""
_OPEN: Final = frozenset({ImportState.READING, ImportState.ASKING, ImportState.READY})
_REMAPPABLE: Final = _OPEN | {ImportState.FAILED}


@dataclass(frozen=True, slots=True)
class CostImportAggregate:
    """State of one import."""

    id: UUID
    version: int
    website_id: UUID
    platform: str
    file: ReportFile
    mapping: CostMapping
    applies: bool
    state: ImportState = ImportState.READING
    counts: CostImportCounts = CostImportCounts()
    delta: tuple[MoneySum, ...] = ()
    questions: tuple[OpenQuestion, ...] = ()
    code: str = ""
    message: str = ""


def upload(
    import_id: UUID,
    website: Website,
    platform: str,
    file: ReportFile,
    mapping: CostMapping,
    *,
    applies: bool,
    context: CommandContext,
) -> costs.CostImportUploaded:
    """Raises `CommandRejected` for a platform that is not known."""
    if platform not in COST_PLATFORMS:
        raise invalid("unknown_platform", f"Choose one of {', '.join(COST_PLATFORMS)}.", "platform")
    return costs.CostImportUploaded(
        **first_event(import_id, context),
        website_id=website.id,
        platform=platform,
        file=file,
        mapping=mapping,
        applies=applies,
    )


def remap(held: CostImportAggregate, mapping: CostMapping, context: CommandContext) -> list[DomainEvent]:
    """Reads the file again with another mapping. Raises `CommandRejected` (already_applied, already_ended)."""
    if held.state in (ImportState.APPLYING, ImportState.APPLIED):
        raise conflict("already_applied", "This import is applied. Undo it first.")
    if held.state not in _REMAPPABLE:
        raise conflict("already_ended", "This import has ended. Upload the file again.")
    if mapping == held.mapping and held.state in (ImportState.READING, ImportState.READY):
        return []
    return [costs.CostImportRemapped(**next_event(held, context), website_id=held.website_id, mapping=mapping)]


def ask(held: CostImportAggregate, questions: Sequence[OpenQuestion], context: CommandContext) -> DomainEvent:
    """Asks a person what has to be known before the file can be read."""
    shown = tuple(questions[:MAX_QUESTIONS])
    return costs.CostImportQuestioned(**next_event(held, context), website_id=held.website_id, questions=shown)


def fail(held: CostImportAggregate, code: str, message: str, context: CommandContext) -> DomainEvent:
    """The file has no costs that can be read."""
    return costs.CostImportFailed(
        **next_event(held, context), website_id=held.website_id, code=code, message=message[:1_000]
    )


def finish_reading(
    held: CostImportAggregate, counts: CostImportCounts, delta: Sequence[MoneySum], context: CommandContext
) -> list[DomainEvent]:
    """The preview; an import without one begins to count."""
    read = costs.CostImportRead(
        **next_event(held, context), website_id=held.website_id, counts=counts, delta=tuple(delta)
    )
    return [read, *apply(evolve(held, read), context)] if held.applies else [read]


def apply(held: CostImportAggregate, context: CommandContext) -> list[DomainEvent]:
    """Lets the costs count. Raises `CommandRejected` (not_ready)."""
    if held.state in (ImportState.APPLYING, ImportState.APPLIED):
        return []
    if held.state is not ImportState.READY:
        raise conflict("not_ready", "Only an import with a preview can be applied.")
    return [costs.CostImportStarted(**next_event(held, context), website_id=held.website_id)]


def cancel(held: CostImportAggregate, context: CommandContext) -> list[DomainEvent]:
    """Gives it up. Raises `CommandRejected` (already_applied)."""
    if held.state in _OPEN:
        return [costs.CostImportCancelled(**next_event(held, context), website_id=held.website_id)]
    if held.state is ImportState.APPLYING:
        return undo(held, context)
    if held.state is ImportState.APPLIED:
        raise conflict("already_applied", "This import is applied. Undo it instead.")
    return []


def undo(held: CostImportAggregate, context: CommandContext) -> list[DomainEvent]:
    """Takes all of it back. Raises `CommandRejected` (not_applied)."""
    if held.state in (ImportState.UNDOING, ImportState.UNDONE):
        return []
    if held.state not in (ImportState.APPLYING, ImportState.APPLIED):
        raise conflict("not_applied", "This import is not applied.")
    return [costs.CostImportUndoStarted(**next_event(held, context), website_id=held.website_id)]


def book(held: CostImportAggregate, changes: Sequence[CostDayChange], context: CommandContext) -> list[DomainEvent]:
    """Books what an import that is applied or undone changes, and ends that."""
    events: list[DomainEvent] = []
    state = held
    for part in _parts(changes):
        booked = costs.CostImportBooked(
            **next_event(state, context), website_id=held.website_id, platform=held.platform, changes=part
        )
        events.append(booked)
        state = state_after(evolve, state, [booked])
    end = costs.CostImportApplied if held.state is ImportState.APPLYING else costs.CostImportUndone
    return [*events, end(**next_event(state, context), website_id=held.website_id)]


def require_import(
    held: CostImportAggregate | None, website: Website | None, context: CommandContext
) -> CostImportAggregate:
    """The import, if its website's owner asks. Raises `CommandRejected` (missing)."""
    if held is None:
        raise not_found("import")
    require_owned(website, context, "import")
    return held


def _parts(changes: Sequence[CostDayChange]) -> Iterator[tuple[CostDayChange, ...]]:
    part: list[CostDayChange] = []
    size = 0
    for change in changes:
        length = len(change.model_dump_json().encode())
        if part and (len(part) == MAX_BOOKED or size + length > MAX_BOOKED_BYTES):
            yield tuple(part)
            part, size = [], 0
        part.append(change)
        size += length
    if part:
        yield tuple(part)


evolve: Final = (
    Evolution(CostImportAggregate)
    .begins(costs.CostImportUploaded)
    .follows(costs.CostImportRemapped, but="website_id", state=ImportState.READING, questions=(), code="", message="")
    .follows(costs.CostImportQuestioned, but="website_id", state=ImportState.ASKING)
    .follows(costs.CostImportRead, but="website_id", state=ImportState.READY)
    .follows(costs.CostImportFailed, but="website_id", state=ImportState.FAILED)
    .follows(costs.CostImportStarted, but="website_id", state=ImportState.APPLYING)
    .follows(costs.CostImportApplied, but="website_id", state=ImportState.APPLIED)
    .follows(costs.CostImportUndoStarted, but="website_id", state=ImportState.UNDOING)
    .follows(costs.CostImportUndone, but="website_id", state=ImportState.UNDONE)
    .follows(costs.CostImportCancelled, but="website_id", state=ImportState.CANCELLED)
    .ignores(costs.CostImportBooked)
)
