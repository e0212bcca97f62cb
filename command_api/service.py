"""Service `command`: accepts commands over HTTP and runs the relay, the policies, process managers and recurring jobs.

All but the first run in threads under advisory locks, so several processes may run: one is the leader of each
task, the others stand by. On SIGTERM: unready, requests in flight finish, then the threads stop.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

import psycopg
import structlog
from eventsourcing.persistence import PersistenceError

from command_api.accounts.erasure import repeat_erasures
from command_api.accounts.sign_in import SignInService
from command_api.analytics.erasure.handlers import repeat_erasures as repeat_visitor_erasures
from command_api.app import create_app
from command_api.conversions.attribution.click_reader import ClickHouseClicks
from command_api.conversions.attribution.policy import AttributionPolicy
from command_api.conversions.attribution.repository import NAME as ATTRIBUTION
from command_api.forum import categories
from command_api.kernel import process_manager
from command_api.kernel.container import Container
from command_api.kernel.event_subscription import EventSubscription
from command_api.kernel.leader_election import Leader, running
from command_api.kernel.outbox_relay import NAME as RELAY
from command_api.kernel.outbox_relay import Relay
from command_api.kernel.process_manager import ProcessWorker
from command_api.kernel.scheduler import RecurringJob
from command_api.matching.programs import starter_set
from command_api.notifications import handler
from command_api.operations.operation_recorder import NAME as RECORDING
from command_api.operations.operation_recorder import OperationRecorder
from command_api.processes import process_managers, recurring_jobs
from command_api.registry import open_container
from command_api.sql.adoption import adopt_saved_queries
from infra.domain.uploads import UPLOADS
from infra.kernel.clickhouse.client import ClientPool
from infra.kernel.config.loading import load
from infra.kernel.config.settings import COMMAND_PORT, Settings, SettingsError
from infra.kernel.http import health
from infra.kernel.http.lanes import Lanes
from infra.kernel.http.server import serve
from infra.kernel.log import Log, open_log
from schemas.topics import CONVERSIONS

POSTGRES_WAIT_S: Final = 30.0
CLICKHOUSE_CLIENTS: Final = 4
CLICKHOUSE_READ_TIMEOUT_S: Final = 15

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


Jobs = Callable[[Settings], Sequence[RecurringJob]]
"""Recurring jobs besides those of the contexts."""


def main(arguments: list[str], jobs: Jobs = lambda _: ()) -> int:
    """Runs until SIGTERM. Exit codes: 0 after a clean stop, 1 when it could not start, 2 for wrong settings."""
    if arguments:
        raise SettingsError("The command service takes no arguments.")
    settings = load()
    container = _open_patiently(settings)
    events = open_log(settings)
    clients = ClientPool(settings, CLICKHOUSE_CLIENTS, read_timeout_s=CLICKHOUSE_READ_TIMEOUT_S)
    leaders = leaders_of(container, events, clients, jobs(settings))
    stopping = False

    def parts() -> health.Parts:
        states: dict[str, bool | str] = {leader.name: leader.is_alive or leader.state for leader in leaders}
        if stopping:
            states["process"] = "stopping"
        return states

    def on_stop() -> None:
        nonlocal stopping
        stopping = True

    app = create_app(container, parts)
    _prepare(container, app.state.accounts)
    try:
        with running(leaders):
            port = settings.command_port or COMMAND_PORT
            lanes: Lanes = app.state.lanes
            host = settings.internal_host
            return serve(app, host=host, port=port, uploads=UPLOADS, on_stop=on_stop, why_hung=lanes.why_hung)
    finally:
        events.close()
        clients.close()
        container.close()


def _prepare(container: Container, accounts: SignInService) -> None:
    """Prepares the data that the first command requires."""
    if again := repeat_erasures(container):
        log.info("erasures_repeated", accounts=again)
    if again := repeat_visitor_erasures(container):
        log.info("visitor_erasures_repeated", visitors=again)
    adopt_saved_queries(container)
    starter_set.seed(container)
    if not accounts.ensure_first_admin():
        log.warning("first_account_missing", remedy="`althing setup-link` prints the link that creates it")
    categories.seed(container)


def leaders_of(
    container: Container, events: Log, clients: ClientPool, jobs: Sequence[RecurringJob] = ()
) -> Sequence[Leader]:
    """Returns the relay, the policies and the worker of process managers and jobs, not yet started."""
    clicks = ClickHouseClicks(clients)
    deciders = [
        Leader(
            container.settings,
            f"{ATTRIBUTION}:{partition}",
            AttributionPolicy(container, events, clicks, partition).run,
        )
        for partition in range(CONVERSIONS.partitions)
    ]
    relay = Leader(container.settings, RELAY, Relay(events).run)
    managers = process_managers(container, clients, events)
    processes = ProcessWorker(container, managers, (*recurring_jobs(container, clients), *jobs))
    return [
        relay,
        *deciders,
        Leader(container.settings, process_manager.NAME, processes.run),
        Leader(container.settings, RECORDING, OperationRecorder(container).run),
        Leader(container.settings, handler.NAME, notifications(container, events).run),
    ]


def notifications(container: Container, events: Log) -> EventSubscription:
    """Returns the subscription that makes notifications."""
    return EventSubscription(events, container.keyring, handler.NotificationHandler(container))


def _open_patiently(settings: Settings) -> Container:
    """Waits for a starting Postgres; if it takes longer, the supervisor restarts the process."""
    deadline = time.monotonic() + POSTGRES_WAIT_S
    while True:
        try:
            return open_container(settings)
        except (PersistenceError, psycopg.OperationalError) as error:
            if time.monotonic() > deadline:
                raise
            log.info("postgres_awaited", error=error)
            time.sleep(0.5)
