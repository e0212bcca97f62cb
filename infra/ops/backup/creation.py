"""Creates a backup of a running stack: one snapshot of Postgres, then the log up to its end just afterwards.

The order makes them consistent: every log position in the snapshot is below the end offsets that are read next.
Topic `domain` is derived from the event store, so it is cut at the snapshot's last decision. The keys of the log's
personal texts are those of after its end (`infra.ops.backup.text_keys`). Everything is written to a temporary
directory, synced to disk, and renamed at the end: an incomplete backup is never mistaken for a whole one.
"""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid4

import psycopg
from psycopg import IsolationLevel

from infra.kernel.config.settings import Settings, SettingsError
from infra.kernel.config.version import product_version
from infra.kernel.log import Log, LogUnavailable, OffsetOutOfRange, StoredRecord, open_log
from infra.kernel.postgres.pool import required_url
from infra.kernel.security.encryption import derived_key, keyed_hash
from infra.ops.audit import log_reader
from infra.ops.backup import BackupError, dump, erased_subjects, history, log_records, manifest, text_keys
from infra.ops.backup.manifest import Manifest
from infra.ops.stack.secret_file import sync
from schemas import topics
from schemas.envelope import position_of

LOG_FOLDER: Final = "log"
CREATING_PREFIX: Final = ".making-"
REMOVING_PREFIX: Final = ".removing-"
SPARE_BYTES: Final = 64 * 1024 * 1024
_LOCK_FILE: Final = ".lock"

COUNTED: Final = (
    "events.stored_events",
    "kernel.subject_key",
    "kernel.audit",
    "ingest.conversion_key",
)
"""Tables whose rows the manifest counts, and a drill counts again: they only ever grow."""


class BackupProgress:
    """The recipient of a backup's progress; it does nothing by default."""

    def begin(self, what: str, total: int | None) -> None: ...

    def advance(self, count: int) -> None: ...


@dataclass(frozen=True)
class CreatedBackup:
    """A backup that is whole."""

    folder: Path
    manifest: Manifest
    removed: tuple[Path, ...]


def take(
    settings: Settings, folder: Path, keep: int | None = None, progress: BackupProgress | None = None
) -> CreatedBackup:
    """Creates a backup in a new directory in `folder`, verifies it, and removes all but the newest `keep`.

    Raises `BackupError`, and the engines' exceptions when they are unavailable; then nothing is left in `folder`.
    """
    reporter = progress or BackupProgress()
    began = datetime.now(UTC)
    backup_id = uuid4()
    name = f"{began:%Y%m%dT%H%M%SZ}-{str(backup_id)[:8]}"
    with _only_one(folder), history.noted(settings, backup_id, folder / name) as noted:
        making = folder / f"{CREATING_PREFIX}{name}"
        try:
            making.mkdir(mode=0o700)
            made = _write(settings, making, backup_id, began, reporter)
            reporter.begin("reading it again", made.size)
            manifest.verify(making, reporter.advance)
            for path in (*making.rglob("*"), making):
                sync(path)
            making.rename(folder / name)
            sync(folder)
        except OSError as error:
            raise BackupError(f"{folder} cannot be written: {error.strerror or error}.") from error
        finally:
            shutil.rmtree(making, ignore_errors=True)
        noted.done(made)
        return CreatedBackup(folder / name, made, _remove_old(folder, keep))


def existing(folder: Path) -> list[Path]:
    """The whole backups in `folder`, newest first. What has another program's manifest is none."""
    folders = [path.parent for path in folder.glob(f"*/{manifest.FILE_NAME}") if _is_ours(path.parent)]
    return sorted(folders, key=lambda path: path.name, reverse=True)


def _is_ours(path: Path) -> bool:
    try:
        return not path.name.startswith(".") and bool(manifest.read(path))
    except BackupError:
        return False


def key_mark(settings: Settings, backup_id: str) -> str:
    """A hash that identifies the master key of a backup."""
    return keyed_hash(derived_key(settings, "backup"), backup_id)


def _write(settings: Settings, making: Path, backup_id: UUID, began: datetime, progress: BackupProgress) -> Manifest:
    url = required_url(settings)
    mark = key_mark(settings, str(backup_id))
    with closing(open_log(settings)) as log:
        with psycopg.connect(url, connect_timeout=5) as connection:
            connection.isolation_level = IsolationLevel.REPEATABLE_READ
            connection.execute("SET idle_in_transaction_session_timeout = 0")
            connection.execute("SET statement_timeout = 0")
            connection.commit()
            snapshot = _one(connection, "SELECT pg_export_snapshot()")
            decision = _one(connection, "SELECT coalesce(max(notification_id), 0) FROM events.stored_events")
            ends = _ends_of_snapshot(connection) if settings.log == "postgres" else _ends(log, connection)
            _write_erased(url, making)
            _check_room(settings, connection, making)
            progress.begin("Postgres", None)
            dump.dump(url, connection, snapshot, making / dump.FILE_NAME)
            counts = {table: _one(connection, f"SELECT count(*) FROM {table}") for table in COUNTED}  # noqa: S608 - own text
            migrations = connection.execute("SELECT name FROM ops.migrations ORDER BY name").fetchall()
            version = _one(connection, "SHOW server_version").split()[0]
        if settings.log != "postgres":
            ends = _copy_log(log, making / LOG_FOLDER, ends, decision, progress)
    files = {
        str(path.relative_to(making)): manifest.describe(path) for path in sorted(making.rglob("*")) if path.is_file()
    }
    made = Manifest(
        id=str(backup_id),
        made_at=began.isoformat(timespec="seconds"),
        program=product_version(),
        log="postgres" if settings.log == "postgres" else "kafka",
        postgres=version,
        migrations=tuple(name for (name,) in migrations),
        decision=decision,
        ends=ends,
        counts=counts,
        key=mark,
        files=files,
    )
    (making / manifest.FILE_NAME).write_text(manifest.to_text(made))
    return made


def _write_erased(url: str, making: Path) -> None:
    """Writes what erasures have left until after the end of the log: keys, and who a restore must not bring back."""
    with psycopg.connect(url, connect_timeout=5) as connection:
        connection.isolation_level = IsolationLevel.REPEATABLE_READ
        text_keys.write(connection, making / text_keys.FILE_NAME)
        erased_subjects.update(connection, making.parent)


def _ends(log: Log, connection: psycopg.Connection[Any]) -> Mapping[str, int]:
    ends = log_reader.ends_of(log, connection)
    return {f"{topic}-{partition}": end for (topic, partition), end in ends.items()}


def _ends_of_snapshot(connection: psycopg.Connection[Any]) -> Mapping[str, int]:
    """Returns the ends of the log in Postgres: it is part of the dump."""
    rows = connection.execute("SELECT topic || '-' || partition, next_offset FROM log.partition")
    return dict(rows.fetchall())


def _copy_log(log: Log, to: Path, ends: Mapping[str, int], decision: int, progress: BackupProgress) -> dict[str, int]:
    """Writes a file for each partition; the ends of what was written."""
    to.mkdir(mode=0o700)
    progress.begin("the log", sum(ends.values()))
    written: dict[str, int] = {}
    for place, end in ends.items():
        topic, _, partition = place.rpartition("-")
        records = _unbroken(place, log_reader.read(log, topic, int(partition), end))
        if topic == topics.DOMAIN.name:
            records = _until(decision, records)
        try:
            written[place] = log_records.write(to / place, records, progress.advance)
        except OffsetOutOfRange as error:
            raise BackupError(f"The log has lost its beginning, and with it what a backup needs: {error}.") from error
        except LogUnavailable as error:
            raise BackupError(f"The log cannot be read: {error}.") from error
    return written


def _unbroken(place: str, found: Iterator[StoredRecord]) -> Iterator[StoredRecord]:
    """Every record must get its old offset again when it is written into an empty log."""
    for expected, record in enumerate(found):
        if record.offset != expected:
            raise BackupError(f"The log lacks {place}@{expected}: its places could not be made again.")
        yield record


def _until(decision: int, found: Iterator[StoredRecord]) -> Iterator[StoredRecord]:
    """The relay copies what comes later again, from the restored event store."""
    for record in found:
        if position_of(record.headers) > decision:
            return
        yield record


def _check_room(settings: Settings, connection: psycopg.Connection[Any], making: Path) -> None:
    """The backup is compressed, so the present size of its content is enough."""
    need = _one(connection, "SELECT pg_database_size(current_database())") + SPARE_BYTES
    kafka = settings.data_dir / "kafka"
    if settings.log != "postgres" and kafka.is_dir():
        need += sum(path.stat().st_size for path in kafka.glob("*-*/*.log"))
    free = shutil.disk_usage(making).free
    if free < need:
        raise BackupError(
            f"{making.parent} has {free / 1e9:.1f} GB free, and a backup may need {need / 1e9:.1f} GB; free some "
            "space, or choose another folder."
        )


def _one(connection: psycopg.Connection[Any], query: str) -> Any:
    row = connection.execute(query.encode()).fetchone()
    return row[0] if row else None


@contextmanager
def _only_one(folder: Path) -> Iterator[None]:
    """One backup at a time into a folder; what a killed one left there goes first."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = (folder / _LOCK_FILE).open("a")
    except OSError as error:
        raise SettingsError(f"{folder} cannot be used for backups: {error.strerror or error}.") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BackupError(f"Another backup is being taken into {folder}.") from error
        for left in [*folder.glob(f"{CREATING_PREFIX}*"), *folder.glob(f"{REMOVING_PREFIX}*")]:
            shutil.rmtree(left, ignore_errors=True)
        yield


def _remove_old(folder: Path, keep: int | None) -> tuple[Path, ...]:
    """Renamed first: a backup that is half removed must not be taken for one either."""
    old = existing(folder)[keep:] if keep is not None else []
    for path in old:
        with suppress(OSError):
            gone = path.rename(path.with_name(f"{REMOVING_PREFIX}{path.name}"))
            shutil.rmtree(gone, ignore_errors=True)
    return tuple(old)
