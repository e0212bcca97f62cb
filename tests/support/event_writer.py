"""Writes many small decisions to the event store: `python -m tests.support.event_writer COUNT`."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from uuid import uuid4

from command_api.registry import open_container
from infra.kernel.config.loading import load
from schemas.events.operations import ProjectionPaused


def main(count: int) -> None:
    core = open_container(load(env_file=None))
    for number in range(count):
        events = [
            ProjectionPaused(
                originator_id=uuid4(), originator_version=1, timestamp=datetime.now(UTC), projection=f"p{number}"
            )
            for _ in range(1 + number % 3)
        ]
        core.store.append(events)
    core.close()


if __name__ == "__main__":
    main(int(sys.argv[1]))
