"""Reports the state of this process to systemd (sd_notify(3)); without systemd every call does nothing.

A unit of `Type=notify` counts as started when the service is ready, not when its process exists, and a unit with
`WatchdogSec=` is restarted when the service stops reporting that it is alive.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Mapping, MutableMapping
from typing import Final

import structlog

_SOCKET: Final = "NOTIFY_SOCKET"
_WATCHDOG: Final = ("WATCHDOG_USEC", "WATCHDOG_PID")
_TIMEOUT_S: Final = 1.0
log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


def withheld(environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` without systemd's addresses: a child process does not report for its parent."""
    return {name: value for name, value in environ.items() if name not in (_SOCKET, *_WATCHDOG)}


class ServiceManager:
    """`address`: the datagram socket of systemd. `watchdog_s`: the longest pause between two reports of life."""

    def __init__(self, address: str = "", watchdog_s: float | None = None) -> None:
        self._address = address
        self._period_s = None if watchdog_s is None else watchdog_s / 2
        self._next = 0.0

    @classmethod
    def of(cls, environ: MutableMapping[str, str] = os.environ) -> ServiceManager:
        """The one that started this very process. Removes its variables: our own children get none of them."""
        address = environ.pop(_SOCKET, "")
        period, pid = (environ.pop(name, "") for name in _WATCHDOG)
        is_watched = period.isdecimal() and int(period) > 0 and pid in ("", str(os.getpid()))
        return cls(address, int(period) / 1e6 if is_watched else None)

    def ready(self) -> None:
        """The service does its work: what waits for it starts."""
        self._send("READY=1")

    def stopping(self) -> None:
        """The service was asked to end and drains."""
        self._send("STOPPING=1")

    def alive(self) -> None:
        """Reports at half of the period that systemd requires; to be called often."""
        if self._period_s is not None and time.monotonic() >= self._next:
            self._next = time.monotonic() + self._period_s
            self._send("WATCHDOG=1")

    def watch(self, is_alive: Callable[[], bool]) -> None:
        """Reports life from a thread for as long as `is_alive`, for a process without an event loop."""
        if self._period_s is not None:
            threading.Thread(target=self._watch, args=(is_alive, self._period_s), name="watchdog", daemon=True).start()

    def _watch(self, is_alive: Callable[[], bool], period_s: float) -> None:
        while True:
            if is_alive():
                self._send("WATCHDOG=1")
            time.sleep(period_s)

    def _send(self, state: str) -> None:
        if not self._address:
            return
        # A name that starts with @ is one of Linux's abstract namespace.
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
                channel.settimeout(_TIMEOUT_S)
                channel.connect(address)
                channel.sendall(state.encode())
        except OSError as error:
            log.warning("service_manager_unavailable", state=state, error=error)
