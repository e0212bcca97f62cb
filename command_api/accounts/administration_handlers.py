"""Command handlers of what admins do with accounts: roles, disabling, ending sessions. One admin always remains."""

from __future__ import annotations

from typing import Final

from command_api.accounts import commands, mails, model, second_factor
from command_api.accounts.lookups import require_remaining_admin
from command_api.accounts.repository import existing_account
from command_api.accounts.schemas import AdminedAccount, to_administered
from command_api.accounts.sessions import end_all
from command_api.kernel.aggregates import state_after
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.unit_of_work import UnitOfWork
from infra.kernel.security.access_tokens import revoke_access_tokens
from infra.kernel.security.sessions import end_streams

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.SetRoles, senders="admins")
def set_roles(command: commands.SetRoles, uow: UnitOfWork) -> AdminedAccount:
    current = existing_account(uow, command.account_id)
    events = model.set_roles(current, command.roles, uow.context)
    account = state_after(model.evolve, current, events)
    if events:
        require_remaining_admin(uow.append(*events), current)
        uow.cursor.execute(
            "UPDATE accounts.session SET roles = %s WHERE account_id = %s",
            (sorted(role.value for role in account.roles), account.id),
        )
        end_streams(uow.cursor.connection, account.id)
    return to_administered(account)


@HANDLERS.on(commands.DisableAccount, senders="admins")
def disable_account(command: commands.DisableAccount, uow: UnitOfWork) -> AdminedAccount:
    current = existing_account(uow, command.account_id)
    events = model.disable(current, command.reason, uow.context)
    if events:
        require_remaining_admin(uow.append(*events), current)
        end_all(uow.cursor, current.id)
        revoke_access_tokens(uow.cursor, current.id)
    return to_administered(state_after(model.evolve, current, events))


@HANDLERS.on(commands.EnableAccount, senders="admins")
def enable_account(command: commands.EnableAccount, uow: UnitOfWork) -> AdminedAccount:
    account = existing_account(uow, command.account_id)
    return to_administered(uow.advance(model.evolve, account, model.enable(account, uow.context)))


@HANDLERS.on(commands.EndAccountSessions, senders="admins")
def end_account_sessions(command: commands.EndAccountSessions, uow: UnitOfWork) -> AdminedAccount:
    account = existing_account(uow, command.account_id)
    uow.append(*model.end_sessions(account, uow.context))
    end_all(uow.cursor, account.id)
    return to_administered(account)


@HANDLERS.on(commands.ResetTwoFactor, senders="admins")
def reset_two_factor(command: commands.ResetTwoFactor, uow: UnitOfWork) -> AdminedAccount:
    account = existing_account(uow, command.account_id)
    uow.append(*model.disable_two_factor(account, uow.context))
    second_factor.disable(uow.cursor, account.id)
    end_all(uow.cursor, account.id)
    uow.send(mails.two_factor_changed(account.email, account.id, uow.settings.app_url, enabled=False))
    return to_administered(account)
