"""Work that only one process may do at a time: a thread waits for a Postgres advisory lock, works, and starts over.

The lock lies on the thread's own connection, which the work is handed. Whoever loses the connection has lost the lock,
so work that must be fenced advances its position through that connection, or by compare-and-set. Nothing is skipped on
an error: the work begins again from what is stored, after a pause that grows from half a second to five while it keeps
failing, and is short again once the work has gone well for a while.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from math import inf
from threading import Event, Thread
from time import monotonic
from typing import Any, Final

import psycopg
from prometheus_client import Counter, Gauge

from infra.postgres import required_url
from infra.settings import Settings

Connection = psycopg.Connection[Any]
Work = Callable[[Connection, Event], None]
"""Works until the event is set. An exception is logged and the work started over."""

FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 5.0
STEADY_S: Final = 30.0
"""Work that went on for so long has got over what it failed at before."""
STANDBY_S: Final = 1.0

log = logging.getLogger(__name__)
_LEADING = Gauge("command_leading", "1 while this process does the work", ["work"])
_RESTARTS = Counter("command_work_restarts_total", "Times that work began again after an error", ["work"])


class Leader:
    """Runs `work` under the lock `name`. `start`, then `stop`; `state` tells what it is doing."""

    def __init__(self, settings: Settings, name: str, work: Work) -> None:
        self.name = name
        self.state = "starting"
        self._url = required_url(settings)
        self._work = work
        self._led_since = inf
        self._stop = Event()
        self._thread = Thread(target=self._run, name=name, daemon=True)

    def start(self) -> Leader:
        self._thread.start()
        return self

    @property
    def is_alive(self) -> bool:
        """Whether the thread lives; while an engine is down it does, and tries again."""
        return self._thread.is_alive()

    def request_stop(self) -> None:
        """Asks the work to end; does not wait."""
        self._stop.set()

    def stop(self, timeout_s: float = 8.0) -> None:
        """Asks the work to end and waits for it."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout_s)

    def _run(self) -> None:
        pause = FIRST_PAUSE_S
        while not self._stop.is_set():
            self._led_since = inf
            try:
                self._lead()
                pause = FIRST_PAUSE_S
            except Exception as error:  # noqa: BLE001 - whatever went wrong, the work has to go on
                if monotonic() - self._led_since >= STEADY_S:
                    pause = FIRST_PAUSE_S
                self.state = f"retrying: {type(error).__name__}"
                _RESTARTS.labels(self.name).inc()
                log.warning("%s begins again in %.1f s: %s: %s", self.name, pause, type(error).__name__, error)
                self._stop.wait(pause)
                pause = min(pause * 2, LONGEST_PAUSE_S)
        self.state = "stopped"

    def _lead(self) -> None:
        with connect(self._url, self.name) as connection:
            while not self._stop.is_set():
                row = connection.execute(
                    "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", (self.name,)
                ).fetchone()
                if row is not None and row[0]:
                    break
                self.state = "standby"
                self._stop.wait(STANDBY_S)
            else:
                return
            self.state, self._led_since = "leading", monotonic()
            _LEADING.labels(self.name).set(1)
            try:
                self._work(connection, self._stop)
            finally:
                _LEADING.labels(self.name).set(0)


def connect(url: str, name: str) -> Connection:
    """A connection of its own whose every statement has an end, in autocommit."""
    return psycopg.connect(
        url,
        autocommit=True,
        connect_timeout=3,
        application_name=f"althing-{name}"[:63],
        options="-c statement_timeout=10s -c idle_in_transaction_session_timeout=10s",
        tcp_user_timeout=5000,
        keepalives_idle=5,
        keepalives_interval=2,
        keepalives_count=3,
    )
