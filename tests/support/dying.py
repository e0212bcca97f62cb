"""A relay or a policy in a process of its own that kills itself (`kill -9`) at a named moment.

`python -m tests.support.dying WORK MOMENT NTH`; settings come from the environment. WORK is `relay`, `reports`,
`approving`, `domains` or `marketplace`; MOMENT is one of `before_publish`, `after_publish`, `after_advance` (relay),
`before_store`, `inside_store`, `after_store` (the policies), `after_refusal` (reports), or `never`; it dies at the NTH
time.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from threading import Event
from typing import Any

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
from infra.settings import load


def main(work: str, moment: str, nth: int) -> None:
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
    print("ready", flush=True)
    Event().wait()


def plant(moment: str, nth: int) -> None:
    """Makes the process die at `moment`. Patches what runs at that moment; the product knows nothing of it."""
    times = 0

    def die() -> None:
        nonlocal times
        times += 1
        if times == nth:
            os.kill(os.getpid(), signal.SIGKILL)

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
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
