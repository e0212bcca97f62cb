"""Repairs the deduplication logs of tables after the process was killed, before the engine opens them.

The engine writes a block's id into its table's log, then gives the block's part its name: one `write`, and one `rename`
a fraction of a millisecond later. A process that is killed in between leaves the id without the part, and the retry of
the insert (decision 4) would be taken for a duplicate: its rows would be missing in that table. Such a
part still has the name of an unfinished one, `tmp_insert_PART`, so its record is dropped here.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import structlog

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

_UNFINISHED: Final = "tmp_insert_"
_ADDED: Final = b"1"
_FOLDER: Final = "deduplication_logs"
_LOCK: Final = "status"
"""The file that the engine locks while it has the data directory open."""


def repair(data: Path) -> int:
    """Drops the records of parts that were never finished; returns how many. Does nothing while another process has
    the directory open."""
    if not data.is_dir():
        return 0
    with (data / _LOCK).open("ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return 0
        dropped = sum(_repair_table(folder.parent) for folder in data.glob(f"store/*/*/{_FOLDER}"))
    if dropped:
        log.warning("deduplication_log_repaired", records=dropped)
    return dropped


def _repair_table(table: Path) -> int:
    unfinished = {part.name.removeprefix(_UNFINISHED).encode() for part in table.glob(f"{_UNFINISHED}*")}
    if not unfinished:
        return 0
    return sum(_repair_log(path, unfinished) for path in sorted((table / _FOLDER).glob("deduplication_log_*.txt")))


def _repair_log(path: Path, unfinished: Iterable[bytes]) -> int:
    """Replaces the file at once, and forces that to the disk: the engine removes unfinished parts as soon as it runs,
    and then nothing names this record."""
    records = path.read_bytes().splitlines(keepends=True)
    kept = list(_without(records, unfinished))
    if len(kept) == len(records):
        return 0
    new = path.parent.parent / "repaired_deduplication_log.tmp"
    with new.open("wb") as file:
        file.writelines(kept)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return len(records) - len(kept)


def _without(records: Iterable[bytes], unfinished: Iterable[bytes]) -> Iterator[bytes]:
    """Records are `operation TAB part TAB block`; the last one may be cut off."""
    for record in records:
        operation, _, rest = record.partition(b"\t")
        part = rest.partition(b"\t")[0]
        if not (operation == _ADDED and part in unfinished):
            yield record
