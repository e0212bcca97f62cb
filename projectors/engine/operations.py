"""Executes requests on projections in the running service: short ones inline, long ones in a thread."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from typing import Any, Final
from uuid import UUID

import psycopg
import structlog
from psycopg import Connection

from infra.kernel.config.settings import Settings
from infra.kernel.observability import logging
from projectors.engine import barrier, requests
from projectors.engine.clickhouse import BACKFILL_TIMEOUT_S, HttpClickHouse
from projectors.engine.generations import NotAllowed
from projectors.engine.projection import Registry
from projectors.engine.requests import QueuedRequest, RequestExecution
from projectors.engine.status import Ends
from projectors.engine.verify import VerifyReport
from projectors.engine.worker import TRANSIENT

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

PATIENCE_S: Final = 2.0


class Operations:
    """The supervisor's leader calls `look` a few times a second, and `drain` before the process ends."""

    def __init__(self, settings: Settings, registry: Registry, ends: Ends) -> None:
        self._settings, self._registry, self._ends = settings, registry, ends
        self._threads: dict[UUID, Thread] = {}

    def look(self, connection: Connection[Any], stopping: Event) -> None:
        """Carries out the due operations. `connection` is in autocommit mode."""
        self._threads = {one: thread for one, thread in self._threads.items() if thread.is_alive()}
        if self._threads:
            requests.renew_leases(connection, list(self._threads))
        for request in requests.due(connection):
            if request.action not in requests.LONG_RUNNING:
                with structlog.contextvars.bound_contextvars(**_named(request)):
                    self._attempt(connection, request, HttpClickHouse(self._settings), stopping)
                continue
            thread = Thread(target=self._at_length, args=(request, stopping), name=request.action, daemon=True)
            self._threads[request.id] = thread
            thread.start()

    @property
    def are_running(self) -> bool:
        """Returns whether a long operation is running."""
        return bool(self._threads)

    def drain(self) -> None:
        """Waits a moment for running operations; those that do not end are taken up at the next start."""
        for thread in self._threads.values():
            thread.join(PATIENCE_S)

    def _at_length(self, request: QueuedRequest, stopping: Event) -> None:
        logging.begin_context(component="operations", **_named(request))
        try:
            with psycopg.connect(self._settings.postgres_url or "", autocommit=True, connect_timeout=3) as connection:
                clickhouse = HttpClickHouse(self._settings, answer_timeout_s=BACKFILL_TIMEOUT_S)
                self._attempt(connection, request, clickhouse, stopping)
        except psycopg.Error as error:
            log.warning("operation_postponed", error=error)

    def _attempt(
        self, connection: Connection[Any], request: QueuedRequest, clickhouse: HttpClickHouse, stopping: Event
    ) -> None:
        context = RequestExecution(clickhouse, self._registry, lambda place: self._ends.one(*place))
        try:
            requests.execute(connection, context, request, self._watch(request, stopping))
            log.info("operation_done")
        except (NotAllowed, barrier.BarrierLost) as error:
            log.info("operation_refused", error=error)
            requests.refuse(connection, request, str(error))
        except requests.RequestCancelled:
            log.info("operation_cancelled")
            requests.stop(connection, request)
        except requests.RequestLost as error:
            log.warning("operation_lost", error=error)
        except TRANSIENT as error:
            log.warning("operation_postponed", error=error)
            requests.put_back(connection, request, f"{type(error).__name__}: {error}")
        except Exception as error:
            log.exception("operation_failed")
            requests.refuse(connection, request, f"{type(error).__name__}: {error}")

    def _watch(self, request: QueuedRequest, stopping: Event) -> Callable[[VerifyReport, int], None]:
        def note(report: VerifyReport, steps: int) -> None:
            if stopping.is_set():
                raise psycopg.OperationalError("the service is stopping")
            with psycopg.connect(self._settings.postgres_url or "", autocommit=True, connect_timeout=3) as connection:
                requests.note_progress(connection, request, report, steps)

        return note


def _named(request: QueuedRequest) -> dict[str, object]:
    return {"operation_id": request.id, "action": request.action, "projection": request.projection}
