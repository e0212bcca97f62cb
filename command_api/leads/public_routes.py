"""`/api/public/*`: endpoints that need no account (spec §7): newsletter, early access, contact.

Answers say the same whether we know the address or not: they have no `X-Position`, except an inquiry's.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Request, Response

from command_api.kernel import rate_limits
from command_api.kernel.command_handlers import Command
from command_api.kernel.decision import system_context
from command_api.kernel.http import Confirmation, From, container_of, idempotency_request
from command_api.kernel.rate_limits import Limit
from command_api.leads import commands, contacts, early_access, newsletter
from command_api.leads.early_access_handlers import MailLimitReached
from command_api.leads.schemas import Contact, EarlyAccess, MailedLink, Subscribe
from infra.domain.contacts import Kind
from infra.domain.unsubscribe import verify_unsubscribe_token
from infra.kernel.http.problems import Problem
from infra.kernel.http.route_costs import PUBLIC, routes_of
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/public", tags=["public"], route_class=routes_of(PUBLIC))

PER_VISITOR: Final = Limit("public-form", timedelta(seconds=20), 60)
"""Forms sent from one address."""
ANONYMOUS: Final = UUID(int=0)

UNSUBSCRIBED: Final = "You've been unsubscribed, and your address is deleted."
STOP_PATH: Final = "/api/public/newsletter/stop/"
"""Mail programs POST a form to it, which no other address takes."""


class Visitor:
    """A visitor without an account. Commands of public forms are the system's."""

    def __init__(self, request: Request, client: From) -> None:
        self.container = container_of(request)
        self._address = client.address

    def charge(self) -> None:
        """Consumes one form of the address. Raises `Problem` 429."""
        rate_limits.consume(self.container.pool, PER_VISITOR, self._address)

    def may_mail(self, kind: str, email: str) -> bool:
        """Returns whether the mailbox may get one more mail of this kind, which is then used up."""
        mailbox = contacts.mailbox_of(self.container.settings, email)
        return rate_limits.try_consume_mail(self.container.pool, f"{kind}:{mailbox}")

    def confirmed(self, kind: Kind, code: str, otherwise: Exception) -> UUID:
        """Returns the contact of a mailed link, once. Raises `otherwise`."""
        self.charge()
        contact = contacts.linked(self.container, kind, code)
        if contact is None:
            raise otherwise
        return contact

    def unsubscribed(self, kind: Kind, token: str, otherwise: Exception) -> UUID:
        """Returns the contact of an unsubscribe token. Raises `otherwise`; only wrong tokens are limited."""
        contact = verify_unsubscribe_token(self.container.settings, kind, token)
        if contact is None:
            self.charge()
            raise otherwise
        return contact

    def send(self, command: Command[None], message: str) -> Confirmation:
        """Dispatches the command; returns the confirmation."""
        self.container.commands.dispatch(command, system_context())
        return Confirmation(message=message)


VisitorDep = Annotated[Visitor, Depends()]


@router.post("/newsletter/subscribe", response_model=Confirmation)
def subscribe_to_newsletter(body: Subscribe, visitor: VisitorDep) -> Confirmation:
    """Emails a link that confirms the subscription; nothing else is sent before."""
    visitor.charge()
    message = "Please confirm your subscription: we have sent you an email."
    if not body.website and visitor.may_mail("newsletter", body.email):
        return visitor.send(commands.RequestSubscription(body), message)
    return Confirmation(message=message)


@router.post("/newsletter/confirm", response_model=Confirmation)
def confirm_subscription(body: MailedLink, visitor: VisitorDep) -> Confirmation:
    """`code`: from the emailed link; works once."""
    subscription_id = visitor.confirmed("newsletter", body.code, newsletter.link_invalid())
    return visitor.send(commands.ConfirmSubscription(subscription_id), "You've been subscribed to our newsletter.")


@router.post("/newsletter/unsubscribe", response_model=Confirmation)
def unsubscribe_from_newsletter(body: MailedLink, visitor: VisitorDep) -> Confirmation:
    """`code`: from an email's unsubscribe link. The address is deleted."""
    contact = visitor.unsubscribed("newsletter", body.code, newsletter.link_incomplete())
    return visitor.send(commands.EndSubscription(contact, "page"), UNSUBSCRIBED)


@router.post("/newsletter/stop/{token}", response_model=Confirmation)
def stop_newsletter(token: Annotated[str, Path(max_length=200)], visitor: VisitorDep) -> Confirmation:
    """One click in a mail program (RFC 8058): a form, from a server, which the token in the address speaks for.

    However many come from one address: a mail provider sends those of all its users.
    """
    otherwise = Problem(404, "not_found", "There is nothing at this address.")
    contact = visitor.unsubscribed("newsletter", token, otherwise)
    return visitor.send(commands.EndSubscription(contact, "one_click"), UNSUBSCRIBED)


@router.post("/early-access", response_model=Confirmation)
def sign_up_for_early_access(body: EarlyAccess, visitor: VisitorDep) -> Confirmation:
    """Emails a link that confirms the address. Until then it has no place and no position in line."""
    visitor.charge()
    message = "We'll notify you when early access opens."
    if not body.website:
        with suppress(MailLimitReached):
            visitor.send(commands.JoinEarlyAccess(body), message)
    return Confirmation(message=message)


@router.post("/early-access/confirm", response_model=Confirmation)
def confirm_early_access(body: MailedLink, visitor: VisitorDep) -> Confirmation:
    """Assigns one of the ten places, or a position on the waiting list: an email says which. An address has one place.
    `code`: from the emailed link; works once, for a day."""
    signup_id = visitor.confirmed("early_access", body.code, early_access.link_invalid())
    message = "Your address is confirmed. We'll notify you when early access opens."
    return visitor.send(commands.ConfirmSignup(signup_id), message)


@router.post("/early-access/leave", response_model=Confirmation)
def leave_early_access(body: MailedLink, visitor: VisitorDep) -> Confirmation:
    """`code`: from an email about the place or the waiting list. The address is deleted."""
    contact = visitor.unsubscribed("early_access", body.code, newsletter.link_incomplete())
    message = "You've left early access, and your address is deleted."
    return visitor.send(commands.LeaveEarlyAccess(contact), message)


@router.post("/contact", status_code=201, response_model=Confirmation)
def send_inquiry(body: Contact, request: Request, visitor: VisitorDep) -> Response:
    """Sends a message to the admins' inbox. The sender gets a confirmation by email."""
    visitor.charge()
    answer = Confirmation(message="Thank you for your inquiry. We will get back to you soon.").model_dump_json()
    command = commands.ReceiveInquiry(uuid7(), body, sends_receipt=visitor.may_mail("inquiry", body.email))
    if body.website:
        return Response(answer, 201, media_type="application/json")
    # A visitor has no account: the key counts for all visitors, and says nothing but that the inquiry arrived.
    again = idempotency_request(request, ANONYMOUS, body)
    done = visitor.container.commands.respond(command, system_context(), status=201, idempotency=again)
    return Response(answer, done.status, done.headers, "application/json")
