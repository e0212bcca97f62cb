"""Command handlers of credentials, linked sign-ins and the profile.

Each change of credentials ends other sessions and website sessions and revokes pending links.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from command_api.accounts import commands, mails, model, second_factor
from command_api.accounts.login_challenge import consume_challenge
from command_api.accounts.one_time_links import consume_link, invalid_link
from command_api.accounts.repository import email_reservation, sender_account
from command_api.accounts.schemas import to_profile
from command_api.accounts.sessions import end_all
from command_api.kernel.aggregates import state_after
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import conflict, not_found
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.websites.model import known_timezone
from infra.kernel.security.access_tokens import revoke_access_tokens
from infra.kernel.security.oauth_providers import configured, label_of
from schemas.http.accounts import Profile

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.UpdateProfile, senders="accounts")
def update_profile(command: commands.UpdateProfile, uow: UnitOfWork) -> Profile:
    fields = command.fields
    timezone = known_timezone(fields.timezone) if fields.timezone is not None else None
    account = sender_account(uow)
    events = model.change_profile(
        account,
        name=fields.name,
        display_name=fields.display_name,
        company=fields.company,
        timezone=timezone,
        context=uow.context,
    )
    account = uow.advance(model.evolve, account, events)
    if events:
        uow.cursor.execute(_RENAME_SESSIONS, (account.name, account.public_name, account.id))
    return to_profile(account)


@HANDLERS.on(commands.ChangePassword, senders="accounts")
def change_password(command: commands.ChangePassword, uow: UnitOfWork) -> None:
    account = sender_account(uow)
    uow.append(*model.change_password(account, "change", uow.context))
    _replace_password(uow, account, command.password_hash, keep_session=command.keep_session)


@HANDLERS.on(commands.ResetPassword, senders="accounts")
def reset_password(command: commands.ResetPassword, uow: UnitOfWork) -> None:
    """Raises `Problem` 400 `bad_link`."""
    account = sender_account(uow)
    uow.append(*model.change_password(account, "reset", uow.context))
    consume_link(uow.cursor, "password_reset", command.link_code)
    _replace_password(uow, account, command.password_hash, keep_session=None)


@HANDLERS.on(commands.ChangeEmail, senders="accounts")
def change_email(command: commands.ChangeEmail, uow: UnitOfWork) -> None:
    """Raises `Problem` 400 `bad_link`, and `CommandRejected` for an address in use."""
    account = sender_account(uow)
    if not account.may_sign_in:
        raise invalid_link()
    old_id, old = email_reservation(uow, account.email)
    new_id, new = email_reservation(uow, command.email)
    uow.append(
        *model.change_email(
            account, old=old, old_id=old_id, new=new, new_id=new_id, email=command.email, context=uow.context
        )
    )
    consume_link(uow.cursor, "email_change", command.link_code)
    uow.cursor.execute("UPDATE accounts.session SET email = %s WHERE account_id = %s", (command.email, account.id))
    _revoke_access(uow, account.id, command.keep_session)
    uow.send(mails.email_changed(account.email, account.id, uow.settings.app_url))


@HANDLERS.on(commands.EnableTwoFactor, senders="accounts")
def enable_two_factor(command: commands.EnableTwoFactor, uow: UnitOfWork) -> None:
    """Raises `CommandRejected` after a concurrent setup."""
    account = sender_account(uow)
    uow.append(*model.enable_two_factor(account, len(command.recovery_code_hashes), uow.context))
    if not second_factor.enable(uow.cursor, account.id, command.confirmed):
        raise conflict("nothing_to_confirm", "There is no second factor to set up.")
    second_factor.save_recovery_codes(uow.cursor, account.id, command.recovery_code_hashes)
    _revoke_access(uow, account.id, command.keep_session)
    uow.send(mails.two_factor_changed(account.email, account.id, uow.settings.app_url, enabled=True))


@HANDLERS.on(commands.DisableTwoFactor, senders="accounts")
def disable_two_factor(command: commands.DisableTwoFactor, uow: UnitOfWork) -> None:
    account = sender_account(uow)
    uow.append(*model.disable_two_factor(account, uow.context))
    second_factor.disable(uow.cursor, account.id)
    _revoke_access(uow, account.id, command.keep_session)
    uow.send(mails.two_factor_changed(account.email, account.id, uow.settings.app_url, enabled=False))


@HANDLERS.on(commands.ReplaceRecoveryCodes, senders="accounts")
def replace_recovery_codes(command: commands.ReplaceRecoveryCodes, uow: UnitOfWork) -> None:
    account = sender_account(uow)
    uow.append(*model.make_recovery_codes(account, len(command.recovery_code_hashes), uow.context))
    second_factor.save_recovery_codes(uow.cursor, account.id, command.recovery_code_hashes)
    _revoke_access(uow, account.id, command.keep_session)


@HANDLERS.on(commands.UseRecoveryCode, senders="accounts")
def use_recovery_code(command: commands.UseRecoveryCode, uow: UnitOfWork) -> None:
    """Raises `RecoveryCodeSpent`."""
    account = sender_account(uow)
    uow.append(*model.use_recovery_code(account, uow.context))
    if not second_factor.consume_recovery_code(uow.cursor, account.id, command.number):
        raise second_factor.RecoveryCodeSpent


@HANDLERS.on(commands.LinkSignIn, senders="accounts")
def link_sign_in(command: commands.LinkSignIn, uow: UnitOfWork) -> None:
    """Links the sign-in and notifies the owner by email. Raises `CommandRejected` if the identity belongs to another
    account."""
    account, identity = sender_account(uow), command.identity
    if _owner(uow, identity.subject_hash) == account.id:
        return
    link_identity(uow, account, identity)
    _send_sign_in_changed(uow, account, identity.provider, linked=True)


@HANDLERS.on(commands.UnlinkSignIn, senders="accounts")
def unlink_sign_in(command: commands.UnlinkSignIn, uow: UnitOfWork) -> None:
    """Raises `CommandRejected`: missing, or the only way to sign in."""
    account = sender_account(uow)  # before the rows, so that a later change of them is a conflict
    rows = uow.select(
        "SELECT id, provider, subject_hash FROM accounts.linked_sign_in WHERE account_id = %s", account.id
    )
    links = {link_id: (provider, subject) for link_id, provider, subject in rows}
    if command.link_id not in links:
        raise not_found("linked sign-in")
    provider, subject = links.pop(command.link_id)
    usable = configured(uow.settings)
    has_password = uow.select("SELECT 1 FROM accounts.credential WHERE account_id = %s", account.id)
    other_way_in = bool(has_password) or any(name in usable for name, _ in links.values())
    uow.append(*model.unlink_sign_in(account, provider, subject, other_way_in=other_way_in, context=uow.context))
    uow.cursor.execute("DELETE FROM accounts.linked_sign_in WHERE id = %s", (command.link_id,))
    end_all(uow.cursor, account.id, command.keep_session)
    _send_sign_in_changed(uow, account, provider, linked=False)


def link_identity(uow: UnitOfWork, account: model.Account, identity: commands.NewIdentity) -> model.Account:
    """Links the identity and ends its ticket; returns the account after it. Raises `CommandRejected` for an identity
    that is linked, and `Problem` 401 `ticket_ended`."""
    if _owner(uow, identity.subject_hash) is not None:
        label = label_of(identity.provider)
        raise conflict("linked_elsewhere", f"This {label} sign-in already belongs to an account.")
    events = model.link_sign_in(account.id, account.version, identity.provider, identity.subject_hash, uow.context)
    uow.append(*events)
    if identity.ticket is not None:
        consume_challenge(uow.cursor, identity.ticket)
    uow.cursor.execute(
        "INSERT INTO accounts.linked_sign_in (id, subject_hash, account_id, provider, label_sealed)"
        " VALUES (%s, %s, %s, %s, %s)",
        (identity.id, identity.subject_hash, account.id, identity.provider, identity.label),
    )
    return state_after(model.evolve, account, events)


def _owner(uow: UnitOfWork, subject_hash: str) -> UUID | None:
    rows = uow.select("SELECT account_id FROM accounts.linked_sign_in WHERE subject_hash = %s", subject_hash)
    return rows[0][0] if rows else None


def _replace_password(
    uow: UnitOfWork, account: model.Account, password_hash: str, *, keep_session: UUID | None
) -> None:
    uow.cursor.execute(
        "INSERT INTO accounts.credential (account_id, password_hash) VALUES (%s, %s) ON CONFLICT (account_id)"
        " DO UPDATE SET password_hash = excluded.password_hash, updated_at = now()",
        (account.id, password_hash),
    )
    _revoke_access(uow, account.id, keep_session)
    uow.cursor.execute(
        "UPDATE sql.token SET revoked_at = now() WHERE account_id = %s AND revoked_at IS NULL", (account.id,)
    )
    revoke_access_tokens(uow.cursor, account.id)
    uow.send(mails.password_changed(account.email, account.id, uow.settings.app_url))


def _revoke_access(uow: UnitOfWork, account_id: UUID, keep_session: UUID | None) -> None:
    """Ends sessions and links of the old credentials."""
    end_all(uow.cursor, account_id, keep_session)
    uow.cursor.execute("DELETE FROM accounts.one_time_link WHERE account_id = %s", (account_id,))


def _send_sign_in_changed(uow: UnitOfWork, account: model.Account, provider: str, *, linked: bool) -> None:
    label = label_of(provider)
    uow.send(mails.sign_in_changed(account.email, account.id, uow.settings.app_url, label, linked=linked))


_RENAME_SESSIONS: Final = "UPDATE accounts.session SET name = %s, public_name = %s WHERE account_id = %s"
