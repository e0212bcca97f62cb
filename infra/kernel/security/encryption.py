"""The master key and what is derived from it: sealing of secrets at rest, keyed hashes, the click ids' MAC key.

The key comes from `ALTHING_MASTER_KEY`, else from `<data dir>/secrets.json`, which the local stack writes once.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from base64 import b64decode, b64encode
from functools import lru_cache

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from infra.settings import Settings, SettingsError


class Unsealable(ValueError):
    """The sealed text was made with another key or for another purpose, or was changed."""


def master_key(settings: Settings) -> bytes:
    """32 bytes. Raises `SettingsError` when there is none."""
    if settings.master_key:
        return bytes.fromhex(settings.master_key)
    path = settings.data_dir / "secrets.json"
    try:
        return bytes.fromhex(json.loads(path.read_text())["master_key"])
    except (OSError, KeyError, ValueError) as error:
        raise SettingsError(f"ALTHING_MASTER_KEY is not set and {path} holds no master key.") from error


def derived_key(settings: Settings, purpose: str) -> bytes:
    """32 bytes for one purpose (`click-id`, `email`, `session`, ...), worked out from the master key by HKDF."""
    return _derive(master_key(settings), purpose)


def keyed_hash(key: bytes, text: str) -> str:
    """HMAC-SHA-256 as hexadecimal digits: equal texts meet, nobody without the key can guess them."""
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def seal(key: bytes, text: str, purpose: str) -> str:
    """`text` encrypted and authenticated (AES-256-GCM), bound to `purpose`."""
    nonce = os.urandom(12)
    return b64encode(nonce + AESGCM(key).encrypt(nonce, text.encode(), purpose.encode())).decode()


def unseal(key: bytes, sealed: str, purpose: str) -> str:
    """The text that was sealed. Raises `Unsealable`."""
    try:
        raw = b64decode(sealed, validate=True)
        return AESGCM(key).decrypt(raw[:12], raw[12:], purpose.encode()).decode()
    except (InvalidTag, ValueError) as error:
        raise Unsealable(f"cannot be opened as {purpose}") from error


@lru_cache(maxsize=32)
def _derive(master: bytes, purpose: str) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=b"althing/" + purpose.encode()).derive(master)
