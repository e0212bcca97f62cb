"""The release before this tree, for tests of an upgrade: its files, from the history of this clone."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest

from tests.support.engines import ROOT

PREVIOUS: Final = "e469b35ee3a3fc87c41851f9d2cecddb04a82355"
"""A commit, because a clone need not have tags. Raise it with each release."""


@contextmanager
def previous_release() -> Iterator[Path]:
    """Its tree. Skips the test where the history does not have it."""
    known = subprocess.run(
        ["git", "cat-file", "-e", f"{PREVIOUS}^{{commit}}"], cwd=ROOT, capture_output=True, check=False
    )
    if known.returncode != 0:
        pytest.skip(f"this clone's history does not have the previous release {PREVIOUS[:8]}: git fetch --unshallow")
    with tree_of(PREVIOUS) as tree:
        yield tree


@contextmanager
def tree_of(commit: str) -> Iterator[Path]:
    """The files of a commit, with the built parts of this checkout."""
    with TemporaryDirectory() as folder:
        packed = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=packed, check=True)
        (Path(folder) / ".build").symlink_to(ROOT / ".build")
        yield Path(folder)
