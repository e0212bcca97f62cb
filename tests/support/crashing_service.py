"""The command service's HTTP side in processes that kill themselves (`kill -9`) while they store a named event.

`python -m tests.support.dying_service PORT`, then lines `MOMENT TOPIC` (`tests.support.forked`): `inside` is when all
rows are written and nothing is committed, `after` when all is committed and nobody was answered.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import httpx
from eventsourcing.persistence import StoredEvent

from command_api.app import create_app
from command_api.core import open_core
from command_api.store import Also, LockingRecorder
from infra.http_server import serve
from infra.settings import Settings, load
from tests.support.engines import free_port
from tests.support.forked import Forks, die, each_line, forks
from tests.support.stack import wait_for

MOMENTS: Final = ("inside", "after")


@dataclass(frozen=True)
class DyingService:
    """One port, and one process after the other behind it."""

    forks: Forks
    url: str

    @contextmanager
    def until(self, moment: str, topic: str) -> Iterator[httpx.Client]:
        """A client of a process that dies at the first write of an event called `topic…`, which the block must
        cause; returns when it is dead."""
        self.forks.start(moment, topic)
        with httpx.Client(base_url=self.url, timeout=20) as client:
            wait_for(lambda: _answers(client), "the service that is to die")
            yield client
        assert self.forks.ended() == -signal.SIGKILL


@contextmanager
def dying_service(settings: Settings, **more: str) -> Iterator[DyingService]:
    """`more`: further settings by their names in the environment."""
    port = free_port()
    with forks(settings, "tests.support.dying_service", str(port), **more) as made:
        yield DyingService(made, f"http://127.0.0.1:{port}")


def _answers(client: httpx.Client) -> bool:
    try:
        return client.get("/livez").status_code == 200
    except httpx.TransportError:
        return False


def _serve(moment: str, topic: str) -> int:
    _plant(moment, topic)
    return serve(create_app(open_core(load(env_file=None))), host="127.0.0.1", port=int(sys.argv[1]))


def _plant(moment: str, topic: str) -> None:
    """Patches what runs at that moment; the product knows nothing of it."""
    original = LockingRecorder.insert_events

    def insert_events(
        self: LockingRecorder, stored_events: Sequence[StoredEvent], *, also: Also | None = None, **_: Any
    ) -> Sequence[int] | None:
        if not any(event.topic.startswith(topic) for event in stored_events):
            return original(self, stored_events, also=also)

        def rows(cursor: Any, position: int | None) -> None:
            if also is not None:
                also(cursor, position)
            if moment == "inside":
                die()

        stored = original(self, stored_events, also=rows)
        die()
        return stored

    setattr(LockingRecorder, "insert_events", insert_events)  # noqa: B010 - mypy forbids to assign to a method


if __name__ == "__main__":
    each_line(_serve)
