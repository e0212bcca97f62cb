"""Rows of connections: `networks.connection`, `networks.pulled_page` and `networks.call_pace`.

Credentials and pages are encrypted. A page and the position behind it are stored together, so that a pull goes on where
it stopped, whatever stopped it.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, LiteralString
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from psycopg.types.json import Jsonb

from command_api.kernel.container import Container
from command_api.networks.pulling.position import PullPosition
from infra.kernel.config.settings import Settings
from infra.kernel.security.encryption import DecryptionError, decrypt, derived_key, encrypt, keyed_hash
from schemas.networks import NETWORKS

PROCESS: Final = "network-pulls"
"""The process manager; its timeouts are connections."""
_CREDENTIALS: Final = "network-credentials"
_PAGES: Final = "network-pages"
_NONCE_BYTES: Final = 12
_MAX_PACE: Final = timedelta(days=2)
"""A later call was set by a wrong clock."""
_SECRETS: Final = frozenset(name for network in NETWORKS.values() for name in network.secret)


@dataclass(frozen=True, slots=True)
class SealedCredentials:
    """Credentials as they are stored. `account_hash`: of what is no secret; `hash`: of all."""

    sealed: str = field(repr=False)
    account_hash: str
    hash: str


@dataclass(frozen=True, slots=True)
class StoredPull:
    """A connection whose credentials are not refused. `position`, `pull_id`: of the pull that goes on."""

    connection_id: UUID
    website_id: UUID
    network: str
    credentials_sealed: str = field(repr=False)
    credentials_hash: str
    pulled_until: datetime | None
    position: PullPosition | None
    pull_id: UUID | None
    file_hash: str | None


def seal_credentials(settings: Settings, connection_id: UUID, credentials: Mapping[str, str]) -> SealedCredentials:
    """The credentials as they are stored for the connection."""
    key, text = derived_key(settings, _CREDENTIALS), json.dumps(credentials, sort_keys=True)
    account = json.dumps({name: value for name, value in credentials.items() if name not in _SECRETS}, sort_keys=True)
    sealed = encrypt(key, text, f"{_CREDENTIALS}:{connection_id}")
    return SealedCredentials(sealed, keyed_hash(key, account), keyed_hash(key, text))


def open_credentials(settings: Settings, connection: StoredPull) -> dict[str, str]:
    """Raises `DecryptionError`."""
    key, purpose = derived_key(settings, _CREDENTIALS), f"{_CREDENTIALS}:{connection.connection_id}"
    opened: dict[str, str] = json.loads(decrypt(key, connection.credentials_sealed, purpose))
    return opened


def connection_of(container: Container, connection_id: UUID) -> StoredPull | None:
    """The connection, unless it is removed or refused."""
    rows = container.select(_ONE, connection_id)
    if not rows:
        return None
    [(website_id, network, sealed, hash_, pulled_until, position, pull_id, file_hash)] = rows
    held = None if position is None else PullPosition.model_validate(position)
    return StoredPull(connection_id, website_id, network, sealed, hash_, pulled_until, held, pull_id, file_hash)


def begin_pull(container: Container, connection: StoredPull, position: PullPosition, pull_id: UUID) -> None:
    """Stores the position of a new pull, unless the connection changed meanwhile."""
    held = Jsonb(position.model_dump(mode="json"))
    container.execute(_BEGIN, held, pull_id, connection.connection_id, connection.credentials_hash)


def keep_page(container: Container, connection: StoredPull, content: bytes, position: PullPosition) -> None:
    """Stores a page together with the position behind it, unless the connection changed meanwhile."""
    nonce, number = os.urandom(_NONCE_BYTES), position.pages
    bound = f"{connection.connection_id}:{connection.pull_id}:{number}".encode()
    cipher = AESGCM(derived_key(container.settings, _PAGES))
    sealed = nonce + cipher.encrypt(nonce, zlib.compress(content, 1), bound)
    with container.pool.connection() as rows, rows.transaction():
        values = (Jsonb(position.model_dump(mode="json")), connection.connection_id, connection.pull_id)
        if rows.execute(_GO_ON, (*values, connection.credentials_hash)).rowcount:
            rows.execute(_KEEP, (connection.connection_id, number, sealed))


def pages_of(container: Container, connection: StoredPull) -> Iterator[bytes]:
    """The pages of the pull, in the order of their reading. Raises `DecryptionError`."""
    cipher, number = AESGCM(derived_key(container.settings, _PAGES)), 0
    while rows := container.select(_PAGE, connection.connection_id, number + 1):
        number += 1
        sealed, bound = bytes(rows[0][0]), f"{connection.connection_id}:{connection.pull_id}:{number}".encode()
        try:
            yield zlib.decompress(cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], bound))
        except InvalidTag as error:
            raise DecryptionError("a page cannot be opened") from error


def reserve_call(container: Container, credentials_hash: str, now: datetime, interval: timedelta) -> datetime | None:
    """Reserves a call now with these credentials. Returns when it may be made, if not now."""
    values = (credentials_hash, now + interval, now, now + _MAX_PACE)
    with container.pool.connection() as rows:
        if rows.execute(_RESERVE, values).fetchone():
            return None
        found = rows.execute(_NEXT_CALL, (credentials_hash,)).fetchone()
    return now + interval if found is None else found[0]


def delay_calls(container: Container, credentials_hash: str, until: datetime) -> None:
    """Lets no call with these credentials be made before."""
    container.execute(_DELAY, until, credentials_hash)


_ONE: Final[LiteralString] = (
    "SELECT website_id, network, credentials_sealed, credentials_hash, pulled_until, position, pull_id, file_hash"
    " FROM networks.connection WHERE connection_id = %s AND next_at IS NOT NULL"
)
_BEGIN: Final[LiteralString] = (
    "UPDATE networks.connection SET position = %s, pull_id = %s WHERE connection_id = %s AND credentials_hash = %s"
    " AND position IS NULL"
)
_GO_ON: Final[LiteralString] = (
    "UPDATE networks.connection SET position = %s WHERE connection_id = %s AND pull_id = %s AND credentials_hash = %s"
)
_KEEP: Final[LiteralString] = "INSERT INTO networks.pulled_page (connection_id, page, sealed) VALUES (%s, %s, %s)"
_PAGE: Final[LiteralString] = "SELECT sealed FROM networks.pulled_page WHERE connection_id = %s AND page = %s"
_RESERVE: Final[LiteralString] = (
    "INSERT INTO networks.call_pace AS p (credentials_hash, next_call_at) VALUES (%s, %s)"
    " ON CONFLICT (credentials_hash) DO UPDATE SET next_call_at = excluded.next_call_at"
    " WHERE p.next_call_at <= %s OR p.next_call_at > %s RETURNING 1"
)
_NEXT_CALL: Final[LiteralString] = "SELECT next_call_at FROM networks.call_pace WHERE credentials_hash = %s"
_DELAY: Final[LiteralString] = (
    "UPDATE networks.call_pace SET next_call_at = greatest(next_call_at, %s) WHERE credentials_hash = %s"
)
