"""Health and metrics of a process: what `/livez`, `/readyz` and `/metrics` say, and a small server that says it.

`/livez`: the process answers. `/readyz`: it can do its job, JSON per part, 503 when not. Both, and Prometheus metrics,
are for loopback and the machine's own monitoring; nothing in them is secret, nothing in them needs a person signed in.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

Parts = Mapping[str, bool | str]
"""Part -> True when it works, else False or a short reason."""


def livez() -> bytes:
    """The body of `/livez`, the same for every process: an answer is the whole check."""
    return b'{"status": "ok"}'


def readyz(parts: Parts) -> tuple[int, bytes]:
    """Status code and JSON body for these parts: 200 when every one is True, else 503."""
    ready = all(value is True for value in parts.values())
    shown = {name: ("ok" if value is True else value or "failing") for name, value in parts.items()}
    return (200 if ready else 503), json.dumps({"status": "ok" if ready else "unready", "parts": shown}).encode()


def metrics() -> tuple[bytes, str]:
    """All metrics of this process in Prometheus's text form, and its content type."""
    return generate_latest(), CONTENT_TYPE_LATEST


def is_loopback(address: str | None) -> bool:
    """Whether a peer's address is this machine's own."""
    try:
        found = ip_address(address or "")
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None)
    return bool((mapped or found).is_loopback)


def start_server(port: int, parts: Callable[[], Parts]) -> Callable[[], None]:
    """Serves the three paths on loopback in a thread, for a process without HTTP; returns a function that stops
    it.

    `parts` is called on each `/readyz`, from another thread; it should return within 200 ms.
    """

    class Handler(BaseHTTPRequestHandler):
        timeout = 5

        def do_GET(self) -> None:  # the name is the library's
            path = self.path.partition("?")[0]
            if path == "/livez":
                self._answer(200, livez(), "application/json")
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

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, name="health", daemon=True).start()

    def stop() -> None:
        server.shutdown()
        server.server_close()

    return stop
