"""Sign-ins that are not finished: what came so far is proven, but the second factor, or an account, is missing.

A ticket carries such a sign-in from one request to the next. It is 256 random bits, of which `auth.login_ticket` keeps
the SHA-256; it lives ten minutes and ends with its use, or with the fifth wrong code.

**For sign-in with a provider** (`command_api.accounts.providers`): once the provider has proven who somebody is,

1. look up whose account the identity (issuer, subject) is linked to: an account's id, or nobody's;
2. call `Accounts.sign_in_proven(identity, account_id, client, subject_hash=...)`. It gives one of
   - `Entered`: a session was opened; answer it as `/api/platform/login` does (`routes.session_answer`);
   - `SecondFactorNeeded(ticket)`: the account has a second factor; answer `{requires2FA: true, ticket}`. The app then
     posts `{ticket, twoFactorCode | recoveryCode}` to `/api/platform/login/second-factor`, which stands already;
   - `InviteNeeded(ticket)`: nobody's account. Keep the ticket for the page that asks for the invite code;
3. for that page: `Tickets.identity(ticket)` tells name and address to fill in, and
   `Registration.register_proven(ticket, invite_code, email, name, company, client, link)` makes the account.
   `link(account_id, version, asked)` gives the events that link the identity (`version` is the account's, for events
   of its own history) and the rows to write beside them, so that account, invite's use and link are stored together.

Never match by e-mail address: `email` is only what the form is filled in with. A proven identity has no password; who
wants one takes the way of a forgotten one.
"""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

import orjson
from psycopg import Connection, Cursor
from psycopg.rows import dict_row

from infra.client import Client
from infra.identity import Pool
from infra.problems import Problem
from infra.sealing import derived_key, seal, unseal
from infra.settings import Settings

LIFE: Final = timedelta(minutes=10)
WRONG_CODES: Final = 5


@dataclass(frozen=True, slots=True)
class ProvenIdentity:
    """Who a provider says somebody is. `method` is the provider's name as it is kept in history (`google`, ...)."""

    method: str
    issuer: str
    subject: str
    email: str = ""
    email_verified: bool = False
    name: str = ""


@dataclass(frozen=True, slots=True)
class ByPassword:
    """The first factor was the password whose hash this is."""

    password_hash: str


@dataclass(frozen=True, slots=True)
class ByIdentity:
    """The first factor was a linked identity, by its keyed hash."""

    subject_hash: str


FirstFactor = ByPassword | ByIdentity


@dataclass(frozen=True, slots=True)
class SecondFactorNeeded:
    """The person is known; a code must follow."""

    ticket: str


@dataclass(frozen=True, slots=True)
class InviteNeeded:
    """The identity is proven, but has no account: registering needs an invite."""

    ticket: str


@dataclass(frozen=True, slots=True)
class Ticket:
    """A live ticket for the second factor."""

    hash: bytes
    account_id: UUID
    method: str


class Tickets:
    """Opens, finds and ends them. Thread-safe."""

    def __init__(self, pool: Pool, settings: Settings) -> None:
        self._pool = pool
        self._key = derived_key(settings, "login-ticket")

    def for_second_factor(self, account_id: UUID, method: str, client: Client, first: FirstFactor) -> str:
        """Raises `Problem` 401 `invalid_credentials` when the first factor does not count any more."""
        text = secrets.token_urlsafe(32)
        with self._pool.connection() as connection, connection.transaction():
            must_count(connection, account_id, first)
            connection.execute(_OPEN, (_hash(text), "second_factor", account_id, method, None, client.network, LIFE))
        return text

    def for_registration(self, identity: ProvenIdentity, client: Client) -> str:
        text = secrets.token_urlsafe(32)
        sealed = seal(self._key, orjson.dumps(asdict(identity)).decode(), "login-ticket")
        with self._pool.connection() as connection:
            connection.execute(
                _OPEN, (_hash(text), "registration", None, identity.method, sealed, client.network, LIFE)
            )
        return text

    def second_factor(self, ticket: str) -> Ticket:
        """The ticket. Raises `Problem` 401 `ticket_ended` when it does not live."""
        row = self._row(ticket, "second_factor")
        return Ticket(bytes(row["token_hash"]), row["account_id"], row["method"])

    def newest(self, account_id: UUID, method: str, client: Client) -> Ticket | None:
        """The account's last ticket from this network, for a client that sends everything again instead of it.

        Raises `Problem` 401 `ticket_ended` when five wrong codes have ended it.
        """
        with self._pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
            row = cursor.execute(_NEWEST, (account_id, method, client.network)).fetchone()
        if row is None:
            return None
        if row["wrong"] >= WRONG_CODES:
            raise ended()
        return Ticket(bytes(row["token_hash"]), account_id, method)

    def identity(self, ticket: str) -> ProvenIdentity:
        """The proven identity that waits for an account. Raises `Problem` 401 `ticket_ended`."""
        row = self._row(ticket, "registration")
        return ProvenIdentity(**orjson.loads(unseal(self._key, row["identity_sealed"], "login-ticket")))

    def count_try(self, ticket: Ticket) -> None:
        """Takes one of the five tries, before the code is looked at. Raises `Problem` 401 `ticket_ended`."""
        with self._pool.connection() as connection:
            taken = connection.execute(
                "UPDATE auth.login_ticket SET wrong = wrong + 1 WHERE token_hash = %s AND wrong < %s"
                " AND expires_at > now() RETURNING 1",
                (ticket.hash, WRONG_CODES),
            ).fetchone()
        if taken is None:
            raise ended()

    def _row(self, ticket: str, kind: str) -> dict[str, Any]:
        with self._pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
            row = cursor.execute(_LIVE, (_hash(ticket), kind, WRONG_CODES)).fetchone()
        if row is None:
            raise ended()
        found: dict[str, Any] = row
        return found


def use(cursor: Cursor[Any] | Connection[Any], ticket: bytes | str) -> None:
    """Ends a ticket in the transaction of what it led to. Raises `Problem` 401 `ticket_ended`: another was first."""
    token_hash = _hash(ticket) if isinstance(ticket, str) else ticket
    gone = cursor.execute(
        "DELETE FROM auth.login_ticket WHERE token_hash = %s AND expires_at > now() RETURNING 1", (token_hash,)
    ).fetchone()
    if gone is None:
        raise ended()


def must_count(cursor: Cursor[Any] | Connection[Any], account_id: UUID, first: FirstFactor) -> None:
    """Holds the first factor in the caller's transaction: whoever changes it waits, and then ends what this opens.

    Raises `Problem` 401 `invalid_credentials` when it was changed since it was looked at.
    """
    if isinstance(first, ByPassword):
        found = cursor.execute(_SAME_PASSWORD, (account_id, first.password_hash)).fetchone()
    else:
        found = cursor.execute(_SAME_IDENTITY, (account_id, first.subject_hash)).fetchone()
    if found is None:
        raise Problem(401, "invalid_credentials", "Invalid credentials")


def ended() -> Problem:
    return Problem(401, "ticket_ended", "This sign-in has ended. Please sign in again.")


_OPEN: Final = (
    "INSERT INTO auth.login_ticket (token_hash, kind, account_id, method, identity_sealed, address, expires_at)"
    " VALUES (%s, %s, %s, %s, %s, %s, now() + %s)"
)
_SAME_PASSWORD: Final = "SELECT 1 FROM auth.credential WHERE account_id = %s AND password_hash = %s FOR SHARE"  # noqa: S105 - SQL
_SAME_IDENTITY: Final = "SELECT 1 FROM auth.linked_sign_in WHERE account_id = %s AND subject_hash = %s FOR SHARE"

_LIVE: Final = (
    "SELECT token_hash, account_id, method, identity_sealed FROM auth.login_ticket"
    " WHERE token_hash = %s AND kind = %s AND wrong < %s AND expires_at > now()"
)
_NEWEST: Final = (
    "SELECT token_hash, wrong FROM auth.login_ticket WHERE account_id = %s AND kind = 'second_factor'"
    " AND method = %s AND address = %s AND expires_at > now() ORDER BY created_at DESC LIMIT 1"
)


def _hash(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogateescape")).digest()
