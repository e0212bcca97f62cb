"""Service `command`: takes commands over HTTP, and runs the relay and the policies beside them.

The relay and the policies run in threads under advisory locks, so any number of these processes may run: one leads each
work, the others stand by. SIGTERM: unready, requests in flight end, then the threads stop.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Sequence
from typing import Final

import psycopg
from eventsourcing.persistence import PersistenceError

from command_api import anchoring
from command_api.accounts.erasure import erase_again
from command_api.anchoring import Anchoring
from command_api.app import create_app
from command_api.core import Core, open_core
from command_api.domains import watch
from command_api.domains.looking import looking
from command_api.domains.watch import Watch
from command_api.forum import categories, views
from command_api.insights import watch as insights_watch
from command_api.insights.desk import InsightsDesk
from command_api.insights.watch import Watch as InsightsWatch
from command_api.leader import Leader
from command_api.leads import holding
from command_api.marketplace import watch as marketplace
from command_api.marketplace.verifying import ClickHouseFigures
from command_api.matching import starter_set
from command_api.notifications import raising
from command_api.operations.recording import NAME as RECORDING
from command_api.operations.recording import Recording
from command_api.policies import approving, claim_alarm, waiting
from command_api.policies.approving import Approving
from command_api.policies.claim_alarm import ClaimAlarm
from command_api.policies.clicks import ClickHouseClicks
from command_api.policies.keeping import NAME as ATTRIBUTION
from command_api.policies.reports import Reports
from command_api.policies.waiting import Waiting
from command_api.relay import NAME as RELAY
from command_api.relay import Relay
from infra import health
from infra.clickhouse import ClientPool
from infra.escrow import EscrowProvider
from infra.http_server import serve
from infra.llm import LanguageModel
from infra.log import Log, open_log
from infra.settings import Settings, SettingsError, load
from schemas.topics import CONVERSIONS

HOST: Final = "127.0.0.1"
POSTGRES_WAIT_S: Final = 30.0
CLICKHOUSE_CLIENTS: Final = 4
CLICKHOUSE_READ_TIMEOUT_S: Final = 15

log = logging.getLogger(__name__)


def main(arguments: list[str]) -> int:
    """Runs until SIGTERM. Exit codes: 0 after a clean stop, 1 when it could not start, 2 for wrong settings."""
    if arguments:
        raise SettingsError("The command service takes no arguments.")
    settings = load()
    if settings.command_port is None:
        raise SettingsError("ALTHING_COMMAND_PORT is not set: the command service needs it.")
    core = _open_patiently(settings)
    events = open_log(settings)
    clients = ClientPool(settings, CLICKHOUSE_CLIENTS, read_timeout_s=CLICKHOUSE_READ_TIMEOUT_S)
    leaders = leaders_of(core, events, clients)
    stopping = False

    def parts() -> health.Parts:
        found: dict[str, bool | str] = {leader.name: leader.is_alive or leader.state for leader in leaders}
        if stopping:
            found["process"] = "stopping"
        return found

    def on_stop() -> None:
        nonlocal stopping
        stopping = True

    app = create_app(core, parts)
    if again := erase_again(app.state.accounts.desk):
        log.info("erased %d accounts again that were erased after the backup", again)
    starter_set.plant(core)
    link = app.state.accounts.ensure_first_admin()
    if link is not None:
        # Straight to the console: the log blanks secrets, and this one is meant to be read.
        sys.stdout.write(f"Nobody has an account yet. Set up the first one here: {link}\n")
        sys.stdout.flush()
    categories.seed(core)
    for leader in leaders:
        leader.start()
    try:
        return serve(app, host=HOST, port=settings.command_port, on_stop=on_stop)
    finally:
        for leader in leaders:
            leader.request_stop()
        for leader in leaders:
            leader.stop()
        events.close()
        clients.close()
        core.close()


def leaders_of(core: Core, events: Log, clients: ClientPool) -> Sequence[Leader]:
    """The relay and the policies, not yet started."""
    clicks = ClickHouseClicks(clients)
    deciders = [
        Leader(core.settings, f"{ATTRIBUTION}:{partition}", Reports(core, events, clicks, partition).run)
        for partition in range(CONVERSIONS.partitions)
    ]
    relay = Leader(core.settings, RELAY, Relay(events).run)
    insights = InsightsDesk(core, clients, LanguageModel(core.settings, core.pool), events)
    return [
        relay,
        *deciders,
        Leader(core.settings, waiting.NAME, Waiting(core, clicks, events).run),
        Leader(core.settings, RECORDING, Recording(core).run),
        Leader(core.settings, approving.NAME, Approving(core).run),
        Leader(core.settings, claim_alarm.NAME, ClaimAlarm(core).run),
        Leader(core.settings, watch.NAME, Watch(core, looking(core.settings)).run),
        Leader(core.settings, marketplace.NAME, marketplace_watch(core, clients).run),
        Leader(core.settings, holding.NAME, holding.Holding(core).run),
        Leader(core.settings, anchoring.NAME, Anchoring(core).run),
        Leader(core.settings, views.NAME, views.Counting(core).run),
        Leader(core.settings, raising.NAME, raising.Raising(core).run),
        Leader(core.settings, insights_watch.NAME, InsightsWatch(insights).run),
    ]


def marketplace_watch(core: Core, clients: ClientPool) -> marketplace.Watch:
    return marketplace.Watch(core, ClickHouseFigures(clients), EscrowProvider.over_http(core.settings))


def _open_patiently(settings: Settings) -> Core:
    """Postgres may be starting at the same moment; the supervisor restarts us when it takes longer."""
    deadline = time.monotonic() + POSTGRES_WAIT_S
    while True:
        try:
            return open_core(settings)
        except (PersistenceError, psycopg.OperationalError) as error:
            if time.monotonic() > deadline:
                raise
            log.info("waiting for Postgres: %s", error)
            time.sleep(0.5)
