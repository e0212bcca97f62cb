"""Command handlers of early access.

From the first append on the store's lock is held: places, line and deadlines that are read after it stay true until the
commit.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from command_api.accounts.invites import codes as invite_codes
from command_api.accounts.invites import model as invites
from command_api.kernel import rate_limits
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import not_found, system_context
from command_api.kernel.event_store import ConcurrencyConflict
from command_api.kernel.process_manager import ProcessManager, issuing
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from command_api.leads import commands, contacts, early_access
from command_api.leads.early_access import EarlyAccessState, Signup
from command_api.leads.mails import LeadMails
from infra.domain.contacts import id_of
from infra.kernel.mail.outbox import Mail
from schemas.base import DomainEvent
from schemas.events.leads import EarlyAccessConfirmed, EarlyAccessJoined, EarlyAccessLeft, EarlyAccessPromoted
from schemas.http.leads import SignupState
from schemas.identity import early_access_places_id

HANDLERS: Final = CommandHandlers()
PLACE_EXPIRY: Final = ProcessManager(
    "leads:place-expiry",
    issuing(commands.ExpireSignup),
    ids="SELECT id FROM leads.contact WHERE held_until IS NOT NULL",
)
"""Ends signups that were not confirmed in time, one after the other: a place that one still held goes to one person."""

_MAILS: Final = rate_limits.Limit("early-access-mail", timedelta(minutes=10), 1)
_MAILS_A_DAY: Final = rate_limits.Limit("early-access-mails", timedelta(days=1), 3)
"""Confirmation emails per mailbox: three in any 24 hours, ten minutes apart."""


class MailLimitReached(Exception):
    """The email limit of the mailbox is reached: nothing is stored, and the visitor is answered as always."""


@HANDLERS.on(commands.JoinEarlyAccess, senders="system")
def join_early_access(command: commands.JoinEarlyAccess, uow: UnitOfWork) -> None:
    """Raises `MailLimitReached`."""
    email, context = command.fields.email, uow.context
    contact = id_of(uow.settings, "early_access", email)
    signup = uow.load(contact, early_access.evolve)
    events = early_access.join(signup, signup_id=contact, context=context)
    uow.append(*events)
    mail = _joined(uow, early_access.evolve(None, events[0]), email) if events else _reminder(uow, signup)
    if mail is None:
        return
    if not rate_limits.try_consume_in(uow.cursor, *((limit, str(contact)) for limit in (_MAILS, _MAILS_A_DAY))):
        raise MailLimitReached
    uow.send(mail)


@HANDLERS.on(commands.ConfirmSignup, senders="system")
def confirm_signup(command: commands.ConfirmSignup, uow: UnitOfWork) -> None:
    signup, places = uow.load(command.signup_id, early_access.evolve), _places(uow)
    waits = contacts.first_in_line(uow) is not None
    events = early_access.confirm(places, signup, somebody_waits=waits, context=uow.context)
    uow.append(*events)
    contacts.confirmed(uow, command.signup_id)
    _notify_promoted(uow, events)
    if len(events) == 1 and signup is not None and signup.place is None:
        _notify_waiting(uow, signup.id, places)


@HANDLERS.on(commands.LeaveEarlyAccess, senders="system")
def leave_early_access(command: commands.LeaveEarlyAccess, uow: UnitOfWork) -> None:
    signup = uow.load(command.signup_id, early_access.evolve)
    if signup is not None and not signup.left:
        _leave(uow, signup)


@HANDLERS.on(commands.EndSignup, senders="admins")
def end_signup(command: commands.EndSignup, uow: UnitOfWork) -> None:
    _leave(uow, early_access.require_active(uow.load(command.signup_id, early_access.evolve)))


@HANDLERS.on(commands.ExpireSignup, senders="system")
def expire_signup(command: commands.ExpireSignup, uow: UnitOfWork) -> None:
    signup = uow.load(command.signup_id, early_access.evolve)
    if signup is None or signup.left:
        contacts.forget(uow, command.signup_id)
    elif signup.is_over(uow.context.at):
        _leave(uow, signup)
    else:  # it was confirmed or promoted meanwhile
        contacts.hold(uow, signup.id, signup.held_until)
        uow.set_timeout(PLACE_EXPIRY.name, signup.id, signup.held_until)


@HANDLERS.on(commands.PromoteSignup, senders="admins")
def promote_signup(command: commands.PromoteSignup, uow: UnitOfWork) -> SignupState:
    signup = uow.load(command.signup_id, early_access.evolve)
    events = early_access.promote(_places(uow), signup, uow.context)
    uow.append(*events)
    _notify_promoted(uow, events)
    place = next(event.place for event in events if isinstance(event, EarlyAccessPromoted))
    return SignupState(id=command.signup_id, place=place)


@HANDLERS.on(commands.InviteSignup, senders="admins")
def invite_signup(command: commands.InviteSignup, uow: UnitOfWork) -> SignupState:
    signup = early_access.require_active(uow.load(command.signup_id, early_access.evolve))
    stored = _invite_of(uow, signup)
    is_used = stored is not None and stored.uses > 0
    is_open = stored is not None and not stored.revoked and uow.context.at < stored.expires_at
    events = early_access.invite(signup, command.invite_id, uow.context, is_used=is_used, is_open=is_open)
    contact = contacts.find(uow, signup.id)
    if contact is None:
        raise not_found("early-access signup")
    created = invites.create(command.invite_id, max_uses=1, days=invites.DEFAULT_DAYS, context=uow.context)
    uow.append(created, *events)
    invite_codes.save(uow, created, command.code)
    uow.send(LeadMails(uow.settings).early_access_invite(contact.email, command.code, signup.id))
    return SignupState.of(signup)


@HANDLERS.after(EarlyAccessJoined, EarlyAccessConfirmed, EarlyAccessLeft)
def set_expiry(event: DomainEvent, uow: Appended) -> None:
    """Sets until when the address is kept without a confirmation, and removes this time with it."""
    held_until = event.held_until if isinstance(event, EarlyAccessJoined) else None
    uow.set_timeout(PLACE_EXPIRY.name, event.originator_id, held_until)


def _places(uow: UnitOfWork) -> EarlyAccessState:
    return uow.load(early_access_places_id(), early_access.evolve_places) or EarlyAccessState()


def _joined(uow: UnitOfWork, signup: Signup, email: str) -> Mail:
    contacts.keep(uow, "early_access", signup.id, email, None)
    contacts.hold(uow, signup.id, signup.held_until)
    return LeadMails(uow.settings).early_access_confirm(email, signup.id, contacts.new_link(uow, signup.id))


def _reminder(uow: UnitOfWork, signup: Signup | None) -> Mail | None:
    """Returns the mail for a person who joins again before the address is confirmed."""
    hours = signup.hours_left(uow.context.at) if signup is not None else 0
    if signup is None or not hours:
        return None
    # The address that signed up: another spelling may be another person's mailbox.
    kept = contacts.find(uow, signup.id)
    if kept is None or not contacts.is_held(uow, signup.id):
        return None
    code = contacts.new_link(uow, signup.id)
    return LeadMails(uow.settings).early_access_again(kept.email, hours, signup.id, code)


def _leave(uow: UnitOfWork, signup: Signup) -> None:
    """Releases a place: the first in line gets it and is notified, and an unused invite is revoked, so that
    registrations never exceed places."""
    invite, heir = _invite_of(uow, signup), _heir(uow) if signup.place is not None else None
    unused = invite if invite is not None and invite.uses == 0 else None
    events = early_access.leave(_places(uow), signup, uow.context, heir)
    revoked = invites.revoke(unused, system_context(uow.context.at)) if unused is not None else []
    uow.append(*events, *revoked)
    if signup.place is not None and contacts.first_in_line(uow) != (heir.id if heir is not None else None):
        raise ConcurrencyConflict("early_access_line")
    contacts.forget(uow, signup.id)
    if unused is not None:
        invite_codes.close(uow, unused.id)
    _notify_promoted(uow, events)


def _heir(uow: UnitOfWork) -> Signup | None:
    """Returns the first in line, or `None` if that person just got a place or left; `_leave` detects that."""
    first = contacts.first_in_line(uow)
    heir = uow.load(first, early_access.evolve) if first is not None else None
    return heir if heir is not None and not heir.left and heir.place is None else None


def _invite_of(uow: UnitOfWork, signup: Signup) -> invites.Invite | None:
    return uow.load(signup.invite_id, invites.evolve) if signup.invite_id is not None else None


def _notify_promoted(uow: UnitOfWork, events: Sequence[DomainEvent]) -> None:
    for event in events:
        if not isinstance(event, EarlyAccessPromoted):
            continue
        contacts.place(uow, event.originator_id, event.place)
        contact = contacts.find(uow, event.originator_id)
        if contact is not None:
            mails = LeadMails(uow.settings)
            uow.send(mails.early_access_place(contact.email, event.place, early_access.PLACES, event.originator_id))


def _notify_waiting(uow: UnitOfWork, signup_id: UUID, places: EarlyAccessState) -> None:
    # If a place was taken or released concurrently, nobody may wait beside a free one.
    uow.require_version(early_access_places_id(), places.version)
    contact = contacts.find(uow, signup_id)
    if contact is not None:
        uow.send(LeadMails(uow.settings).early_access_waiting(contact.email, contacts.line(uow), signup_id))
