"""No two processes of tests are given the same port, however long the first takes to listen there."""

from __future__ import annotations

import subprocess
import sys

from tests.support.engines import ROOT
from tests.support.ports import free_ports

MANY = 200
ANOTHER = f"from tests.support.ports import free_ports; print(*free_ports({MANY}), flush=True); input()"


def test_what_one_process_was_given_no_other_gets() -> None:
    mine = set(free_ports(MANY))
    assert not mine & set(free_ports(MANY))
    with subprocess.Popen(
        [sys.executable, "-c", ANOTHER], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdin is not None and other.stdout is not None
        of_other = {int(port) for port in other.stdout.readline().split()}
        other.communicate("\n")
    assert len(mine) == len(of_other) == MANY and not mine & of_other
