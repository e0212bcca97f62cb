"""Leader election: a thread waits for a Postgres advisory lock, runs its work, and restarts it after errors.

The lock belongs to the thread's own connection, which is passed to the work. A lost connection is a lost lock, so work
that must be fenced advances its position through that connection or by compare-and-set. After an error the work resumes
from its stored position. The restart delay grows from half a second to five seconds, and is reset after stable work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from math import inf
from threading import Event, Thread
from time import monotonic
from typing import Any, Final

import psycopg
import structlog
from prometheus_client import Counter, Gauge

from infra.kernel.config.settings import Settings
from infra.kernel.observability import logging
from infra.kernel.postgres.pool import lock_options, required_url

Connection = psycopg.Connection[Any]
Work = Callable[[Connection, Event], None]
"""Runs until the event is set. An exception is logged and the work restarted."""

FIRST_PAUSE_S: Final = 0.5
MAX_PAUSE_S: Final = 5.0
STEADY_S: Final = 30.0
"""Work that runs this long resets the restart delay."""
STANDBY_S: Final = 60.0
"""A standby process waits in Postgres for so long before it requests the lock again."""
STOP_CHECK_S: Final = 0.5

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)
_LEADING = Gauge("command_leading", "1 while this process is the leader", ["work"])
_RESTARTS = Counter("command_work_restarts_total", "Restarts of work after an error", ["work"])


class Leader:
    """Runs `work` under the lock `name`. `state` is its current status."""

    def __init__(self, settings: Settings, name: str, work: Work) -> None:
        self.name = name
        self.state = "starting"
        self._url = required_url(settings)
        self._work = work
        self._led_since = inf
        self._stop = Event()
        self._waiting: Connection | None = None
        self._thread = Thread(target=self._run, name=name, daemon=True)

    def start(self) -> Leader:
        """Starts the thread and returns at once; the lock may be acquired much later."""
        self._thread.start()
        return self

    @property
    def is_alive(self) -> bool:
        """Returns whether the thread is alive; it also is while it waits for an unavailable engine."""
        return self._thread.is_alive()

    def request_stop(self) -> None:
        """Requests the end of the work; does not wait."""
        self._stop.set()
        waiting = self._waiting
        if waiting is not None:
            with suppress(psycopg.Error):  # else its wait ends after `STANDBY_S`
                waiting.cancel_safe(timeout=1.0)

    def stop(self, timeout_s: float = 8.0) -> None:
        """Requests the end of the work and waits for it."""
        self._stop.set()
        deadline = monotonic() + timeout_s
        while self._thread.is_alive() and monotonic() < deadline:
            self.request_stop()  # again: a cancellation right before the wait for the lock has no effect
            self._thread.join(STOP_CHECK_S)

    def _run(self) -> None:
        logging.begin_context(component=self.name)
        pause = FIRST_PAUSE_S
        while not self._stop.is_set():
            self._led_since = inf
            try:
                self._lead()
                pause = FIRST_PAUSE_S
            except Exception as error:  # noqa: BLE001 - the work is restarted after any error
                if monotonic() - self._led_since >= STEADY_S:
                    pause = FIRST_PAUSE_S
                self.state = f"retrying: {type(error).__name__}"
                _RESTARTS.labels(self.name).inc()
                log.warning("worker_restarting", worker=self.name, delay_s=pause, error=error)
                self._stop.wait(pause)
                pause = min(pause * 2, MAX_PAUSE_S)
        self.state = "stopped"

    def _lead(self) -> None:
        with connect(self._url, self.name) as connection:
            if not self._acquire(connection):
                return
            self.state, self._led_since = "leading", monotonic()
            _LEADING.labels(self.name).set(1)
            try:
                self._work(connection, self._stop)
            finally:
                _LEADING.labels(self.name).set(0)

    def _acquire(self, connection: Connection) -> bool:
        """Waits for the lock, in Postgres, so that it passes on at once; returns whether it did before a stop."""
        row = connection.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", (self.name,)).fetchone()
        if row is not None and row[0]:
            return True
        self.state, self._waiting = "standby", connection
        connection.execute(_WAIT_LONG, (f"{STANDBY_S}s",))
        try:
            while not self._stop.is_set():
                with suppress(psycopg.errors.LockNotAvailable, psycopg.errors.QueryCanceled):
                    connection.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", (self.name,))
                    connection.execute(_WAIT_AS_BEFORE)
                    return True
            return False
        finally:
            self._waiting = None


_WAIT_LONG: Final = "SELECT set_config('lock_timeout', %s, false), set_config('statement_timeout', '0', false)"
_WAIT_AS_BEFORE: Final = "RESET lock_timeout; RESET statement_timeout"


def notified(connection: Connection, timeout_s: float, stop: Event) -> set[str]:
    """Waits for a notification, at most `timeout_s` or until `stop`; returns the channels. Queries nothing."""
    deadline = monotonic() + timeout_s
    while True:
        left_s = max(deadline - monotonic(), 0.0)
        notices = connection.notifies(timeout=min(left_s, STOP_CHECK_S), stop_after=1)
        if (channels := {notice.channel for notice in notices}) or left_s == 0.0 or stop.is_set():
            return channels


@contextmanager
def running(leaders: Sequence[Leader]) -> Iterator[None]:
    """The leaders' threads run inside the block. At its end all are stopped together, then waited for."""
    for leader in leaders:
        leader.start()
    try:
        yield
    finally:
        for leader in leaders:
            leader.request_stop()
        for leader in leaders:
            leader.stop()


def connect(url: str, name: str) -> Connection:
    """Opens a dedicated autocommit connection with timeouts for statements."""
    return psycopg.connect(
        url,
        autocommit=True,
        application_name=f"althing-{name}"[:63],
        **lock_options("-c statement_timeout=10s -c idle_in_transaction_session_timeout=10s"),
    )
