"""How a service's memory goes back to the system: settings of the C library's allocator, made when a service starts.

glibc gives a block of 128 KiB or more pages of its own and returns them when it is freed; but from then on it takes
blocks of that size from the heap. So the largest batches, after an engine was away, enlarge the heap, and little of it
is returned. A fixed threshold ends that, for the page faults of each large block. Two heaps are enough for processes
whose threads mostly wait; glibc would make eight for each core.

Constants: mallopt(3). Other C libraries know no such call or refuse it, and nothing changes.
"""

from __future__ import annotations

import ctypes
from typing import Final

_M_TRIM_THRESHOLD: Final = -1
_M_MMAP_THRESHOLD: Final = -3
_M_ARENA_MAX: Final = -8
LARGE_BYTES: Final = 256 * 1024
HEAPS: Final = 2


def give_back_large_blocks() -> None:
    """For this process, from now on."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    mallopt(_M_MMAP_THRESHOLD, LARGE_BYTES)
    mallopt(_M_TRIM_THRESHOLD, LARGE_BYTES)
    mallopt(_M_ARENA_MAX, HEAPS)
