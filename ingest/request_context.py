"""Who is asking: the client's address, its user agent, and what follows from both. Worked out once per request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from ipaddress import ip_address
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from infra.countries import Places, parse_address
from infra.settings import Network
from ingest import bots
from ingest.agents import MAX_LENGTH, Agent, parse_agent
from ingest.clock import log_text, now_ms
from ingest.directory import Key, Website
from ingest.refused import invalid, not_allowed

Headers = Mapping[bytes, bytes]
MAX_HOPS: Final = 32
"""Addresses in `X-Forwarded-For` that are looked at."""


class Client(Struct, frozen=True):
    """An address and a user agent. Both stay in memory and never enter the log."""

    address: str
    agent_text: str
    agent: Agent
    country: str
    region: str
    bot_reason: str


class Visit(Struct, frozen=True):
    """One request of one website. `now`: Unix time in ms; `received`: the same as the log writes it. `backfill`: it
    brings in the past, so an event may be of any age."""

    website: Website
    kind: str
    origin: str
    client: Client
    now: int
    received: str
    backfill: bool = False


def visit_of(key: Key, client: Client, origin: str, headers: Headers) -> Visit:
    """The visit of `client` with `key`. Raises `Refused` (backfill_needs_secret_key)."""
    now = now_ms()
    backfill = headers.get(b"x-backfill", b"").lower() in (b"true", b"1")
    if backfill and key.kind != "secret":
        raise not_allowed("backfill_needs_secret_key", "X-Backfill needs a secret key.")
    return Visit(key.website, key.kind, origin, client, now, log_text(now), backfill)


def client_of(scope: Mapping[str, Any], headers: Headers, trusted: Sequence[Network], places: Places) -> Client:
    """The client behind a request that is sent by a script or a server."""
    address = client_address(scope, trusted)
    text = headers.get(b"user-agent", b"")[:MAX_LENGTH].decode("latin-1")
    agent = parse_agent(text)
    country, region = places.find(address)
    return Client(address, text, agent, country, region, bots.machine_reason(agent, headers))


def with_overrides(visit: Visit, address: str | None, agent_text: str | None, places: Places) -> Visit:
    """The visit as the website's server describes it. Raises `Refused` (bad_ip)."""
    client = visit.client
    if address is not None:
        known = parse_address(address)
        if known is None:
            raise invalid("bad_ip", "ip is not an IPv4 or IPv6 address")
        country, region = places.find(known)
        client = replace(client, address=known, country=country, region=region)
    if agent_text is not None:
        text = agent_text[:MAX_LENGTH]
        agent = parse_agent(text)
        client = replace(client, agent_text=text, agent=agent, bot_reason=bots.machine_reason(agent, {}))
    return replace(visit, client=client)


def client_address(scope: Mapping[str, Any], trusted: Sequence[Network]) -> str:
    """The peer; or, when that is a trusted proxy, the nearest address in `X-Forwarded-For` that is none."""
    peer = scope.get("client")
    address = str(peer[0]) if peer else ""
    if ":" in address:
        address = parse_address(address) or address
    if not trusted or not _is_in(address, tuple(trusted)):
        return address
    forwarded = b",".join(value for name, value in scope["headers"] if name == b"x-forwarded-for")
    for part in reversed(forwarded.decode("latin-1").rsplit(",", MAX_HOPS)[-MAX_HOPS:]):
        hop = parse_address(part)
        if hop is None:
            break
        address = hop
        if not _is_in(hop, tuple(trusted)):
            break
    return address


def is_trusted(address: str, trusted: Sequence[Network]) -> bool:
    """Whether it is a proxy that the settings name."""
    return bool(trusted) and _is_in(address, tuple(trusted))


@lru_cache(maxsize=4096)
def _is_in(address: str, networks: tuple[Network, ...]) -> bool:
    known = parse_address(address)
    if known is None:
        return False
    parsed = ip_address(known)
    return any(parsed in network for network in networks)
