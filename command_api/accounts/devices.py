"""Known devices: browsers that signed in to an account before. Guesses of others never block their attempts.

Each sign-in sets a signed cookie. It contains account and device and is bound to the password's hash, so a new password
revokes it; nothing is stored. It authenticates nothing: it only selects the limit of an attempt
(`command_api.accounts.login_attempts`). One cookie contains the tokens of the few accounts that share a browser.
"""

from __future__ import annotations

import hmac
import os
import struct
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from infra.kernel.config.settings import Settings
from infra.kernel.security.client_info import DEVICE_COOKIE, Client
from infra.kernel.security.encryption import derived_key

LIFE: Final = timedelta(days=180)
MAX_ACCOUNTS: Final = 4
"""Accounts in one browser's cookie; the least recent one is dropped."""
_HEAD: Final = struct.Struct(">16s8sI8s")
_MAC_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class _Token:
    account_id: UUID
    device: bytes
    marker: bytes
    text: str


class Devices:
    """Issues and verifies device tokens. Thread-safe."""

    def __init__(self, settings: Settings) -> None:
        self._key = derived_key(settings, "known-device")
        self._secure = settings.app_url.startswith("https://")

    def has_any(self, client: Client) -> bool:
        """Returns whether the client has a token of any account, without a lookup."""
        return next(self._tokens(client), None) is not None

    def of(self, account_id: UUID | None, password_hash: str | None, client: Client) -> str | None:
        """Returns the device's id if it signed in to this account with this password."""
        marker = self._marker(password_hash)
        for token in self._tokens(client):
            if token.account_id == account_id and hmac.compare_digest(token.marker, marker):
                return token.device.hex()
        return None

    def cookie(self, account_id: UUID, password_hash: str | None, client: Client) -> str:
        """The `Set-Cookie` value that makes the client a known device of the account."""
        current = self.of(account_id, password_hash, client)
        device = bytes.fromhex(current) if current is not None else os.urandom(8)
        head = _HEAD.pack(account_id.bytes, device, int(time.time()), self._marker(password_hash))
        own = urlsafe_b64encode(head + self._mac(head)).decode()
        others = [token.text for token in self._tokens(client) if token.account_id != account_id]
        name = f"__Host-{DEVICE_COOKIE}" if self._secure else DEVICE_COOKIE
        value = ".".join([own, *others[: MAX_ACCOUNTS - 1]])
        age = int(LIFE.total_seconds())
        secure = "; Secure" if self._secure else ""
        return f"{name}={value}; Path=/; Max-Age={age}; HttpOnly; SameSite=Strict{secure}"

    def _tokens(self, client: Client) -> Iterator[_Token]:
        for text in client.device_cookie.split(".")[:MAX_ACCOUNTS]:
            try:
                raw = urlsafe_b64decode(text)
            except (NotBase64, ValueError):
                continue
            head, mac = raw[: _HEAD.size], raw[_HEAD.size :]
            if len(head) != _HEAD.size or not hmac.compare_digest(mac, self._mac(head)):
                continue
            account, device, issued, marker = _HEAD.unpack(head)
            if issued + LIFE.total_seconds() > time.time():
                yield _Token(UUID(bytes=account), device, marker, text)

    def _marker(self, password_hash: str | None) -> bytes:
        return hmac.digest(self._key, b"password:" + (password_hash or "").encode(), "sha256")[:8]

    def _mac(self, head: bytes) -> bytes:
        return hmac.digest(self._key, b"device:" + head, "sha256")[:_MAC_BYTES]
