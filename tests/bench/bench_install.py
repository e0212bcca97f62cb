"""From the wheel to the first counted event, in a bare virtual environment, without a cache of pip and without tools.

The start is the first one, which makes the data directory. What `make run` needs on the same machine is no baseline:
most of it is downloads.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from infra.ops.release import archives
from tests.bench import Figure, figure
from tests.support.installation import Installation, count_first_event, installed_stack
from tests.support.stack import ROOT

COMMAND = "python -m tests.bench install"
AIM_S = 60


def run() -> list[Figure]:
    with TemporaryDirectory(prefix="althing-install-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # as root, Postgres runs as another user
        wheel, _ = archives.build(ROOT, folder / "built", archives.source_date(ROOT))
        installation = Installation(folder / "bare")
        pip_s = installation.install(wheel)
        return [
            figure(COMMAND, "size of the wheel", wheel.stat().st_size / 1e6, "MB", aim="≤ 60"),
            figure(COMMAND, "virtual environment and pip, without a cache", pip_s, "s"),
            *_log("Postgres log, no Java", installation, pip_s, java=False),
            *_log("Kafka", installation, pip_s, java=True),
        ]


def _log(log: str, installation: Installation, pip_s: float, *, java: bool) -> Iterator[Figure]:
    began = time.monotonic()
    with installed_stack(installation, java=java) as stack:
        started = time.monotonic()
        count_first_event(stack)
        counted = time.monotonic()
    yield figure(COMMAND, f"{log}: first `althing up` until everything is ready", started - began, "s")
    name = f"{log}: then until the first event is counted"
    yield figure(COMMAND, name, counted - started, "s", note="sign-in and new website included")
    name = f"{log}: from nothing to the first counted event"
    yield figure(COMMAND, name, pip_s + counted - began, "s", aim=f"≤ {AIM_S}")
