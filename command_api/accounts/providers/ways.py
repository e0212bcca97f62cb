"""The way of one browser to a provider and back, and the code that hands over to the app's page.

    GET /auth/google -> `begin`: a row, and a cookie in this browser -> the provider -> GET /auth/google/callback
    -> `come_back`: the row is used, by the browser with the cookie alone -> `hand_over`: a code in the page's address
    -> POST /auth/exchange -> `redeem`: the code is used, by the browser with the cookie alone

So neither an answer of a provider nor a code that somebody else was given does anything in another browser. All of it
is random and kept as SHA-256; what must be used again is sealed.
"""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Final
from uuid import UUID

import orjson

from command_api.accounts.half_signed_in import ProvenIdentity
from command_api.accounts.providers.protocol import Secrets
from infra.identity import Headers, Pool, session_cookie
from infra.sealing import derived_key, seal, unseal
from infra.settings import Settings

WAY_LIFE: Final = timedelta(minutes=10)
CODE_LIFE: Final = timedelta(seconds=60)
COOKIE: Final = "oauth_txn"


@dataclass(frozen=True, slots=True)
class Linking:
    """Somebody who is signed in, and proved it again, wants to link an identity."""

    account_id: UUID
    session_id: UUID


@dataclass(frozen=True, slots=True)
class Way:
    """Under way to a provider; `return_to` is a path of the app."""

    secrets: Secrets
    linking: Linking | None
    return_to: str | None


class Ways:
    """Thread-safe."""

    def __init__(self, pool: Pool, settings: Settings) -> None:
        self._pool = pool
        self._key = derived_key(settings, "provider-sign-in")

    def begin(self, provider: str, linking: Linking | None, return_to: str | None) -> tuple[str, Secrets]:
        """The cookie's value and what goes to the provider."""
        cookie, *parts = (secrets.token_urlsafe(32) for _ in range(4))
        made = Secrets(*parts)
        sealed = seal(self._key, orjson.dumps(asdict(made)).decode(), "provider-sign-in")
        with self._pool.connection() as connection:
            connection.execute(
                "INSERT INTO auth.provider_sign_in (cookie_hash, provider, state_hash, secrets_sealed, return_to,"
                " link_account, link_session, expires_at) VALUES (%s, %s, %s, %s, %s, %s, %s, now() + %s)",
                (_hash(cookie), provider, _hash(made.state), sealed, return_to, *_columns(linking), WAY_LIFE),
            )
        return cookie, made

    def come_back(self, provider: str, cookie: str, state: str) -> Way | None:
        """The way, which ends here; none for another browser, another provider, another state, or too late."""
        with self._pool.connection() as connection:
            row = connection.execute(
                "DELETE FROM auth.provider_sign_in WHERE cookie_hash = %s AND provider = %s AND state_hash = %s"
                " AND expires_at > now() RETURNING secrets_sealed, link_account, link_session, return_to",
                (_hash(cookie), provider, _hash(state)),
            ).fetchone()
        if row is None:
            return None
        sealed, account_id, session_id, return_to = row
        made = Secrets(**orjson.loads(unseal(self._key, sealed, "provider-sign-in")))
        return Way(made, _linking(account_id, session_id), return_to)

    def hand_over(self, cookie: str, identity: ProvenIdentity, linking: Linking | None) -> str:
        """The code for the app's page."""
        code = secrets.token_urlsafe(32)
        sealed = seal(self._key, orjson.dumps(asdict(identity)).decode(), "handoff")
        with self._pool.connection() as connection:
            connection.execute(
                "INSERT INTO auth.handoff_code (code_hash, cookie_hash, identity_sealed, link_account, link_session,"
                " expires_at) VALUES (%s, %s, %s, %s, %s, now() + %s)",
                (_hash(code), _hash(cookie), sealed, *_columns(linking), CODE_LIFE),
            )
        return code

    def redeem(self, cookie: str, code: str) -> tuple[ProvenIdentity, Linking | None] | None:
        """Who was proven, and what for; none for another browser, or a second time, or too late."""
        with self._pool.connection() as connection:
            row = connection.execute(
                "DELETE FROM auth.handoff_code WHERE code_hash = %s AND cookie_hash = %s AND expires_at > now()"
                " RETURNING identity_sealed, link_account, link_session",
                (_hash(code), _hash(cookie)),
            ).fetchone()
        if row is None:
            return None
        sealed, account_id, session_id = row
        return ProvenIdentity(**orjson.loads(unseal(self._key, sealed, "handoff"))), _linking(account_id, session_id)


def way_cookie(headers: Headers) -> str | None:
    """The cookie of the way that this browser is on."""
    return session_cookie(headers, COOKIE)


def set_way_cookie(value: str | None, public_url: str) -> str:
    """The `Set-Cookie` value; none takes the cookie away. Lax: it must come along on the way back from the provider."""
    secure = public_url.startswith("https://")
    name = f"__Host-{COOKIE}" if secure else COOKIE
    age = int(WAY_LIFE.total_seconds()) if value else 0
    return f"{name}={value or ''}; Path=/; Max-Age={age}; HttpOnly; SameSite=Lax{'; Secure' if secure else ''}"


def _columns(linking: Linking | None) -> tuple[UUID | None, UUID | None]:
    return (linking.account_id, linking.session_id) if linking else (None, None)


def _linking(account_id: UUID | None, session_id: UUID | None) -> Linking | None:
    return Linking(account_id, session_id) if account_id is not None and session_id is not None else None


def _hash(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogateescape")).digest()
