"""`althing backup` and `althing restore`: arguments, progress, and what is said at the end.

Exit codes: 0 done, 1 failed, 2 wrong use or a drill that found a difference, 130 cancelled.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from pathlib import Path
from types import FrameType
from typing import Any, Final

import psycopg

from infra.kernel.config.loading import load
from infra.kernel.config.parsers import parse_count, parse_master_key
from infra.kernel.config.settings import Settings, SettingsError
from infra.kernel.log import LogUnavailable
from infra.kernel.observability.progress import Meter
from infra.ops.backup import BackupError, erased_subjects, manifest
from infra.ops.backup.creation import BackupProgress, existing, take
from infra.ops.backup.drill import drill
from infra.ops.backup.manifest import Manifest
from infra.ops.backup.restore import restore

FOLDER: Final = "backups"


def backup_main(arguments: list[str]) -> int:
    """Takes a backup; with `--verify` or `--drill` tries one."""
    parser = argparse.ArgumentParser(
        prog="althing backup",
        description="Backs the running stack up into a new directory, named by the time, and reads it again.",
    )
    parser.add_argument("--to", type=Path, metavar="DIR", help="the folder of the backups (else ALTHING_BACKUP_DIR)")
    parser.add_argument("--keep", type=_count, metavar="N", help="afterwards, remove all but the newest N there")
    parser.add_argument("--verify", type=Path, metavar="DIR", help="create none; read and check the backup DIR")
    parser.add_argument(
        "--drill",
        nargs="?",
        type=Path,
        const=Path(),
        metavar="DIR",
        help="create none; restore DIR (or the newest) into a copy, start it, audit it, and delete it",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    chosen = parser.parse_args(arguments)
    if chosen.verify is not None and chosen.drill is not None:
        parser.error("--verify and --drill do not go together")
    settings = load()
    if chosen.verify is not None:
        return _said(chosen.json, lambda progress: _verified(chosen.verify, progress))
    folder = chosen.to or settings.backup_dir or settings.data_dir / FOLDER
    folder = folder.resolve()
    if chosen.drill is not None:
        source = chosen.drill if chosen.drill != Path() else _newest(folder)
        return _said(chosen.json, lambda progress: _drilled(settings, source.resolve(), progress))
    is_daily = settings.backup_dir is not None and folder == settings.backup_dir.resolve()
    keep = chosen.keep or (settings.backup_keep if is_daily else None)
    return _said(chosen.json, lambda progress: _taken(settings, folder, keep, progress))


def restore_main(arguments: list[str]) -> int:
    """Fills an empty data directory."""
    parser = argparse.ArgumentParser(
        prog="althing restore",
        description="Restores a backup into the empty directory ALTHING_DATA_DIR and rebuilds every table.",
    )
    parser.add_argument("directory", type=Path, metavar="DIR", help="the backup")
    parser.add_argument(
        "--master-key-file",
        type=Path,
        metavar="FILE",
        help="a copy of the old secrets.json, or a file with the key's 64 digits (else ALTHING_MASTER_KEY)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    chosen = parser.parse_args(arguments)
    settings = load()
    key = None if chosen.master_key_file is None else _master_key(chosen.master_key_file)
    return _said(chosen.json, lambda progress: _restored(chosen.directory.resolve(), settings, key, progress))


class Shown(BackupProgress):
    """A bar for each part of the work."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._stack = ExitStack()
        self._meter: Meter | None = None

    def begin(self, what: str, total: int | None) -> None:
        self.end()
        self._meter = self._stack.enter_context(Meter(what, total, quiet=self._quiet))

    def advance(self, count: int) -> None:
        if self._meter is not None:
            self._meter.advance(count)

    def end(self) -> None:
        self._stack.close()


def _said(as_json: bool, work: Callable[[BackupProgress], tuple[int, dict[str, Any], str]]) -> int:
    """Does the work and says what came of it."""
    progress = Shown(quiet=as_json)
    with _ended_like_cancelled():
        try:
            with redirect_stdout(sys.stderr):  # output of the engines must not be part of the result
                code, answer, text = work(progress)
        except (BackupError, LogUnavailable, psycopg.Error) as error:
            code, answer, text = 1, {"error": str(error)}, ""
            sys.stderr.write(f"althing: {error}\n")
        finally:
            progress.end()
    if as_json:
        sys.stdout.write(json.dumps(answer) + "\n")
    elif text:
        sys.stdout.write(text + "\n")
    return code


@contextmanager
def _ended_like_cancelled() -> Iterator[None]:
    """SIGTERM does what Ctrl-C does: it is tidied up behind."""

    def cancel(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    handler = signal.signal(signal.SIGTERM, cancel)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, handler)


def _taken(
    settings: Settings, folder: Path, keep: int | None, progress: BackupProgress
) -> tuple[int, dict[str, Any], str]:
    taken = take(settings, folder, keep, progress)
    answer = _about(taken.folder, taken.manifest) | {"removed": [str(path) for path in taken.removed]}
    lines = [
        f"{taken.folder}: {taken.manifest.size / 1e6:,.1f} MB, whole and read again.",
        "The master key is not in it: keep a copy of secrets.json (or ALTHING_MASTER_KEY) somewhere else.",
    ]
    if taken.removed:
        lines.append(f"{len(taken.removed)} older removed.")
    return 0, answer, "\n".join(lines)


def _verified(folder: Path, progress: BackupProgress) -> tuple[int, dict[str, Any], str]:
    progress.begin("checking", manifest.read(folder).size)
    verified = manifest.verify(folder, progress.advance)
    return (
        0,
        _about(folder, verified),
        f"{folder} is whole: {len(verified.files)} files, {verified.size / 1e6:,.1f} MB.",
    )


def _drilled(settings: Settings, source: Path, progress: BackupProgress) -> tuple[int, dict[str, Any], str]:
    result = drill(settings, source, progress)
    answer = _about(source, result.manifest) | {
        "seconds": round(result.seconds, 1),
        "checked": result.checked,
        "differences": list(result.differences),
    }
    if result.differences:
        return 2, answer, f"{source} was restored, and differs:\n  " + "\n  ".join(result.differences)
    text = f"{source} was restored in {result.seconds:.0f} s; {result.checked:,} things compared, nothing differs."
    return 0, answer, text


def _restored(
    source: Path, settings: Settings, key: str | None, progress: BackupProgress
) -> tuple[int, dict[str, Any], str]:
    restored = restore(source, settings, key, progress)
    data_dir = settings.data_dir.resolve()
    has_list = (source.parent / erased_subjects.FILE_NAME).exists()
    lines = [f"{data_dir} holds the backup of {restored.made_at}. Start it with `althing up`."]
    if not has_list:
        lines.append(
            f"There is no {erased_subjects.FILE_NAME} beside the backup: accounts erased after the backup are restored."
        )
    return 0, _about(data_dir, restored) | {"erasedListFound": has_list}, "\n".join(lines)


def _about(folder: Path, found: Manifest) -> dict[str, Any]:
    return {
        "folder": str(folder),
        "id": found.id,
        "madeAt": found.made_at,
        "bytes": found.size,
        "ends": dict(found.ends),
        "counts": dict(found.counts),
    }


def _newest(folder: Path) -> Path:
    backups = existing(folder)
    if not backups:
        raise SettingsError(f"There is no backup in {folder}.")
    return backups[0]


def _master_key(path: Path) -> str:
    """Raises `SettingsError`; never shows what the file holds."""
    try:
        text = path.read_text().strip()
        if text.startswith("{"):
            text = str(json.loads(text)["master_key"])
        return parse_master_key(text)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SettingsError(f"--master-key-file: {path} holds no master key.") from error


def _count(text: str) -> int:
    try:
        return parse_count(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{error}") from error
