"""Command handlers of inquiries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import conflict
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.leads import commands, inquiries
from command_api.leads.inquiries import InquiryAggregate
from command_api.leads.mails import LeadMails
from command_api.leads.schemas import to_response
from infra.kernel.mail.outbox import unqueue
from infra.kernel.security.subject_keys import Keyring
from schemas.base import DomainEvent
from schemas.http.leads import InquiryState

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.ReceiveInquiry, senders="system")
def receive_inquiry(command: commands.ReceiveInquiry, uow: UnitOfWork) -> None:
    uow.append(inquiries.receive(command.inquiry_id, uow.context, **command.fields.model_dump(exclude={"website"})))
    if command.sends_receipt:
        uow.send(LeadMails(uow.settings).inquiry_received(command.fields.email, command.inquiry_id))


@HANDLERS.on(commands.AnswerInquiry, senders="admins")
def answer_inquiry(command: commands.AnswerInquiry, uow: UnitOfWork) -> InquiryState:
    inquiry = _inquiry(uow, command.inquiry_id)
    answer = _append(uow, inquiry, inquiries.answer(inquiry, command.text, uow.context))
    uow.send(LeadMails(uow.settings).inquiry_answer(inquiry, command.text))
    return answer


@HANDLERS.on(commands.NoteOnInquiry, senders="admins")
def note_on_inquiry(command: commands.NoteOnInquiry, uow: UnitOfWork) -> InquiryState:
    inquiry = _inquiry(uow, command.inquiry_id)
    return _append(uow, inquiry, inquiries.note(inquiry, command.text, uow.context))


@HANDLERS.on(commands.MoveInquiry, senders="admins")
def move_inquiry(command: commands.MoveInquiry, uow: UnitOfWork) -> InquiryState:
    inquiry = _inquiry(uow, command.inquiry_id)
    return _append(uow, inquiry, inquiries.move(inquiry, command.status, uow.context))


@HANDLERS.on(commands.AssignInquiry, senders="admins")
def assign_inquiry(command: commands.AssignInquiry, uow: UnitOfWork) -> InquiryState:
    account_id = command.account_id
    if account_id is not None and not uow.select("SELECT FROM lookup.admin WHERE account_id = %s", account_id):
        raise conflict("not_an_admin", "Only an admin can be assigned to an inquiry.", "accountId")
    inquiry = _inquiry(uow, command.inquiry_id)
    return _append(uow, inquiry, inquiries.assign(inquiry, account_id, uow.context))


@HANDLERS.on(commands.EraseInquiry, senders="admins")
def erase_inquiry(command: commands.EraseInquiry, uow: UnitOfWork) -> None:
    uow.append(*inquiries.erase(_inquiry(uow, command.inquiry_id), uow.context))
    Keyring(uow.pool, uow.settings).erase_with(uow.cursor, command.inquiry_id)
    unqueue(uow.cursor, command.inquiry_id)


def _inquiry(uow: UnitOfWork, inquiry_id: UUID) -> InquiryAggregate:
    return inquiries.require_active(uow.load(inquiry_id, inquiries.evolve))


def _append(uow: UnitOfWork, inquiry: InquiryAggregate, events: Sequence[DomainEvent]) -> InquiryState:
    return to_response(uow.advance(inquiries.evolve, inquiry, events))
