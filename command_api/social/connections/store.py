"""Rows of connections: `social.connection_flow` and `social.connection`. Tokens and verifiers are encrypted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, LiteralString
from uuid import UUID

import orjson

from command_api.kernel.container import Container
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.social.network_client import Tokens
from infra.kernel.config.settings import Settings
from infra.kernel.security.encryption import decrypt, derived_key, encrypt
from infra.kernel.security.sessions import hashed
from schemas.social_networks import Network

FLOW_LIFE: Final = timedelta(minutes=10)
PROCESS: Final = "social-readings"
_TOKENS: Final = "social-connection-tokens"
_VERIFIER: Final = "social-connection-verifier"


@dataclass(frozen=True, slots=True)
class Flow:
    """A connection that the owner permitted at the network."""

    channel_id: UUID
    network: Network
    verifier: str


@dataclass(frozen=True, slots=True)
class StoredConnection:
    """A connection with its tokens."""

    channel_id: UUID
    account_id: UUID
    network: Network
    tokens_sealed: str
    connected_at: datetime
    failures: int
    views_before: int | None
    views_on: date | None


def begin_flow(
    uow: UnitOfWork, channel_id: UUID, network: Network, session_id: UUID, state: str, verifier: str
) -> None:
    """Stores the flow of the session, and deletes expired ones."""
    sealed = encrypt(derived_key(uow.settings, _VERIFIER), verifier, _VERIFIER)
    uow.cursor.execute(_DELETE_EXPIRED)
    values = (hashed(state), session_id, uow.context.require_account(), channel_id, network.value, sealed, FLOW_LIFE)
    uow.cursor.execute(_BEGIN, values)


def complete_flow(container: Container, session_id: UUID, state: str) -> Flow | None:
    """Consumes the flow; `None` for another session or state, or if expired."""
    rows = container.select(_COMPLETE, hashed(state), session_id)
    if not rows:
        return None
    [(channel_id, network, sealed)] = rows
    verifier = decrypt(derived_key(container.settings, _VERIFIER), sealed, _VERIFIER)
    return Flow(channel_id, Network(network), verifier)


def seal_tokens(settings: Settings, channel_id: UUID, tokens: Tokens) -> str:
    """The tokens as they are stored."""
    text = orjson.dumps(
        {
            "access": tokens.access,
            "refresh": tokens.refresh,
            "obtained_at": tokens.obtained_at,
            "expires_at": tokens.expires_at,
        }
    )
    return encrypt(derived_key(settings, _TOKENS), text.decode(), f"{_TOKENS}:{channel_id}")


def open_tokens(settings: Settings, channel_id: UUID, sealed: str) -> Tokens:
    """Decrypts what `seal_tokens` made for the same channel. Raises `DecryptionError`."""
    values = orjson.loads(decrypt(derived_key(settings, _TOKENS), sealed, f"{_TOKENS}:{channel_id}"))
    times = {name: datetime.fromisoformat(values[name]) for name in ("obtained_at", "expires_at")}
    return Tokens(values["access"], values["refresh"], **times)


def connection_of(container: Container, channel_id: UUID, account_id: UUID | None = None) -> StoredConnection | None:
    """The connection that has tokens. `account_id`: only if it is that account's."""
    rows = container.select(_ONE, channel_id, account_id, account_id)
    if not rows:
        return None
    [(owner, network, *others)] = rows
    return StoredConnection(channel_id, owner, Network(network), *others)


def save_tokens(container: Container, connection: StoredConnection, tokens: Tokens) -> str:
    """Replaces the tokens, unless the connection changed meanwhile; returns them encrypted."""
    sealed = seal_tokens(container.settings, connection.channel_id, tokens)
    container.execute(_RENEWED, sealed, connection.channel_id, connection.tokens_sealed)
    return sealed


_DELETE_EXPIRED: Final[LiteralString] = "DELETE FROM social.connection_flow WHERE expires_at <= now()"
_BEGIN: Final[LiteralString] = (
    "INSERT INTO social.connection_flow (state_hash, session_id, account_id, channel_id, network, verifier_sealed,"
    " expires_at) VALUES (%s, %s, %s, %s, %s, %s, now() + %s)"
)
_COMPLETE: Final[LiteralString] = (
    "DELETE FROM social.connection_flow WHERE state_hash = %s AND session_id = %s AND expires_at > now()"
    " RETURNING channel_id, network, verifier_sealed"
)
_ONE: Final[LiteralString] = (
    "SELECT account_id, network, tokens_sealed, connected_at, failures, views_before, views_on FROM social.connection"
    " WHERE channel_id = %s AND tokens_sealed IS NOT NULL AND (%s::uuid IS NULL OR account_id = %s)"
)
_RENEWED: Final[LiteralString] = (
    "UPDATE social.connection SET tokens_sealed = %s WHERE channel_id = %s AND tokens_sealed = %s"
)
