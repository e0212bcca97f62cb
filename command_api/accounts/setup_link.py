"""The link by which an installation without accounts gets its first admin, shown by `althing setup-link` and `up`.

It is written to the operator's terminal alone: neither the service's log nor the sign-in page has it.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Any, Final

import psycopg

from infra.kernel.config.settings import Settings
from infra.kernel.security.sessions import hashed

LIFE: Final = timedelta(hours=24)


def is_set_up(connection: psycopg.Connection[Any]) -> bool:
    """Returns whether there is, or was, an account."""
    return connection.execute("SELECT 1 FROM accounts.first_account").fetchone() is not None


def issue(connection: psycopg.Connection[Any], settings: Settings) -> str | None:
    """Returns a new link, or None once there is an account. Links that were issued before stay valid until they expire
    or one of them is used."""
    if is_set_up(connection):
        return None
    token = secrets.token_urlsafe(32)
    connection.execute("DELETE FROM accounts.setup_token WHERE expires_at < now()")
    connection.execute(
        "INSERT INTO accounts.setup_token (token_hash, expires_at) VALUES (%s, now() + %s)", (hashed(token), LIFE)
    )
    return f"{settings.app_url}/setup?token={token}"
