"""Service `projectors`: runs every projection until SIGTERM; then each worker ends its step, within 10 seconds."""

from __future__ import annotations

import os
import signal
import socket
from contextlib import ExitStack, closing
from threading import Event
from time import monotonic
from typing import Final

import structlog

from infra.kernel.config.loading import load
from infra.kernel.config.settings import Settings
from infra.kernel.http import health
from infra.kernel.log import open_log
from infra.kernel.log.sealed_texts import TextReader
from infra.kernel.log.shared_tail import SharedTailLog
from infra.kernel.observability.service_manager import ServiceManager
from infra.kernel.postgres.pool import pool, required_url
from infra.kernel.security.sessions import Pool
from infra.kernel.security.subject_keys import open_keyring
from infra.kernel.security.text_keys import TextKeys
from infra.kernel.subscriptions.group_commit import GroupCommit
from projectors import probe
from projectors.engine.clickhouse import BACKFILL_TIMEOUT_S, HttpClickHouse
from projectors.engine.garbage import collect_rarely
from projectors.engine.ownership import Ownership
from projectors.engine.projection import Registry
from projectors.engine.supervisor import WorkerSupervisor
from projectors.engine.worker import Runtime
from projectors.registry import REGISTRY
from projectors.visits.builder import VisitBuilder
from projectors.visits.expiry import Expiries, read_expiries
from schemas.topics import DOMAIN

logger: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

POOL_SIZE: Final = 12
KEYS_POOL_SIZE: Final = 2
STATEMENT_TIMEOUT_MS: Final = 60_000
ALIVE_S: Final = 15.0


def main(arguments: list[str]) -> int:
    """Runs until SIGTERM or SIGINT. Exit code 0."""
    if arguments:
        logger.error("arguments_refused", arguments=arguments)
        return 2
    settings = load()
    collect_rarely()
    stopping, manager = Event(), ServiceManager.of()

    def stop(*_: object) -> None:
        manager.stopping()
        stopping.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    run(settings, stopping, manager)
    return 0


def run(
    settings: Settings, stopping: Event, manager: ServiceManager | None = None, registry: Registry = REGISTRY
) -> None:
    """The service over the projections of `registry`, until `stopping` is set. It reports to `manager`, if one started
    it."""
    manager = manager or ServiceManager()
    with (
        pool(settings, POOL_SIZE, statement_timeout_ms=STATEMENT_TIMEOUT_MS) as connections,
        open_keyring(settings, KEYS_POOL_SIZE) as keyring,
        closing(SharedTailLog(open_log(settings), DOMAIN.name, 0)) as the_log,
        ExitStack() as at_end,
    ):
        runtime = Runtime(
            name=f"{socket.gethostname()}:{os.getpid()}",
            pool=connections,
            steps=GroupCommit(connections),
            log=the_log,
            clickhouse=HttpClickHouse(settings),
            ownership=Ownership(required_url(settings)),
            decrypt=keyring,
            texts=TextReader(TextKeys(settings).reading(keyring.connections)),
            data_dir=settings.data_dir.resolve(),
            probe_module=probe.MODULE,
            insert_interval_s=settings.insert_interval_ms / 1000,
        )
        supervisor = WorkerSupervisor(settings, registry, runtime)
        if settings.projectors_port is not None:
            at_end.callback(
                health.start_server(
                    settings.internal_host,
                    settings.projectors_port,
                    lambda: _health(supervisor, runtime),
                    settings.metrics_networks,
                )
            )
        VisitBuilder(
            HttpClickHouse(settings, answer_timeout_s=BACKFILL_TIMEOUT_S),
            runtime.ownership,
            expiries=lambda: _expiries(connections),
        ).start(stopping)
        manager.watch(lambda: monotonic() - supervisor.last_look < ALIVE_S)
        manager.ready()
        supervisor.run(stopping)


def _expiries(connections: Pool) -> Expiries:
    with connections.connection() as connection:
        return read_expiries(connection)


def _health(supervisor: WorkerSupervisor, runtime: Runtime) -> health.Parts:
    return {
        "fleet": monotonic() - supervisor.last_look < ALIVE_S or "the supervisor does not run",
        "workers": supervisor.has_workers or "no projection runs",
        "log": runtime.log.ready() or "the log does not answer",
        "clickhouse": runtime.clickhouse.ready() or "ClickHouse does not answer",
    }
