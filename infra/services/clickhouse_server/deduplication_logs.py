"""Repairs the deduplication logs of tables after the process was killed, before the engine opens them.

The engine writes a block's id into its table's log, then gives the block's part its name: one `write`, and one `rename`
a fraction of a millisecond later. A process that is killed in between leaves the id without the part, and the retry of
the insert (decision 4) would be taken for a duplicate: its rows would be missing in that table.

The engine does both under the lock of the table's parts, so only the last record of a log can lack its part. It is
dropped here if no part of its partition has its block, as its own or merged. Folders of unfinished parts say nothing:
the numbers in their names (`tmp_insert_…`) are not those of the part.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import structlog

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

_PART: Final = re.compile(r"(?P<partition>[^_]+)_(?P<first>\d+)_(?P<last>\d+)_\d+(?:_\d+)?")
_ADDED: Final = "1"
_FOLDER: Final = "deduplication_logs"
_LOCK: Final = "status"
"""The file that the engine locks while it has the data directory open."""


def repair(data: Path) -> int:
    """Drops the records of parts that never got their name; returns how many. Does nothing while another process has
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


def _repair_table(table: Path) -> bool:
    """Drops the newest record if it is of an added part whose block the table lacks; returns whether it did. Records
    are `operation TAB part TAB block`, the oldest first."""
    logs = sorted((table / _FOLDER).glob("deduplication_log_*.txt"), key=lambda path: int(path.stem.rpartition("_")[2]))
    for path in reversed(logs):
        records = path.read_text().splitlines(keepends=True)
        if not records:
            continue  # the newest log has just begun
        operation, _, rest = records[-1].partition("\t")
        part = _PART.fullmatch(rest.partition("\t")[0])
        if operation != _ADDED or part is None or _has_block(table, part["partition"], int(part["first"])):
            return False
        _replace(path, records[:-1])
        return True
    return False


def _has_block(table: Path, partition: str, block: int) -> bool:
    parts = (_PART.fullmatch(path.name) for path in table.iterdir())
    return any(
        part["partition"] == partition and int(part["first"]) <= block <= int(part["last"]) for part in parts if part
    )


def _replace(path: Path, records: Iterable[str]) -> None:
    """Replaces the records at once, forced to the disk: later records would follow this one, and then it stays."""
    new = path.parent.parent / "repaired_deduplication_log.tmp"
    with new.open("w") as file:
        file.writelines(records)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
