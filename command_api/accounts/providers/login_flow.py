"""Login flow of one browser to a provider and back, and the handoff code for the app's page.

    GET /auth/google -> `begin`: stores a row, sets a cookie -> provider -> GET /auth/google/callback
    -> `complete`: consumes the row, requires the cookie -> `create_handoff_code`: puts a code into the page's URL
    -> POST /auth/exchange -> `redeem`: consumes the code, requires the cookie

A provider's response and a handoff code therefore work only in the browser that began the flow. All values are random
and stored as SHA-256; values that are needed again are stored encrypted.
"""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

import orjson

from command_api.accounts.login_challenge import ProvenIdentity
from command_api.accounts.providers.protocol import FlowSecrets
from command_api.kernel.container import Container
from infra.kernel.security.encryption import decrypt, derived_key, encrypt
from infra.kernel.security.sessions import Headers, hashed, session_cookie

FLOW_LIFE: Final = timedelta(minutes=10)
CODE_LIFE: Final = timedelta(seconds=60)
COOKIE: Final = "oauth_txn"


@dataclass(frozen=True, slots=True)
class Linking:
    """A signed-in person, verified again, links an identity."""

    account_id: UUID
    session_id: UUID


@dataclass(frozen=True, slots=True)
class LoginFlow:
    """A login flow in progress; `return_to` is a path of the app."""

    secrets: FlowSecrets
    linking: Linking | None
    return_to: str | None


class LoginFlows:
    """Thread-safe."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._key = derived_key(container.settings, "provider-sign-in")

    def begin(self, provider: str, linking: Linking | None, return_to: str | None) -> tuple[str, FlowSecrets]:
        """Creates a flow; returns the cookie value and the secrets for the provider."""
        cookie, *parts = (secrets.token_urlsafe(32) for _ in range(4))
        made = FlowSecrets(*parts)
        sealed = encrypt(self._key, orjson.dumps(asdict(made)).decode(), "provider-sign-in")
        values = (hashed(cookie), provider, hashed(made.state), sealed, return_to, *_columns(linking), FLOW_LIFE)
        self._container.execute(_BEGIN, *values)
        return cookie, made

    def complete(self, provider: str, cookie: str, state: str) -> LoginFlow | None:
        """Consumes the flow; `None` for another browser, provider or state, or if expired."""
        rows = self._container.select(_COMPLETE, hashed(cookie), provider, hashed(state))
        if not rows:
            return None
        [(sealed, account_id, session_id, return_to)] = rows
        made = FlowSecrets(**orjson.loads(decrypt(self._key, sealed, "provider-sign-in")))
        return LoginFlow(made, _linking(account_id, session_id), return_to)

    def create_handoff_code(self, cookie: str, identity: ProvenIdentity, linking: Linking | None) -> str:
        """Creates the handoff code for the app's page."""
        code = secrets.token_urlsafe(32)
        sealed = encrypt(self._key, orjson.dumps(asdict(identity)).decode(), "handoff")
        self._container.execute(_HAND_OFF, hashed(code), hashed(cookie), sealed, *_columns(linking), CODE_LIFE)
        return code

    def redeem(self, cookie: str, code: str) -> tuple[ProvenIdentity, Linking | None] | None:
        """Consumes the code; returns identity and purpose, or `None` for another browser, a used or an expired code."""
        rows = self._container.select(_REDEEM, hashed(code), hashed(cookie))
        if not rows:
            return None
        [(sealed, account_id, session_id)] = rows
        return ProvenIdentity(**orjson.loads(decrypt(self._key, sealed, "handoff"))), _linking(account_id, session_id)


def flow_cookie(headers: Headers) -> str | None:
    """Returns the browser's flow cookie."""
    return session_cookie(headers, COOKIE)


def set_flow_cookie(value: str | None, public_url: str) -> str:
    """Returns the `Set-Cookie` value; `None` deletes the cookie. Lax: the redirect from the provider must send it."""
    secure = public_url.startswith("https://")
    name = f"__Host-{COOKIE}" if secure else COOKIE
    age = int(FLOW_LIFE.total_seconds()) if value else 0
    return f"{name}={value or ''}; Path=/; Max-Age={age}; HttpOnly; SameSite=Lax{'; Secure' if secure else ''}"


def _columns(linking: Linking | None) -> tuple[UUID | None, UUID | None]:
    return (linking.account_id, linking.session_id) if linking else (None, None)


def _linking(account_id: UUID | None, session_id: UUID | None) -> Linking | None:
    return Linking(account_id, session_id) if account_id is not None and session_id is not None else None


_BEGIN: Final = (
    "INSERT INTO accounts.provider_sign_in (cookie_hash, provider, state_hash, secrets_sealed, return_to, link_account,"
    " link_session, expires_at) VALUES (%s, %s, %s, %s, %s, %s, %s, now() + %s)"
)
_COMPLETE: Final = (
    "DELETE FROM accounts.provider_sign_in WHERE cookie_hash = %s AND provider = %s AND state_hash = %s"
    " AND expires_at > now() RETURNING secrets_sealed, link_account, link_session, return_to"
)
_HAND_OFF: Final = (
    "INSERT INTO accounts.handoff_code"
    " (code_hash, cookie_hash, identity_sealed, link_account, link_session, expires_at)"
    " VALUES (%s, %s, %s, %s, %s, now() + %s)"
)
_REDEEM: Final = (
    "DELETE FROM accounts.handoff_code WHERE code_hash = %s AND cookie_hash = %s AND expires_at > now()"
    " RETURNING identity_sealed, link_account, link_session"
)
