"""Runs an HTTP service: uvicorn on uvloop behind the limits of `infra.kernel.http.request_limits`, drained on
SIGTERM.

A service opens its own listening socket, or inherits one that outlives it, from systemd's socket activation or the
local supervisor: connections that arrive during a restart then wait for the next process. It reports to systemd when it
is ready, that it is alive, and when it stops.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from types import FrameType

import structlog
import uvicorn

from infra.kernel.http.request_limits import (
    MAX_BODY_BYTES,
    NO_UPLOADS,
    App,
    BodyGuard,
    Guarded,
    OnRejected,
    RawHeaders,
    UploadLimits,
    guarded_protocol,
)
from infra.kernel.observability.service_manager import ServiceManager

BACKLOG = 2048
KEEP_ALIVE_S = 30
DRAIN_S = 8
_FIRST_INHERITED = 3
_TICKS_A_SECOND = 10
"""The ticks a second as uvicorn counts them: every tenth renews the header `Date`."""
log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


def serve(
    app: App,
    *,
    host: str,
    port: int,
    max_body_bytes: int = MAX_BODY_BYTES,
    uploads: UploadLimits = NO_UPLOADS,
    refusal_headers: RawHeaders = (),
    lifespan: bool = True,
    on_stop: Callable[[], None] | None = None,
    on_refused: OnRejected | None = None,
    why_hung: Callable[[], str | None] = lambda: None,
) -> int:
    """Serves `app` on `host:port`, or on inherited sockets (`LISTEN_FDS`), until SIGTERM or SIGINT.

    Requests in progress get `DRAIN_S` seconds to end, and connected clients get a last response. Returns the
    process's exit code: 0 after a clean stop, 1 when it could not start, or when what it inherits does not listen.
    `on_stop` runs in the event loop before the drain begins: it turns the service unready and ends streams that would
    otherwise delay the drain. While `why_hung` gives a reason, systemd gets no report of life. Forwarded headers are
    not evaluated here: each app decides which proxies it trusts (`TRUSTED_PROXIES`).
    """
    guarded = BodyGuard(app, max_bytes=max_body_bytes, uploads=uploads, headers=refusal_headers, on_refused=on_refused)
    protocol = guarded_protocol()
    return run(guarded, protocol, host=host, port=port, lifespan=lifespan, on_stop=on_stop, why_hung=why_hung)


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
    why_hung: Callable[[], str | None] = lambda: None,
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

    server = _Server(config, on_start, ending, ServiceManager.of(), why_hung)

    def stop(_signal: int, _frame: FrameType | None) -> None:
        server.should_exit = True

    # uvicorn raises the signal again at its end; this handler makes that a return (exit code 0), not a death.
    for wanted in (signal.SIGTERM, signal.SIGINT):
        signal.signal(wanted, stop)
    try:
        server.run(sockets=inherited() or None)
    except InheritedSocketError as error:
        log.error("inherited_socket_unusable", error=error)
        return 1
    except SystemExit:
        return 1
    return 0 if server.started else 1


class InheritedSocketError(Exception):
    """A descriptor that was passed to this process is not a listening stream socket."""


def inherited(environ: MutableMapping[str, str] = os.environ) -> list[socket.socket]:
    """The listening sockets meant for this very process (sd_listen_fds(3)); our own children get none of them.

    Raises `InheritedSocketError`: a service that opened its own socket instead would answer on another address.
    """
    meant_for, count = environ.pop("LISTEN_PID", ""), environ.pop("LISTEN_FDS", "")
    for name in ("LISTEN_FDNAMES", "LISTEN_PIDFDID"):
        environ.pop(name, None)
    if meant_for != str(os.getpid()) or not count.isdecimal():
        return []
    return [_listening(number) for number in range(_FIRST_INHERITED, _FIRST_INHERITED + int(count))]


def _listening(number: int) -> socket.socket:
    try:
        listener = socket.socket(fileno=number)
        listener.set_inheritable(False)
        if listener.type == socket.SOCK_STREAM and listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            return listener
    except OSError as error:
        raise InheritedSocketError(f"descriptor {number}: {error.strerror}") from error
    raise InheritedSocketError(
        f"descriptor {number} does not listen (the socket unit needs ListenStream= and Accept=no)"
    )


class _Server(uvicorn.Server):
    def __init__(
        self,
        config: uvicorn.Config,
        on_start: Callable[[str, int], None] | None,
        on_stop: Callable[[], None],
        manager: ServiceManager,
        why_hung: Callable[[], str | None],
    ) -> None:
        super().__init__(config)
        self._on_start = on_start
        self._on_stop = on_stop
        self._manager = manager
        self._why_hung = why_hung
        self._loop: asyncio.AbstractEventLoop | None = None
        self._woken = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and self._on_start is not None:
            host, port = self.servers[0].sockets[0].getsockname()[:2]
            self._on_start(host, port)
        if self.started:
            self._manager.ready()

    async def main_loop(self) -> None:
        """Waits like uvicorn's loop, which wakes ten times a second to see a signal; here a signal ends the wait."""
        self._loop = asyncio.get_running_loop()
        counter = 0
        while not await self.on_tick(counter):
            counter += _TICKS_A_SECOND
            with suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), 1.0)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Handles a signal, in the loop's own thread, perhaps in the middle of it."""
        super().handle_exit(sig, frame)
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._woken.set)

    async def on_tick(self, counter: int) -> bool:
        if self._why_hung() is None:
            self._manager.alive()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._manager.stopping()
        self._on_stop()
        await super().shutdown(sockets)
