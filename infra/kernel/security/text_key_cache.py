"""Opens sealed texts with the stored keys (`infra.kernel.security.text_keys`), and remembers what it has read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from threading import Lock
from time import monotonic
from typing import Final
from uuid import UUID

import structlog

from infra.kernel.security import text_keys
from infra.kernel.security.text_keys import OpeningKeys, TextKey
from schemas.base import ERASED

CACHE_S: Final = 30.0
"""The time for which an erased person may still be read by a process that had the key."""
MAX_KEYS: Final = 1_000

ReadKeys = Callable[[Collection[int]], Mapping[int, TextKey]]
"""Reads those of these keys that there are."""
log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class TextKeyCache:
    """The keys that were read in the last `CACHE_S` seconds. Not thread-safe."""

    def __init__(self, read: ReadKeys) -> None:
        self._read = read
        self._keys: dict[int, TextKey] = {}
        self._read_at: dict[int, float] = {}
        self._missing: set[int] = set()

    def keys(self, numbers: Collection[int]) -> Mapping[int, TextKey]:
        """Returns at least those of these keys that there are. Raises what reading raises."""
        now = monotonic()
        due = [number for number in numbers if self._read_at.get(number, -CACHE_S) <= now - CACHE_S]
        if due:
            if len(self._read_at) + len(due) > MAX_KEYS:
                self._keys.clear()
                self._read_at.clear()
                due = [*numbers]
            keys = self._read(due)
            for number in due:
                self._note(number, keys.get(number), now)
        return self._keys

    def _note(self, number: int, found: TextKey | None, now: float) -> None:
        if found is None:
            if number not in self._missing:
                log.warning("text_key_missing", number=number)
                self._missing = {*self._missing, number} if len(self._missing) < MAX_KEYS else {number}
            self._keys.pop(number, None)
            self._read_at.pop(number, None)  # it is read again: its transaction may not be committed yet
            return
        elif number not in self._keys or self._keys[number].nodes != found.nodes:
            self._keys[number] = found
        self._read_at[number] = now


class TextOpener:
    """Opens the sealed values of decided events and nothing else (`schemas.envelope.Decrypt`). Thread-safe."""

    def __init__(self, read: ReadKeys) -> None:
        self._cache = TextKeyCache(read)
        self._lock = Lock()

    def __call__(self, subject_id: UUID, field: str, text: str) -> str:  # noqa: ARG002 - the names of `Decrypt`
        """Personal fields stay closed."""
        return ERASED

    def unseal(self, sealed: str, bound: bytes) -> bytes | None:
        """See `Decrypt.unseal`. Raises `DecryptionError` for what was sealed for something else."""
        with self._lock:
            return OpeningKeys(self._cache.keys).unseal(sealed.encode(), bound)[1]

    def seal(self, number: int, leaf: bytes, text: bytes, bound: bytes) -> bytes | None:
        """`text` sealed with this key; none: the person is erased, or there is no such key."""
        with self._lock:
            key = self._cache.keys({number}).get(number)
            return text_keys.seal(key, leaf, text, bound) if key is not None else None
