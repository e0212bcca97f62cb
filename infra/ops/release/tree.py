"""The checkout that a release is made of: its state and time, from git, and its version."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path

from infra.ops.release import ReleaseError


def require_clean(root: Path) -> None:
    """Raises `ReleaseError` for changes that no commit has: nobody could build the same again."""
    changed = _git(root, "status", "--porcelain").splitlines()
    if changed:
        names = ", ".join(line[3:] for line in changed[:5])
        raise ReleaseError(f"A release is made of a commit, and {len(changed)} files differ from it: {names}.")


def commit_time(root: Path) -> int:
    """Returns the time of the last commit, in seconds since 1970. Raises `ReleaseError`."""
    return int(_git(root, "log", "-1", "--format=%ct"))


def version(root: Path) -> str:
    """The version of the product, as `pyproject.toml` has it."""
    text: str = tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"]
    return text


def _git(root: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise ReleaseError(f"`git {' '.join(arguments)}` failed; a release is made in a git checkout.") from error
    return done.stdout
