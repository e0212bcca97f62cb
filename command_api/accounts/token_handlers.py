"""Command handlers of access tokens, with which programs read the API without a person.

Like the tokens of analysts, they decide nothing that anything else follows from: plain rows and no events. Issuing and
revoking one leaves an entry in the audit trail, in the same transaction.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final, LiteralString
from uuid import UUID

from command_api.accounts import commands
from command_api.accounts.login_challenge import ByPassword, assert_first_factor_unchanged
from command_api.accounts.schemas import CreatedAccessToken
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import conflict, invalid, not_found
from command_api.kernel.unit_of_work import UnitOfWork
from infra.kernel.security.access_tokens import revoke_access_tokens
from infra.kernel.security.audit_log import Entry, record
from infra.kernel.security.sessions import hashed

MAX_TOKENS: Final = 50
DEFAULT_LIFE: Final = timedelta(days=365)
MAX_LIFE: Final = timedelta(days=1_830)
HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.IssueAccessToken, senders="accounts")
def issue_access_token(command: commands.IssueAccessToken, uow: UnitOfWork) -> CreatedAccessToken:
    account_id, at, fields = uow.context.require_account(), uow.context.at, command.fields
    uow.cursor.execute("SELECT pg_advisory_xact_lock(78, hashtext(%s))", (str(account_id),))
    assert_first_factor_unchanged(uow.cursor, account_id, ByPassword(command.password_hash))
    expires_at = fields.expires_at or at + DEFAULT_LIFE
    if not at < expires_at <= at + MAX_LIFE:
        raise invalid("bad_expiry", "A token expires in the future, within five years.", "expiresAt")
    if fields.website_ids is not None:
        _require_own(uow, account_id, fields.website_ids)
    if uow.select(_VALID, account_id)[0][0] >= MAX_TOKENS:
        raise conflict("too_many_tokens", f"You can have {MAX_TOKENS} access tokens. Revoke one first.")
    created = CreatedAccessToken(
        id=command.token_id,
        name=fields.name,
        token=command.token,
        last4=command.token[-4:],
        scopes=sorted(set(fields.scopes)),
        website_ids=None if fields.website_ids is None else sorted(set(fields.website_ids)),
        created_at=at,
        expires_at=expires_at,
        last_used_at=None,
    )
    row = created.model_dump(exclude={"token"}) | {"account_id": account_id, "token_hash": hashed(command.token)}
    uow.cursor.execute(_ISSUE, row)
    details = {"last4": created.last4, "scopes": " ".join(created.scopes)}
    entry = Entry("access_token.issued", "done", account_id, account_id, created.id, details)
    record(uow.cursor, entry, command.client)
    return created


@HANDLERS.on(commands.RevokeAccessToken, senders="accounts")
def revoke_access_token(command: commands.RevokeAccessToken, uow: UnitOfWork) -> None:
    account_id = uow.context.require_account()
    if revoke_access_tokens(uow.cursor, account_id, command.token_id) == 0:
        raise not_found("access token")
    entry = Entry("access_token.revoked", "done", account_id, account_id, command.token_id)
    record(uow.cursor, entry, command.client)


def _require_own(uow: UnitOfWork, account_id: UUID, website_ids: list[UUID]) -> None:
    own = {row[0] for row in uow.select(_OWN_WEBSITES, account_id)}
    if not own.issuperset(website_ids):
        raise not_found("website")


_VALID: Final[LiteralString] = (
    "SELECT count(*) FROM accounts.access_token WHERE account_id = %s AND revoked_at IS NULL AND expires_at > now()"
)
_OWN_WEBSITES: Final[LiteralString] = "SELECT website_id FROM lookup.website WHERE account_id = %s"
_ISSUE: Final[LiteralString] = (
    "INSERT INTO accounts.access_token"
    " (id, account_id, name, token_hash, last4, scopes, website_ids, created_at, expires_at)"
    " VALUES (%(id)s, %(account_id)s, %(name)s, %(token_hash)s, %(last4)s, %(scopes)s, %(website_ids)s,"
    " %(created_at)s, %(expires_at)s)"
)
