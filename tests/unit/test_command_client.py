"""Whom sign-in counts tries for: the nearest address that is not ours, however it is written."""

from __future__ import annotations

from ipaddress import ip_network

import pytest
from starlette.requests import Request

from infra.client import address_of, browser_family


def request(peer: str, forwarded: str = "") -> Request:
    headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded else []
    return Request({"type": "http", "headers": headers, "client": (peer, 1)})


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("198.51.100.7", "", "198.51.100.7"),
        ("198.51.100.7", "203.0.113.1", "198.51.100.7"),
        ("127.0.0.1", "203.0.113.1", "203.0.113.1"),
        ("127.0.0.1", "203.0.113.1, 198.51.100.7", "198.51.100.7"),
        ("127.0.0.1", "203.0.113.1, 10.0.0.2", "203.0.113.1"),
        ("127.0.0.1", "nonsense, 10.0.0.2", "10.0.0.2"),
        ("127.0.0.1", "203.0.113.1, ::ffff:10.0.0.2", "203.0.113.1"),
        ("127.0.0.1", "::ffff:203.0.113.1", "203.0.113.1"),
        ("127.0.0.1", "2001:db8:1:2:3:4:5:6", "2001:0db8:0001:0002"),
        ("testclient", "", "testclient"),
    ],
)
def test_the_nearest_foreign_address_counts(peer: str, forwarded: str, client: str) -> None:
    assert address_of(request(peer, forwarded), (ip_network("10.0.0.0/8"),)) == client


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        ("Mozilla/5.0 (X11) AppleWebKit/537.36 Chrome/130.0 Safari/537.36 Edg/130.0", "Edge"),
        ("Mozilla/5.0 (X11) AppleWebKit/537.36 Chrome/130.0 Safari/537.36", "Chrome"),
        ("Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15", "Safari"),
        ("curl/8.5.0", "curl"),
        ("", ""),
    ],
)
def test_a_browser_is_named(agent: str, name: str) -> None:
    assert browser_family(agent) == name
