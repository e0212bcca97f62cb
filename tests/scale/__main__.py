"""`python -m tests.scale`: runs `tests/scale` in a network of its own, where this is permitted (root on Linux).

There the cluster's machines are network namespaces, which a test can cut off from each other; nothing reaches the
network of this machine. Elsewhere everything runs on loopback, and the tests that need the network are skipped.
"""

from __future__ import annotations

import os
import subprocess
import sys

from tests.scale.machines import PRIVATE
from tests.support.engines import ROOT

ISOLATED = ("unshare", "--net", "--mount", "--propagation", "private")
SET_UP = "ip link set lo up && mkdir -p /run/netns && mount -t tmpfs none /run/netns"


def main() -> int:
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", "-s", str(ROOT / "tests/scale")]
    tests += sys.argv[1:]
    if not is_permitted():
        return subprocess.run(tests, cwd=ROOT, check=False).returncode
    shell = f'{SET_UP} && exec "$@"'
    return subprocess.run(
        [*ISOLATED, "sh", "-c", shell, "sh", *tests], cwd=ROOT, env={**os.environ, PRIVATE: "1"}, check=False
    ).returncode


def is_permitted() -> bool:
    """Whether namespaces can be made here."""
    try:
        made = subprocess.run(
            [*ISOLATED, "sh", "-c", f"{SET_UP} && ip netns add one"], capture_output=True, check=False
        )
    except OSError:
        return False
    return made.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
