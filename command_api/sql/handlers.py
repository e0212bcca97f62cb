"""Command handlers of analysts' tokens.

Tokens decide nothing that anything else follows from, so they are plain rows and no events; making and revoking one
leaves an entry in the audit trail, in the same transaction.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final, LiteralString
from uuid import UUID

from command_api.accounts.login_challenge import ByPassword, assert_first_factor_unchanged
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import conflict, not_found
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.sql import commands
from command_api.sql.schemas import CreatedSqlToken
from infra.domain.sql_access.analyst_accounts import token_hash
from infra.kernel.security.audit_log import Entry, record
from schemas.events.accounts import AccountErased

MAX_TOKENS: Final = 10
HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.IssueSqlToken, senders="accounts")
def issue_sql_token(command: commands.IssueSqlToken, uow: UnitOfWork) -> CreatedSqlToken:
    account_id, token_id, at = _locked_sender(uow), command.token_id, uow.context.at
    name, token, last4 = command.fields.name, command.token, command.token[-4:]
    expires_at = at + timedelta(days=command.fields.expires_in_days)
    assert_first_factor_unchanged(uow.cursor, account_id, ByPassword(command.password_hash))
    if uow.select(_LIVE_TOKENS, account_id)[0][0] >= MAX_TOKENS:
        raise conflict("too_many_tokens", f"You can have {MAX_TOKENS} tokens. Revoke one first.")
    uow.cursor.execute(_ISSUE, (token_id, account_id, name, token_hash(token), last4, at, expires_at))
    entry = Entry("analyst.token_issued", "done", account_id, account_id, token_id, {"last4": last4})
    record(uow.cursor, entry, command.client)
    return CreatedSqlToken(
        id=token_id, name=name, token=token, last4=last4, created_at=at, last_used_at=None, expires_at=expires_at
    )


@HANDLERS.on(commands.RevokeSqlToken, senders="accounts")
def revoke_sql_token(command: commands.RevokeSqlToken, uow: UnitOfWork) -> None:
    account_id = uow.context.account_id
    if uow.cursor.execute(_REVOKE, (command.token_id, account_id)).rowcount == 0:
        raise not_found("token")
    entry = Entry("analyst.token_revoked", "done", account_id, account_id, command.token_id)
    record(uow.cursor, entry, command.client)


@HANDLERS.before(AccountErased)
def erase_analyst(event: AccountErased, uow: UnitOfWork) -> None:
    """Deletes the data of an erased analyst. Statements remain without their text: they are the record of access to
    data."""
    for statement in _ERASE:
        uow.cursor.execute(statement, (event.originator_id,))


def _locked_sender(uow: UnitOfWork) -> UUID:
    """The account that acts, locked until the commit: counting and adding belong together."""
    account_id = uow.context.require_account()
    uow.cursor.execute("SELECT pg_advisory_xact_lock(77, hashtext(%s))", (str(account_id),))
    return account_id


_LIVE_TOKENS: Final[LiteralString] = (
    "SELECT count(*) FROM sql.token WHERE account_id = %s AND revoked_at IS NULL AND expires_at > now()"
)
_ISSUE: Final[LiteralString] = (
    "INSERT INTO sql.token (id, account_id, name, token_hash, last4, created_at, expires_at)"
    " VALUES (%s, %s, %s, %s, %s, %s, %s)"
)
_REVOKE: Final[LiteralString] = (
    "UPDATE sql.token SET revoked_at = now() WHERE id = %s AND account_id = %s AND revoked_at IS NULL"
)
_ERASE: Final[tuple[LiteralString, ...]] = (
    "DELETE FROM sql.token WHERE account_id = %s",
    "DELETE FROM sql.saved_query WHERE account_id = %s",
    "UPDATE sql.statement SET text = '', message = '' WHERE account_id = %s",
)
