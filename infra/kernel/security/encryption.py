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

from infra.kernel.config.settings import Settings, SettingsError


class DecryptionError(ValueError):
    """The text was encrypted with another key or for another purpose, or was changed."""


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
    """32 bytes for one purpose (`click-id`, `email`, `session`, ...), derived from the master key by HKDF."""
    return _derive(master_key(settings), purpose)


def keyed_hash(key: bytes, text: str) -> str:
    """HMAC-SHA-256 as hexadecimal digits: equal texts have equal hashes, which cannot be guessed without the key."""
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def encrypt(key: bytes | AESGCM, text: str, purpose: str) -> str:
    """`text` encrypted and authenticated (AES-256-GCM), bound to `purpose`."""
    nonce, cipher = os.urandom(12), key if isinstance(key, AESGCM) else AESGCM(key)
    return b64encode(nonce + cipher.encrypt(nonce, text.encode(), purpose.encode())).decode()


def decrypt(key: bytes | AESGCM, sealed: str, purpose: str) -> str:
    """Decrypts what `encrypt` returned. Raises `DecryptionError`."""
    cipher = key if isinstance(key, AESGCM) else AESGCM(key)
    try:
        raw = b64decode(sealed, validate=True)
        return cipher.decrypt(raw[:12], raw[12:], purpose.encode()).decode()
    except (InvalidTag, ValueError) as error:
        raise DecryptionError(f"cannot be opened as {purpose}") from error


@lru_cache(maxsize=32)
def _derive(master: bytes, purpose: str) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=b"althing/" + purpose.encode()).derive(master)
