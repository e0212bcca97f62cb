"""One-time links of emails: to set a new password, or to confirm a new address. Only hashes of their codes are stored.

A used link is deleted.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Literal
from uuid import UUID

from psycopg import Cursor

from command_api.kernel.container import Container
from infra.kernel.config.settings import Settings
from infra.kernel.http.problems import Problem
from infra.kernel.security.encryption import decrypt, derived_key, encrypt
from infra.kernel.security.sessions import hashed

LinkKind = Literal["password_reset", "email_change"]


def save_link(
    cursor: Cursor[Any],
    settings: Settings,
    kind: LinkKind,
    code: str,
    account_id: UUID,
    life: timedelta,
    payload: str = "",
) -> None:
    """Writes the link in the caller's transaction. `payload` is stored encrypted."""
    sealed = encrypt(_key(settings), payload, kind) if payload else None
    cursor.execute(
        "INSERT INTO accounts.one_time_link (token_hash, kind, account_id, email_sealed, expires_at)"
        " VALUES (%s, %s, %s, %s, now() + %s)",
        (hashed(code), kind, account_id, sealed, life),
    )


def find_link(container: Container, kind: LinkKind, code: str) -> tuple[UUID, str]:
    """Returns account and payload of a valid link. Raises `Problem` 400 `bad_link`."""
    rows = container.select(
        "SELECT account_id, email_sealed FROM accounts.one_time_link"
        " WHERE token_hash = %s AND kind = %s AND expires_at > now()",
        hashed(code),
        kind,
    )
    if not rows:
        raise invalid_link()
    [(account_id, sealed)] = rows
    return account_id, decrypt(_key(container.settings), sealed, kind) if sealed is not None else ""


def consume_link(cursor: Cursor[Any], kind: LinkKind, code: str) -> None:
    """Deletes the link in the caller's transaction. Raises `Problem` 400 `bad_link` if it was used or has expired."""
    gone = cursor.execute(
        "DELETE FROM accounts.one_time_link WHERE token_hash = %s AND kind = %s AND expires_at > now() RETURNING 1",
        (hashed(code), kind),
    ).fetchone()
    if gone is None:
        raise invalid_link()


def invalid_link() -> Problem:
    return Problem(400, "bad_link", "This link is no longer valid. Please request a new one.")


def _key(settings: Settings) -> bytes:
    return derived_key(settings, "one-time-link")
