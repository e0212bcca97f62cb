"""Login challenges: incomplete sign-ins whose second factor or account is missing.

A ticket identifies the challenge between requests. It has 256 random bits; `accounts.login_ticket` stores its SHA-256.
It expires after ten minutes and ends with its use or with the fifth wrong code.

A verified identity of a provider (`command_api.accounts.providers`) opens a session, requires the second factor, or, if
no account is linked, an invite: `LoginChallenges.identity(ticket)` prefills the form, and the registration creates
account and link in one transaction.

Never match by email address: `email` only prefills the form. Such an account has no password until its owner sets one
through a password reset.
"""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import orjson
from psycopg import Connection, Cursor

from command_api.kernel.container import Container
from infra.kernel.http.problems import Problem
from infra.kernel.security.client_info import Client
from infra.kernel.security.encryption import decrypt, derived_key, encrypt
from infra.kernel.security.sessions import hashed

LIFE: Final = timedelta(minutes=10)
WRONG_CODES: Final = 5


@dataclass(frozen=True, slots=True)
class ProvenIdentity:
    """An identity verified by a provider. `method` is the provider's name in events (`google`, ...)."""

    method: str
    issuer: str
    subject: str
    email: str = ""
    email_verified: bool = False
    name: str = ""


@dataclass(frozen=True, slots=True)
class ByPassword:
    """The first factor was the password with this hash."""

    password_hash: str


@dataclass(frozen=True, slots=True)
class ByIdentity:
    """The first factor was the linked identity with this keyed hash."""

    subject_hash: str


FirstFactor = ByPassword | ByIdentity


@dataclass(frozen=True, slots=True)
class SecondFactorNeeded:
    """The first factor is correct; a second-factor code is required."""

    ticket: str


@dataclass(frozen=True, slots=True)
class InviteNeeded:
    """The identity is verified but has no account: registration requires an invite."""

    ticket: str


@dataclass(frozen=True, slots=True)
class LoginChallenge:
    """An open challenge for the second factor."""

    hash: bytes
    account_id: UUID
    method: str


class LoginChallenges:
    """Creates, finds and ends login challenges. Thread-safe."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._key = derived_key(container.settings, "login-ticket")

    def create_for_second_factor(self, account_id: UUID, method: str, client: Client, first: FirstFactor) -> str:
        """Returns a new ticket. Raises `Problem` 401 `invalid_credentials` if the first factor was changed."""
        text = secrets.token_urlsafe(32)
        with self._container.pool.connection() as connection, connection.transaction():
            assert_first_factor_unchanged(connection, account_id, first)
            connection.execute(_OPEN, (hashed(text), "second_factor", account_id, method, None, client.network, LIFE))
        return text

    def create_for_registration(self, identity: ProvenIdentity, client: Client) -> str:
        text = secrets.token_urlsafe(32)
        sealed = encrypt(self._key, orjson.dumps(asdict(identity)).decode(), "login-ticket")
        values = (hashed(text), "registration", None, identity.method, sealed, client.network, LIFE)
        self._container.execute(_OPEN, *values)
        return text

    def second_factor(self, ticket: str) -> LoginChallenge:
        """Returns the open challenge. Raises `Problem` 401 `ticket_ended`."""
        account_id, method, _ = self._live(ticket, "second_factor")
        return LoginChallenge(hashed(ticket), account_id, method)

    def latest(self, account_id: UUID, method: str, client: Client) -> LoginChallenge | None:
        """Returns the account's latest challenge from this network, for clients that resend the credentials.

        Raises `Problem` 401 `ticket_ended` after five wrong codes.
        """
        rows = self._container.select(_NEWEST, account_id, method, client.network)
        if not rows:
            return None
        [(token_hash, wrong)] = rows
        if wrong >= WRONG_CODES:
            raise challenge_ended()
        return LoginChallenge(bytes(token_hash), account_id, method)

    def identity(self, ticket: str) -> ProvenIdentity:
        """Returns the verified identity of a pending registration. Raises `Problem` 401 `ticket_ended`."""
        _, _, sealed = self._live(ticket, "registration")
        return ProvenIdentity(**orjson.loads(decrypt(self._key, sealed, "login-ticket")))

    def count_attempt(self, ticket: LoginChallenge) -> None:
        """Consumes one of five attempts before the code is checked. Raises `Problem` 401 `ticket_ended`."""
        if not self._container.execute(_COUNT_ATTEMPT, ticket.hash, WRONG_CODES):
            raise challenge_ended()

    def _live(self, ticket: str, kind: str) -> tuple[Any, ...]:
        rows = self._container.select(_LIVE, hashed(ticket), kind, WRONG_CODES)
        if not rows:
            raise challenge_ended()
        return rows[0]


def consume_challenge(cursor: Cursor[Any] | Connection[Any], ticket: bytes | str) -> None:
    """Ends a challenge in the transaction of its outcome. Raises `Problem` 401 `ticket_ended` if it was used."""
    token_hash = hashed(ticket) if isinstance(ticket, str) else ticket
    ended = "DELETE FROM accounts.login_ticket WHERE token_hash = %s AND expires_at > now()"
    if cursor.execute(ended, (token_hash,)).rowcount != 1:
        raise challenge_ended()


def assert_first_factor_unchanged(cursor: Cursor[Any] | Connection[Any], account_id: UUID, first: FirstFactor) -> None:
    """Locks the first factor in the caller's transaction: a concurrent change waits and then revokes the new session.

    Raises `Problem` 401 `invalid_credentials` if it was changed since it was verified.
    """
    if isinstance(first, ByPassword):
        row = cursor.execute(_SAME_PASSWORD, (account_id, first.password_hash)).fetchone()
    else:
        row = cursor.execute(_SAME_IDENTITY, (account_id, first.subject_hash)).fetchone()
    if row is None:
        raise invalid_credentials()


def invalid_credentials() -> Problem:
    return Problem(401, "invalid_credentials", "Invalid credentials")


def challenge_ended() -> Problem:
    return Problem(401, "ticket_ended", "This sign-in has ended. Please sign in again.")


_OPEN: Final = (
    "INSERT INTO accounts.login_ticket (token_hash, kind, account_id, method, identity_sealed, address, expires_at)"
    " VALUES (%s, %s, %s, %s, %s, %s, now() + %s)"
)
_SAME_PASSWORD: Final = "SELECT 1 FROM accounts.credential WHERE account_id = %s AND password_hash = %s FOR SHARE"  # noqa: S105 - SQL
_SAME_IDENTITY: Final = "SELECT 1 FROM accounts.linked_sign_in WHERE account_id = %s AND subject_hash = %s FOR SHARE"

_LIVE: Final = (
    "SELECT account_id, method, identity_sealed FROM accounts.login_ticket"
    " WHERE token_hash = %s AND kind = %s AND wrong < %s AND expires_at > now()"
)
_COUNT_ATTEMPT: Final = (
    "UPDATE accounts.login_ticket SET wrong = wrong + 1 WHERE token_hash = %s AND wrong < %s AND expires_at > now()"
)
_NEWEST: Final = (
    "SELECT token_hash, wrong FROM accounts.login_ticket WHERE account_id = %s AND kind = 'second_factor'"
    " AND method = %s AND address = %s AND expires_at > now() ORDER BY created_at DESC LIMIT 1"
)
