"""`/api/admin/inquiries/*`, `/api/admin/early-access/*`, `/api/admin/subscribers/*`: what admins do about leads."""

from __future__ import annotations

from fastapi import APIRouter, Response

from command_api.accounts.invites import model as invites
from command_api.kernel.http import AdminRuns, Id, RequestModel
from command_api.leads import commands
from command_api.leads.schemas import AssignInquiry, Text
from schemas.events.leads import InquiryStatus
from schemas.http.leads import InquiryState, SignupState
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/admin", tags=["leads"])


class MoveInquiry(RequestModel):
    """The inquiry's next status."""

    status: InquiryStatus


@router.post("/inquiries/{id}/answer", response_model=InquiryState)
def answer_inquiry(inquiry_id: Id, body: Text, run: AdminRuns) -> Response:
    """Sends the text by email and stores it."""
    return run(commands.AnswerInquiry(inquiry_id, body.text), body)


@router.post("/inquiries/{id}/notes", response_model=InquiryState)
def note_on_inquiry(inquiry_id: Id, body: Text, run: AdminRuns) -> Response:
    """For other admins."""
    return run(commands.NoteOnInquiry(inquiry_id, body.text), body)


@router.post("/inquiries/{id}/status", response_model=InquiryState)
def move_inquiry(inquiry_id: Id, body: MoveInquiry, run: AdminRuns) -> Response:
    return run(commands.MoveInquiry(inquiry_id, body.status), body)


@router.post("/inquiries/{id}/assign", response_model=InquiryState)
def assign_inquiry(inquiry_id: Id, body: AssignInquiry, run: AdminRuns) -> Response:
    """To an admin, or to no one."""
    return run(commands.AssignInquiry(inquiry_id, body.account_id), body)


@router.delete("/inquiries/{id}", status_code=204)
def erase_inquiry(inquiry_id: Id, run: AdminRuns) -> Response:
    """Erases the inquiry and its sender everywhere."""
    response = run(commands.EraseInquiry(inquiry_id), status=204)
    run.container.keyring.erase(inquiry_id)  # also what this process remembers
    return response


@router.post("/early-access/{id}/promote", response_model=SignupState)
def promote_signup(signup_id: Id, run: AdminRuns) -> Response:
    """Gives a free place to a person on the waiting list and notifies them."""
    return run(commands.PromoteSignup(signup_id))


@router.post("/early-access/{id}/invite", response_model=SignupState)
def invite_signup(signup_id: Id, run: AdminRuns) -> Response:
    """Emails an invite code, for one account and 30 days, to a person who has a place; again once it has expired."""
    return run(commands.InviteSignup(signup_id, uuid7(), invites.new_code()))


@router.delete("/early-access/{id}", status_code=204)
def end_signup(signup_id: Id, run: AdminRuns) -> Response:
    """Releases the place, or the position on the waiting list, and deletes the address. A free place goes to the person
    who has waited longest.
    """
    return run(commands.EndSignup(signup_id), status=204)


@router.delete("/subscribers/{id}", status_code=204)
def end_subscription(subscription_id: Id, run: AdminRuns) -> Response:
    """Ends a subscription on behalf of the subscriber and deletes the address."""
    run.container.commands.dispatch(commands.EndSubscription(subscription_id, "admin"), run.context)
    return Response(status_code=204)
