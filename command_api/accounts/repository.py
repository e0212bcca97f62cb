"""Loads accounts, address reservations and invites. Addresses are found by their keyed hash."""

from __future__ import annotations

from uuid import UUID

from command_api.accounts import model
from command_api.accounts.invites import model as invites
from command_api.kernel.decision import not_found
from command_api.kernel.reader import AggregateReader
from command_api.kernel.unit_of_work import UnitOfWork
from infra.kernel.config.settings import Settings
from infra.kernel.http.problems import Problem
from infra.kernel.security.encryption import derived_key, keyed_hash
from schemas.identity import email_id


def sender_account(uow: UnitOfWork) -> model.Account:
    """Returns the account that sends the command. Raises `Problem` 401 if it does not exist."""
    account = uow.load(uow.context.account_id, model.evolve) if uow.context.account_id is not None else None
    if account is None:
        raise Problem(401, "not_signed_in", "Please sign in.")
    return account


def existing_account(uow: UnitOfWork, account_id: UUID) -> model.Account:
    """Raises `CommandRejected` (missing) for an account that does not exist or was erased."""
    account = uow.load(account_id, model.evolve)
    if account is None or account.erased:
        raise not_found("account")
    return account


def email_hash(settings: Settings, email: str) -> str:
    return keyed_hash(derived_key(settings, "email"), email.strip().casefold())


def reservation_id(settings: Settings, email: str) -> UUID:
    """Returns the id of the address's reservation aggregate."""
    return email_id(email_hash(settings, email))


def email_reservation(uow: UnitOfWork, email: str) -> tuple[UUID, model.Email | None]:
    """Returns the id of the address's reservation and its state."""
    reservation = reservation_id(uow.settings, email)
    return reservation, uow.load(reservation, model.evolve_email)


def usable_invite(source: AggregateReader, invite_id: UUID) -> invites.Invite | None:
    """Returns the invite, or `None` if its owner may no longer sign in."""
    invite = source.load(invite_id, invites.evolve)
    owner = source.load(invite.account_id, model.evolve) if invite is not None else None
    return invite if owner is None or owner.may_sign_in else None
