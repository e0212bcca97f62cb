"""The request's context: the client's address, user agent, location and bot reason, computed once per request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from ipaddress import ip_address
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from infra.kernel.config.settings import Network
from infra.kernel.net.geoip import GeoIpDatabase, parse_address
from ingest.bots import bot_detection
from ingest.bots.user_agents import MAX_LENGTH, Agent, parse_agent
from ingest.clock import log_text, now_ms
from ingest.directory.directory import KeyEntry, WebsiteRow
from ingest.errors import invalid, not_allowed
from ingest.rows import EventRow
from schemas.tracking import TrackedEvent

Headers = Mapping[bytes, bytes]
CUSTOM_DOMAIN: Final = "custom_domain"
"""The member of an ASGI scope that has the domain of a publisher's own that a request came under, if it did."""
MAX_HOPS: Final = 32
"""Addresses in `X-Forwarded-For` that are evaluated."""
MAX_LANGUAGE: Final = 64
"""Bytes of `Accept-Language` that are read."""


class RequestClient(Struct, frozen=True):
    """An address and a user agent. Both stay in memory and never enter the log."""

    address: str
    agent_text: str
    agent: Agent
    country: str
    region: str
    bot_reason: str
    city: str = ""
    language: str = ""


class RequestContext(Struct, frozen=True):
    """One request for one website. `now`: Unix time in ms; `received`: the same in the log's format. `backfill`: events
    may be of any age."""

    website: WebsiteRow
    kind: str
    origin: str
    client: RequestClient
    now: int
    received: str
    backfill: bool


def new_request(
    website: WebsiteRow, kind: str, origin: str, client: RequestClient, now: int, *, backfill: bool = False
) -> RequestContext:
    """The context of a request of `client`."""
    return RequestContext(website, kind, origin, client, now, log_text(now), backfill)


def new_row(request: RequestContext) -> TrackedEvent:
    """The row of an event before its first step: what follows from the request alone."""
    row = EventRow("", request.website.id_text, "", "", received_at=request.received, origin=request.origin)
    set_client(row, request.client)
    return row


def set_client(row: TrackedEvent, client: RequestClient) -> None:
    """Sets country, region, city, language, browser, system, device class, bot flag and reason."""
    agent = client.agent
    row.country, row.region, row.city = client.country, client.region, client.city
    row.language = client.language
    row.browser, row.os, row.device = agent.browser, agent.os, agent.device
    row.is_bot, row.bot_reason = bool(client.bot_reason), client.bot_reason


def request_context(key: KeyEntry, client: RequestClient, origin: str, headers: Headers) -> RequestContext:
    """The context of a request of `client` with `key`. Raises `EventRejected` (backfill_needs_secret_key)."""
    backfill = headers.get(b"x-backfill", b"").lower() in (b"true", b"1")
    if backfill and key.kind != "secret":
        raise not_allowed("backfill_needs_secret_key", "X-Backfill needs a secret key.")
    return new_request(key.website, key.kind, origin, client, now_ms(), backfill=backfill)


def client_of(
    scope: Mapping[str, Any], headers: Headers, trusted: Sequence[Network], places: GeoIpDatabase
) -> RequestClient:
    """The client behind a request that is sent by a script or a server."""
    return client_at(client_address(scope, trusted), headers, places)


def client_at(address: str, headers: Headers, places: GeoIpDatabase) -> RequestClient:
    """The same for a known address."""
    text = headers.get(b"user-agent", b"")[:MAX_LENGTH].decode("latin-1")
    agent = parse_agent(text)
    country, region, city = places.find(address)
    language = language_of(headers.get(b"accept-language", b""))
    reason = bot_detection.machine_reason(agent, headers)
    return RequestClient(address, text, agent, country, region, reason, city, language)


@lru_cache(maxsize=1024)
def language_of(accepted: bytes) -> str:
    """The primary subtag of the first language in an `Accept-Language` header; empty if there is none."""
    first = accepted[:MAX_LANGUAGE].split(b",", 1)[0].split(b";", 1)[0].split(b"-", 1)[0].strip().lower()
    return first.decode() if 2 <= len(first) <= 3 and first.isalpha() else ""


def with_overrides(
    request: RequestContext, address: str | None, agent_text: str | None, places: GeoIpDatabase
) -> RequestContext:
    """The context with the address and user agent that the website's server names. Raises `EventRejected` (bad_ip)."""
    client = request.client
    if address is not None:
        parsed = parse_address(address)
        if parsed is None:
            raise invalid("bad_ip", "ip is not an IPv4 or IPv6 address")
        country, region, city = places.find(parsed)
        client = replace(client, address=parsed, country=country, region=region, city=city)
    if agent_text is not None:
        text = agent_text[:MAX_LENGTH]
        agent = parse_agent(text)
        reason = bot_detection.machine_reason(agent, {})
        client = replace(client, agent_text=text, agent=agent, language="", bot_reason=reason)
    return new_request(request.website, request.kind, request.origin, client, request.now, backfill=request.backfill)


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
    """Returns whether it is a proxy that the settings name."""
    return bool(trusted) and _is_in(address, tuple(trusted))


@lru_cache(maxsize=4096)
def _is_in(address: str, networks: tuple[Network, ...]) -> bool:
    plain = parse_address(address)
    if plain is None:
        return False
    parsed = ip_address(plain)
    return any(parsed in network for network in networks)
