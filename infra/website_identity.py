"""Sessions of the website-level login: whoever has an account's password and a secret key of one of its websites.

Another type than `infra.identity`'s in all that matters: the token has its own prefix, the cookie its own name, and
both are kept in a table of their own, so neither opens a route of the other. A session sees its one website alone.
Limits are the same; it also ends with the key that opened it.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from hmac import compare_digest
from typing import Any, Final
from uuid import UUID

from psycopg import Connection

from infra.identity import (
    ABSOLUTE,
    IDLE,
    SAFE_METHODS,
    TOKEN_LIFE,
    TOUCH_AFTER,
    Headers,
    OpenedSession,
    Pool,
    bearer,
    beyond_cap,
    cap_values,
    from_browser,
    hashed,
    not_signed_in,
    session_cookie,
)

COOKIE: Final = "wsid"
PREFIX: Final = "wt_"
"""What a website token starts with; a platform token has none."""


@dataclass(frozen=True, slots=True)
class WebsitePrincipal:
    """Who asks, and about which website alone."""

    account_id: UUID
    website_id: UUID
    session_id: UUID


def authenticate_website(pool: Pool, headers: Headers, method: str) -> WebsitePrincipal:
    """As `infra.identity.authenticate`, for website tokens. Raises `Problem` 401."""
    token, cookie = bearer(headers), session_cookie(headers, COOKIE)
    if token is None and (cookie is None or method not in SAFE_METHODS):
        raise not_signed_in()
    where, secret = ("token_hash", token) if token is not None else ("cookie_hash", cookie)
    if secret is None or (token is not None and not token.startswith(PREFIX)):
        raise not_signed_in()
    with pool.connection() as connection:
        row = connection.execute(_FIND[where], {"hash": hashed(secret), "touch": TOUCH_AFTER, "idle": IDLE}).fetchone()
        if row is None:
            raise not_signed_in()
        session_id, account_id, website_id, cookie_hash, touch, token_is_live, browser = _values(row)
        if token is not None:
            with_cookie = cookie is not None and compare_digest(hashed(cookie), bytes(cookie_hash))
            if not with_cookie and (browser or from_browser(headers) or not token_is_live):
                raise not_signed_in()
        if touch:
            connection.execute(
                "UPDATE auth.website_session SET last_seen_at = now(), token_expires_at = now() + %s WHERE id = %s",
                (TOKEN_LIFE, session_id),
            )
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
    """A new session in the caller's transaction; the cap is as in `infra.identity.open_session`, counted apart."""
    opened = OpenedSession(session_id, secrets.token_urlsafe(32), PREFIX + secrets.token_urlsafe(32))
    connection.execute(
        "INSERT INTO auth.website_session (id, account_id, website_id, key_id, cookie_hash, token_hash,"
        " token_expires_at, expires_at, user_agent_family, browser)"
        " VALUES (%s, %s, %s, %s, %s, %s, now() + %s, now() + %s, %s, %s)",
        (
            session_id,
            account_id,
            website_id,
            key_id,
            hashed(opened.cookie),
            hashed(opened.token),
            TOKEN_LIFE,
            ABSOLUTE,
            user_agent_family,
            browser,
        ),
    )
    connection.execute(_END_BEYOND_CAP, {"account": account_id, "new": session_id, **cap_values()})
    return opened


def revoke_website_session(connection: Connection[Any], session_id: UUID) -> None:
    """Ends it, at once and for good."""
    connection.execute(
        "UPDATE auth.website_session SET revoked_at = now() WHERE id = %s AND revoked_at IS NULL", (session_id,)
    )


def website_cookie(opened: OpenedSession | None, public_url: str) -> str:
    """The `Set-Cookie` value that hands the session to a browser; without one, that takes it away."""
    secure = public_url.startswith("https://")
    name = f"__Host-{COOKIE}" if secure else COOKIE
    value, age = (opened.cookie, int(ABSOLUTE.total_seconds())) if opened is not None else ("", 0)
    return f"{name}={value}; Path=/; Max-Age={age}; HttpOnly; SameSite=Lax{'; Secure' if secure else ''}"


_END_BEYOND_CAP: Final = f"UPDATE auth.website_session SET revoked_at = now(){beyond_cap('auth.website_session')}"  # noqa: S608 - own text
_COLUMNS: Final = ("id", "account_id", "website_id", "cookie_hash", "touch", "token_is_live", "browser")
_FIND: Final = {
    column: (
        "SELECT id, account_id, website_id, cookie_hash, last_seen_at < now() - %(touch)s AS touch,"  # noqa: S608 - own text
        " token_expires_at > now() AS token_is_live, browser FROM auth.website_session"
        f" WHERE {column} = %(hash)s AND revoked_at IS NULL AND expires_at > now() AND last_seen_at > now() - %(idle)s"
    )
    for column in ("token_hash", "cookie_hash")
}


def _values(row: Any) -> tuple[Any, ...]:
    return tuple(row[name] for name in _COLUMNS) if isinstance(row, Mapping) else tuple(row)
