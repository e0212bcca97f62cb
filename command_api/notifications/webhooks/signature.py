"""Secrets and signatures of webhooks, as Standard Webhooks describe them (https://www.standardwebhooks.com).

A secret is `whsec_` and the base64 of 32 random bytes. It is shown once and encrypted in
`notifications.webhook_secret`. After a rotation messages have two signatures for a day, so that receivers can change
over.
"""

from __future__ import annotations

import hmac
from base64 import b64decode, b64encode
from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from secrets import token_bytes
from typing import Final, LiteralString
from uuid import UUID

from command_api.kernel.unit_of_work import Appended
from infra.kernel.config.settings import Settings
from infra.kernel.security.encryption import decrypt, derived_key, encrypt

PREFIX: Final = "whsec_"
BOTH_VALID_FOR: Final = timedelta(days=1)
_PURPOSE: Final = "webhook-secret"


def new_secret() -> str:
    return PREFIX + b64encode(token_bytes(32)).decode()


def signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """Returns the signature: `v1,` and the base64 of HMAC-SHA256 over id, timestamp and body."""
    key = b64decode(secret.removeprefix(PREFIX))
    signed = b".".join((message_id.encode(), str(timestamp).encode(), body))
    return f"v1,{b64encode(hmac.new(key, signed, sha256).digest()).decode()}"


def headers(secrets: Sequence[str], message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The headers of a message; one signature for each secret."""
    return {
        "Content-Type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(signature(secret, message_id, timestamp, body) for secret in secrets),
    }


def save(uow: Appended, webhook_id: UUID, account_id: UUID, secret: str) -> None:
    """Stores the secret; the one before stays valid for a day."""
    sealed = encrypt(derived_key(uow.settings, _PURPOSE), secret, f"{_PURPOSE}:{webhook_id}")
    uow.cursor.execute(_SAVE, (webhook_id, account_id, sealed, uow.context.at + BOTH_VALID_FOR))


def opened(settings: Settings, webhook_id: UUID, sealed: Sequence[str]) -> list[str]:
    """The secrets in plain text."""
    key = derived_key(settings, _PURPOSE)
    return [decrypt(key, each, f"{_PURPOSE}:{webhook_id}") for each in sealed]


def valid(sealed: str, previous: str | None, previous_until: datetime | None, now: datetime) -> list[str]:
    """The sealed secrets with which a message is signed now."""
    both = previous is not None and previous_until is not None and now < previous_until
    return [sealed, previous] if both and previous is not None else [sealed]


_SAVE: Final[LiteralString] = (
    "INSERT INTO notifications.webhook_secret AS s (webhook_id, account_id, sealed) VALUES (%s, %s, %s)"
    " ON CONFLICT (webhook_id) DO UPDATE SET sealed = excluded.sealed, previous_sealed = s.sealed,"
    " previous_until = %s"
)
