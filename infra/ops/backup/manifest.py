"""The manifest of a backup: versions, positions, counts, and the checksum of each file beside it.

It is written last, so a directory without one is no backup; it carries a checksum of its own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

from infra.ops.backup import BackupError

FILE_NAME: Final = "manifest.json"
FORMAT: Final = 1
BLOCK: Final = 1024 * 1024


@dataclass(frozen=True)
class FileRow:
    """One file of the backup."""

    bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """`ends`: by `topic-partition`, the offset before which every record is stored. `decision`: the last position of
    the event store. `key`: identifies the master key without disclosing it. Times are ISO 8601, UTC."""

    id: str
    made_at: str
    program: str
    log: str
    postgres: str
    migrations: tuple[str, ...]
    decision: int
    ends: Mapping[str, int]
    counts: Mapping[str, int]
    key: str
    files: Mapping[str, FileRow]
    format: int = FORMAT

    @property
    def size(self) -> int:
        return sum(row.bytes for row in self.files.values())


def to_text(manifest: Manifest) -> str:
    content = asdict(manifest)
    return json.dumps({**content, "checksum": _checksum(content)}, indent=1, sort_keys=True) + "\n"


def read(folder: Path) -> Manifest:
    """The manifest of the backup in `folder`. Raises `BackupError` when there is none, or it is incomplete or
    foreign."""
    path = folder / FILE_NAME
    try:
        content = json.loads(path.read_text())
    except FileNotFoundError as error:
        raise BackupError(f"{folder} is not a backup: it has no {FILE_NAME}.") from error
    except (OSError, ValueError) as error:
        raise BackupError(f"{path} cannot be read: {error}.") from error
    if not isinstance(content, dict) or not isinstance(content.get("format"), int):
        raise BackupError(f"{path} is not the manifest of a backup.")
    if content["format"] != FORMAT:
        raise BackupError(
            f"{folder} has format {content['format']}, and this program reads format {FORMAT}: use the version of the "
            "program that made it."
        )
    if content.pop("checksum", None) != _checksum(content):
        raise BackupError(f"{path} was changed after it was written: its checksum does not fit.")
    try:
        values: dict[str, Any] = {field.name: content[field.name] for field in fields(Manifest)}
        values["files"] = {name: FileRow(**row) for name, row in values["files"].items()}
        values["migrations"] = tuple(values["migrations"])
        return Manifest(**values)
    except (KeyError, TypeError, AttributeError) as error:
        raise BackupError(f"{path} is not the manifest of a backup: {error!r}.") from error


def verify(folder: Path, seen: Callable[[int], None] = lambda _bytes: None) -> Manifest:
    """The manifest, after every file was read and found as it was written. Raises `BackupError`, naming the file."""
    manifest = read(folder)
    for name, row in manifest.files.items():
        path = folder / name
        if ".." in Path(name).parts or Path(name).is_absolute():
            raise BackupError(f"{folder} names a file outside of itself: {name!r}.")
        try:
            actual = describe(path, seen)
        except OSError as error:
            raise BackupError(f"{path} cannot be read: {error.strerror or error}.") from error
        if actual.bytes != row.bytes:
            raise BackupError(f"{path} has {actual.bytes:,} bytes, and had {row.bytes:,} when it was written.")
        if actual.sha256 != row.sha256:
            raise BackupError(f"{path} was changed after it was written: its checksum does not fit.")
    return manifest


def describe(path: Path, seen: Callable[[int], None] = lambda _bytes: None) -> FileRow:
    """Size and checksum of a file. `seen` hears of each block's bytes. Raises `OSError`."""
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
            size += len(block)
            seen(len(block))
    return FileRow(size, digest.hexdigest())


def _checksum(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
