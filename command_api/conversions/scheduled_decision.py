"""Aggregate of a decision about many conversions that can be undone until it is final. Pure.

`conversion_decision.scheduled` names the conversions; nothing counts yet. Its timeout applies it: the decision's end
and the events of the conversions are stored together. Undone and applied exclude each other by the stream's version, so
an undone approval leaves no trace in the money, and a crash at any point leaves one of the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from command_api.kernel.aggregates import first_event, next_event
from command_api.kernel.decision import CommandContext, conflict, not_found
from command_api.websites.model import Website
from schemas.base import DomainEvent, Money
from schemas.events import conversions
from schemas.evolution import Evolution

UNDO_TIME: Final = timedelta(seconds=10)


class State(StrEnum):
    """The states of a decision."""

    SCHEDULED = "scheduled"
    UNDONE = "undone"
    APPLIED = "applied"


@dataclass(frozen=True, slots=True)
class ScheduledDecision:
    """State of one decision."""

    id: UUID
    version: int
    website_id: UUID
    decision: str
    reason: str
    conversion_ids: tuple[UUID, ...]
    due_at: datetime
    actor_id: UUID | None
    state: State = State.SCHEDULED

    def as_its_author(self, context: CommandContext) -> CommandContext:
        """The context in which the conversions are decided: by the person who decided, now."""
        return replace(context, account_id=self.actor_id)


def schedule(
    decision_id: UUID,
    website_id: UUID,
    decision: str,
    reason: str,
    conversion_ids: Sequence[UUID],
    commission: Money,
    context: CommandContext,
) -> conversions.ConversionDecisionScheduled:
    """The decision, final after `UNDO_TIME`."""
    return conversions.ConversionDecisionScheduled(
        **first_event(decision_id, context),
        website_id=website_id,
        decision=decision,
        reason=reason,
        conversion_ids=tuple(conversion_ids),
        commission=commission,
        due_at=context.at + UNDO_TIME,
    )


def undo(decision: ScheduledDecision, context: CommandContext) -> list[DomainEvent]:
    """Raises `CommandRejected` (already_final). A decision that is late is not final yet, and can be undone."""
    if decision.state is State.UNDONE:
        return []
    if decision.state is State.APPLIED:
        raise conflict("already_final", "This decision is final. An approved sale can still be reversed.")
    return [conversions.ConversionDecisionUndone(**next_event(decision, context), website_id=decision.website_id)]


def apply(
    decision: ScheduledDecision,
    changed: int,
    failures: Sequence[conversions.DecisionFailure],
    context: CommandContext,
) -> conversions.ConversionDecisionApplied:
    """The end of a decision whose conversions were decided."""
    return conversions.ConversionDecisionApplied(
        **next_event(decision, context), website_id=decision.website_id, changed=changed, failures=tuple(failures)
    )


def require_owned(
    decision: ScheduledDecision | None, website: Website | None, context: CommandContext
) -> ScheduledDecision:
    """The decision, if its website's owner asks. Raises `CommandRejected` (missing)."""
    if decision is None or website is None or not context.may_act_for(website.account_id):
        raise not_found("decision")
    return decision


evolve: Final = (
    Evolution(ScheduledDecision)
    .begins(conversions.ConversionDecisionScheduled, takes={"actor_id": "actor_id"})
    .follows(conversions.ConversionDecisionUndone, but="website_id", state=State.UNDONE)
    .follows(conversions.ConversionDecisionApplied, but="website_id", state=State.APPLIED)
)
