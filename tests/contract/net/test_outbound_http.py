"""Calls outward: where they may lead, and what they put up with. Real name servers and TLS servers on loopback."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest

from infra.kernel.config.settings import Network, Settings
from infra.kernel.net import dns_resolvers
from infra.kernel.net.dns_resolvers import Address, Resolvers
from infra.kernel.net.outbound_http import Outbound, OutboundFailed, OutboundRefused, OutboundResponse, is_public
from tests.support.dns_server import DnsServer, dns_server
from tests.support.tls_server import Answer, Authority, web_server

PATIENCE_S = 60.0
LOOPBACK: Sequence[Network] = (ip_network("127.0.0.0/8"),)


@pytest.fixture(scope="module")
def dns() -> Iterator[DnsServer]:
    with dns_server() as server:
        server.set("go.example.com", "A", "127.0.0.1")
        yield server


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


def hello(_: str, host: str) -> Answer:
    return 200, {}, f"hello {host}".encode()


def client(dns: DnsServer, authority: Authority, port: int, also: Sequence[Network] = LOOPBACK) -> Outbound:
    asked = Resolvers(Settings(dns_resolvers=(dns.address,)))
    return Outbound(asked, also=also, ports={"https": port, "http": port}, trust=authority.trust())


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name server answers at once, however long that lasts on a busy machine: nobody asks it twice."""
    for name in ("LIFETIME_S", "_TRY_S"):
        monkeypatch.setattr(dns_resolvers, name, PATIENCE_S)


def get(outbound: Outbound, url: str, deadline_s: float = PATIENCE_S) -> OutboundResponse:
    return asyncio.run(outbound.get(url, deadline_s=deadline_s))


def test_it_speaks_to_the_host_by_its_name_in_tls_and_http(dns: DnsServer, authority: Authority) -> None:
    with web_server(hello, authority.server_side("go.example.com")) as server:
        answered = get(client(dns, authority, server.port), "https://go.example.com/a?b=c")
    assert (answered.status, answered.body) == (200, b"hello go.example.com")
    assert server.asked == [("/a?b=c", "go.example.com")]


@pytest.mark.parametrize(("hosts", "hours"), [(("www.example.com",), 1), (("go.example.com",), -1)])
def test_a_certificate_must_be_valid_and_for_this_name(
    dns: DnsServer, authority: Authority, hosts: tuple[str, ...], hours: int
) -> None:
    context = authority.server_side(*hosts, valid_for=timedelta(hours=hours))
    with web_server(hello, context) as server, pytest.raises(OutboundFailed, match="not valid") as failure:
        get(client(dns, authority, server.port), "https://go.example.com/")
    assert failure.value.is_certificate and server.asked == []


def test_a_certificate_of_a_stranger_is_refused(dns: DnsServer, authority: Authority, tmp_path: Path) -> None:
    with web_server(hello, Authority(tmp_path).server_side("go.example.com")) as server, pytest.raises(OutboundFailed):
        get(client(dns, authority, server.port), "https://go.example.com/")
    assert server.asked == []


def test_redirects_are_answers(dns: DnsServer, authority: Authority) -> None:
    with web_server(lambda *_: (302, {"Location": "http://127.0.0.1/secret"}, b"")) as server:
        answered = get(client(dns, authority, server.port), "http://go.example.com/")
        assert answered.status == 302
        assert server.asked == [("/", "go.example.com")]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("A", "127.0.0.1"),
        ("A", "10.1.2.3"),
        ("A", "100.64.0.1"),
        ("A", "169.254.169.254"),
        ("A", "0.0.0.0"),  # noqa: S104 - an address to refuse
        ("A", "224.0.0.1"),
        ("AAAA", "::1"),
        ("AAAA", "::ffff:127.0.0.1"),
        ("AAAA", "64:ff9b::7f00:1"),
        ("AAAA", "2002:7f00:1::"),
        ("AAAA", "fd00::1"),
        ("AAAA", "fec0::1"),
        ("AAAA", "fe80::1"),
    ],
)
def test_one_inner_address_among_public_ones_and_nothing_is_called(
    dns: DnsServer, authority: Authority, kind: str, value: str
) -> None:
    dns.set("mixed.example.com", "A", *(["93.184.215.14"] + ([value] if kind == "A" else [])))
    dns.set("mixed.example.com", "AAAA", *([value] if kind == "AAAA" else []))
    with pytest.raises(OutboundRefused):
        get(client(dns, authority, 443, also=()), "https://mixed.example.com/")


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://user:pass@go.example.com/",
        "https://go.example.com:22/",
        "ftp://go.example.com/",
        "file:///etc/passwd",
        "//go.example.com/",
    ],
)
def test_addresses_that_are_never_called(dns: DnsServer, authority: Authority, url: str) -> None:
    with pytest.raises(OutboundRefused):
        get(client(dns, authority, 443, also=()), url)


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "017700000001", "127.1"])
def test_numeric_hosts_are_rejected(dns: DnsServer, authority: Authority, host: str) -> None:
    """A system's resolver would take each of them for 127.0.0.1."""
    with web_server(hello) as server, pytest.raises((OutboundFailed, OutboundRefused)):
        get(client(dns, authority, server.port), f"http://{host}/")
    assert server.asked == []


def test_a_name_is_resolved_once_so_rebinding_gains_nothing(dns: DnsServer, authority: Authority) -> None:
    """The first answer is public, every later one is loopback: nothing is ever called there."""
    dns.set("rebinding.example.com", "A", "192.0.2.1")

    def rebind(question: tuple[str, str]) -> None:
        if dns.asked.count(question) > 1 and question == ("rebinding.example.com", "A"):
            dns.set("rebinding.example.com", "A", "127.0.0.1")

    dns.before_answer = rebind
    try:
        with web_server(hello) as server, pytest.raises((OutboundFailed, OutboundRefused)):
            get(
                client(dns, authority, server.port, also=(ip_network("192.0.2.0/24"),)),
                "http://rebinding.example.com/",
                1,
            )
    finally:
        dns.before_answer = lambda _: None
    assert server.asked == []
    assert dns.asked.count(("rebinding.example.com", "A")) == 1


def test_an_answer_has_a_size(dns: DnsServer, authority: Authority) -> None:
    with web_server(lambda *_: (200, {}, b"x" * 70_000)) as server, pytest.raises(OutboundFailed, match="too large"):
        get(client(dns, authority, server.port), "http://go.example.com/")


def test_a_server_that_drips_is_left(dns: DnsServer, authority: Authority) -> None:
    with dripping() as port, pytest.raises(OutboundFailed, match="in time"):
        get(client(dns, authority, port), "http://go.example.com/", deadline_s=0.6)


@pytest.mark.parametrize("text", ["8.8.8.8", "2606:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8"])
def test_public_addresses_are_public(text: str) -> None:
    address: Address = ip_address(text)
    assert is_public(address)


@contextmanager
def dripping() -> Iterator[int]:
    """A server that sends a byte of its head every now and then, without end."""
    stopping = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            link, _ = listener.accept()
            with link:
                while not stopping.wait(0.05):
                    try:
                        link.sendall(b"H")
                    except OSError:
                        return

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            stopping.set()
            thread.join(2)
