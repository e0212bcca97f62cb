"""A decision about many conversions: undone or final, never both."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from command_api.conversions import scheduled_decision
from command_api.conversions.scheduled_decision import UNDO_TIME, ScheduledDecision, State
from command_api.kernel.decision import CommandContext, CommandRejected, system_context
from schemas.base import DomainEvent, Money
from schemas.events.conversions import ConversionDecisionApplied, ConversionDecisionUndone, DecisionFailure
from tests.support.given_when_then import given

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
DECISION, SITE, OWNER, SALE = uuid4(), uuid4(), uuid4(), uuid4()
CONTEXT = CommandContext(NOW, OWNER)


def after(*events: DomainEvent) -> ScheduledDecision:
    total = Money(amount=1000, currency="USD")
    first = scheduled_decision.schedule(DECISION, SITE, "approve", "", [SALE], total, CONTEXT)
    state = scheduled_decision.evolve(None, first)
    for event in events:
        state = scheduled_decision.evolve(state, event)
    return state


def test_it_is_final_ten_seconds_later() -> None:
    assert (after().due_at, after().state) == (NOW + timedelta(seconds=10), State.SCHEDULED)
    assert timedelta(seconds=10) == UNDO_TIME


def test_undone_it_ends_and_undoing_again_changes_nothing() -> None:
    [undone] = scheduled_decision.undo(after(), CONTEXT)
    assert isinstance(undone, ConversionDecisionUndone)
    state = after(undone)
    assert state.state is State.UNDONE
    given(state).when(scheduled_decision.undo, CONTEXT).then()


def test_a_final_decision_cannot_be_undone() -> None:
    applied = scheduled_decision.apply(after(), 1, [], system_context(NOW))
    with pytest.raises(CommandRejected) as rejected:
        scheduled_decision.undo(after(applied), CONTEXT)
    assert (rejected.value.kind, rejected.value.code) == ("conflict", "already_final")


def test_undone_and_applied_are_the_same_version_so_one_of_them_is_stored() -> None:
    [undone] = scheduled_decision.undo(after(), CONTEXT)
    applied = scheduled_decision.apply(after(), 1, [], system_context(NOW))
    assert undone.originator_version == applied.originator_version == 2


def test_the_end_names_what_could_not_be_decided() -> None:
    failure = DecisionFailure(conversion_id=SALE, code="already_reversed")
    applied = scheduled_decision.apply(after(), 0, [failure], system_context(NOW))
    assert isinstance(applied, ConversionDecisionApplied)
    assert (applied.changed, applied.failures) == (0, (failure,))


def test_the_conversions_are_decided_by_the_person() -> None:
    context = after().as_its_author(system_context(NOW + UNDO_TIME))
    assert (context.account_id, context.at) == (OWNER, NOW + UNDO_TIME)
