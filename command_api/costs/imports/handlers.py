"""Command handlers of imports of costs, and their process manager `cost-imports`.

file -> `reading` -> one line for each day and traffic -> compared with applied imports (the preview)
apply, undo: what counts of each day before and after -> `CostImportBooked` -> the costs that reports show

Each step is one transaction: it is done or not, and a step that a crash leaves is done again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final
from uuid import UUID

from cryptography.exceptions import InvalidTag

from command_api.costs.imports import commands, ledger, model, reading, staging
from command_api.costs.imports.cost_sums import CostSums
from command_api.costs.imports.ledger import Day, StatedCost
from command_api.costs.imports.lookups import NAME
from command_api.costs.imports.model import CostImportAggregate
from command_api.costs.imports.staging import StagedCost
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import conflict
from command_api.kernel.process_manager import ProcessManager, issuing
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from command_api.websites import model as websites
from command_api.websites.model import Website
from infra.domain.report_files import stored_files
from infra.domain.report_files.layouts import RejectedLine, UnreadableReport
from schemas.base import DomainEvent, MoneySum
from schemas.events import costs
from schemas.events.costs import CostDayChange, CostImportCounts
from schemas.events.websites import WebsiteDisconnected, WebsiteTransferred
from schemas.http.costs import CostImport
from schemas.http.money import Amount
from schemas.http.report_imports import ImportQuestion, RejectedImportLine
from schemas.report_imports import ImportState, OpenQuestion

HANDLERS: Final = CommandHandlers()
COST_IMPORTS: Final = ProcessManager(
    NAME, issuing(commands.ContinueCostImport), batch_size=1, ids="SELECT import_id FROM lookup.cost_import"
)
MAX_STORED_BYTES: Final = 128 * 1024 * 1024
"""Of the files of a website's imports that wait; those of ended ones are deleted."""
MAX_OPEN_IMPORTS: Final = 20
"""Imports of a website that have neither ended nor count."""
FILE_LOST: Final = "The file is no longer stored. Upload it again."


@HANDLERS.on(commands.UploadCosts, senders="accounts")
def upload_costs(command: commands.UploadCosts, uow: UnitOfWork) -> CostImport:
    website = websites.require_owned(uow.load(command.website_id, websites.evolve), uow.context)
    uploaded = model.upload(
        command.import_id,
        website,
        command.platform,
        command.file,
        command.mapping,
        applies=command.applies,
        context=uow.context,
    )
    [(waiting, stored)] = uow.select(_WAITING, website.id)
    if waiting >= MAX_OPEN_IMPORTS:
        raise conflict("too_many_imports", f"{MAX_OPEN_IMPORTS} imports wait for you. Apply or cancel some first.")
    if stored + sum(map(len, command.parts)) > MAX_STORED_BYTES:
        raise conflict("too_much_stored", "The files that wait need too much space. Apply or cancel some first.")
    held = uow.advance(model.evolve, None, [uploaded])
    for part, sealed in enumerate(command.parts):
        uow.cursor.execute(_ADD_PART, (command.import_id, part, website.id, sealed))
    return state_of(held)


@HANDLERS.on(commands.RemapCostImport, senders="accounts")
def remap_cost_import(command: commands.RemapCostImport, uow: UnitOfWork) -> CostImport:
    held = _owned(command.import_id, uow)
    return _append(held, model.remap(held, command.mapping, uow.context), uow)


@HANDLERS.on(commands.ApplyCostImport, senders="accounts")
def apply_cost_import(command: commands.ApplyCostImport, uow: UnitOfWork) -> CostImport:
    held = _owned(command.import_id, uow)
    return _append(held, model.apply(held, uow.context), uow)


@HANDLERS.on(commands.CancelCostImport, senders="accounts")
def cancel_cost_import(command: commands.CancelCostImport, uow: UnitOfWork) -> CostImport:
    held = _owned(command.import_id, uow)
    return _append(held, model.cancel(held, uow.context), uow)


@HANDLERS.on(commands.UndoCostImport, senders="accounts")
def undo_cost_import(command: commands.UndoCostImport, uow: UnitOfWork) -> CostImport:
    held = _owned(command.import_id, uow)
    return _append(held, model.undo(held, uow.context), uow)


@HANDLERS.on(commands.ContinueCostImport, senders="system")
def continue_cost_import(command: commands.ContinueCostImport, uow: UnitOfWork) -> None:
    found = uow.load(command.import_id, model.evolve)
    website = uow.load(found.website_id, websites.evolve) if found is not None else None
    if found is None or website is None or website.disconnected:
        return
    staging.lock(uow.cursor, website.id, found.platform)
    held = uow.load(command.import_id, model.evolve) or found
    if held.state is ImportState.READING:
        uow.append(*_read(held, website, uow))
    elif held.state is ImportState.APPLYING:
        uow.append(*_book(held, uow, applies=True))
    elif held.state is ImportState.UNDOING:
        uow.append(*_book(held, uow, applies=False))


@HANDLERS.after(
    costs.CostImportUploaded, costs.CostImportRemapped, costs.CostImportStarted, costs.CostImportUndoStarted
)
def set_next_step(event: DomainEvent, uow: Appended) -> None:
    """The work begins at once."""
    uow.set_timeout(NAME, event.originator_id, event.timestamp)


@HANDLERS.after(costs.CostImportApplied, costs.CostImportUndone, costs.CostImportCancelled)
def delete_file(event: DomainEvent, uow: Appended) -> None:
    """Deletes the file, which is not read again."""
    uow.cursor.execute("DELETE FROM costs.import_file WHERE import_id = %s", (event.originator_id,))


@HANDLERS.after(costs.CostImportUndone, costs.CostImportCancelled)
def delete_rows(event: DomainEvent, uow: Appended) -> None:
    """Deletes the lines of an import that counts no more; its events remain."""
    uow.cursor.execute(_DELETE_ROWS, (event.originator_id,))


@HANDLERS.before(WebsiteDisconnected)
def delete_imports(event: WebsiteDisconnected, uow: UnitOfWork) -> None:
    """Deletes what is stored of the imports of a website that is gone."""
    for statement in _DELETE:
        uow.cursor.execute(statement, (event.originator_id,))


@HANDLERS.before(WebsiteTransferred)
def delete_import_files(event: WebsiteTransferred, uow: UnitOfWork) -> None:
    """Deletes the seller's files: they may have more than this website. The lines are figures of the website."""
    uow.cursor.execute(_DELETE[0], (event.originator_id,))


def state_of(held: CostImportAggregate, rejected: Sequence[RejectedImportLine] = ()) -> CostImport:
    """Returns the response of both APIs."""
    counts = held.counts
    return CostImport(
        import_id=held.id,
        state=held.state,
        rows=counts.rows,
        new=counts.new,
        changed=counts.changed,
        unchanged=counts.unchanged,
        rejected=list(rejected),
        rejected_count=counts.rejected,
        delta=[Amount(amount=one.amount, currency=one.currency) for one in held.delta],
        questions=[ImportQuestion.of(one) for one in held.questions] if held.state is ImportState.ASKING else [],
        code=held.code,
        message=held.message,
    )


def _read(held: CostImportAggregate, website: Website, uow: UnitOfWork) -> list[DomainEvent]:
    """Reads the file, stores its lines, and says what they would change."""
    today = uow.context.at.date()
    try:
        file = stored_files.opened_file(uow.cursor.connection, uow.settings, staging.FILES, held.id)
    except InvalidTag:
        return [model.fail(held, "file_lost", FILE_LOST, uow.context)]
    sums, rejected = CostSums(website.currency, uow), list[RejectedLine]()
    with file:
        try:
            inspection = reading.inspect(file, held.platform, held.mapping, currency=website.currency, today=today)
            staging.keep_inspection(uow.cursor, held.id, website.id, inspection)
            if inspection.questions:
                questions = [
                    OpenQuestion(field=one.field, message=one.message, choices=one.choices)
                    for one in inspection.questions
                ]
                return [model.ask(held, questions, uow.context)]
            file.seek(0)
            for line in reading.read(
                file, held.platform, inspection.layout, held.mapping, currency=website.currency, today=today
            ):
                if isinstance(line, RejectedLine):
                    rejected.append(line)
                elif (problem := sums.add(line)) is not None:
                    rejected.append(problem)
        except UnreadableReport as error:
            return [model.fail(held, error.code, error.message, uow.context)]
    costs_of_days = _as_counted(held, list(sums.staged()), uow)
    staging.replace_rows(uow.cursor, held.id, website.id, held.platform, costs_of_days, rejected)
    kinds, delta = _compare(held, uow)
    counts = CostImportCounts(rows=sum(kinds.values()) + len(rejected), rejected=len(rejected), **kinds)
    return model.finish_reading(held, counts, delta, uow.context)


def _as_counted(held: CostImportAggregate, costs_of_days: list[StagedCost], uow: UnitOfWork) -> list[StagedCost]:
    """An amount that counts already keeps its worth: a rate that was recorded since would change it."""
    counted: dict[date, Day] = {}
    for some in _some(sorted({one.day for one in costs_of_days})):
        others = staging.stated(uow.cursor, held.website_id, held.platform, some, held.id)
        counted |= {day: ledger.counting(lines) for day, lines in others.items()}
    kept: list[StagedCost] = []
    for one in costs_of_days:
        known = counted.get(one.day, {}).get(one.target)
        is_known = known is not None and known.amount == one.amount and known.worth.currency == one.worth.currency
        kept.append(replace(one, worth=known.worth, rate=known.rate) if known is not None and is_known else one)
    return kept


def _compare(held: CostImportAggregate, uow: UnitOfWork) -> tuple[dict[str, int], list[MoneySum]]:
    """Marks each line with what the import does to its day's cost. Returns the lines by kind, and the difference by
    currency."""
    kinds: Counter[str] = Counter()
    delta: Counter[str] = Counter()
    of_line: dict[int, str] = {}
    for some in _some(staging.days_of(uow.cursor, held.id)):
        for day in _compared(held, some, uow):
            delta.update(ledger.difference(day.without, day.with_own))
            for one in day.own:
                of_line[one.line] = kind = ledger.kind_of(one, day.without, day.with_own)
                kinds[kind] += one.lines
    staging.set_kinds(uow.cursor, held.id, of_line)
    sums = [MoneySum(amount=amount, currency=currency) for currency, amount in sorted(delta.items()) if amount]
    return dict(kinds), sums


def _book(held: CostImportAggregate, uow: UnitOfWork, *, applies: bool) -> list[DomainEvent]:
    """Lets the lines count, or not any more, and books what that changes."""
    changes: list[CostDayChange] = []
    if staging.is_applied(uow.cursor, held.id) != applies:
        for some in _some(staging.days_of(uow.cursor, held.id)):
            for day in _compared(held, some, uow):
                before, after = (day.without, day.with_own) if applies else (day.with_own, day.without)
                changes += ledger.changes_of(day.day, before, after)
        staging.let_count(uow.cursor, held.id, is_applied=applies)
    return model.book(held, changes, uow.context)


@dataclass(frozen=True, slots=True)
class _ComparedDay:
    """The costs of a day that count without the import, and with it. `own`: the import's lines."""

    day: date
    own: Sequence[StatedCost]
    without: Day
    with_own: Day


def _compared(held: CostImportAggregate, days: Sequence[date], uow: UnitOfWork) -> Iterator[_ComparedDay]:
    others = staging.stated(uow.cursor, held.website_id, held.platform, days, held.id)
    own = staging.own(uow.cursor, held.id, days)
    for day in days:
        lines = own.get(day, [])
        counted = others.get(day, [])
        yield _ComparedDay(day, lines, ledger.counting(counted), ledger.counting([*counted, *lines]))


def _some(days: Sequence[date]) -> Iterator[Sequence[date]]:
    """The days that are compared together."""
    for start in range(0, len(days), staging.DAYS):
        yield days[start : start + staging.DAYS]


def _owned(import_id: UUID, uow: UnitOfWork) -> CostImportAggregate:
    loaded = uow.load(import_id, model.evolve)
    website = uow.load(loaded.website_id, websites.evolve) if loaded else None
    return model.require_import(loaded, website, uow.context)


def _append(held: CostImportAggregate, events: list[DomainEvent], uow: UnitOfWork) -> CostImport:
    return state_of(uow.advance(model.evolve, held, events))


_WAITING: Final = (
    "SELECT count(DISTINCT import_id), coalesce(sum(octet_length(sealed)), 0) FROM costs.import_file"
    " WHERE website_id = %s"
)
_ADD_PART: Final = "INSERT INTO costs.import_file (import_id, part, website_id, sealed) VALUES (%s, %s, %s, %s)"
_DELETE_ROWS: Final = "DELETE FROM costs.import_row WHERE import_id = %s AND kind <> 'rejected'"
_DELETE: Final = (
    "DELETE FROM costs.import_file WHERE website_id = %s",
    "DELETE FROM costs.import_row WHERE website_id = %s",
    "DELETE FROM costs.import_layout WHERE website_id = %s",
)
