"""Named places where a crash test kills this process: `TEST_FAILPOINT=<name>` or `<name>:<worker>`."""

from __future__ import annotations

import os
import signal
from typing import Final

_WANTED: Final = os.environ.get("TEST_FAILPOINT", "")
ARE_SET: Final = bool(_WANTED)


def touch(value: bytes) -> None:
    """Dies on a record that a test has poisoned (`TEST_FAILPOINT=poison`)."""
    if _WANTED == "poison" and b"/poison" in value:
        os.kill(os.getpid(), signal.SIGKILL)


def reach(name: str, worker: str = "") -> None:
    """Kills the process here, as by `kill -9`, if a test set this failpoint."""
    if _WANTED and _WANTED in (name, f"{name}:{worker}"):
        os.kill(os.getpid(), signal.SIGKILL)
