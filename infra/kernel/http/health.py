"""Health and metrics of a process: what `/livez`, `/readyz` and `/metrics` say, and a small server that says it.

`/livez`: the process answers. `/readyz`: it can do its job, JSON per part, 503 when not. Both, and Prometheus metrics,
are for monitoring: nothing in them needs a person signed in, so who may read them follows from the address
(`may_monitor`). The two public services answer the first two to everybody.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from infra.kernel.config.settings import Network
from infra.kernel.net.ip_addresses import address_in, is_trusted, unmapped

Parts = Mapping[str, bool | str]
"""Part -> True when it works, else False or a short reason."""

_FORWARDED: Final = frozenset((b"x-forwarded-for", b"forwarded"))


def livez(why_hung: str | None = None) -> tuple[int, bytes]:
    """Status code and JSON body of `/livez`: 200, or 503 with the reason when the process knows that it hangs and
    should be restarted."""
    if why_hung is None:
        return 200, b'{"status": "ok"}'
    return 503, json.dumps({"status": "hung", "reason": why_hung}).encode()


def readyz(parts: Parts) -> tuple[int, bytes]:
    """Status code and JSON body for these parts: 200 when every one is True, else 503."""
    ready = all(value is True for value in parts.values())
    states = {name: ("ok" if value is True else value or "failing") for name, value in parts.items()}
    return (200 if ready else 503), json.dumps({"status": "ok" if ready else "unready", "parts": states}).encode()


def metrics() -> tuple[bytes, str]:
    """Returns all metrics of this process in Prometheus's text form, and its content type."""
    return generate_latest(), CONTENT_TYPE_LATEST


def is_loopback(address: str | None) -> bool:
    """Returns whether a peer's address is this machine's own."""
    parsed = unmapped(address_in(address or ""))
    return parsed is not None and parsed.is_loopback


def may_monitor(scope: Mapping[str, Any], networks: Iterable[Network]) -> bool:
    """Returns whether the client of this ASGI request may read metrics and internal health: it is this machine, or in
    one of `networks`, and no proxy handed the request on."""
    client, server = scope.get("client"), scope.get("server")
    names = (name for name, _ in scope["headers"])
    return _may_monitor(client[0] if client else "", server[0] if server else None, names, networks)


def _may_monitor(peer: str, own: str | None, header_names: Iterable[bytes], networks: Iterable[Network]) -> bool:
    if any(name in _FORWARDED for name in header_names):
        return False  # the peer is a proxy, and says of whom
    address = address_in(peer)
    is_this_machine = is_loopback(peer) or (address is not None and peer == own)
    return is_this_machine or is_trusted(unmapped(address), networks)


def start_server(
    host: str, port: int, parts: Callable[[], Parts], networks: Collection[Network] = ()
) -> Callable[[], None]:
    """Serves the three paths in a thread, for a process without HTTP, to this machine and `networks`; returns a
    function that stops it.

    `parts` is called on each `/readyz`, from another thread; it should return within 200 ms.
    """

    class Handler(BaseHTTPRequestHandler):
        timeout = 5

        def do_GET(self) -> None:  # the name is the library's
            path = self.path.partition("?")[0]
            names = (name.lower().encode() for name in self.headers)
            own = self.connection.getsockname()[0]
            if not _may_monitor(self.client_address[0], own, names, networks):
                self._answer(404, b"", "text/plain")
            elif path == "/livez":
                self._answer(*livez(), "application/json")
            elif path == "/readyz":
                self._answer(*readyz(parts()), "application/json")
            elif path == "/metrics":
                self._answer(200, *metrics())
            else:
                self._answer(404, b"", "text/plain")

        def _answer(self, status: int, body: bytes, content_type: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            try:
                self.end_headers()
                self.wfile.write(body)
            except ConnectionError:
                self.close_connection = True  # the client disconnected before the response: nothing to report

        def log_message(self, *_: object) -> None:
            return

    class HealthServer(ThreadingHTTPServer):
        address_family = socket.AF_INET6 if ":" in host else socket.AF_INET

    server = HealthServer((host, port), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, name="health", daemon=True).start()

    def stop() -> None:
        server.shutdown()
        server.server_close()

    return stop
