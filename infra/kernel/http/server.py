"""Runs an HTTP service: uvicorn on uvloop behind the limits of `infra.kernel.http.request_limits`, drained on
SIGTERM.

A service opens its own listening socket, or inherits one that outlives it, from systemd's socket activation or the
local supervisor: connections that arrive during a restart then wait for the next process.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn

from infra.kernel.http.request_limits import (
    MAX_BODY_BYTES,
    App,
    BodyGuard,
    Guarded,
    OnRejected,
    RawHeaders,
    guarded_protocol,
)

BACKLOG = 2048
KEEP_ALIVE_S = 30
DRAIN_S = 8
_FIRST_INHERITED = 3


def serve(
    app: App,
    *,
    host: str,
    port: int,
    max_body_bytes: int = MAX_BODY_BYTES,
    refusal_headers: RawHeaders = (),
    lifespan: bool = True,
    on_stop: Callable[[], None] | None = None,
    on_refused: OnRejected | None = None,
) -> int:
    """Serves `app` on `host:port`, or on inherited sockets (`LISTEN_FDS`), until SIGTERM or SIGINT.

    Requests in progress get `DRAIN_S` seconds to end, and connected clients get a last response. Returns the
    process's exit code: 0 after a clean stop, 1 when it could not start. `on_stop` runs in the event loop before the
    drain begins: it turns the service unready and ends streams that would otherwise delay the drain. Forwarded headers
    are not evaluated here: each app decides which proxies it trusts (`TRUSTED_PROXIES`).
    """
    guarded = BodyGuard(app, max_bytes=max_body_bytes, headers=refusal_headers, on_refused=on_refused)
    return run(guarded, guarded_protocol(), host=host, port=port, lifespan=lifespan, on_stop=on_stop)


def run(
    app: App,
    protocol: type[Guarded],
    *,
    host: str,
    port: int,
    lifespan: bool = False,
    keep_alive_s: int = KEEP_ALIVE_S,
    drain_s: int = DRAIN_S,
    on_start: Callable[[str, int], None] | None = None,
    on_stop: Callable[[], None] | None = None,
) -> int:
    """`serve` for who brings guards of its own. `on_start` gets the address that it listens on."""
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        loop="uvloop",
        http=protocol,
        ws="none",
        lifespan="on" if lifespan else "off",
        interface="asgi3",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        timeout_keep_alive=keep_alive_s,
        timeout_graceful_shutdown=drain_s,
    )

    def ending() -> None:
        protocol.is_ending = True
        if on_stop is not None:
            on_stop()

    server = _Server(config, on_start, ending)

    def stop(_signal: int, _frame: FrameType | None) -> None:
        server.should_exit = True

    # uvicorn raises the signal again at its end; this handler makes that a return (exit code 0), not a death.
    for wanted in (signal.SIGTERM, signal.SIGINT):
        signal.signal(wanted, stop)
    try:
        server.run(sockets=_inherited() or None)
    except SystemExit:
        return 1
    return 0 if server.started else 1


def _inherited() -> list[socket.socket]:
    """The listening sockets meant for this very process (sd_listen_fds(3)); our own children get none of them."""
    meant_for, count = os.environ.pop("LISTEN_PID", ""), os.environ.pop("LISTEN_FDS", "")
    if meant_for != str(os.getpid()) or not count.isdecimal():
        return []
    sockets = [socket.socket(fileno=number) for number in range(_FIRST_INHERITED, _FIRST_INHERITED + int(count))]
    for found in sockets:
        found.set_inheritable(False)
    return sockets


class _Server(uvicorn.Server):
    def __init__(
        self, config: uvicorn.Config, on_start: Callable[[str, int], None] | None, on_stop: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._on_start = on_start
        self._on_stop = on_stop

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and self._on_start is not None:
            host, port = self.servers[0].sockets[0].getsockname()[:2]
            self._on_start(host, port)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._on_stop()
        await super().shutdown(sockets)
