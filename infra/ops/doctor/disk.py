"""The disk of the data directory: space, kind, how long a write takes to be durable; how many files may be open."""

from __future__ import annotations

import os
import resource
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

import psutil

from infra.ops.doctor.finding import Finding, error, ok, warning
from infra.ops.doctor.subject import Subject

CHECK: Final = "disk"
GIB: Final = 1 << 30
MIN_FREE: Final = GIB
LOW_FREE: Final = 10 * GIB
LOW_INODES: Final = 20_000
SLOW_SYNC_S: Final = 0.025
MIN_FILES: Final = 512
LOW_FILES: Final = 4096
_NETWORK: Final = (
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "fuse.glusterfs", "fuse.s3fs", "ceph", "9p", "afs", "lustre",
)  # fmt: skip
_VOLATILE: Final = ("tmpfs", "ramfs")
_SYNCS: Final = 60
_SYNC_LIMIT_S: Final = 3.0
_PAGE: Final = b"\0" * 4096


def check(subject: Subject) -> Iterator[Finding]:
    place = nearest(subject.data_dir)
    try:
        yield of_space(place, shutil.disk_usage(place).free)
        yield of_inodes(place, os.statvfs(place))
        yield of_file_system(place, file_system(place))
    except OSError as failure:
        yield error(
            CHECK, f"{place} cannot be examined: {failure.strerror}.", "Set ALTHING_DATA_DIR to a local directory."
        )
    yield of_syncs(subject.data_dir)
    yield of_open_files(resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def nearest(path: Path) -> Path:
    """The path, or the closest folder above it that exists and that this user may see."""
    return next((folder for folder in (path, *path.parents) if os.path.exists(folder)), Path("/"))


def of_space(place: Path, free: int) -> Finding:
    text = f"{free / GIB:.1f} GiB are free in {place}."
    if free < MIN_FREE:
        return error(
            CHECK, text, "Free space, or move the data directory to a larger disk: the engines stop when it is full."
        )
    if free < LOW_FREE:
        return warning(CHECK, text, "Free space before it is needed: a rebuild of the events takes their size again.")
    return ok(CHECK, text)


def of_inodes(place: Path, found: os.statvfs_result) -> Finding:
    if found.f_files == 0:
        return ok(CHECK, "This file system has no limit on the number of files.")
    text = f"{found.f_favail:,} more files can be created in {place}."
    if found.f_favail < LOW_INODES:
        return warning(CHECK, text, "Remove files that are not needed, or use a file system with more inodes.")
    return ok(CHECK, text)


def of_file_system(place: Path, kind: str) -> Finding:
    if kind in _NETWORK or kind.startswith("nfs"):
        return warning(
            CHECK,
            f"{place} is on {kind}, a network file system: locks and fsync are not reliable there.",
            "Set ALTHING_DATA_DIR to a directory of a local disk.",
        )
    if kind in _VOLATILE:
        return warning(
            CHECK,
            f"{place} is on {kind}, in memory: all data is lost when the machine stops.",
            "Set ALTHING_DATA_DIR to a directory of a disk.",
        )
    return ok(CHECK, f"{place} is on {kind or 'a file system that the system does not name'}.")


def file_system(place: Path) -> str:
    """The type of the file system that is mounted there; empty where the system does not say."""
    mounts = [part for part in psutil.disk_partitions(all=True) if place.is_relative_to(part.mountpoint)]
    return max(mounts, key=lambda part: len(part.mountpoint)).fstype if mounts else ""


def of_syncs(data_dir: Path, measure: Callable[[Path], Sequence[float]] | None = None) -> Finding:
    """Reports how long `fsync` of a small write takes: every acknowledged event waits for one."""
    if not os.access(data_dir, os.W_OK | os.X_OK):
        return ok(CHECK, "fsync is not measured: the data directory does not exist or cannot be written.")
    try:
        times = sorted((measure or sync_times)(data_dir))
    except OSError as failure:
        return error(
            CHECK,
            f"A temporary file in {data_dir} cannot be written: {failure.strerror}.",
            "Check the disk, its free space and its quota.",
        )
    middle, slow = times[len(times) // 2], times[int((len(times) - 1) * 0.99)]
    text = f"fsync takes {middle * 1000:.1f} ms, and {slow * 1000:.1f} ms at the 99th percentile."
    if slow > SLOW_SYNC_S:
        return warning(
            CHECK,
            f"{text} An event is acknowledged after an fsync, so senders wait that long.",
            "Move the data directory to an SSD that no other program keeps busy.",
        )
    return ok(CHECK, text)


def sync_times(folder: Path) -> list[float]:
    """Seconds of each fsync of a page that is appended to a file without a name. Raises `OSError`."""
    times: list[float] = []
    deadline = time.monotonic() + _SYNC_LIMIT_S
    with TemporaryFile(dir=folder) as file:
        while len(times) < _SYNCS and (not times or time.monotonic() < deadline):
            os.write(file.fileno(), _PAGE)
            began = time.perf_counter()
            os.fsync(file.fileno())
            times.append(time.perf_counter() - began)
    return times


def of_open_files(limit: int) -> Finding:
    if limit in (resource.RLIM_INFINITY, -1):
        return ok(CHECK, "The number of open files of a process has no limit.")
    text = f"A process may open {limit:,} files."
    remedy = "Run `ulimit -n 65536` before the start, or set LimitNOFILE=65536 in the unit."
    if limit < MIN_FILES:
        return error(CHECK, text, remedy)
    if limit < LOW_FILES:
        return warning(CHECK, f"{text} Many connections and files of the engines need more.", remedy)
    return ok(CHECK, text)
