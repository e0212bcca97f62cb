"""Who may read metrics and internal health: this machine and the networks of the settings, never through a proxy."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_network

import httpx
import pytest

from infra.kernel.http.health import may_monitor, start_server
from tests.support.engines import free_port

NETWORKS = (ip_network("172.30.0.0/16"), ip_network("fd00::/8"))


def scope(peer: str | None, *header_names: str, server: str = "172.30.4.1") -> Mapping[str, object]:
    return {
        "client": (peer, 1) if peer else None,
        "server": (server, 8010),
        "headers": [(name.encode(), b"127.0.0.1") for name in header_names],
    }


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.0.0.2", "::1", "::ffff:127.0.0.1"])
def test_this_machine_may(peer: str) -> None:
    assert may_monitor(scope(peer, "host"), ())


def test_this_machine_may_by_its_other_addresses() -> None:
    assert may_monitor(scope("203.0.113.9", server="203.0.113.9"), ())
    assert not may_monitor(scope("203.0.113.9", "forwarded", server="203.0.113.9"), ())
    assert not may_monitor(scope("a.socket", server="a.socket"), ())


@pytest.mark.parametrize("peer", ["172.30.4.5", "::ffff:172.30.4.5", "fd00::7"])
def test_the_given_networks_may_and_nobody_else(peer: str) -> None:
    assert may_monitor(scope(peer), NETWORKS)
    assert not may_monitor(scope(peer), ())


@pytest.mark.parametrize("peer", ["172.31.0.1", "203.0.113.9", "2001:db8::1", "", None, "a.socket"])
def test_others_may_not(peer: str | None) -> None:
    assert not may_monitor(scope(peer), NETWORKS)


@pytest.mark.parametrize("peer", ["127.0.0.1", "172.30.4.5"])
@pytest.mark.parametrize("header", ["x-forwarded-for", "forwarded"])
def test_what_a_proxy_hands_on_comes_from_elsewhere(peer: str, header: str) -> None:
    assert not may_monitor(scope(peer, header), NETWORKS)


def test_a_process_without_http_serves_health_on_its_address() -> None:
    port = free_port()
    stop = start_server("127.0.0.2", port, lambda: {"part": True}, NETWORKS)
    try:
        address = f"http://127.0.0.2:{port}"
        assert httpx.get(f"{address}/readyz").json() == {"status": "ok", "parts": {"part": "ok"}}
        assert httpx.get(f"{address}/livez").status_code == httpx.get(f"{address}/metrics").status_code == 200
        for path in ("/livez", "/readyz", "/metrics"):
            assert httpx.get(address + path, headers={"X-Forwarded-For": "127.0.0.1"}).status_code == 404
    finally:
        stop()
