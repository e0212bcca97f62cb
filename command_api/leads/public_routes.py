"""`/api/public/*`: what anybody may ask for without an account (spec §7): newsletter, early access, contact.

Answers say the same whether we know the address or not.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Request, Response
from psycopg import Cursor
from pydantic import Field

from command_api.accounts import limits
from command_api.accounts.limits import Limit
from command_api.commands import Decided, Repeat
from command_api.http import Answer, Body, From, checked_key
from command_api.leads import inquiries
from command_api.leads.desk import LeadsDesk, now
from command_api.leads.fields import Email, Given, Message, OptionalName, OptionalService, Source
from command_api.leads.newsletter import not_ours
from infra.contacts import stopped_by
from infra.mail import queue
from infra.problems import Problem
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/public", tags=["public"])

PER_VISITOR: Final = Limit("public-form", timedelta(seconds=20), 60)
"""Forms sent from one address."""
NOBODY: Final = UUID(int=0)

STOP_PATH: Final = "/api/public/newsletter/stop/"
"""Mail programs POST a form to it, which no other address takes."""


class Subscribe(Body):
    """`website` is a field that people do not see: whoever fills it in is a program."""

    email: Email
    name: OptionalName = None
    source: Source = "website"
    website: str = Field(default="", max_length=500)


class EarlyAccess(Body):
    email: Email
    website: str = Field(default="", max_length=500)


class Contact(Body):
    first_name: Given
    last_name: Given
    email: Email
    service_interest: OptionalService = None
    message: Message
    website: str = Field(default="", max_length=500)


class MailedLink(Body):
    code: str = Field(min_length=1, max_length=200)


class Done(Answer):
    ok: bool
    message: str


def desk_of(request: Request) -> LeadsDesk:
    desk: LeadsDesk = request.app.state.leads
    return desk


Desk = Annotated[LeadsDesk, Depends(desk_of)]


@router.post("/newsletter/subscribe", response_model=Done)
def subscribe_to_newsletter(body: Subscribe, client: From, desk: Desk) -> Done:
    """Sends a mail whose link confirms the subscription; nothing else is sent before."""
    _charge(desk, client.address)
    if not body.website:
        desk.subscribe(body.email, body.name, body.source)
    return Done(ok=True, message="Please confirm your subscription: we have sent you a mail.")


@router.post("/newsletter/confirm", response_model=Done)
def confirm_subscription(body: MailedLink, client: From, desk: Desk) -> Done:
    """`code`: from the mailed link, once."""
    _charge(desk, client.address)
    desk.confirm(body.code)
    return Done(ok=True, message="You've been subscribed to our newsletter.")


@router.post("/newsletter/unsubscribe", response_model=Done)
def unsubscribe_from_newsletter(body: MailedLink, client: From, desk: Desk) -> Done:
    """`code`: from a mail's unsubscribe link. The address is forgotten."""
    contact = stopped_by(desk.core.settings, "newsletter", body.code)
    if contact is None:
        _charge(desk, client.address)
        raise not_ours()
    desk.stop(contact, "page")
    return Done(ok=True, message="You've been unsubscribed, and your address is deleted.")


@router.post("/newsletter/stop/{token}", response_model=Done)
def stop_newsletter(token: Annotated[str, Path(max_length=200)], client: From, desk: Desk) -> Done:
    """One click in a mail program (RFC 8058): a form, from a server, which the token in the address speaks for.

    However many come from one address: a mail provider sends those of all its users.
    """
    contact = stopped_by(desk.core.settings, "newsletter", token)
    if contact is None:
        _charge(desk, client.address)
        raise Problem(404, "not_found", "There is nothing at this address.")
    desk.stop(contact, "one_click")
    return Done(ok=True, message="You've been unsubscribed, and your address is deleted.")


@router.post("/early-access", response_model=Done)
def sign_up_for_early_access(body: EarlyAccess, client: From, desk: Desk) -> Done:
    """One of the ten places, or the waiting list: the mail says which. An address has one place. It is held for an
    hour, and kept once the mail's link confirmed the address."""
    _charge(desk, client.address)
    if not body.website:
        desk.join_early_access(body.email)
    return Done(ok=True, message="We'll notify you when early access opens.")


@router.post("/early-access/confirm", response_model=Done)
def confirm_early_access(body: MailedLink, client: From, desk: Desk) -> Done:
    """`code`: from the mailed link, once, within the hour."""
    _charge(desk, client.address)
    desk.confirm_early_access(body.code)
    return Done(ok=True, message="Your address is confirmed. We'll notify you when early access opens.")


@router.post("/early-access/leave", response_model=Done)
def leave_early_access(body: MailedLink, client: From, desk: Desk) -> Done:
    """`code`: from a mail about the place or the waiting list. The address is forgotten."""
    contact = stopped_by(desk.core.settings, "early_access", body.code)
    if contact is None:
        _charge(desk, client.address)
        raise not_ours()
    desk.leave_early_access(contact)
    return Done(ok=True, message="You've left early access, and your address is deleted.")


@router.post("/contact", status_code=201, response_model=Done)
def send_inquiry(body: Contact, request: Request, client: From, desk: Desk) -> Response:
    """Reaches the admins' inbox. The sender gets a mail that says so."""
    _charge(desk, client.address)
    core, inquiry_id = desk.core, uuid7()
    answer = Done(ok=True, message="Thank you for your inquiry. We will get back to you soon.")
    may_mail = limits.may_mail(core.pool, f"inquiry:{desk.contacts.mailbox_of(body.email)}")
    mail = desk.letterhead.inquiry_received(body.email, inquiry_id)

    def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
        if may_mail:
            queue(cursor, core.settings, mail)

    if body.website:
        return Response(answer.model_dump_json(), 201, media_type="application/json")

    def decide() -> Decided[Done]:
        received = inquiries.receive(
            inquiry_id,
            first_name=body.first_name,
            last_name=body.last_name,
            email=body.email,
            message=body.message,
            service=body.service_interest,
            asked=now(),
        )
        return Decided([received], answer, also)

    done = core.commands.run(decide, status=201, repeat=_repeat(request, body))
    return Response(done.body, done.status, done.headers, "application/json")


def _charge(desk: LeadsDesk, address: str) -> None:
    limits.charge(desk.core.pool, PER_VISITOR, address)


def _repeat(request: Request, body: Body) -> Repeat | None:
    """A visitor has no account: the key counts for all visitors, and says nothing but that the inquiry arrived."""
    key = request.headers.get("idempotency-key")
    if key is None:
        return None
    return Repeat(checked_key(key), NOBODY, f"POST {request.url.path}", body.model_dump_json(by_alias=True).encode())
