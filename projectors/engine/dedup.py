"""The deduplication index of a partition: an embedded LMDB per generation and partition, a pure function of the log.

The database contains exactly the ids of the records before `marker`: a batch is checked on top of it in memory
(`DedupBatch`) and committed after its position has advanced. The worker that opens it reads the log again from `marker`
to the position, so a lost or older database does no harm.

An id is a duplicate if it is remembered at a lower offset and not more than 35 days apart in time of arrival. Where the
number of partitions was raised, a new partition also remembers what was sent before to its ancestors (`inherit`).
"""

from __future__ import annotations

import shutil
import struct
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import lmdb

from infra.kernel.log import StoredRecord
from infra.kernel.log.partitions import Ancestor, Lineage, in_ancestor, is_before
from projectors.engine.projection import Duplicate

WINDOW_S: Final = 35 * 24 * 3600
KEPT_S: Final = WINDOW_S + 5 * 24 * 3600
"""Entries this much older than the newest arrival are dropped; the margin covers clocks that disagree."""

KEY_BYTES: Final = 32
FORMAT: Final = b"1"
_VALUE: Final = struct.Struct("<Q8sI")
_MARKER: Final = b"\x00marker"
_FORMAT: Final = b"\x00format"
_NEWEST: Final = b"\x00newest"
_INHERITED: Final = b"\x00inherited"
_ALONE: Final = Lineage(0)
FIRST_SIZE: Final = 64 * 1024 * 1024
_PRUNE_ROWS: Final = 20_000

Entry = tuple[int, bytes, int]


class MarkerMoved(Exception):
    """Another process wrote to the same database: this one is no longer the owner."""


class DedupStore:
    """The ids of one partition. One owner at a time; survives `kill -9` at any moment."""

    def __init__(self, folder: Path, lineage: Lineage = _ALONE) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self.lineage = lineage
        self._environment = self._open()
        with self._environment.begin() as transaction:
            stored_format = transaction.get(_FORMAT)
            entries = transaction.stat()["entries"]
        if stored_format != FORMAT and entries:
            self._start_over()
        with self._environment.begin(write=True) as transaction:
            transaction.put(_FORMAT, FORMAT)
            self._has_inherited = transaction.get(_INHERITED) is not None
            self.marker = _number(transaction.get(_MARKER))
            self._newest = _number(transaction.get(_NEWEST))

    @property
    def heritage(self) -> tuple[Ancestor, ...]:
        """The partitions whose ids have to be given to `inherit` first, in this order."""
        return () if self._has_inherited else self.lineage.ancestors

    def inherit(self, dedup_batch: DedupBatch) -> None:
        """Stores ids that were sent to an ancestor; may be repeated until `end_heritage`."""
        items = sorted((key, _VALUE.pack(*entry)) for key, entry in dedup_batch.added.items())
        while True:
            try:
                with self._environment.begin(write=True) as transaction, transaction.cursor() as cursor:
                    cursor.putmulti(items)
            except lmdb.MapFullError:
                self._grow()
            else:
                break

    def end_heritage(self) -> None:
        """Notes that the ids of every ancestor are stored."""
        with self._environment.begin(write=True) as transaction:
            transaction.put(_INHERITED, b"1")
        self._has_inherited = True

    def begin_batch(self) -> DedupBatch:
        """Returns an empty batch on top of the stored ids."""
        return DedupBatch(self)

    def get(self, keys: Iterable[bytes]) -> dict[bytes, Entry]:
        """Returns the stored entries of `keys`."""
        with self._environment.begin(buffers=False) as transaction, transaction.cursor() as cursor:
            return {key: _VALUE.unpack(value) for key, value in cursor.getmulti(sorted(set(keys)))}

    def commit(self, dedup_batch: DedupBatch, marker: int) -> None:
        """Stores what `dedup_batch` learnt; `marker` = the offset after its last record. Raises `MarkerMoved`."""
        items = sorted((key, _VALUE.pack(*entry)) for key, entry in dedup_batch.added.items())
        newest = max((entry[2] for entry in dedup_batch.added.values()), default=0)
        while True:
            try:
                self._store(items, marker, max(newest, self._newest))
            except lmdb.MapFullError:
                self._grow()
            else:
                break
        self.marker, self._newest = marker, max(newest, self._newest)

    def reset(self) -> None:
        """Forgets everything: the next owner reads the partition from its beginning."""
        self._start_over()
        self.marker = self._newest = 0
        self._has_inherited = False

    def prune(self) -> int:
        """Drops entries that can no longer meet a duplicate; returns how many."""
        oldest, dropped, after = self._newest - KEPT_S, 0, b""
        while True:
            with self._environment.begin(write=True) as transaction, transaction.cursor() as cursor:
                seen = 0
                has_entry = cursor.set_range(after)
                while has_entry and seen < _PRUNE_ROWS:
                    seen += 1
                    key = after = cursor.key()
                    if len(key) == KEY_BYTES and _VALUE.unpack(cursor.value())[2] < oldest:
                        dropped += 1
                        has_entry = cursor.delete() and bool(cursor.key())
                    else:
                        has_entry = cursor.next()
            if not has_entry:
                return dropped
            after += b"\x00"

    def entries(self) -> Iterator[tuple[bytes, Entry]]:
        """Yields all stored entries, in order of the keys."""
        with self._environment.begin() as transaction, transaction.cursor() as cursor:
            for key, value in cursor:
                if len(key) == KEY_BYTES:
                    yield key, _VALUE.unpack(value)

    def close(self) -> None:
        """Closes the database; its marker says where the next owner resumes the log."""
        self._environment.close()

    def _store(self, items: Sequence[tuple[bytes, bytes]], marker: int, newest: int) -> None:
        with self._environment.begin(write=True) as transaction:
            if _number(transaction.get(_MARKER)) != self.marker:
                raise MarkerMoved(f"{self._folder}: another process moved the marker")
            with transaction.cursor() as cursor:
                cursor.putmulti(items)
            transaction.put(_MARKER, b"%d" % marker)
            transaction.put(_NEWEST, b"%d" % newest)

    def _grow(self) -> None:
        self._environment.set_mapsize(self._environment.info()["map_size"] * 2)

    def _open(self) -> lmdb.Environment:
        try:
            return self._environment_at()
        except lmdb.Error:  # not a database, or torn by a power cut: the log holds everything in it
            shutil.rmtree(self._folder)
            self._folder.mkdir(parents=True)
            return self._environment_at()

    def _environment_at(self) -> lmdb.Environment:
        existing = self._folder / "data.mdb"
        size = existing.stat().st_size if existing.exists() else 0
        return lmdb.open(
            str(self._folder), map_size=max(FIRST_SIZE, 2 * size), max_dbs=0, metasync=False, readahead=False
        )

    def _start_over(self) -> None:
        with self._environment.begin(write=True) as transaction:
            transaction.drop(self._environment.open_db(txn=transaction), delete=False)


class DedupBatch:
    """The ids of one batch on top of the stored ones (`projection.Known`). Thrown away, or given to `commit`."""

    def __init__(self, stored: DedupStore) -> None:
        self._stored = stored
        self._known: dict[bytes, Entry] = {}
        self.added: dict[bytes, Entry] = {}

    def load(self, keys: Sequence[bytes]) -> None:
        """Reads the stored entries of a batch in one transaction; `check` knows only what was loaded."""
        self._known.update(self._stored.get(keys))

    def known(self, key: bytes) -> Entry | None:
        """Returns offset, content and time of arrival of the entry that is remembered under `key`."""
        return self.added.get(key) or self._known.get(key)

    def elsewhere(self, record: StoredRecord) -> int | None:
        """The partition that the record belongs into, if it is another one."""
        return self._stored.lineage.elsewhere(record.key, record.offset)

    def check(self, key: bytes, offset: int, content: bytes, at: int) -> Duplicate | None:
        """Returns the first record if it has a lower offset within `WINDOW_S`; else None, and learns the id."""
        first = self.added.get(key) or self._known.get(key)
        if first is None:
            self.added[key] = (offset, content, at)
            return None
        is_earlier = is_before(first[0], offset)
        if is_earlier and abs(at - first[2]) <= WINDOW_S:
            return Duplicate(first[0], first[1] == content)
        if is_earlier or first[0] == offset:
            self.added[key] = (offset, content, at)
        return None


class InheritedIds:
    """`projection.DedupIndex` over a batch for records of an ancestor: their ids are remembered under places there."""

    def __init__(self, batch: DedupBatch, ancestor: Ancestor) -> None:
        self._batch, self._partition = batch, ancestor.partition
        self.load = batch.load

    def elsewhere(self, _record: StoredRecord) -> int | None:
        """Returns None: the caller has left out what does not belong here."""
        return None

    def check(self, key: bytes, offset: int, content: bytes, at: int) -> Duplicate | None:
        """Checks as `DedupBatch.check` does."""
        return self._batch.check(key, in_ancestor(self._partition, offset), content, at)


class NullDedupIndex:
    """`projection.Known` for topics whose ids are never repeated by a client."""

    def load(self, keys: Sequence[bytes]) -> None:
        """Does nothing: no id is stored."""

    def elsewhere(self, _record: StoredRecord) -> int | None:
        """Returns None: every record is where it belongs."""
        return None

    def check(self, _key: bytes, _offset: int, _content: bytes, _at: int) -> Duplicate | None:
        """Returns None: every record is new."""
        return None


def _number(value: bytes | None) -> int:
    return int(value) if value is not None else 0
