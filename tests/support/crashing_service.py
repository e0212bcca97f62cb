"""The command service's HTTP side in processes that kill themselves (`kill -9`) while they store a named event.

`python -m tests.support.crashing_service PORT`, then lines `MOMENT TOPIC` (`tests.support.fork_server`): `inside` is
when all rows are written and nothing is committed, `after` when all is committed and no response is sent.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import httpx

from command_api.app import create_app
from command_api.kernel.event_store import EventStore, StoreTransaction
from command_api.registry import open_container
from infra.kernel.config.loading import load
from infra.kernel.config.settings import Settings
from infra.kernel.http.server import serve
from schemas.base import DomainEvent
from schemas.message_ids import MessageIds
from tests.support.engines import free_port
from tests.support.fork_server import ForkServer, die, each_line, fork_server
from tests.support.stack import wait_for

MOMENTS: Final = ("inside", "after")


@dataclass(frozen=True)
class CrashingService:
    """One port, and one process after the other behind it."""

    fork_server: ForkServer
    url: str

    @contextmanager
    def until(self, moment: str, topic: str) -> Iterator[httpx.Client]:
        """A client of a process that dies at the first write of an event called `topic…`, which the block must
        cause; returns when it is dead."""
        self.fork_server.start(moment, topic)
        with httpx.Client(base_url=self.url, timeout=20) as client:
            wait_for(lambda: _answers(client), "the service that is to die")
            yield client
        assert self.fork_server.ended() == -signal.SIGKILL


@contextmanager
def crashing_service(settings: Settings, **more: str) -> Iterator[CrashingService]:
    """`more`: further settings by their names in the environment."""
    port = free_port()
    with fork_server(settings, "tests.support.crashing_service", str(port), **more) as made:
        yield CrashingService(made, f"http://127.0.0.1:{port}")


def _answers(client: httpx.Client) -> bool:
    try:
        return client.get("/livez").status_code == 200
    except httpx.TransportError:
        return False


def _serve(moment: str, topic: str) -> int:
    _plant(moment, topic)
    return serve(create_app(open_container(load(env_file=None))), host="127.0.0.1", port=int(sys.argv[1]))


def _plant(moment: str, topic: str) -> None:
    """Patches what runs at that moment; the product knows nothing of it."""
    original = EventStore.transaction

    @contextmanager
    def transaction(self: EventStore) -> Iterator[StoreTransaction]:
        found: list[DomainEvent] = []
        with original(self) as opened:
            append = opened.append

            def noted(events: Sequence[DomainEvent], ids: Sequence[MessageIds] = ()) -> int | None:
                found.extend(event for event in events if event.NAME.startswith(topic))
                return append(events, ids)

            setattr(opened, "append", noted)  # noqa: B010 - mypy forbids to assign to a method
            yield opened
            if found and moment == "inside":
                die()
        if found:
            die()

    setattr(EventStore, "transaction", transaction)  # noqa: B010 - mypy forbids to assign to a method


if __name__ == "__main__":
    each_line(_serve)
