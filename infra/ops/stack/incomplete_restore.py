"""The mark of a data directory that a restore has begun to fill: nothing may start on it until the restore is done."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from infra.kernel.config.settings import SettingsError

FILE_NAME: Final = "restore.unfinished"
_OURS: Final = (FILE_NAME, "lock")


def refuse(data_dir: Path) -> None:
    """Raises `SettingsError` when a restore into `data_dir` was interrupted, or still runs."""
    path = data_dir / FILE_NAME
    if path.exists():
        raise SettingsError(
            f"{data_dir} is half restored, from {path.read_text().strip()}: run `althing restore` with that directory "
            "again, it starts from the beginning."
        )


def check(data_dir: Path) -> bool:
    """Returns whether a restore was interrupted here. Raises `SettingsError` when the directory contains anything
    else."""
    was_interrupted = (data_dir / FILE_NAME).exists()
    others = [each for each in data_dir.iterdir() if each.name not in _OURS]
    if others and not was_interrupted:
        raise SettingsError(
            f"{data_dir} is not empty (there is {sorted(others)[0].name}): a backup is restored into an empty "
            "directory only; set ALTHING_DATA_DIR to a new one."
        )
    return was_interrupted


def begin(data_dir: Path, source: Path) -> None:
    """Marks the directory that `check` found fit; what an interrupted restore left goes. The caller holds its lock."""
    (data_dir / FILE_NAME).write_text(f"{source}\n")
    for each in data_dir.iterdir():
        if each.name not in _OURS:
            shutil.rmtree(each) if each.is_dir() and not each.is_symlink() else each.unlink()


def end(data_dir: Path) -> None:
    """Marks the restore as complete; everything is synced to disk."""
    (data_dir / FILE_NAME).unlink()
