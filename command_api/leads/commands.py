"""Commands of leads. Public forms send them as the system."""

from __future__ import annotations

from dataclasses import field
from typing import Literal
from uuid import UUID

from command_api.kernel.command_handlers import Command
from command_api.leads import schemas
from schemas.events.leads import InquiryStatus
from schemas.http.leads import InquiryState, SignupState


class RequestSubscription(Command[None]):
    """Mails a link that confirms the address; does nothing for a confirmed one."""

    fields: schemas.Subscribe


class ConfirmSubscription(Command[None]):
    """Confirms the subscription whose mailed link was opened."""

    subscription_id: UUID


class EndSubscription(Command[None]):
    """Ends a subscription and deletes the address; harmless when it has ended."""

    subscription_id: UUID
    way: Literal["page", "one_click", "admin"]


class JoinEarlyAccess(Command[None]):
    """Reserves a place or the end of the line for an hour and mails a link that confirms it. Repeated within the hour,
    mails the link again."""

    fields: schemas.EarlyAccess


class ConfirmSignup(Command[None]):
    """Confirms the place, or place in line, whose mailed link was opened."""

    signup_id: UUID


class LeaveEarlyAccess(Command[None]):
    """Releases the place, or place in line, and deletes the address; idempotent."""

    signup_id: UUID


class ExpireSignup(Command[None]):
    """Releases the place, or place in line, if it was not confirmed in time."""

    signup_id: UUID


class EndSignup(Command[None]):
    """Releases the place, or place in line, and deletes the address."""

    signup_id: UUID


class PromoteSignup(Command[SignupState]):
    """Gives a free place to a person on the waiting list and notifies them."""

    signup_id: UUID


class InviteSignup(Command[SignupState]):
    """Mails an invite of the sender to a person who has a place; again once it has expired."""

    signup_id: UUID
    invite_id: UUID
    code: str = field(repr=False)


class ReceiveInquiry(Command[None]):
    """Stores an inquiry. `sends_receipt`: whether the sender gets an email."""

    inquiry_id: UUID
    fields: schemas.Contact
    sends_receipt: bool


class AnswerInquiry(Command[InquiryState]):
    """Mails the text to the sender of the inquiry, and keeps it."""

    inquiry_id: UUID
    text: str


class NoteOnInquiry(Command[InquiryState]):
    """Keeps a text for other admins."""

    inquiry_id: UUID
    text: str


class MoveInquiry(Command[InquiryState]):
    """Changes the status."""

    inquiry_id: UUID
    status: InquiryStatus


class AssignInquiry(Command[InquiryState]):
    """Assigns the inquiry to an admin, or to nobody."""

    inquiry_id: UUID
    account_id: UUID | None


class EraseInquiry(Command[None]):
    """Erases the inquiry and its sender everywhere."""

    inquiry_id: UUID
