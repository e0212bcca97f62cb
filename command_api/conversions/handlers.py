"""Command handlers of conversions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final
from uuid import UUID

from prometheus_client import Counter

from command_api.conversions import commands, decisions, model
from command_api.conversions.attribution import decision, repository
from command_api.conversions.attribution.assignment import assign
from command_api.conversions.attribution.click_reader import NoClicks
from command_api.conversions.attribution.correction import correct, read_again
from command_api.conversions.attribution.decision import Case
from command_api.conversions.attribution.facts import Facts
from command_api.conversions.attribution.forgetting import Forgotten, forget
from command_api.conversions.attribution.gathering import Gathering
from command_api.conversions.bulk import decide_many
from command_api.conversions.claim_counts import ClaimCount
from command_api.conversions.lookups import append_conversions
from command_api.conversions.schemas import BulkResult, to_response
from command_api.kernel.aggregates import require_found, state_after
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.event_store import ConcurrencyConflict
from command_api.kernel.timeouts import TimeoutChanged
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from command_api.partners import model as partners
from command_api.websites import model as websites
from infra.kernel.security.encryption import derived_key
from schemas.base import DomainEvent
from schemas.events.analytics import VisitorForgotten
from schemas.events.conversions import ConversionAssigned
from schemas.events.operations import ExchangeRateRecorded
from schemas.events.websites import WebsiteDisconnected
from schemas.http.conversions import Conversion
from schemas.message_ids import MessageIds

HANDLERS: Final = CommandHandlers()
_CLICKS_CAME = Counter("policy_clicks_came_total", "Waiting conversions whose click came")


@HANDLERS.on(commands.ApproveConversion, senders="accounts")
def approve_conversion(command: commands.ApproveConversion, uow: UnitOfWork) -> Conversion:
    return _decide(command, uow, lambda conversion: decisions.approve(conversion, uow.context))


@HANDLERS.on(commands.RejectConversion, senders="accounts")
def reject_conversion(command: commands.RejectConversion, uow: UnitOfWork) -> Conversion:
    return _decide(command, uow, lambda conversion: decisions.reject(conversion, command.reason, uow.context))


@HANDLERS.on(commands.ReverseConversion, senders="accounts")
def reverse_conversion(command: commands.ReverseConversion, uow: UnitOfWork) -> Conversion:
    return _decide(
        command, uow, lambda conversion: decisions.reverse(conversion, command.reason, command.amount, uow.context)
    )


@HANDLERS.on(commands.AssignConversion, senders="accounts")
def assign_conversion(command: commands.AssignConversion, uow: UnitOfWork) -> Conversion:
    return _decide_by_facts(
        command,
        uow,
        lambda case, conversion: assign(case, conversion, command.click_id, command.link_id, command.reason),
    )


@HANDLERS.on(commands.CorrectReport, senders="accounts")
def correct_report(command: commands.CorrectReport, uow: UnitOfWork) -> Conversion:
    return _decide_by_facts(command, uow, lambda case, state: correct(case, state, command.report_id, command.says))


@HANDLERS.on(commands.ReadReportsAgain, senders="accounts")
def read_reports_again(command: commands.ReadReportsAgain, uow: UnitOfWork) -> Conversion:
    return _decide_by_facts(command, uow, lambda case, state: read_again(case, state, command.preset))


@HANDLERS.on(commands.AcceptAdjustment, senders="accounts")
def accept_adjustment(command: commands.AcceptAdjustment, uow: UnitOfWork) -> Conversion:
    return _decide_by_facts(command, uow, decision.accept_adjustment)


@HANDLERS.on(commands.DismissAdjustment, senders="accounts")
def dismiss_adjustment(command: commands.DismissAdjustment, uow: UnitOfWork) -> Conversion:
    return _decide(command, uow, lambda conversion: decisions.dismiss_adjustment(conversion, uow.context))


@HANDLERS.on(commands.ApproveConversions, senders="accounts")
def approve_conversions(command: commands.ApproveConversions, uow: UnitOfWork) -> BulkResult:
    return decide_many(command.selection, uow, lambda conversion: decisions.approve(conversion, uow.context))


@HANDLERS.on(commands.RejectConversions, senders="accounts")
def reject_conversions(command: commands.RejectConversions, uow: UnitOfWork) -> BulkResult:
    reason = decisions.checked_reason(command.selection.reason)
    return decide_many(command.selection, uow, lambda conversion: decisions.reject(conversion, reason, uow.context))


@HANDLERS.on(commands.ApproveAutomatically, senders="system")
def approve_automatically(command: commands.ApproveAutomatically, uow: UnitOfWork) -> bool:
    conversion = uow.load(command.conversion_id, model.evolve)
    events = decisions.approve_automatically(conversion, command.terms, uow.context) if conversion is not None else []
    append_conversions(uow, events)
    return bool(events)


@HANDLERS.on(commands.RecordReattribution, senders="system")
def record_reattribution(command: commands.RecordReattribution, uow: UnitOfWork) -> None:
    _append_decided(uow, command.conversion_id, command.events)
    repository.update_pending_attribution(
        uow, command.conversion_id, command.next_at, command.passed_over, needs_rate=command.needs_rate
    )
    _CLICKS_CAME.inc(int(bool(command.events)))


@HANDLERS.on(commands.RecordAwaitedReports, senders="system")
def record_awaited_reports(command: commands.RecordAwaitedReports, uow: UnitOfWork) -> None:
    _append_decided(uow, command.conversion_id, command.events, command.ids, command.claims)
    repository.save_rejected_reports(uow, command.rejected)
    erasures = repository.remove_awaiting_exchange_rate(uow, command.conversion_id, command.report_ids, command.next_at)
    if command.pending is not None:
        repository.save_pending_attribution(uow, [command.pending], {})
    for erasure_id, website_id in erasures.items():
        forget(uow, Forgotten(erasure_id, website_id), [command.conversion_id])


def _append_decided(
    uow: UnitOfWork,
    conversion_id: UUID,
    events: Sequence[DomainEvent],
    ids: Sequence[MessageIds] = (),
    claims: Sequence[tuple[ClaimCount, int]] = (),
) -> None:
    """Appends events that were decided before the transaction. Raises `TimeoutChanged` if another writer was first: the
    conversion is decided again, with what the decision needs from outside."""
    if events:
        try:
            uow.require_version(conversion_id, events[0].originator_version - 1)
            append_conversions(uow, events, claims=claims, ids=ids)
        except ConcurrencyConflict as conflict:
            raise TimeoutChanged(f"conversion {conversion_id}") from conflict


@HANDLERS.after(ConversionAssigned)
def look_for_details(event: ConversionAssigned, uow: Appended) -> None:
    repository.follow_assigned(uow, event.originator_id, has_click=bool(event.click_id))


@HANDLERS.before(ExchangeRateRecorded)
def decide_awaiting(_event: ExchangeRateRecorded, uow: UnitOfWork) -> None:
    """Makes all that the rate may decide due, in the transaction of the rate."""
    repository.make_due(uow)


@HANDLERS.before(WebsiteDisconnected)
def delete_rejected_reports(event: WebsiteDisconnected, uow: UnitOfWork) -> None:
    """Deletes the rejections of an erased owner's reports: their messages quote what was reported."""
    if event.owner_erased:
        uow.cursor.execute("DELETE FROM conversions.rejected_report WHERE website_id = %s", (event.originator_id,))


@HANDLERS.before(VisitorForgotten)
def forget_conversions(event: VisitorForgotten, uow: UnitOfWork) -> None:
    """Takes from the conversions of the person what leads to them. What earned them stays: no click is looked for."""
    forget(uow, Forgotten(event.originator_id, event.website_id), event.conversions)


def _decide_by_facts(
    command: commands.ConversionCommand,
    uow: UnitOfWork,
    decide: Callable[[Case, model.Conversion], Sequence[DomainEvent]],
) -> Conversion:
    """Decides by what is read in the transaction; of clicks only the one that was found before it."""
    clicks = command.found if isinstance(command, commands.AssignConversion) else None
    gathering = Gathering(uow, clicks or NoClicks(), derived_key(uow.settings, "click-id"))

    def decided(conversion: model.Conversion) -> Sequence[DomainEvent]:
        website = require_found(uow.load(conversion.facts.website_id, websites.evolve), "website")
        events, _ = gathering.decide(Facts(), lambda facts: decide(Case(website, facts, uow.context), conversion))
        return events

    return _decide(command, uow, decided)


def _decide(
    command: commands.ConversionCommand, uow: UnitOfWork, decide: Callable[[model.Conversion], Sequence[DomainEvent]]
) -> Conversion:
    loaded = uow.load(command.conversion_id, model.evolve)
    website = uow.load(loaded.facts.website_id, websites.evolve) if loaded else None
    conversion = model.require_owned(loaded, website, uow.context)
    events = decide(conversion)
    conversion = state_after(model.evolve, conversion, events)
    attribution = conversion.facts.attribution
    partner = uow.load(attribution.partner_id, partners.evolve) if attribution else None
    append_conversions(uow, events)
    return to_response(conversion, partner)
