"""Sessions of the website-level login: an account's password and a secret key of one of its websites.

They differ from `infra.kernel.security.sessions`: the token has its own prefix, the cookie its own name, and both are
stored in a separate table, so neither opens a route of the other. A session sees its one website alone. Limits are
the same; it also ends with the key that opened it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from psycopg import Connection

from infra.kernel.security.sessions import (
    Headers,
    OpenedSession,
    Pool,
    SessionKind,
    beyond_cap,
    cap_values,
    find_live,
    insert_session,
    set_cookie,
)

COOKIE: Final = "wsid"
PREFIX: Final = "wt_"
"""The prefix of website tokens; a platform token has none."""
_WEBSITE: Final = SessionKind("accounts.website_session", COOKIE, PREFIX, "id, account_id, website_id")


@dataclass(frozen=True, slots=True)
class WebsitePrincipal:
    """The account and the website of a website-level session."""

    account_id: UUID
    website_id: UUID
    session_id: UUID


def authenticate_website(pool: Pool, headers: Headers, method: str) -> WebsitePrincipal:
    """Authenticates as `infra.kernel.security.sessions.authenticate` does, for website tokens. Raises `Problem` 401."""
    session_id, account_id, website_id = find_live(_WEBSITE, pool, headers, method)
    return WebsitePrincipal(account_id, website_id, session_id)


def open_website_session(
    connection: Connection[Any],
    *,
    session_id: UUID,
    account_id: UUID,
    website_id: UUID,
    key_id: UUID,
    user_agent_family: str = "",
    browser: bool = False,
) -> OpenedSession:
    """A new session in the caller's transaction; the cap is as in `infra.kernel.security.sessions.open_session`,
    counted apart."""
    opened = insert_session(
        _WEBSITE,
        connection,
        session_id,
        account_id=account_id,
        website_id=website_id,
        key_id=key_id,
        user_agent_family=user_agent_family,
        browser=browser,
    )
    connection.execute(_END_BEYOND_CAP, {"account": account_id, "new": session_id, **cap_values()})
    return opened


def revoke_website_session(connection: Connection[Any], session_id: UUID) -> None:
    """Ends it, at once and permanently."""
    connection.execute(
        "UPDATE accounts.website_session SET revoked_at = now() WHERE id = %s AND revoked_at IS NULL", (session_id,)
    )


def website_cookie(opened: OpenedSession | None, public_url: str) -> str:
    """The `Set-Cookie` value that sets the session; without one, that deletes it."""
    return set_cookie(opened, public_url, COOKIE)


_END_BEYOND_CAP: Final = (
    f"UPDATE accounts.website_session SET revoked_at = now(){beyond_cap('accounts.website_session')}"  # noqa: S608 - own text
)
