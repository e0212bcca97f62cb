"""Service `projectors`: runs every projection until SIGTERM; then each worker ends its step, within 10 seconds."""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
from collections.abc import Callable
from threading import Event
from time import monotonic
from types import FrameType
from typing import Any, Final

from psycopg import Connection
from psycopg_pool import ConnectionPool

from infra import health
from infra.keyring import Keyring, open_keyring
from infra.log import Log, open_log
from infra.log.shared_tail import SharedTailLog
from infra.postgres import pool, required_url
from infra.settings import Settings, load
from projectors.catalogue import CATALOGUE
from projectors.engine.clickhouse import ClickHouse, HttpClickHouse
from projectors.engine.fleet import Fleet
from projectors.engine.ownership import Ownership
from projectors.engine.worker import Runtime
from schemas.topics import DOMAIN

logger = logging.getLogger(__name__)

POOL_SIZE: Final = 12
KEYS_POOL_SIZE: Final = 2
STATEMENT_TIMEOUT_MS: Final = 60_000
ALIVE_S: Final = 15.0
GARBAGE_THRESHOLD: Final = 200_000


def main(arguments: list[str]) -> int:
    """Runs until SIGTERM or SIGINT. Exit code 0."""
    if arguments:
        logger.error("`althing serve projectors` takes no arguments.")
        return 2
    settings = load()
    _collect_rarely()
    stopping = Event()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        stopping.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    run(settings, stopping)
    return 0


def _collect_rarely() -> None:
    """A batch is tens of thousands of objects that live for a moment and form no cycles: looking at them again and
    again for garbage takes half of a worker's time."""
    gc.freeze()
    gc.set_threshold(GARBAGE_THRESHOLD, 20, 50)


def run(settings: Settings, stopping: Event) -> None:
    """The service, until `stopping` is set."""
    with (
        pool(settings, POOL_SIZE, statement_timeout_ms=STATEMENT_TIMEOUT_MS) as connections,
        open_keyring(settings, KEYS_POOL_SIZE) as keyring,
    ):
        _run(settings, stopping, connections, keyring)


def _run(settings: Settings, stopping: Event, connections: ConnectionPool[Connection[Any]], keyring: Keyring) -> None:
    the_log = SharedTailLog(open_log(settings), DOMAIN.name, 0)
    clickhouse = HttpClickHouse(settings)
    runtime = Runtime(
        name=f"{socket.gethostname()}:{os.getpid()}",
        pool=connections,
        log=the_log,
        clickhouse=clickhouse,
        ownership=Ownership(required_url(settings)),
        decrypt=keyring,
        data_dir=settings.data_dir.resolve(),
    )
    fleet = Fleet(settings, CATALOGUE, runtime)
    stop_health = _serve_health(settings, fleet, the_log, clickhouse)
    try:
        fleet.run(stopping)
    finally:
        if stop_health is not None:
            stop_health()
        the_log.close()


def _serve_health(settings: Settings, fleet: Fleet, the_log: Log, clickhouse: ClickHouse) -> Callable[[], None] | None:
    if settings.projectors_port is None:
        return None

    def parts() -> health.Parts:
        return {
            "fleet": monotonic() - fleet.last_look < ALIVE_S or "the fleet stands still",
            "workers": fleet.has_workers or "no projection runs",
            "log": the_log.ready() or "the log does not answer",
            "clickhouse": clickhouse.ready() or "ClickHouse does not answer",
        }

    return health.start_server(settings.projectors_port, parts)
