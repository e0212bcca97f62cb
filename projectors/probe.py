"""The child process of `projectors.engine.probe`: `python -m projectors.probe PROJECTION TOPIC PARTITION`."""

from __future__ import annotations

import sys
from typing import Final

from projectors.engine import probe
from projectors.registry import REGISTRY

MODULE: Final = "projectors.probe"
"""The module that a worker starts (`Runtime.probe_module`)."""

if __name__ == "__main__":
    sys.exit(probe.run(REGISTRY, sys.argv[1:]))
