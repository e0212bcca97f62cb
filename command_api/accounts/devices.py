"""Known devices: browsers that signed in to an account before. Guesses of others never block their tries.

A browser gets a signed cookie at each sign-in. It names account and device and is bound to the password's hash, so a
new password revokes it; nothing is stored. It opens nothing: it only decides which bucket a try is counted in
(`command_api.accounts.tries`). One cookie holds the tokens of a few accounts that share a browser.
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

from infra.client import DEVICE_COOKIE, Client
from infra.sealing import derived_key
from infra.settings import Settings

LIFE: Final = timedelta(days=180)
MOST_ACCOUNTS: Final = 4
"""Accounts that one browser's cookie remembers; the one that signed in longest ago is dropped."""
_HEAD: Final = struct.Struct(">16s8sI8s")
_MAC_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class _Token:
    account_id: UUID
    device: bytes
    issued: int
    marker: bytes
    text: str


class Devices:
    """Issues and reads them. Thread-safe."""

    def __init__(self, settings: Settings) -> None:
        self._key = derived_key(settings, "known-device")
        self._secure = settings.app_url.startswith("https://")

    def has_any(self, client: Client) -> bool:
        """Whether the client has a token of any account. Costs no look-up."""
        return next(self._tokens(client), None) is not None

    def of(self, account_id: UUID | None, password_hash: str | None, client: Client) -> str | None:
        """The device's id, if it signed in to this account with this password (none: with a provider alone)."""
        marker = self._marker(password_hash)
        for token in self._tokens(client):
            if token.account_id == account_id and hmac.compare_digest(token.marker, marker):
                return token.device.hex()
        return None

    def cookie(self, account_id: UUID, password_hash: str | None, client: Client) -> str:
        """The `Set-Cookie` value that makes the client a known device of the account."""
        known = self.of(account_id, password_hash, client)
        device = bytes.fromhex(known) if known is not None else os.urandom(8)
        head = _HEAD.pack(account_id.bytes, device, int(time.time()), self._marker(password_hash))
        own = urlsafe_b64encode(head + self._mac(head)).decode()
        others = [token.text for token in self._tokens(client) if token.account_id != account_id]
        name = f"__Host-{DEVICE_COOKIE}" if self._secure else DEVICE_COOKIE
        value = ".".join([own, *others[: MOST_ACCOUNTS - 1]])
        age = int(LIFE.total_seconds())
        secure = "; Secure" if self._secure else ""
        return f"{name}={value}; Path=/; Max-Age={age}; HttpOnly; SameSite=Strict{secure}"

    def _tokens(self, client: Client) -> Iterator[_Token]:
        for text in client.device_cookie.split(".")[:MOST_ACCOUNTS]:
            try:
                raw = urlsafe_b64decode(text)
            except (NotBase64, ValueError):
                continue
            head, mac = raw[: _HEAD.size], raw[_HEAD.size :]
            if len(head) != _HEAD.size or not hmac.compare_digest(mac, self._mac(head)):
                continue
            account, device, issued, marker = _HEAD.unpack(head)
            if issued + LIFE.total_seconds() > time.time():
                yield _Token(UUID(bytes=account), device, issued, marker, text)

    def _marker(self, password_hash: str | None) -> bytes:
        return hmac.digest(self._key, b"password:" + (password_hash or "").encode(), "sha256")[:8]

    def _mac(self, head: bytes) -> bytes:
        return hmac.digest(self._key, b"device:" + head, "sha256")[:_MAC_BYTES]
