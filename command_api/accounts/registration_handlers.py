"""Command handlers of registration."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from command_api.accounts import commands, model
from command_api.accounts.credential_handlers import link_identity
from command_api.accounts.invites import codes as invite_codes
from command_api.accounts.invites import model as invites
from command_api.accounts.login_challenge import ByPassword
from command_api.accounts.repository import email_reservation, usable_invite
from command_api.accounts.second_factor import save_pending_secret
from command_api.accounts.sessions import SignInResult, open_platform_session
from command_api.kernel.aggregates import state_after
from command_api.kernel.audit_log import audit
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.unit_of_work import UnitOfWork
from schemas.events.accounts import Role

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.CreateFirstAccount, senders="system")
def create_first_account(command: commands.CreateFirstAccount, uow: UnitOfWork) -> None:
    """Raises `CommandRejected` if an account exists."""
    if uow.select("SELECT 1 FROM accounts.first_account"):
        raise model.already_set_up()
    email_id, reservation = email_reservation(uow, command.email)
    uow.append(
        *model.register(
            reservation,
            account_id=command.account_id,
            email_id=email_id,
            email=command.email.strip(),
            name=command.name.strip(),
            roles=(Role.MEMBER, Role.ANALYST, Role.ADMIN),
            way=command.way,
            context=uow.context,
        )
    )
    uow.cursor.execute("INSERT INTO accounts.first_account (account_id) VALUES (%s)", (command.account_id,))
    _insert_password(uow, command.account_id, command.password_hash)
    uow.cursor.execute("DELETE FROM accounts.setup_token")
    # The events are the system's; the entries name the person.
    audit(uow.cursor, uow.events, command.account_id, command.client)


@HANDLERS.on(commands.Register, senders="accounts")
def register(command: commands.Register, uow: UnitOfWork) -> SignInResult:
    """Registers an account. Invite use, account and address are stored in one transaction, so a failure consumes no
    use. Raises `CommandRejected` for an unusable invite, a used address or a linked identity, and `Problem` 401
    `ticket_ended`."""
    account_id = uow.context.require_account()
    invite = usable_invite(uow, command.invite_id)
    used = invites.use(invite, account_id=account_id, context=uow.context)
    assert invite is not None  # noqa: S101 - using none is refused
    email_id, reservation = email_reservation(uow, command.email)
    *own, reserved = model.register(
        reservation,
        account_id=account_id,
        email_id=email_id,
        email=command.email,
        name=command.name,
        company=command.company,
        roles=(Role.MEMBER,),
        way="invite",
        invite_id=invite.id,
        invited_by=invite.account_id,
        context=uow.context,
    )
    account = state_after(model.evolve, model.evolve(None, own[0]), own[1:])
    uow.append(*used, *own, reserved)
    if invite.has_one_use:
        invite_codes.close(uow, invite.id)
    if isinstance(command.credential, ByPassword):
        _insert_password(uow, account_id, command.credential.password_hash)
    else:
        account = link_identity(uow, account, command.credential)
    uow.append(*model.sign_in(account, session_id=command.session_id, method=command.method, context=uow.context))
    session = open_platform_session(uow.cursor, account, command.session_id, command.client)
    save_pending_secret(uow.cursor, account_id, command.authenticator_secret)
    return SignInResult(account, session, uow.position)


def _insert_password(uow: UnitOfWork, account_id: UUID, password_hash: str) -> None:
    uow.cursor.execute(
        "INSERT INTO accounts.credential (account_id, password_hash) VALUES (%s, %s)", (account_id, password_hash)
    )
