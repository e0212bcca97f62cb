"""A relay or a policy in a process of its own that kills itself (`kill -9`) at a named moment.

`python -m tests.support.dying`, then lines `FILE WORK MOMENT NTH` (`tests.support.forked`); FILE holds the environment
as JSON. Or `python -m tests.support.dying WORK MOMENT NTH` in the environment that is there. WORK is `relay`,
`reports`, `approving`, `domains` or `marketplace`; MOMENT is one of `before_publish`, `after_publish`, `after_advance`
(relay), `before_store`, `inside_store`, `after_store` (the policies), `after_refusal` (reports), or `never`; it dies at
the NTH time.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any
from uuid import uuid4

import pytest

from command_api import relay
from command_api.core import open_core
from command_api.domains import watch
from command_api.domains.looking import looking
from command_api.domains.watch import Watch
from command_api.leader import Leader
from command_api.marketplace import watch as marketplace
from command_api.marketplace.verifying import ClickHouseFigures
from command_api.policies import approving
from command_api.policies.approving import Approving
from command_api.policies.clicks import ClickHouseClicks
from command_api.policies.keeping import NAME
from command_api.policies.reports import Reports
from command_api.relay import Relay
from command_api.store import LockingRecorder
from infra.clickhouse import ClientPool
from infra.escrow import EscrowProvider
from infra.log import open_log
from infra.settings import Settings, load
from tests.support import forked
from tests.support.child import environment


@dataclass(frozen=True)
class Dying:
    """The process that forks those that die: it has imported everything once."""

    forks: forked.Forks
    folder: Path

    def at(self, settings: Settings, work: str, moment: str, *, nth: str = "1", **more: str) -> int:
        """Lets a new process do the work until it ends; its exit code, negative for a signal. `more`: further
        settings by their names in the environment."""
        file = self.folder / uuid4().hex
        file.write_text(json.dumps(environment(settings, **more)))
        self.forks.start(str(file), work, moment, nth)
        return self.forks.ended()


@pytest.fixture(scope="session")
def dying(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dying]:
    """Shared: each process gets its settings when it is made."""
    folder = tmp_path_factory.mktemp("dying")
    with forked.forks(Settings(data_dir=folder), "tests.support.dying") as made:
        yield Dying(made, folder)


def _run(file: str, work: str, moment: str, nth: str) -> int:
    os.environ.clear()
    os.environ.update(json.loads(Path(file).read_text()))
    begin(work, moment, int(nth))
    Event().wait()
    return 0


def begin(work: str, moment: str, nth: int) -> None:
    settings = load(env_file=None)
    core, log = open_core(settings), open_log(settings)
    plant(moment, nth)
    if work == "relay":
        leaders = [Leader(settings, relay.NAME, Relay(log).run)]
    elif work == "approving":
        leaders = [Leader(settings, approving.NAME, Approving(core).run)]
    elif work == "domains":
        leaders = [Leader(settings, watch.NAME, Watch(core, looking(settings)).run)]
    elif work == "marketplace":
        figures = ClickHouseFigures(ClientPool(settings, 1))
        market = marketplace.Watch(core, figures, EscrowProvider.over_http(settings))
        leaders = [Leader(settings, marketplace.NAME, market.run)]
    else:
        clicks = ClickHouseClicks(ClientPool(settings, 2))
        leaders = [Leader(settings, f"{NAME}:{number}", Reports(core, log, clicks, number).run) for number in (0, 1)]
    for leader in leaders:
        leader.start()


def plant(moment: str, nth: int) -> None:
    """Makes the process die at `moment`. Patches what runs at that moment; the product knows nothing of it."""
    times = 0

    def die() -> None:
        nonlocal times
        times += 1
        if times == nth:
            forked.die()

    def before(owner: Any, name: str) -> None:
        wrap(owner, name, lambda call: (die(), call())[1])

    def after(owner: Any, name: str) -> None:
        wrap(owner, name, lambda call: (call(), die())[0])

    if moment == "before_publish":
        before(Relay, "_publish")
    elif moment == "after_publish":
        after(Relay, "_publish")
    elif moment == "after_advance":
        after(relay, "_advance")
    elif moment == "before_store":
        before(LockingRecorder, "insert_events")
    elif moment == "inside_store":
        after(LockingRecorder, "_insert")
    elif moment == "after_store":
        after(LockingRecorder, "insert_events")
    elif moment == "after_refusal":
        after(Reports, "_publish_refusals")


def wrap(owner: Any, name: str, around: Callable[[Callable[[], Any]], Any]) -> None:
    original = getattr(owner, name)

    def wrapped(*arguments: Any, **named: Any) -> Any:
        return around(lambda: original(*arguments, **named))

    setattr(owner, name, wrapped)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        begin(sys.argv[1], sys.argv[2], int(sys.argv[3]))
        print("ready", flush=True)
        Event().wait()
    else:
        forked.each_line(_run)
