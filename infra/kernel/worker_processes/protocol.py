"""The protocol of a pool and its processes over a socket: frames with a header.

Answers are bytes and never pickled objects: a process that was taken over by its input cannot take over its parent.
"""

from __future__ import annotations

from struct import Struct
from typing import Final

REQUEST: Final = Struct(">II")
"""Seconds of processor time, bytes of the request that follows."""
ANSWER: Final = Struct(">BII")
"""Kind, milliseconds of processor time that were used, bytes of the answer that follows."""
READY: Final = 0
DONE: Final = 1
REJECTED: Final = 2
FAILED: Final = 3


class JobRejected(Exception):
    """The job says that its input is at fault; `reason` is what it says."""

    def __init__(self, reason: bytes) -> None:
        super().__init__(reason.decode(errors="replace"))
        self.reason = reason
