"""Command handlers of decisions that can be undone, and the process manager that makes them final."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final
from uuid import UUID

from command_api.conversions import commands, decisions, model, scheduled_decision
from command_api.conversions.bulk import owned, selected
from command_api.conversions.lookups import append_conversions
from command_api.conversions.scheduled_decision import ScheduledDecision
from command_api.conversions.schemas import DecideMany, DecisionState, ItemResult, ScheduledDecisionState
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import CommandContext, CommandRejected, conflict, invalid
from command_api.kernel.process_manager import ProcessManager, issuing
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from command_api.websites import model as websites
from schemas.base import DomainEvent, Money
from schemas.events.conversions import (
    ConversionDecisionApplied,
    ConversionDecisionScheduled,
    ConversionDecisionUndone,
    ConversionStep,
    DecisionFailure,
)

HANDLERS: Final = CommandHandlers()
NAME: Final = "conversion-decisions"
SCHEDULED_DECISIONS: Final = ProcessManager(
    NAME,
    issuing(commands.ApplyDecision),
    ids="SELECT decision_id FROM lookup.scheduled_decision",
    max_delay=6 * scheduled_decision.UNDO_TIME,  # clocks of two machines may differ
)

Decide = Callable[[model.Conversion], Sequence[DomainEvent]]


@HANDLERS.on(commands.ScheduleDecision, senders="accounts")
def schedule_decision(command: commands.ScheduleDecision, uow: UnitOfWork) -> ScheduledDecisionState:
    """Checks each conversion now, as if it were decided, and stores those that can be."""
    body = command.selection
    website = websites.require_owned(uow.load(body.website_id, websites.evolve), uow.context)
    reason = decisions.checked_reason(body.reason or "") if body.decision == "reject" else ""
    batch = selected(body, uow)
    decide, waiting = _deciding(body.decision, reason, uow.context), _waiting(uow, batch.ids)
    ids: list[UUID] = []
    refused: list[ItemResult] = []
    commission = 0
    for conversion_id, result in _decided(uow, batch.ids, body.website_id, uow.context):
        try:
            if isinstance(result, CommandRejected):
                raise result
            batch.check(result)
            _require_decidable(result, body, is_waiting=conversion_id in waiting)
            events = decide(result)
        except CommandRejected as rejected:
            why = {"code": rejected.code, "message": rejected.message}
            refused.append(ItemResult(id=conversion_id, ok=False, changed=False, **why))
        else:
            if events:
                ids.append(conversion_id)
                commission += abs(_earned(result, events))
    total = Money(amount=commission, currency=website.currency)
    answer = {"decision": body.decision, "refused": refused, "more": batch.more, "last": batch.last}
    summary = {"count": len(ids), "commission": {"amount": commission, "currency": website.currency}}
    if not ids:
        return ScheduledDecisionState(id=None, due_at=None, **answer, **summary)
    event = scheduled_decision.schedule(
        command.decision_id, body.website_id, body.decision, reason, ids, total, uow.context
    )
    uow.append(event)
    return ScheduledDecisionState(id=event.originator_id, due_at=event.due_at, **answer, **summary)


@HANDLERS.on(commands.UndoDecision, senders="accounts")
def undo_decision(command: commands.UndoDecision, uow: UnitOfWork) -> DecisionState:
    loaded = uow.load(command.decision_id, scheduled_decision.evolve)
    website = uow.load(loaded.website_id, websites.evolve) if loaded else None
    decision = scheduled_decision.require_owned(loaded, website, uow.context)
    uow.append(*scheduled_decision.undo(decision, uow.context))
    return DecisionState(id=decision.id, state=scheduled_decision.State.UNDONE.value)


@HANDLERS.on(commands.ApplyDecision, senders="system")
def apply_decision(command: commands.ApplyDecision, uow: UnitOfWork) -> None:
    """Decides the conversions as they are now. What cannot be decided any more is left as it is."""
    decision = uow.load(command.decision_id, scheduled_decision.evolve)
    if decision is None or decision.state is not scheduled_decision.State.SCHEDULED:
        return
    events, failures, changed = _final(decision, uow)
    uow.append(scheduled_decision.apply(decision, changed, failures, decision.as_its_author(uow.context)))
    append_conversions(uow, events)


@HANDLERS.after(ConversionDecisionScheduled, ConversionDecisionUndone, ConversionDecisionApplied)
def set_due_time(event: DomainEvent, uow: Appended) -> None:
    """Sets when a decision becomes final, and removes this time with its end."""
    due_at = event.due_at if isinstance(event, ConversionDecisionScheduled) else None
    uow.set_timeout(NAME, event.originator_id, due_at)


def _final(decision: ScheduledDecision, uow: UnitOfWork) -> tuple[list[DomainEvent], list[DecisionFailure], int]:
    context = decision.as_its_author(uow.context)
    decide = _deciding(decision.decision, decision.reason, context)
    events: list[DomainEvent] = []
    failures: list[DecisionFailure] = []
    changed = 0
    for conversion_id, result in _decided(uow, decision.conversion_ids, decision.website_id, context):
        try:
            if isinstance(result, CommandRejected):
                raise result
            steps = decide(result)
        except CommandRejected as rejected:
            failures.append(DecisionFailure(conversion_id=conversion_id, code=rejected.code))
        else:
            events += steps
            changed += bool(steps)
    return events, failures, changed


def _decided(
    uow: UnitOfWork, ids: Sequence[UUID], website_id: UUID, context: CommandContext
) -> Iterator[tuple[UUID, model.Conversion | CommandRejected]]:
    """Yields each conversion of the website, or why it cannot be decided."""
    seen: dict[UUID, websites.Website | None] = {}
    for conversion_id in dict.fromkeys(ids):
        try:
            conversion = owned(uow, conversion_id, seen, context)
            if conversion.facts.website_id != website_id:
                raise conflict("another_website", "This conversion belongs to another website.")
        except CommandRejected as rejected:
            yield conversion_id, rejected
        else:
            yield conversion_id, conversion


def _deciding(decision: str, reason: str, context: CommandContext) -> Decide:
    if decision == "approve":
        return lambda conversion: decisions.approve(conversion, context)
    return lambda conversion: decisions.reject(conversion, reason, context)


def _require_decidable(conversion: model.Conversion, body: DecideMany, *, is_waiting: bool) -> None:
    if is_waiting:
        raise conflict("decision_waiting", "A decision about this conversion becomes final in a few seconds.")
    if body.decision == "approve" and not conversion.is_attributed and not body.unattributed:
        message = "Not attributed: approving it earns nothing. Assign a click first, or include unattributed sales."
        raise invalid("unattributed", message)


def _earned(conversion: model.Conversion, events: Sequence[DomainEvent]) -> int:
    """The commission that approving books, or that rejecting loses."""
    if any(isinstance(event, ConversionStep) and event.change.approved > 0 for event in events):
        return conversion.net_commission
    return -conversion.net_commission if conversion.is_attributed else 0


def _waiting(uow: UnitOfWork, ids: Sequence[UUID]) -> frozenset[UUID]:
    """Returns the conversions among `ids` of which a decision is not final yet."""
    rows = uow.select("SELECT conversion_id FROM lookup.scheduled_item WHERE conversion_id = ANY(%s)", list(ids))
    return frozenset(row[0] for row in rows)
