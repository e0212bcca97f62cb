"""Carries out what was asked of projections, in the running service: quick things at once, long ones in a thread."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event, Thread
from typing import Any, Final
from uuid import UUID

import psycopg
from psycopg import Connection

from infra.settings import Settings
from projectors.engine import holding, requests
from projectors.engine.clickhouse import BACKFILL_TIMEOUT_S, HttpClickHouse
from projectors.engine.generations import NotAllowed
from projectors.engine.projection import Catalogue, Place
from projectors.engine.requests import Means, Request
from projectors.engine.status import Ends
from projectors.engine.verify import Report
from projectors.engine.worker import TRANSIENT

log = logging.getLogger(__name__)

PATIENCE_S: Final = 2.0


class Operations:
    """`look` is called by the fleet's leader a few times a second; `drain` before the process ends."""

    def __init__(self, settings: Settings, catalogue: Catalogue, ends: Ends) -> None:
        self._settings, self._catalogue, self._ends = settings, catalogue, ends
        self._threads: dict[UUID, Thread] = {}

    def look(self, connection: Connection[Any], stopping: Event) -> None:
        """Carries out what is due. `connection` is in autocommit mode."""
        self._threads = {one: thread for one, thread in self._threads.items() if thread.is_alive()}
        if self._threads:
            requests.keep(connection, list(self._threads))
        for request in requests.due(connection):
            if request.action not in requests.LONG:
                self._attempt(connection, request, HttpClickHouse(self._settings), stopping)
                continue
            thread = Thread(target=self._at_length, args=(request, stopping), name=request.action, daemon=True)
            self._threads[request.id] = thread
            thread.start()

    def drain(self) -> None:
        """Waits a moment for what is under way; what does not end is taken up at the next start."""
        for thread in self._threads.values():
            thread.join(PATIENCE_S)

    def _at_length(self, request: Request, stopping: Event) -> None:
        try:
            with psycopg.connect(self._settings.postgres_url or "", autocommit=True, connect_timeout=3) as connection:
                clickhouse = HttpClickHouse(self._settings, answer_timeout_s=BACKFILL_TIMEOUT_S)
                self._attempt(connection, request, clickhouse, stopping)
        except psycopg.Error as error:
            log.warning("%s %s waits: %s", request.action, request.projection, error)

    def _attempt(
        self, connection: Connection[Any], request: Request, clickhouse: HttpClickHouse, stopping: Event
    ) -> None:
        what = f"{request.action} {request.projection}"
        means = Means(clickhouse, self._catalogue, self._settings.clickhouse_cluster, self._end_of)
        try:
            requests.carry_out(connection, means, request, self._watch(request, stopping))
            log.info("%s: done as asked", what)
        except (NotAllowed, holding.HoldLost) as error:
            log.info("%s: refused: %s", what, error)
            requests.refuse(connection, request, str(error))
        except requests.Cancelled:
            log.info("%s: cancelled", what)
            requests.stop(connection, request)
        except requests.Lost as error:
            log.warning("%s: %s", what, error)
        except TRANSIENT as error:
            log.warning("%s waits: %s", what, error)
            requests.put_back(connection, request, f"{type(error).__name__}: {error}")
        except Exception as error:
            log.exception("%s failed", what)
            requests.refuse(connection, request, f"{type(error).__name__}: {error}")

    def _watch(self, request: Request, stopping: Event) -> Callable[[Report, int], None]:
        def note(report: Report, steps: int) -> None:
            if stopping.is_set():
                raise psycopg.OperationalError("the service is stopping")
            with psycopg.connect(self._settings.postgres_url or "", autocommit=True, connect_timeout=3) as connection:
                requests.note_progress(connection, request, report, steps)

        return note

    def _end_of(self, place: Place) -> int | None:
        return self._ends.one(place.topic, place.partition)
