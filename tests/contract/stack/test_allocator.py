"""A freed block of a megabyte does not let the heap keep the next one."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

from infra.kernel.config.paths import ROOT

PROGRAM = """
import ctypes
from infra.ops.allocator import give_back_large_blocks

class Info(ctypes.Structure):
    names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = [(name, ctypes.c_size_t) for name in names.split()]

libc = ctypes.CDLL(None)
libc.mallinfo2.restype = Info

def own_pages(size):
    before = libc.mallinfo2().hblkhd
    block = bytes(size)
    return libc.mallinfo2().hblkhd - before >= size

if {is_set}:
    give_back_large_blocks()
own_pages(4 << 20)
print(own_pages(1 << 20))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="settings of glibc's allocator")
@pytest.mark.parametrize("is_set", [True, False])
def test_a_large_block_keeps_its_own_pages(is_set: bool) -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(is_set=is_set)], cwd=ROOT, capture_output=True, text=True, timeout=20
    )
    assert run.stdout.strip() == str(is_set), run.stderr
