"""Keys of personal data: one per person; deleting it blanks that person in the log, the stores and every replay.

`command_api` encrypts `Personal` fields with it before they are stored; projectors open them again
(`schemas.envelope.Decrypt`). A keyring opens what is `Sealed` for visitors of websites as well
(`infra.kernel.security.text_keys`). Keys lie in `kernel.subject_key`, wrapped by a key derived from the master key.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, Final
from uuid import UUID

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from psycopg import Connection, Cursor
from psycopg_pool import ConnectionPool

from infra.kernel.config.settings import Settings
from infra.kernel.postgres.pool import pool, row_values
from infra.kernel.security.encryption import decrypt, derived_key, encrypt
from infra.kernel.security.text_key_cache import TextOpener
from infra.kernel.security.text_keys import Querying, TextKey, TextKeys
from schemas.base import ERASED
from schemas.envelope import ENCRYPTED_PREFIX

CACHE_S: Final = 5.0
"""The time for which an erased key may still be used by a process that had it."""
CACHE_SIZE: Final = 10_000


class SubjectErased(ValueError):
    """The person was erased: nothing about them may be stored any more."""


@contextmanager
def open_keyring(settings: Settings, size: int = 1) -> Iterator[Keyring]:
    """A keyring with `size` connections of its own, which are closed at the end."""
    with pool(settings, size, least=0) as connections:
        yield Keyring(connections, settings)


class Keyring:
    """Encrypts and opens personal fields. Thread-safe. Calls may raise what the pool raises when Postgres is down.

    `connections` must not be a pool whose connections the callers hold when they call: when all are held, each holder
    waits for the others. `open_keyring` brings a pool of its own.
    """

    def __init__(self, connections: ConnectionPool[Any], settings: Settings) -> None:
        self._pool = connections
        self._wrapping = derived_key(settings, "subject-keys")
        self._cache: dict[UUID, tuple[float, AESGCM | None]] = {}
        self._lock = Lock()
        self._text_keys = TextKeys(settings)
        self._texts = TextOpener(self._text_keys.reading(connections))
        self.unseal = self._texts.unseal
        self.seal = self._texts.seal

    def sealing_key(self, cursor: Querying) -> TextKey | None:
        """The key that seals what the caller's transaction stores; none: there is none yet."""
        return self._text_keys.newest(cursor)

    @property
    def connections(self) -> ConnectionPool[Any]:
        """The connections, of which no caller of the keyring holds one when it calls: for readers of other keys."""
        return self._pool

    def __call__(self, subject_id: UUID, field: str, text: str) -> str:
        """The plain text of `text`, or `[erased]` when the subject's key is gone. Raises `DecryptionError`."""
        key = self._key(subject_id)
        if key is None:
            return ERASED
        return decrypt(key, text.removeprefix(ENCRYPTED_PREFIX), f"{subject_id}:{field}")

    def encrypt(self, subject_id: UUID, field: str, text: str) -> str:
        """`text` encrypted for storing; the subject gets a key if it has none. Raises `SubjectErased`."""
        key = self._key(subject_id) or self._new_key(subject_id)
        return ENCRYPTED_PREFIX + encrypt(key, text, f"{subject_id}:{field}")

    def erase(self, subject_id: UUID) -> None:
        """Deletes the subject's key: what was encrypted with it reads `[erased]` from now on, everywhere."""
        with self._pool.connection() as connection:
            self.erase_with(connection, subject_id)

    def erase_with(self, cursor: Connection[Any] | Cursor[Any], subject_id: UUID) -> None:
        """The same, in the caller's transaction."""
        cursor.execute(
            "INSERT INTO kernel.subject_key (subject_id, erased_at) VALUES (%s, now())"
            " ON CONFLICT (subject_id) DO UPDATE SET key_wrapped = NULL, erased_at = now()",
            (subject_id,),
        )
        with self._lock:
            self._cache.pop(subject_id, None)

    def _key(self, subject_id: UUID) -> AESGCM | None:
        cached = self._cache.get(subject_id)
        if cached is not None and cached[0] > time.monotonic():
            return cached[1]
        with self._pool.connection() as connection:
            row = connection.execute(
                "SELECT key_wrapped FROM kernel.subject_key WHERE subject_id = %s AND key_wrapped IS NOT NULL",
                (subject_id,),
            ).fetchone()
        return self._store(subject_id, row_values(row)[0]) if row is not None else None

    def _new_key(self, subject_id: UUID) -> AESGCM:
        wrapped = encrypt(self._wrapping, os.urandom(32).hex(), f"subject-key:{subject_id}")
        with self._pool.connection() as connection:
            connection.execute(
                "INSERT INTO kernel.subject_key (subject_id, key_wrapped) VALUES (%s, %s) ON CONFLICT DO NOTHING",
                (subject_id, wrapped),
            )
            row = connection.execute(
                "SELECT key_wrapped FROM kernel.subject_key WHERE subject_id = %s", (subject_id,)
            ).fetchone()
        stored = row_values(row)[0] if row is not None else None
        if stored is None:
            raise SubjectErased(f"{subject_id} was erased")
        return self._store(subject_id, stored)

    def _store(self, subject_id: UUID, wrapped: str) -> AESGCM:
        key = AESGCM(bytes.fromhex(decrypt(self._wrapping, wrapped, f"subject-key:{subject_id}")))
        with self._lock:
            if len(self._cache) >= CACHE_SIZE:
                self._cache.clear()
            self._cache[subject_id] = (time.monotonic() + CACHE_S, key)
        return key
