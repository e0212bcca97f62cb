"""Keys of visitors: one for each visitor of a website and day; what is sealed with it reads `[erased]` once it is gone.

`ingest` seals ad click ids with them (column `ad_ids`, `v1:KEY ID:BASE64`), the query service opens them. Keys lie in
`ingest.visitor_key`, wrapped by a key derived from the master key as those of `subject_keys` are. Unlike those they are
made and stored in blocks before it is known for whom, because ingest goes on while Postgres is away
(docs/decisions/0040-visitor-keys-in-blocks.md).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from psycopg import Connection, Cursor

from infra.kernel.config.settings import Settings
from infra.kernel.postgres.pool import row_values
from infra.kernel.security.encryption import DecryptionError, decrypt, derived_key, encrypt

PREFIX: Final = "v1:"
INSERT: Final = """
INSERT INTO ingest.visitor_key (key_id, website_id, made_on, key_wrapped)
SELECT unnest(%s::uuid[]), unnest(%s::uuid[]), unnest(%s::date[]), unnest(%s::text[])
"""
"""Stores new keys: ids, websites, days and wrapped keys, each as an array."""
WRAPPED: Final = "SELECT key_id, key_wrapped FROM ingest.visitor_key WHERE key_id = ANY(%s)"
"""The wrapped keys of these ids; keys that are gone are not among them."""

Querying = Connection[Any] | Cursor[Any]


@dataclass(frozen=True, slots=True)
class VisitorKey:
    """One key. `wrapped`: as it is stored; `made_on`: the UTC day on which alone it may seal; `named`: how its texts
    begin; `bound`: what they are bound to, before the event."""

    id: UUID
    website_id: UUID
    made_on: date
    wrapped: str
    cipher: AESGCM
    named: str
    bound: str


class Sealed(NamedTuple):
    """A sealed text and the event that it belongs to: it can be opened for no other one."""

    website_id: UUID
    event_id: UUID
    text: str


def seal(key: VisitorKey, event_id: str, values: Mapping[str, str]) -> str:
    """The values as they are stored with the event (UUID text) of the key's website."""
    text = msgspec.json.encode(values).decode()
    return key.named + encrypt(key.cipher, text, key.bound + event_id)


def key_id(text: str) -> UUID | None:
    """The key that sealed the text; none: it is no sealed text."""
    version, _, rest = text.partition(":")
    name, _, sealed = rest.partition(":")
    if f"{version}:" != PREFIX or not sealed:
        return None
    try:
        return UUID(hex=name)
    except ValueError:
        return None


def key_ids(texts: Iterable[str]) -> set[UUID]:
    """The keys that sealed any of the texts."""
    return {id_ for text in texts if (id_ := key_id(text)) is not None}


class VisitorKeys:
    """Makes keys and opens what they sealed. Without state: nothing is remembered of a key that is erased."""

    def __init__(self, settings: Settings) -> None:
        self._wrapping = AESGCM(derived_key(settings, "visitor-keys"))

    def make(self, website_id: UUID, made_on: date) -> VisitorKey:
        """A new key, which may seal once it is stored (`INSERT`)."""
        id_, secret = UUID(bytes=os.urandom(16), version=4), os.urandom(32)
        wrapped = encrypt(self._wrapping, secret.hex(), f"visitor-key:{id_}")
        named, bound = f"{PREFIX}{id_.hex}:", _purpose(website_id, id_)
        return VisitorKey(id_, website_id, made_on, wrapped, AESGCM(secret), named, bound)

    def open(self, sealed: Sealed, wrapped: Mapping[UUID, str]) -> dict[str, str] | None:
        """The values that were sealed; none: the key is erased, which is shown as `schemas.base.ERASED`. `wrapped`: the
        keys that there are (`wrapped_keys`). Raises `DecryptionError` for a text that was not sealed for this event."""
        id_ = key_id(sealed.text)
        if id_ is None:
            raise DecryptionError("this is no sealed text")
        if id_ not in wrapped:
            return None
        cipher = AESGCM(bytes.fromhex(decrypt(self._wrapping, wrapped[id_], f"visitor-key:{id_}")))
        content = sealed.text.rpartition(":")[2]
        return _decode(decrypt(cipher, content, f"{_purpose(sealed.website_id, id_)}{sealed.event_id}"))


def store(cursor: Querying, keys: Iterable[VisitorKey]) -> None:
    """Stores new keys, in the caller's transaction."""
    cursor.execute(INSERT, arrays(keys))


def arrays(keys: Iterable[VisitorKey]) -> tuple[list[UUID], list[UUID], list[date], list[str]]:
    """The parameters of `INSERT`."""
    made = list(keys)
    return (
        [key.id for key in made],
        [key.website_id for key in made],
        [key.made_on for key in made],
        [key.wrapped for key in made],
    )


def wrapped_keys(cursor: Querying, ids: Iterable[UUID]) -> dict[UUID, str]:
    """The keys of these ids that there are."""
    rows = cursor.execute(WRAPPED, (list(ids),)).fetchall()
    return {row_values(row)[0]: row_values(row)[1] for row in rows}


def erase(cursor: Querying, ids: Iterable[UUID]) -> int:
    """Deletes these keys, in the caller's transaction; how many there were."""
    return cursor.execute("DELETE FROM ingest.visitor_key WHERE key_id = ANY(%s)", (list(ids),)).rowcount


def _purpose(website_id: UUID, key_id: UUID) -> str:
    return f"{website_id}:{key_id}:"


_decode: Final = msgspec.json.Decoder(dict[str, str]).decode
