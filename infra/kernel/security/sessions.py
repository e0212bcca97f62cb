"""Sessions of signed-in people. `command_api` opens and ends them, `query_api` reads them.

A session has two different opaque secrets, of which `accounts.session` stores only SHA-256: the cookie (`HttpOnly`,
never visible to scripts) and the token (`Authorization: Bearer`, in the SPA's local storage). The token of a session
that a browser opened works only with that session's cookie, so a token stolen from local storage is useless. A program
signs in without an origin and sends the token alone. Reads may come with the cookie alone, since `EventSource` cannot
set headers; state changes need the token as well.

Limits: a session ends 12 h after sign-in, after 4 h without a request, at sign-out, or when it is revoked. A
program's token must also have been used within the last 15 minutes. An account has at most `MAX_SESSIONS` live
sessions: one more ends the least recently used one. Every request looks the session up (one indexed read, no cache),
so a revoked session ends at once.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from hmac import compare_digest
from typing import Any, Final, LiteralString
from urllib.parse import urlsplit
from uuid import UUID

from psycopg import Connection
from psycopg_pool import ConnectionPool

from infra.kernel.http.problems import Problem
from infra.kernel.postgres.pool import row_values

ABSOLUTE: Final = timedelta(hours=12)
IDLE: Final = timedelta(hours=4)
TOKEN_LIFE: Final = timedelta(minutes=15)
TOUCH_AFTER: Final = timedelta(seconds=60)
MAX_SESSIONS: Final = 100
"""Live sessions of an account; as many of its website logins besides."""

SESSION_ENDED: Final = "session_ended"
"""Postgres sends the id of a revoked session on this channel."""

COOKIE: Final = "sid"
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})

Pool = ConnectionPool[Any]
Headers = Mapping[str, str]
"""Request headers; names must be found whatever their case (Starlette's `Headers`), or be lower case."""


@dataclass(frozen=True, slots=True)
class Principal:
    """The person behind a request."""

    account_id: UUID
    session_id: UUID
    email: str
    name: str
    roles: frozenset[str]
    public_name: str = ""
    """The name that others see."""
    website_ids: frozenset[UUID] | None = None
    """The websites that an access token is for; none: the whole account."""

    @property
    def is_admin(self) -> bool:
        """Returns whether the account is an admin, from the session's row, which a change of roles updates: no new
        sign-in is needed."""
        return "admin" in self.roles

    @property
    def is_moderator(self) -> bool:
        """Judges what members write; admins do as well."""
        return self.is_admin or "moderator" in self.roles


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """The only moment at which a session's secrets are known to us."""

    session_id: UUID
    cookie: str
    token: str


@dataclass(frozen=True, slots=True)
class SessionKind:
    """A table of sessions: the name of its cookie, the begin of its tokens, and the columns that say whose they are."""

    table: LiteralString
    cookie: str
    token_prefix: str
    columns: LiteralString


PLATFORM: Final = SessionKind("accounts.session", COOKIE, "", "id, account_id, email, name, roles, public_name")


def authenticate(pool: Pool, headers: Headers, method: str) -> Principal:
    """The signed-in account of the request. Raises `Problem` 401 when there is no live session.

    Does not check the request's origin: unsafe methods need `refuse_cross_site` as well.
    """
    session_id, account_id, email, name, roles, public_name = find_live(PLATFORM, pool, headers, method)
    return Principal(account_id, session_id, email, name, frozenset(roles), public_name or name)


def find_live(kind: SessionKind, pool: Pool, headers: Headers, method: str) -> list[Any]:
    """`kind.columns` of the request's session. Raises `Problem` 401 when there is no live one."""
    token, cookie = bearer(headers), session_cookie(headers, kind.cookie)
    if token is None and (cookie is None or method not in SAFE_METHODS):
        raise not_signed_in()
    where, secret = ("token_hash", token) if token is not None else ("cookie_hash", cookie)
    if secret is None or (token is not None and not token.startswith(kind.token_prefix)):
        raise not_signed_in()
    find: LiteralString = (
        "SELECT cookie_hash, last_seen_at < now() - %(touch)s AS touch, token_expires_at > now() AS token_is_live,"  # noqa: S608 - own text
        f" browser, {kind.columns} FROM {kind.table} WHERE {where} = %(hash)s AND revoked_at IS NULL"
        " AND expires_at > now() AND last_seen_at > now() - %(idle)s"
    )
    with pool.connection() as connection:
        row = connection.execute(find, {"hash": hashed(secret), "touch": TOUCH_AFTER, "idle": IDLE}).fetchone()
        if row is None:
            raise not_signed_in()
        cookie_hash, touch, token_is_live, browser, *columns = row_values(row)
        if token is not None:
            with_cookie = cookie is not None and compare_digest(hashed(cookie), bytes(cookie_hash))
            if not with_cookie and (browser or from_browser(headers) or not token_is_live):
                raise not_signed_in()
        if touch:
            connection.execute(
                f"UPDATE {kind.table} SET last_seen_at = now(), token_expires_at = now() + %s WHERE id = %s",  # noqa: S608 - own text
                (TOKEN_LIFE, columns[0]),
            )
    return columns


def require_admin(principal: Principal) -> None:
    """Raises `Problem` 403 unless the person is an admin."""
    if not principal.is_admin:
        raise Problem(403, "not_allowed", "Only an admin may do this.")


def refuse_cross_site(headers: Headers, method: str, public_url: str) -> None:
    """Raises `Problem` 403 for an unsafe request that another site's page may have made (CSRF).

    Browsers say where a request comes from (`Sec-Fetch-Site`, else `Origin`); besides, unsafe requests must carry what
    a plain form cannot send: JSON, `X-Requested-With`, or a Bearer token.
    """
    if method in SAFE_METHODS:
        return
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None:
        trusted = site in ("same-origin", "none")
    elif origin is not None:
        host = headers.get("x-forwarded-host") or headers.get("host") or ""
        origin_host = urlsplit(origin).netloc.lower()
        trusted = origin_host != "" and origin_host in (host.lower(), urlsplit(public_url).netloc.lower())
    else:
        trusted = True
    content_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    deliberate = (
        content_type == "application/json"
        or headers.get("x-requested-with") is not None
        or (bearer(headers) is not None and not from_browser(headers))
    )
    if not (trusted and deliberate):
        raise Problem(403, "cross_site", "This request did not come from the app itself.")


def from_browser(headers: Headers) -> bool:
    """Returns whether a browser sent this: only browsers send an origin or a fetch site."""
    return headers.get("origin") is not None or headers.get("sec-fetch-site") is not None


def open_session(
    connection: Connection[Any],
    *,
    account_id: UUID,
    session_id: UUID,
    email: str,
    name: str,
    roles: Collection[str],
    public_name: str | None = None,
    user_agent_family: str = "",
    country: str = "ZZ",
    browser: bool = False,
) -> OpenedSession:
    """A new session in the caller's transaction; new secrets every time (no fixation). `browser`: one opened it, so the
    token works only with the cookie. Above the cap, the session that was used least recently ends.

    Transactions that open sessions run one after the other (the store's lock): what is counted here holds.
    """
    opened = insert_session(
        PLATFORM,
        connection,
        session_id,
        account_id=account_id,
        email=email,
        name=name,
        roles=sorted(roles),
        public_name=public_name,
        user_agent_family=user_agent_family,
        country=country,
        browser=browser,
    )
    connection.execute(
        _REVOKE + beyond_cap("accounts.session") + _NOTIFY, {"account": account_id, "new": session_id, **cap_values()}
    )
    return opened


def insert_session(kind: SessionKind, connection: Connection[Any], session_id: UUID, **columns: Any) -> OpenedSession:
    """A row of `kind.table` with new secrets; `columns` besides those that every kind has."""
    opened = OpenedSession(session_id, secrets.token_urlsafe(32), kind.token_prefix + secrets.token_urlsafe(32))
    values = {"id": session_id, "cookie_hash": hashed(opened.cookie), "token_hash": hashed(opened.token), **columns}
    connection.execute(
        f"INSERT INTO {kind.table} (token_expires_at, expires_at, {', '.join(values)})"  # noqa: S608 - own names
        f" VALUES (now() + %s, now() + %s{', %s' * len(values)})".encode(),
        (TOKEN_LIFE, ABSOLUTE, *values.values()),
    )
    return opened


def beyond_cap(table: LiteralString) -> LiteralString:
    """The condition of an UPDATE: live sessions of `account` above the cap, least recently used; `new` is not one."""
    return (
        f" WHERE id IN (SELECT id FROM {table} WHERE account_id = %(account)s AND id <> %(new)s AND revoked_at IS NULL"  # noqa: S608 - own text
        " AND expires_at > now() AND last_seen_at > now() - %(idle)s"
        " ORDER BY last_seen_at DESC, created_at DESC, id DESC OFFSET %(others)s)"
    )


def cap_values() -> dict[str, Any]:
    """Returns the values that `beyond_cap` needs besides the account and the new session."""
    return {"idle": IDLE, "others": MAX_SESSIONS - 1}


def revoke_session(connection: Connection[Any], session_id: UUID) -> None:
    """Ends one session, at once and permanently; its open streams are closed."""
    connection.execute(_REVOKE + " WHERE id = %s AND revoked_at IS NULL" + _NOTIFY, (session_id,))


def revoke_sessions(connection: Connection[Any], account_id: UUID, except_for: UUID | None = None) -> None:
    """Ends the sessions of an account, except the current one; their open streams are closed."""
    connection.execute(
        _REVOKE + " WHERE account_id = %s AND revoked_at IS NULL AND id IS DISTINCT FROM %s" + _NOTIFY,
        (account_id, except_for),
    )


def end_streams(connection: Connection[Any], account_id: UUID) -> None:
    """Closes the open streams of an account's sessions and access tokens, which stay valid: a new stream is authorized
    again."""
    for table in ("accounts.session", "accounts.access_token"):
        connection.execute(
            f"SELECT pg_notify(%s, id::text) FROM {table} WHERE account_id = %s AND revoked_at IS NULL".encode(),  # noqa: S608 - own names
            (SESSION_ENDED, account_id),
        )


_REVOKE: Final = "WITH ended AS (UPDATE accounts.session SET revoked_at = now()"
_NOTIFY: Final = f" RETURNING id) SELECT pg_notify('{SESSION_ENDED}', id::text) FROM ended"  # noqa: S608 - own text


def set_cookie(opened: OpenedSession | None, public_url: str, name: str = COOKIE) -> str:
    """The `Set-Cookie` value that hands a session to a browser; without one, that deletes it."""
    value, age = (opened.cookie, int(ABSOLUTE.total_seconds())) if opened is not None else ("", 0)
    begin, end = ("__Host-", "; Secure") if public_url.startswith("https://") else ("", "")
    return f"{begin}{name}={value}; Path=/; Max-Age={age}; HttpOnly; SameSite=Lax{end}"


def session_cookie(headers: Headers, name: str = COOKIE) -> str | None:
    """The session cookie's value, the `__Host-` one first: a subdomain cannot plant that one."""
    cookies: dict[str, str] = {}
    for part in headers.get("cookie", "").split(";"):
        key, equals, value = part.strip().partition("=")
        if equals:
            cookies.setdefault(key, value)
    return cookies.get(f"__Host-{name}") or cookies.get(name) or None


def not_signed_in() -> Problem:
    """401, the same text for every reason, so that the cause is not disclosed."""
    return Problem(401, "not_signed_in", "Please sign in.", headers={"WWW-Authenticate": "Bearer"})


def bearer(headers: Headers) -> str | None:
    """The token of an `Authorization` header."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def hashed(secret: str) -> bytes:
    """The stored hash of a session's secret."""
    return sha256(secret.encode("utf-8", "surrogateescape")).digest()
