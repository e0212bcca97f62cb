"""Erasure of accounts: deletes the key of a person's data, which makes it unreadable in every log, table and replay.

One transaction ends what identifies the account (address, invites, sessions), deletes its secrets and emails, and turns
the key of the person's data into a tombstone. Ids, amounts and times remain.

A context that stores data of an account handles `AccountErased` (`CommandHandlers.before`): it ends or deletes the data
in the same transaction, or rejects the erasure.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final, LiteralString
from uuid import UUID

from command_api.accounts import commands, model
from command_api.accounts.invites import model as invites
from command_api.accounts.lookups import require_remaining_admin
from command_api.accounts.repository import email_reservation, sender_account
from command_api.accounts.sessions import end_all
from command_api.kernel.audit_log import audit
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.container import Container
from command_api.kernel.decision import CommandContext, not_found
from command_api.kernel.unit_of_work import UnitOfWork
from infra.kernel.mail.outbox import unqueue
from infra.kernel.security.access_tokens import revoke_access_tokens
from infra.kernel.security.client_info import Client
from infra.kernel.security.subject_keys import Keyring

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.EraseAccount, senders="accounts")
def handle_erasure(command: commands.EraseAccount, uow: UnitOfWork) -> None:
    """Raises `CommandRejected` for the last admin and while a deal is open."""
    account = sender_account(uow)
    if account.erased:
        raise not_found("account")
    uow.lock()  # from here on nothing is added that would have to end, too
    end_invites(uow, account.id)
    email_id, reservation = email_reservation(uow, account.email)
    appended = uow.append(
        *model.release_email(account, reservation, email_id, uow.context), *model.erase(account, uow.context)
    )
    if not command.may_be_last_admin:
        require_remaining_admin(appended, account)
    end_all(uow.cursor, account.id)
    revoke_access_tokens(uow.cursor, account.id)
    for statement in _DELETE_ACCOUNT:
        uow.cursor.execute(statement, (account.id,))
    unqueue(uow.cursor, account.id)
    Keyring(uow.pool, uow.settings).erase_with(uow.cursor, account.id)
    # The bus writes no entries for an erased account, which the sender is now.
    audit(uow.cursor, uow.events, account.id, command.client)


def end_invites(uow: UnitOfWork, account_id: UUID) -> None:
    for (invite_id,) in uow.select("SELECT invite_id FROM accounts.invite_code WHERE account_id = %s", account_id):
        uow.append(*invites.revoke(uow.load(invite_id, invites.evolve), uow.context))
    uow.cursor.execute("DELETE FROM accounts.invite_code WHERE account_id = %s", (account_id,))


def repeat_erasures(container: Container) -> int:
    """Repeats erasures that are newer than the restored backup (`operations.to_erase`), before the first request;
    returns their number. Resumable: a finished account is removed from the list."""
    waiting = container.select("SELECT account_id FROM operations.to_erase")
    for (account_id,) in waiting:
        account = container.load(account_id, model.evolve)
        if account is not None and not account.erased:
            # An admin was not the last one then, and must not come back because of that now.
            erase_account(container, account_id, Client(), may_be_last_admin=True)
        container.keyring.erase(account_id)
        container.execute("DELETE FROM operations.to_erase WHERE account_id = %s", account_id)
    return len(waiting)


def erase_account(
    container: Container, account_id: UUID, client: Client, *, may_be_last_admin: bool = False
) -> int | None:
    """Erases the account; returns the position. Raises `CommandRejected` for the last admin and during a deal."""
    command = commands.EraseAccount(client, may_be_last_admin=may_be_last_admin)
    erased = container.commands.dispatch(command, CommandContext(datetime.now(UTC), account_id))
    container.keyring.erase(account_id)  # also what this process remembers
    return erased.position


_DELETE_ACCOUNT: Final[tuple[LiteralString, ...]] = (
    "DELETE FROM accounts.credential WHERE account_id = %s",
    "DELETE FROM accounts.second_factor WHERE account_id = %s",
    "DELETE FROM accounts.recovery_code WHERE account_id = %s",
    "DELETE FROM accounts.login_ticket WHERE account_id = %s",
    "DELETE FROM accounts.linked_sign_in WHERE account_id = %s",
    "DELETE FROM accounts.provider_sign_in WHERE link_account = %s",
    "DELETE FROM accounts.handoff_code WHERE link_account = %s",
    "DELETE FROM accounts.one_time_link WHERE account_id = %s",
    "DELETE FROM accounts.session WHERE account_id = %s",
    "DELETE FROM accounts.website_session WHERE account_id = %s",
    "DELETE FROM accounts.access_token WHERE account_id = %s",
    "DELETE FROM kernel.idempotency WHERE account_id = %s",
    "DELETE FROM kernel.account_usage WHERE account_id = %s",
)
