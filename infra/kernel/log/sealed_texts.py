"""Personal texts of a record: the last member of its value, `"sealed":"BASE64"`, in place of the members in it.

Writers seal (`ingest`), readers that need the texts open them (projectors, policies, audit); the log, backups
and dead letters have them sealed. A record without the member has its texts in clear: it has none, or it is of before.
Of a person who was erased (`infra.kernel.security.text_keys`) the other members are left, and the texts read as if they
had not been sent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Final

from msgspec import Struct

from infra.kernel.log.port import StoredRecord
from infra.kernel.security import text_keys
from infra.kernel.security.encryption import DecryptionError
from infra.kernel.security.text_key_cache import ReadKeys, TextKeyCache
from infra.kernel.security.text_keys import OpeningKeys, TextKey

_MEMBER: Final = b',"sealed":"'
_END: Final = b'"}'


class Opened(Struct, frozen=True, gc=False):
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
    return joined(value, texts) if sealed is None else with_sealed(value[:-1], sealed)


def with_sealed(clear: bytes, sealed: bytes) -> bytes:
    """The value with its sealed member. `clear`: its other members, not yet ended."""
    return b"".join((clear, _MEMBER, sealed, _END))


def joined(value: bytes, texts: bytes) -> bytes:
    """One JSON object of two."""
    return value[:-1] + b"," + texts[1:]


def split(value: bytes) -> tuple[bytes, bytes]:
    """A value without what is sealed in it, and that as base64; empty: nothing is."""
    at = _place(value)
    return (value[:at] + b"}", value[at + len(_MEMBER) : -2]) if at > 0 else (value, b"")


def _place(value: bytes) -> int:
    """Returns where the sealed member begins; 0: there is none. Only the last member of the whole object is looked at:
    senders name members of inner ones."""
    at = value.rfind(b'"', 0, -2) + 1 - len(_MEMBER)
    return at if at > 0 and value.startswith(_MEMBER, at) and value.endswith(_END) else 0


def without_texts(records: Sequence[StoredRecord]) -> list[Opened]:
    """The values without their texts, for readers that need none."""
    return [Opened(split(record.value)[0]) for record in records]


def leaves_of(records: Sequence[StoredRecord]) -> dict[int, set[bytes]]:
    """The leaves that sealed the texts of these records, by key. Raises `DecryptionError`."""
    leaves: dict[int, set[bytes]] = {}
    for record in records:
        text = split(record.value)[1]
        if text:
            sealed = text_keys.parse(text)
            leaves.setdefault(sealed.number, set()).add(sealed.leaf)
    return leaves


Texts = Callable[[Sequence[StoredRecord]], list[Opened]]
"""Opens the personal texts of records, or leaves them out."""


class TextReader:
    """Opens the texts of records. Thread-safe. Calls may raise what reading raises."""

    def __init__(self, read: ReadKeys) -> None:
        self._cache = TextKeyCache(read)
        self._lock = Lock()

    def __call__(self, records: Sequence[StoredRecord]) -> list[Opened]:
        """The values of the records with their texts. What was sealed for another record stays as it is, which no
        reader knows how to decode."""
        with self._lock:
            keys = OpeningKeys(self._cache.keys)
            return [_opened(record, keys) for record in records]


def _opened(record: StoredRecord, keys: OpeningKeys) -> Opened:
    value = record.value
    at = _place(value)
    if not at:
        return Opened(value)
    try:
        number, texts = keys.unseal(value[at + len(_MEMBER) : -2], bound_to(record.topic, record.key))
    except DecryptionError:
        return Opened(value)
    if texts is None:
        return Opened(value[:at] + b"}", number, is_whole=False)
    return Opened(b"".join((value[:at], b",", texts[1:])), number)


def bound_to(topic: str, key: bytes) -> bytes:
    """Returns what the texts of a record are bound to: its topic and key."""
    return topic.encode() + b"\0" + key
