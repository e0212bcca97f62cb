"""Writes many small decisions to the event store: `python -m tests.support.writers COUNT`."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from uuid import uuid4

from command_api.core import open_core
from infra.settings import load
from schemas.events.operations import ProjectionPaused


def main(count: int) -> None:
    core = open_core(load(env_file=None))
    for number in range(count):
        events = [
            ProjectionPaused(
                originator_id=uuid4(), originator_version=1, timestamp=datetime.now(UTC), projection=f"p{number}"
            )
            for _ in range(1 + number % 3)
        ]
        core.store.write(events)
    core.close()


if __name__ == "__main__":
    main(int(sys.argv[1]))
