"""Whom sign-in counts tries for: the nearest address that is not ours, however it is written."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import ip_network

import pytest
from starlette.requests import Request

from infra.kernel.config.settings import Settings
from infra.kernel.security.client_info import browser_family, client_of
from infra.kernel.security.forwarding import PROOF, forwarding_key, proof_of

SETTINGS = Settings(master_key="5a" * 32, trusted_proxies=(ip_network("10.0.0.0/8"),))
ANOTHERS = replace(SETTINGS, master_key="6b" * 32)


def request(peer: str, *forwarded: str, proof: str = "") -> Request:
    lines = [(b"x-forwarded-for", line.encode()) for line in forwarded if line]
    return Request({"type": "http", "headers": [*lines, (PROOF.encode(), proof.encode())], "client": (peer, 1)})


@pytest.mark.parametrize(
    ("forwarded", "client"),
    [
        ("203.0.113.1", "203.0.113.1"),
        ("203.0.113.1, 198.51.100.7", "198.51.100.7"),
        ("203.0.113.1, 10.0.0.2", "203.0.113.1"),
        ("nonsense, 10.0.0.2", "10.0.0.2"),
        ("203.0.113.1, ::ffff:10.0.0.2", "203.0.113.1"),
        ("::ffff:203.0.113.1", "203.0.113.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:0db8:0001:0002"),
    ],
)
def test_of_the_gateway_and_of_trusted_proxies_the_nearest_foreign_address_counts(forwarded: str, client: str) -> None:
    proof = proof_of(forwarding_key(SETTINGS), forwarded)
    assert client_of(request("127.0.0.1", forwarded, proof=proof), SETTINGS).address == client
    assert client_of(request("10.0.0.9", forwarded), SETTINGS).address == client
    apart = [part.strip() for part in forwarded.split(",")]  # a proxy may also add a line
    assert client_of(request("10.0.0.9", *apart), SETTINGS).address == client


@pytest.mark.parametrize("peer", ["127.0.0.1", "::1", "198.51.100.7", "testclient"])
def test_nobody_else_states_an_address(peer: str) -> None:
    """A local user of the machine neither, not with the proof of another address or of another installation."""
    own = client_of(request(peer), SETTINGS).address
    stated, seen = "203.0.113.1", "203.0.113.2"
    proofs = ("", "0" * 64, proof_of(forwarding_key(SETTINGS), seen), proof_of(forwarding_key(ANOTHERS), stated))
    for proof in proofs:
        assert client_of(request(peer, stated, proof=proof), SETTINGS).address == own
    assert own in (peer, "0000:0000:0000:0000")


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
