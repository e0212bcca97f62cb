"""Signed messages by Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`, five minutes of tolerance.

Several secrets may be in use at once while one is replaced. That a message is not taken twice is the receiver's work:
`EscrowMessage.id` is the same each time it is sent.
"""

from __future__ import annotations

import binascii
import hmac
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

TOLERANCE: Final = timedelta(minutes=5)
PREFIX: Final = "whsec_"
_MAX_SIGNATURES: Final = 10


class BadSignature(Exception):
    """The message has no valid signature: another sender, too old, or changed in transit."""


@dataclass(frozen=True, slots=True)
class EscrowMessage:
    """A message whose signature is valid. `id` is the same each time it is sent."""

    id: str
    body: bytes


def sign(secret: str, message_id: str, at: datetime, body: bytes) -> dict[str, str]:
    """The headers of a message."""
    timestamp = str(int(at.timestamp()))
    return {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{_signature(secret, message_id, timestamp, body)}",
    }


def verified(secrets: Sequence[str], headers: Mapping[str, str], body: bytes, now: datetime) -> EscrowMessage:
    """The message, if one of the secrets signed these very bytes. Raises `BadSignature`."""
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not message_id or len(message_id) > 200 or not message_id.isprintable():
        raise BadSignature("no webhook-id")
    if not timestamp.isascii() or not timestamp.isdigit() or len(timestamp) > 12:
        raise BadSignature("no webhook-timestamp")
    if abs(now.timestamp() - int(timestamp)) > TOLERANCE.total_seconds():
        raise BadSignature("too old, or from the future")
    signatures = [
        value
        for version, _, value in (part.partition(",") for part in headers.get("webhook-signature", "").split(" "))
        if version == "v1"
    ]
    expected = [_signature(secret, message_id, timestamp, body).encode() for secret in secrets]
    for value in signatures[:_MAX_SIGNATURES]:
        for one in expected:
            if hmac.compare_digest(value.encode(), one):
                return EscrowMessage(message_id, body)
    raise BadSignature("no valid signature")


def _signature(secret: str, message_id: str, timestamp: str, body: bytes) -> str:
    signed = f"{message_id}.{timestamp}.".encode() + body
    return b64encode(hmac.new(_key(secret), signed, sha256).digest()).decode()


def _key(secret: str) -> bytes:
    text = secret.removeprefix(PREFIX)
    try:
        return b64decode(text, validate=True) if secret.startswith(PREFIX) else text.encode()
    except binascii.Error:
        return text.encode()
