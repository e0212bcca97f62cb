"""Web servers on loopback with certificates of a small authority of their own."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

Answer = tuple[int, dict[str, str], bytes]


@dataclass
class Authority:
    """Signs certificates; `trust` is what a client needs that believes in it."""

    folder: Path
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    certificate: x509.Certificate = field(init=False)

    def __post_init__(self) -> None:
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Test authority")])
        self.certificate = (
            _begun(name, name, self.key, timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .sign(self.key, hashes.SHA256())
        )

    def trust(self) -> ssl.SSLContext:
        return ssl.create_default_context(cadata=self.certificate.public_bytes(serialization.Encoding.PEM).decode())

    def server_side(self, *hosts: str, valid_for: timedelta = timedelta(hours=1)) -> ssl.SSLContext:
        """A server's context with a certificate for these names."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, hosts[0])])
        certificate = (
            _begun(name, self.certificate.subject, key, valid_for)
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts]), critical=False)
            .sign(self.key, hashes.SHA256())
        )
        path = self.folder / f"{hosts[0]}-{valid_for.total_seconds():.0f}.pem"
        path.write_bytes(
            certificate.public_bytes(serialization.Encoding.PEM)
            + key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path)
        return context


@dataclass
class WebServer:
    """`asked`: path and Host of each request; `received`: headers and body of each POST. `reply` makes the answers."""

    port: int
    reply: Callable[[str, str], Answer]
    asked: list[tuple[str, str]] = field(default_factory=list)
    received: list[tuple[dict[str, str], bytes]] = field(default_factory=list)


@contextmanager
def web_server(reply: Callable[[str, str], Answer], context: ssl.SSLContext | None = None) -> Iterator[WebServer]:
    """Answers GET and POST on a free loopback port, by TLS when there is a context."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            server.received.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.do_GET()

        def do_GET(self) -> None:
            host = self.headers.get("Host", "")
            server.asked.append((self.path, host))
            status, headers, body = server.reply(self.path, host)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Nothing to the console."""

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: Any) -> None:
            """Clients that do not trust us hang up."""

        def get_request(self) -> tuple[Any, Any]:
            link, peer = super().get_request()
            link.settimeout(5)
            if context is None:
                return link, peer
            return context.wrap_socket(link, server_side=True, do_handshake_on_connect=False), peer

    http = Quiet(("127.0.0.1", 0), Handler)
    server = WebServer(http.server_address[1], reply)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join(5)


def _begun(subject: x509.Name, issuer: x509.Name, key: Any, valid_for: timedelta) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=2))
        .not_valid_after(now + valid_for)
    )
