"""Access tokens of programs that run without a person (`Authorization: Bearer althing_…`).

`command_api` issues and revokes them, `query_api` accepts them for reads: a token with scope `read` reads what its
account may read, or the websites that it names and nothing else. Only the hash is stored. Every request looks the token
up (one indexed read, no cache), so a revoked or expired one ends at once, its open streams with it.
"""

from __future__ import annotations

from typing import Any, Final, LiteralString
from uuid import UUID

from psycopg import Cursor

from infra.kernel.http.problems import Problem
from infra.kernel.postgres.pool import row_values
from infra.kernel.security.sessions import (
    SAFE_METHODS,
    SESSION_ENDED,
    Headers,
    Pool,
    Principal,
    authenticate,
    bearer,
    hashed,
    not_signed_in,
)

PREFIX: Final = "althing_"
READ: Final = "read"
WRITE: Final = "write"
"""No token has it: what commands and statements need."""


def authenticate_caller(pool: Pool, headers: Headers, method: str) -> Principal:
    """The account of a session, or for a read that of an access token. Raises `Problem` 401, and 403 `missing_scope`
    for a token that may not do this."""
    token = bearer(headers)
    if token is None or not token.startswith(PREFIX):
        return authenticate(pool, headers, method)
    return _principal_of(pool, token, READ if method in SAFE_METHODS else WRITE)


def refuse_access_token(pool: Pool, headers: Headers) -> None:
    """Raises `Problem` 403 `missing_scope` for a request with an access token, 401 if it is not valid."""
    token = bearer(headers)
    if token is not None and token.startswith(PREFIX):
        _principal_of(pool, token, WRITE)


def require_whole_account(principal: Principal) -> None:
    """Raises `Problem` 403 for a token of single websites: this is about the account itself."""
    if principal.website_ids is not None:
        message = "This access token reads its websites alone. Create one for the whole account to read this."
        raise Problem(403, "websites_only", message)


def revoke_access_tokens(cursor: Cursor[Any], account_id: UUID, token_id: UUID | None = None) -> int:
    """Ends the account's tokens, or the one, with their open streams; returns how many were valid."""
    values = {"account": account_id, "token": token_id, "channel": SESSION_ENDED}
    return cursor.execute(_REVOKE, values).rowcount


def _principal_of(pool: Pool, token: str, scope: str) -> Principal:
    with pool.connection() as connection:
        row = connection.execute(_FIND, (hashed(token),)).fetchone()
        if row is None:
            raise not_signed_in()
        token_id, account_id, scopes, website_ids, touch, roles = row_values(row)
        if touch:
            connection.execute(_TOUCH, (token_id,))
    if scope not in scopes:
        raise Problem(403, "missing_scope", f"This access token lacks the scope {scope}.", more={"scope": scope})
    limit = None if website_ids is None else frozenset(website_ids)
    held = frozenset(("member", *roles)) if limit is None else frozenset(("member",))
    return Principal(account_id, token_id, "", "", held, website_ids=limit)


_FIND: Final[LiteralString] = (
    "SELECT t.id, t.account_id, t.scopes, t.website_ids,"
    " coalesce(t.last_used_at < now() - interval '1 minute', true), coalesce(h.roles, '{}')"
    # The roles are the write side's: no record in the log gives anybody one.
    " FROM accounts.access_token AS t LEFT JOIN lookup.role_holder AS h ON h.account_id = t.account_id"
    " WHERE t.token_hash = %s AND t.revoked_at IS NULL AND t.expires_at > now()"
)
_TOUCH: Final[LiteralString] = "UPDATE accounts.access_token SET last_used_at = now() WHERE id = %s"
_REVOKE: Final[LiteralString] = (
    "WITH ended AS (UPDATE accounts.access_token SET revoked_at = now() WHERE account_id = %(account)s"
    " AND (%(token)s::uuid IS NULL OR id = %(token)s) AND revoked_at IS NULL RETURNING id)"
    " SELECT pg_notify(%(channel)s, id::text) FROM ended"
)
