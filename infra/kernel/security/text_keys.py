"""Keys of personal texts in the log: one key for everybody, out of which a single person can be taken.

`log.text_key` has keys by number. A key is the root of a tree: each node's key makes those of its 16 children (BLAKE2s
of key and digit), and twelve levels below lie the leaves, one for each person (`leaf_of`). A text is sealed with its
person's leaf. To erase the person, the keys from the root to the leaf are replaced by the keys beside that path: they
make every leaf but this one (a puncturable pseudorandom function after Goldreich, Goldwasser and Micali, 1986). So
nothing is stored for a person who was never erased, and ingest needs one key in memory, no database.

With each erasure a new key begins: what the person sends later is sealed with that.
"""

from __future__ import annotations

import os
import struct
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b, blake2s
from typing import Any, Final, NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from psycopg import Connection, Cursor
from psycopg_pool import ConnectionPool

from infra.kernel.config.settings import Settings
from infra.kernel.postgres.pool import row_values
from infra.kernel.security.encryption import DecryptionError, derived_key

LEAF_BYTES: Final = 6
"""A leaf; its hexadecimal digits are the path to it. Of a million people two share one with a chance of one in 500."""
LEVELS: Final = 2 * LEAF_BYTES
KEY_BYTES: Final = 16
PUNCTURE_BYTES: Final = LEVELS * 15 * (1 + LEVELS // 2 + KEY_BYTES)
"""About what a key grows by with each person who is erased."""
MAX_LEAVES: Final = 100_000
"""People whose key is remembered; made again it takes some microseconds."""
NEWEST: Final = "SELECT number, nodes_wrapped FROM log.text_key ORDER BY number DESC LIMIT 1"
"""The key that seals."""

_CACHED_LEVEL: Final = 3
_DIGITS: Final = "0123456789abcdef"
_ENCODED: Final = {digit: digit.encode() for digit in _DIGITS}
_HEAD: Final = struct.Struct(f">I{LEAF_BYTES}s")
_NUMBER_BYTES: Final = _HEAD.size - LEAF_BYTES
_TO_NONCE: Final = _HEAD.size
_NONCE_BYTES: Final = 12
_TO_CONTENT: Final = _TO_NONCE + _NONCE_BYTES
_NODES: Final = "SELECT number, nodes_wrapped FROM log.text_key WHERE number = ANY(%s)"
_CREATE: Final = """
INSERT INTO log.text_key (number, nodes_wrapped) VALUES (%s, %s)
"""
_NEXT: Final = """
SELECT greatest(extract(epoch FROM now())::bigint, coalesce((SELECT max(number) + 1 FROM log.text_key), 0))
"""

Querying = Connection[Any] | Cursor[Any]
Nodes = Mapping[str, bytes]
"""Keys by the path that leads to them; the root's path is empty."""


def leaf_of(kind: str, *parts: bytes) -> bytes:
    """The leaf of a person, or of a thing that is kept for one; `parts`: its id, each part of a fixed length."""
    return blake2b(b"%b\0%b" % (kind.encode(), b"".join(parts)), digest_size=LEAF_BYTES).digest()


class LeafCipher(NamedTuple):
    """The cipher of one leaf of one key. `head`: number of the key and leaf, as sealed texts begin."""

    head: bytes
    cipher: AESGCM

    def seal(self, text: bytes, bound: bytes) -> bytes:
        """`text` sealed and bound to `bound`, as base64."""
        try:
            nonce = _nonces.pop()
        except IndexError:
            nonce = _new_nonce()
        return b2a_base64(self.head + nonce + self.cipher.encrypt(nonce, text, bound), newline=False)

    def open(self, nonce: bytes, content: bytes, bound: bytes) -> bytes:
        """Decrypts what was sealed. Raises `DecryptionError` for what was sealed for something else."""
        try:
            return self.cipher.decrypt(nonce, content, bound)
        except (InvalidTag, ValueError) as error:
            raise DecryptionError("cannot be opened as a text of this record") from error


@dataclass(slots=True)
class TextKey:
    """One key, as it is now. Not thread-safe."""

    number: int
    nodes: Nodes
    _inner: dict[str, bytes | None] = field(default_factory=dict)
    _leaves: dict[bytes, LeafCipher] = field(default_factory=dict)

    def leaf(self, leaf: bytes) -> LeafCipher | None:
        """Seals and opens the texts of this leaf; none: it is erased."""
        return self.leaf_at(_HEAD.pack(self.number, leaf))

    def leaf_at(self, head: bytes) -> LeafCipher | None:
        """The same by the begin of a text that this key sealed."""
        leaf = self._leaves.get(head)
        if leaf is None:
            key = self._made(head[_NUMBER_BYTES:].hex())
            if key is None:
                return None
            if len(self._leaves) >= MAX_LEAVES:
                self._leaves.clear()
            leaf = self._leaves[head] = LeafCipher(head, AESGCM(key))
        return leaf

    def _made(self, leaf: str) -> bytes | None:
        start = leaf[:_CACHED_LEVEL]
        if start not in self._inner:
            self._inner[start] = self._node(start)
        inner = self._inner[start]
        if inner is not None:
            return _descend(inner, leaf[_CACHED_LEVEL:])
        for level in range(_CACHED_LEVEL + 1, LEVELS + 1):
            if (node := self.nodes.get(leaf[:level])) is not None:
                return _descend(node, leaf[level:])
        return None

    def _node(self, path: str) -> bytes | None:
        for level in range(len(path) + 1):
            if (node := self.nodes.get(path[:level])) is not None:
                return _descend(node, path[level:])
        return None


def puncture(nodes: dict[str, bytes], leaf: bytes) -> None:
    """Replaces the keys that make this leaf by those that make every other one that they made."""
    path = leaf.hex()
    level = next((level for level in range(LEVELS + 1) if path[:level] in nodes), None)
    if level is None:
        return
    key = nodes.pop(path[:level])
    for depth in range(level, LEVELS):
        for digit in _DIGITS:
            if digit != path[depth]:
                nodes[path[:depth] + digit] = _child(key, digit)
        key = _child(key, path[depth])


def seal(key: TextKey, leaf: bytes, text: bytes, bound: bytes) -> bytes | None:
    """`text` sealed for the person of `leaf` and bound to `bound`, as base64; none: the key is a copy from before the
    person was erased, and newer than that."""
    cipher = key.leaf(leaf)
    return cipher.seal(text, bound) if cipher is not None else None


class SealedText(NamedTuple):
    """A sealed text, taken apart."""

    number: int
    leaf: bytes
    nonce: bytes
    content: bytes


def parse(sealed: bytes) -> SealedText:
    """Parses what `seal` returned. Raises `DecryptionError`."""
    try:
        raw = a2b_base64(sealed, strict_mode=True)
        number, leaf = _HEAD.unpack_from(raw)
    except (ValueError, struct.error) as error:
        raise DecryptionError("this is no sealed text") from error
    return SealedText(number, leaf, raw[_TO_NONCE:_TO_CONTENT], raw[_TO_CONTENT:])


def unseal(key: TextKey | None, sealed: SealedText, bound: bytes) -> bytes | None:
    """Returns the text that `seal` was given; `key`: of this number, none: it is not there any more. None: the person
    is erased, or there is no key. Raises `DecryptionError` for what was sealed for something else."""
    leaf = key.leaf(sealed.leaf) if key is not None else None
    return leaf.open(sealed.nonce, sealed.content, bound) if leaf is not None else None


class OpeningKeys:
    """Opens many sealed texts with the keys that `read` gives: each key is read once. Not thread-safe."""

    def __init__(self, read: Callable[[Collection[int]], Mapping[int, TextKey]]) -> None:
        self._read = read
        self._keys: dict[bytes, TextKey | None] = {}

    def unseal(self, sealed: bytes, bound: bytes) -> tuple[int, bytes | None]:
        """Number of the key, and what `unseal` gives for what `seal` gave. Raises the same."""
        try:
            raw = a2b_base64(sealed, strict_mode=True)
        except ValueError as error:
            raise DecryptionError("this is no sealed text") from error
        number = raw[:_NUMBER_BYTES]
        key = self._keys.get(number) or self._key(number)
        if key is None:
            return int.from_bytes(number, "big"), None
        leaf = key.leaf_at(raw[:_TO_NONCE])
        if leaf is None:
            return key.number, None
        return key.number, leaf.open(raw[_TO_NONCE:_TO_CONTENT], raw[_TO_CONTENT:], bound)

    def _key(self, head: bytes) -> TextKey | None:
        if len(head) < _NUMBER_BYTES:
            raise DecryptionError("this is no sealed text")
        if head not in self._keys:
            number = int.from_bytes(head, "big")
            self._keys[head] = self._read({number}).get(number)
        return self._keys[head]


class TextKeys:
    """Reads and changes the stored keys, which are wrapped by a key derived from the master key. Without state."""

    def __init__(self, settings: Settings) -> None:
        self._wrapping = AESGCM(derived_key(settings, "text-keys"))

    def create(self, cursor: Querying) -> int:
        """Begins a new key, in the caller's transaction; returns its number, which is greater than all before, also
        than those that a restored backup does not have: it is the time, in seconds."""
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('log.text_key'))")
        [row] = cursor.execute(_NEXT).fetchall()
        number = int(row_values(row)[0])
        cursor.execute(_CREATE, (number, self._wrapped(number, {"": os.urandom(KEY_BYTES)})))
        return number

    def create_first(self, cursor: Querying) -> None:
        """Begins the first key, in the caller's transaction, unless there is one."""
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('log.text_key'))")
        if self.newest(cursor) is None:
            self.create(cursor)

    def newest(self, cursor: Querying) -> TextKey | None:
        """The key that seals."""
        row = cursor.execute(NEWEST).fetchone()
        return None if row is None else self.opened(*row_values(row))

    def read(self, cursor: Querying, numbers: Collection[int]) -> dict[int, TextKey]:
        """Reads those of these keys that there are."""
        rows = cursor.execute(_NODES, (list(numbers),)).fetchall() if numbers else []
        return {key.number: key for key in (self.opened(*row_values(row)) for row in rows)}

    def reading(self, connections: ConnectionPool[Any]) -> Callable[[Collection[int]], dict[int, TextKey]]:
        """`read` with a connection of this pool for each call: none that the caller holds then."""

        def read(numbers: Collection[int]) -> dict[int, TextKey]:
            with connections.connection() as connection:
                return self.read(connection, numbers)

        return read

    def erase(self, cursor: Querying, leaves: Mapping[int, Iterable[bytes]]) -> None:
        """Takes leaves out of the keys of these numbers, in the caller's transaction; those of a key that is not there
        are erased already."""
        for number in sorted(leaves):
            row = cursor.execute(
                "SELECT number, nodes_wrapped FROM log.text_key WHERE number = %s FOR UPDATE", (number,)
            ).fetchone()
            if row is None:
                continue
            nodes = dict(self.opened(*row_values(row)).nodes)
            for leaf in leaves[number]:
                puncture(nodes, leaf)
            cursor.execute(
                "UPDATE log.text_key SET nodes_wrapped = %s WHERE number = %s", (self._wrapped(number, nodes), number)
            )

    def opened(self, number: int, wrapped: bytes) -> TextKey:
        """A stored key. Raises `DecryptionError`: the master key is another one."""
        try:
            packed = self._wrapping.decrypt(bytes(wrapped[:12]), bytes(wrapped[12:]), _purpose(number))
        except InvalidTag as error:
            raise DecryptionError(f"text key {number} was wrapped with another master key") from error
        return TextKey(number, dict(_unpacked(packed)))

    def _wrapped(self, number: int, nodes: Nodes) -> bytes:
        nonce = os.urandom(12)
        packed = b"".join(bytes((len(path),)) + path.encode() + key for path, key in nodes.items())
        return nonce + self._wrapping.encrypt(nonce, packed, _purpose(number))


def _unpacked(packed: bytes) -> Iterable[tuple[str, bytes]]:
    at = 0
    while at < len(packed):
        begin = at + 1
        middle = begin + packed[at]
        at = middle + KEY_BYTES
        yield packed[begin:middle].decode(), packed[middle:at]


_nonces: Final[list[bytes]] = []
# No counter of the process, and nothing that a fork takes with it: services are forks of one process, and would use
# the same numbers under a shared leaf.
os.register_at_fork(after_in_child=_nonces.clear)


def _new_nonce() -> bytes:
    """Random; 256 are read from the system at a time."""
    many = os.urandom(256 * _NONCE_BYTES)
    _nonces.extend(many[at : at + _NONCE_BYTES] for at in range(_NONCE_BYTES, len(many), _NONCE_BYTES))
    return many[:_NONCE_BYTES]


def _child(key: bytes, digit: str) -> bytes:
    return blake2s(key + _ENCODED[digit], digest_size=KEY_BYTES).digest()


def _descend(key: bytes, path: str) -> bytes:
    for digit in path:
        key = blake2s(key + _ENCODED[digit], digest_size=KEY_BYTES).digest()
    return key


def _purpose(number: int) -> bytes:
    return f"text-key:{number}".encode()
