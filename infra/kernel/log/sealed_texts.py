"""Personal texts of a record: the last member of its value, `"sealed":"BASE64"`, in place of the members in it.

Writers seal (`ingest`), readers that need the texts open them (projectors, attribution policy, audit); the log, backups
and dead letters have them sealed. A record without the member has its texts in clear: it has none, or it is of before.
Of a person who was erased (`infra.kernel.security.text_keys`) the other members are left, and the texts read as if they
had not been sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any, Final, NamedTuple

import psycopg
from psycopg_pool import ConnectionPool

from infra.kernel.config.settings import Settings
from infra.kernel.log.port import StoredRecord
from infra.kernel.security import text_keys
from infra.kernel.security.encryption import DecryptionError
from infra.kernel.security.text_key_cache import TextKeyCache
from infra.kernel.security.text_keys import Sealed, TextKey, TextKeys

_MEMBER: Final = b',"sealed":"'
_END: Final = b'"}'


class Opened(NamedTuple):
    """The value with its texts. `number`: of the key that sealed them, 0: they were not; `is_whole`: false if they
    cannot be opened any more."""

    value: bytes
    number: int = 0
    is_whole: bool = True


def sealed_value(value: bytes, texts: bytes, key: TextKey, leaf: bytes, topic: str, record_key: bytes) -> bytes:
    """The value of a record: a JSON object with its clear members, and `texts`, a JSON object with at least one more,
    sealed for the person of `leaf`."""
    sealed = text_keys.seal(key, leaf, texts, bound_to(topic, record_key))
    # Only a copy that a restart has not replaced yet lacks its newest people: nothing is lost for that.
    return joined(value, texts) if sealed is None else with_sealed(value, sealed)


def with_sealed(value: bytes, sealed: bytes) -> bytes:
    """The value with its sealed member."""
    return b"".join((value[:-1], _MEMBER, sealed, _END))


def joined(value: bytes, texts: bytes) -> bytes:
    """One JSON object of two."""
    return value[:-1] + b"," + texts[1:]


def split(value: bytes) -> tuple[bytes, bytes]:
    """A value without what is sealed in it, and that as base64; empty: nothing is. Only the last member of the whole
    object is looked at: senders name members of inner ones."""
    at = value.rfind(_MEMBER)
    if at < 0 or value[-2:] != _END:
        return value, b""
    sealed = value[at + len(_MEMBER) : -2]
    return (value, b"") if b'"' in sealed else (value[:at] + b"}", sealed)


def without_texts(records: Sequence[StoredRecord]) -> list[Opened]:
    """The values without their texts, for readers that need none."""
    return [Opened(split(record.value)[0]) for record in records]


def leaves_of(records: Sequence[StoredRecord]) -> dict[int, set[bytes]]:
    """The leaves that sealed the texts of these records, by key. Raises `DecryptionError`."""
    found: dict[int, set[bytes]] = {}
    for record in records:
        text = split(record.value)[1]
        if text:
            sealed = text_keys.parse(text)
            found.setdefault(sealed.number, set()).add(sealed.leaf)
    return found


Texts = Callable[[Sequence[StoredRecord]], list[Opened]]
"""Opens the personal texts of records, or leaves them out."""


class TextReader:
    """Opens the texts of records. Thread-safe. Calls may raise what the pool raises when Postgres is down.

    `connections` must not be a pool whose connections the callers hold when they call.
    """

    def __init__(self, settings: Settings, connections: ConnectionPool[psycopg.Connection[Any]]) -> None:
        self._cache = TextKeyCache(TextKeys(settings).reading(connections))
        self._lock = Lock()

    def __call__(self, records: Sequence[StoredRecord]) -> list[Opened]:
        """The values of the records with their texts. What was sealed for another record stays as it is, which no
        reader knows how to decode."""
        parts = [_parts(record) for record in records]
        numbers = {sealed.number for _, sealed in parts if sealed is not None}
        if not numbers:
            return [Opened(value) for value, _ in parts]
        with self._lock:
            keys = self._cache.keys(numbers)
            return [
                Opened(value) if sealed is None else _opened(value, sealed, keys, record)
                for (value, sealed), record in zip(parts, records, strict=True)
            ]


def _parts(record: StoredRecord) -> tuple[bytes, Sealed | None]:
    value, text = split(record.value)
    try:
        return value, text_keys.parse(text) if text else None
    except DecryptionError:
        return record.value, None


def _opened(value: bytes, sealed: Sealed, keys: Mapping[int, TextKey], record: StoredRecord) -> Opened:
    try:
        texts = text_keys.unseal(keys, sealed, bound_to(record.topic, record.key))
    except DecryptionError:
        return Opened(record.value)
    if texts is None:
        return Opened(value, sealed.number, is_whole=False)
    return Opened(joined(value, texts), sealed.number)


def bound_to(topic: str, key: bytes) -> bytes:
    """What the texts of a record are bound to: its topic and key."""
    return b"%b\0%b" % (topic.encode(), key)
