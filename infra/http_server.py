"""How each of our HTTP services runs: uvicorn on uvloop behind the guards of `infra.http_guard`, drained on SIGTERM."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn

from infra.http_guard import MAX_BODY_BYTES, REQUEST_DEADLINE_S, App, BodyGuard, OnRefused, RawHeaders, guarded_protocol

BACKLOG = 2048
KEEP_ALIVE_S = 30
DRAIN_S = 8


def serve(
    app: App,
    *,
    host: str,
    port: int,
    max_body_bytes: int = MAX_BODY_BYTES,
    deadline_s: float = REQUEST_DEADLINE_S,
    refusal_headers: RawHeaders = (),
    lifespan: bool = True,
    on_stop: Callable[[], None] | None = None,
    on_refused: OnRefused | None = None,
) -> int:
    """Serves `app` on `host:port` until SIGTERM or SIGINT; requests in flight get `DRAIN_S` seconds to end.

    Returns the process's exit code: 0 after a clean stop, 1 when it could not start. `deadline_s` is for head and body
    together; it must fit the largest allowed body. `on_stop` runs in the event loop before the drain begins: the place
    to turn unready and to end streams that would otherwise hold the drain up. Forwarded headers are not believed here:
    who may set them is each app's own decision (`TRUSTED_PROXIES`).
    """
    guarded = BodyGuard(
        app, max_bytes=max_body_bytes, deadline_s=deadline_s, headers=refusal_headers, on_refused=on_refused
    )
    config = uvicorn.Config(
        guarded,
        host=host,
        port=port,
        loop="uvloop",
        http=guarded_protocol(deadline_s),
        ws="none",
        lifespan="on" if lifespan else "off",
        interface="asgi3",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=DRAIN_S,
    )
    server = _Server(config, on_stop)

    def stop(_signal: int, _frame: FrameType | None) -> None:
        server.should_exit = True

    # uvicorn raises the signal again at its end; this handler makes that a return (exit code 0), not a death.
    for wanted in (signal.SIGTERM, signal.SIGINT):
        signal.signal(wanted, stop)
    try:
        server.run()
    except SystemExit:
        return 1
    return 0 if server.started else 1


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, on_stop: Callable[[], None] | None) -> None:
        super().__init__(config)
        self._on_stop = on_stop

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._on_stop is not None:
            self._on_stop()
        await super().shutdown(sockets)
