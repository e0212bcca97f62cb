"""What the command service may call when a provider's document tells it to."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from typing import Any

import pytest

from command_api.accounts.providers.http_client import ProviderHttpClient, ProviderUnreachable, ProviderUntrusted
from infra.kernel.config.settings import Settings
from infra.kernel.net.dns_resolvers import Address, Resolvers
from infra.kernel.net.outbound_http import Outbound, origin_of


class Names(Resolvers):
    """Name servers that know one answer; a system's would read a number as an address."""

    def __init__(self, *found: str) -> None:
        super().__init__(Settings())
        self._found_addresses = [ip_address(text) for text in found]

    async def addresses(self, host: str) -> Sequence[Address]:
        return [ip_address("127.0.0.1")] if host.isdecimal() else self._found_addresses


def calls(*found: str) -> ProviderHttpClient:
    return ProviderHttpClient(Outbound(Names(*found), ports={"https": 443}))


@pytest.mark.parametrize(
    "url",
    [
        "http://accounts.example/token",
        "https://accounts.example:8443/token",
        "https://user:secret@accounts.example/token",
        "https://127.0.0.1/token",
        "https://[::1]/token",
        "https://[::ffff:127.0.0.1]/token",
        "https://2130706433/token",
        "file:///etc/passwd",
        "https://",
    ],
)
def test_urls_that_are_never_called(url: str) -> None:
    with pytest.raises(ProviderUntrusted):
        calls("142.250.74.78").json("GET", url)


@pytest.mark.parametrize("found", [["142.250.74.78", "127.0.0.1"], ["10.0.0.1"], ["::ffff:10.0.0.1"]])
def test_one_inner_address_among_public_ones_is_enough_to_refuse(found: list[str]) -> None:
    with pytest.raises(ProviderUntrusted):
        calls(*found).json("GET", "https://accounts.example/token")


def test_a_host_without_an_address_is_not_called() -> None:
    with pytest.raises(ProviderUnreachable):
        calls().json("GET", "https://accounts.example/token")


@pytest.fixture
def server() -> Iterator[tuple[str, list[str], dict[str, Any]]]:
    seen: list[str] = []
    given: dict[str, Any] = {"status": 200, "headers": {}, "body": b"{}"}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.path)
            self.send_response(given["status"])
            for name, value in {"Content-Length": str(len(given["body"])), **given["headers"]}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(given["body"])

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{made.server_port}", seen, given
    made.shutdown()
    made.server_close()
    thread.join()


def test_only_the_place_of_the_settings_may_be_an_inner_one(server: tuple[str, list[str], dict[str, Any]]) -> None:
    url, seen, _ = server
    assert calls().json("GET", f"{url}/a", configured_origin=origin_of(url)) == {}
    for own in (None, "http://127.0.0.1:1", "http://127.0.0.1"):
        with pytest.raises(ProviderUntrusted):
            calls().json("GET", f"{url}/b", configured_origin=own)
    assert seen == ["/a"]


@pytest.mark.parametrize(
    ("status", "headers", "body", "error"),
    [
        (302, {"Location": "/elsewhere"}, b"{}", ProviderUnreachable),
        (500, {}, b"{}", ProviderUnreachable),
        (400, {}, b"{}", ProviderUntrusted),
        (200, {}, b"no json", ProviderUnreachable),
        (200, {}, b" " * 300_000, ProviderUnreachable),
        (200, {"Content-Encoding": "gzip"}, b"{}", ProviderUnreachable),
    ],
)
def test_answers_that_are_not_taken(
    server: tuple[str, list[str], dict[str, Any]], status: int, headers: dict[str, str], body: bytes, error: type
) -> None:
    url, seen, given = server
    given.update(status=status, headers=headers, body=body)
    with pytest.raises(error):
        calls().json("GET", f"{url}/a", configured_origin=origin_of(url))
    assert seen == ["/a"]
