"""The constraints file beside a wheel: the versions of all packages that the release was tested with.

A wheel names ranges, so that pip finds a solution beside other packages; with `pip install -c` it takes these versions.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

LOCK: Final = "requirements.lock"
_PINNED: Final = re.compile(r"^([A-Za-z0-9][\w.-]*)(?:\[[\w,.-]+\])?==([^\s;\\]+)(\s*;[^\\]*?)?\s*\\?$", re.MULTILINE)


def write(root: Path, folder: Path, version: str) -> Path:
    """Writes the file for the wheel of `version` in `folder`."""
    path = folder / f"althing-{version}-constraints.txt"
    path.write_text(constraints((root / LOCK).read_text()))
    return path


def constraints(lock: str) -> str:
    """One line for each package of the lock, without hashes: those are of files that pip may choose among."""
    return "".join(f"{name}=={version}{(marker or '').rstrip()}\n" for name, version, marker in _PINNED.findall(lock))
