"""`/api/admin/inquiries/*`, `/api/admin/early-access/*`, `/api/admin/subscribers/*`: what admins do about leads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response
from psycopg import Cursor

from command_api.accounts import invites, open_invites
from command_api.accounts.registration import Registration
from command_api.accounts.routes import registration_of
from command_api.commands import Decided
from command_api.decision import conflict
from command_api.http import Answer, Body, Id, Nothing, Run, Runs
from command_api.leads import early_access, inquiries
from command_api.leads.desk import LeadsDesk
from command_api.leads.fields import Message
from command_api.leads.public_routes import desk_of
from infra.identity import require_admin
from infra.mail import queue, unqueue
from infra.problems import Problem
from schemas.base import DomainEvent
from schemas.events.leads import EarlyAccessPromoted, InquiryStatus
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/admin", tags=["leads"])


class Text(Body):
    text: Message


class Move(Body):
    status: InquiryStatus


class Assign(Body):
    account_id: UUID | None


class InquiryState(Answer):
    id: str
    status: InquiryStatus
    assigned_to: str | None


class SignupState(Answer):
    id: str
    place: int | None


def by_admin(run: Runs) -> Run:
    require_admin(run.person)
    return run


def desk(request: Request) -> LeadsDesk:
    return desk_of(request)


ByAdmin = Annotated[Run, Depends(by_admin)]
Desk = Annotated[LeadsDesk, Depends(desk)]


@router.post("/inquiries/{id}/answer", response_model=InquiryState)
def answer_inquiry(inquiry_id: Id, body: Text, run: ByAdmin, leads: Desk) -> Response:
    """Sends the text by mail and keeps it."""

    def decide() -> Decided[InquiryState]:
        inquiry = _inquiry(run, inquiry_id)
        events = inquiries.answer(inquiry, body.text, run.asked)
        assert inquiry is not None  # noqa: S101 - else it was refused
        mail = leads.letterhead.inquiry_answer(inquiry, body.text)

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            queue(cursor, run.core.settings, mail)

        return Decided(events, _state(inquiry, events), also)

    return run(decide, body)


@router.post("/inquiries/{id}/notes", response_model=InquiryState)
def note_on_inquiry(inquiry_id: Id, body: Text, run: ByAdmin) -> Response:
    """For other admins."""
    return run(lambda: _then(run, inquiry_id, lambda found: inquiries.note(found, body.text, run.asked)), body)


@router.post("/inquiries/{id}/status", response_model=InquiryState)
def move_inquiry(inquiry_id: Id, body: Move, run: ByAdmin) -> Response:
    return run(lambda: _then(run, inquiry_id, lambda found: inquiries.move(found, body.status, run.asked)), body)


@router.post("/inquiries/{id}/assign", response_model=InquiryState)
def assign_inquiry(inquiry_id: Id, body: Assign, run: ByAdmin) -> Response:
    """To an admin, or to nobody."""
    if body.account_id is not None and not _is_admin(run, body.account_id):
        raise conflict("not_an_admin", "Only an admin can look after an inquiry.", "accountId")
    return run(lambda: _then(run, inquiry_id, lambda found: inquiries.assign(found, body.account_id, run.asked)), body)


@router.delete("/inquiries/{id}", status_code=204)
def erase_inquiry(inquiry_id: Id, run: ByAdmin) -> Response:
    """Forgets who wrote and what, everywhere."""

    def decide() -> Decided[Nothing]:
        events = inquiries.erase(_inquiry(run, inquiry_id), run.asked)

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            run.core.keyring.erase_with(cursor, inquiry_id)
            unqueue(cursor, inquiry_id)

        return Decided(events, Nothing(), also)

    return run(decide, status=204)


@router.post("/early-access/{id}/promote", response_model=SignupState)
def promote_signup(signup_id: Id, run: ByAdmin, leads: Desk) -> Response:
    """Gives a free place to somebody who waits, and tells them."""

    def decide() -> Decided[SignupState]:
        events = early_access.promote(leads.places(), _signup(run, signup_id), run.asked)
        promoted = next(event for event in events if isinstance(event, EarlyAccessPromoted))
        answer = SignupState(id=str(signup_id), place=promoted.place)
        return Decided(events, answer, leads.giving(events))

    return run(decide)


@router.post("/early-access/{id}/invite", response_model=SignupState)
def invite_signup(
    signup_id: Id, run: ByAdmin, leads: Desk, registration: Annotated[Registration, Depends(registration_of)]
) -> Response:
    """Mails an invite code, for one account and 30 days, to somebody who has a place; again once it has run out."""
    invite_id, code = uuid7(), invites.new_code()

    def decide() -> Decided[SignupState]:
        signup = _signup(run, signup_id)
        before = leads.invite_of(early_access.there(signup))
        is_used = before is not None and before.uses > 0
        is_open = before is not None and not before.revoked and run.asked.at < before.expires_at
        events = early_access.invite(signup, invite_id, run.asked, is_used=is_used, is_open=is_open)
        contact = leads.contacts.find(signup_id)
        if signup is None or contact is None:
            raise Problem(404, "not_found", "There is no such early-access signup.")
        created = invites.create(invite_id, max_uses=1, days=invites.DEFAULT_DAYS, asked=run.asked)

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            open_invites.keep(cursor, run.core.settings, created, code, registration.code_hash(code))
            queue(cursor, run.core.settings, leads.letterhead.early_access_invite(contact.email, code, signup_id))

        return Decided([created, *events], SignupState(id=str(signup_id), place=signup.place), also)

    return run(decide)


@router.delete("/early-access/{id}", status_code=204)
def end_signup(signup_id: Id, run: ByAdmin, leads: Desk) -> Response:
    """Frees the place, which then is of who waits longest, or the place in line, and forgets the address."""

    def decide() -> Decided[Nothing]:
        events, also = leads.left(_signup(run, signup_id), run.asked)
        return Decided(events, Nothing(), also)

    return run(decide, status=204)


@router.delete("/subscribers/{id}", status_code=204)
def end_subscription(subscription_id: Id, run: ByAdmin, leads: Desk) -> Response:
    """Ends a subscription on somebody's behalf and forgets the address."""
    leads.stop(subscription_id, "admin", run.asked)
    return Response(status_code=204)


def _inquiry(run: Run, inquiry_id: UUID) -> inquiries.Inquiry | None:
    return run.core.store.load(inquiry_id, inquiries.evolve)


def _signup(run: Run, signup_id: UUID) -> early_access.Signup | None:
    return run.core.store.load(signup_id, early_access.evolve)


def _then(
    run: Run, inquiry_id: UUID, decide: Callable[[inquiries.Inquiry | None], list[DomainEvent]]
) -> Decided[InquiryState]:
    inquiry = _inquiry(run, inquiry_id)
    events = decide(inquiry)
    assert inquiry is not None  # noqa: S101 - else it was refused
    return Decided(events, _state(inquiry, events))


def _state(inquiry: inquiries.Inquiry, events: list[DomainEvent]) -> InquiryState:
    for event in events:
        inquiry = inquiries.evolve(inquiry, event)
    assigned = str(inquiry.assigned_to) if inquiry.assigned_to is not None else None
    return InquiryState(id=str(inquiry.id), status=inquiry.status, assigned_to=assigned)


def _is_admin(run: Run, account_id: UUID) -> bool:
    with run.core.pool.connection() as connection:
        found = connection.execute("SELECT 1 FROM auth.admin WHERE account_id = %s", (account_id,)).fetchone()
    return found is not None
