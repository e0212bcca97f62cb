"""Detection of probably faked clicks and visitors, which are marked with a reason and excluded like those of bots.

Counts the activity of one address on one website: events, links, visitors and versions of one browser. Only activity
above a limit is marked: the first clicks stay, and so does a person behind the same address who comes later. Thousands
of people may share an address (offices, phone networks): the limits grow with the concurrent activity of other
addresses on the same link or website.

The memory is this process's own, bounded, and fades within minutes. Addresses are in it as keyed hashes. With several
processes each counts for itself.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from math import exp
from typing import Final

from ingest.bots.client_hints import headers_contradict_agent
from ingest.bots.datacentres import Datacentres, packed_address
from ingest.bots.user_agents import Agent
from ingest.bounded_map import BoundedMap
from ingest.visitors.request_context import RequestContext
from schemas.tracking import NO_ID_TEXT, Suspicion, TrackedEvent

SHARE: Final = 0.1
"""The part of the traffic of all other addresses that one address may have in addition: a phone network's address on a
busy link."""
VERSIONS: Final = 6
"""Versions of one browser on one system within a minute. People update: nearly all of them use the newest three."""
COUNTRIES: Final = 2
"""Countries of one named visitor within `TRAVEL_MS`: at home, and by a VPN. Nobody is in a third one that soon."""
TRAVEL_MS: Final = 600_000
WINDOW_MS: Final = 60_000
MAX_SOURCES: Final = 40_000
"""Addresses with a website, and visitors: about 1 KB each at worst."""
MAX_REMEMBERED: Final = 32
"""Versions of an address and countries of a visitor that are remembered."""

MAX_ORIGINS: Final = 16_384
_FORWARDED: Final = frozenset((b"x-forwarded-for", b"forwarded", b"x-real-ip"))
_UNKNOWN: Final = "ZZ"


class AddressLimits:
    """The limits of one address within about a minute; events beyond them are marked."""

    __slots__ = ("clicks", "events", "links", "neighbours", "visitors")

    def __init__(self, clicks: int = 60) -> None:
        self.clicks = clicks
        """Clicks on one link."""
        self.links = clicks
        """Links of one website."""
        self.visitors = clicks * 2
        """New visitors of one website."""
        self.events = clicks * 20
        """Page views, clicks and other events of one website."""
        self.neighbours = clicks * 3
        """Clicks on one link by all addresses that begin alike (IPv4 /24, IPv6 /48)."""


class _AddressActivity:
    """The activity of one address on one website, or of all addresses: about as much as within the last minute, for it
    fades.

    `n` at once count as `n`; `n` evenly within each minute as about `n`.
    """

    __slots__ = ("at", "events", "links", "tainted_until", "versions", "visitors")

    def __init__(self) -> None:
        self.at = 0
        self.events = self.visitors = self.links = 0.0
        self.versions: dict[tuple[str, str, str], int] = {}
        self.tainted_until = 0

    def fade(self, now: int) -> None:
        """Fades the counters until `now`; while a clock goes back nothing fades."""
        if now > self.at:
            left = exp((self.at - now) / WINDOW_MS)
            self.at = now
            self.events *= left
            self.visitors *= left
            self.links *= left


class _LinkClicks:
    """Clicks on one link within about a minute: of an address, of addresses that begin alike, or of all."""

    __slots__ = ("at", "clicks")

    def __init__(self) -> None:
        self.at = 0
        self.clicks = 0.0

    def fade(self, now: int) -> None:
        passed = now - self.at
        if passed > 0:
            self.at = now
            self.clicks *= exp(-passed / WINDOW_MS)


class _RequestVerdict:
    """The verdict on all events of one visit, decided at its first one. `reason`: applies to each of them."""

    __slots__ = ("key", "network", "overall", "reason", "request", "share", "source")

    def __init__(self, request: RequestContext, reason: Suspicion | None = None) -> None:
        self.request, self.reason = request, reason
        self.source: _AddressActivity | None = None
        self.overall = _NO_TRAFFIC
        self.network = b""
        self.key = 0
        self.share = 0.0


_NO_TRAFFIC: Final = _AddressActivity()
_UNNAMED: Final[dict[str, int]] = {}


class SuspicionDetector:
    """Marks rows. Belongs to the event loop."""

    def __init__(
        self, limits: AddressLimits | None, datacentres: Datacentres, key: bytes | None = None, most: int = MAX_SOURCES
    ) -> None:
        """Creates the detector; without `limits` nothing is marked. `most`: addresses, and visitors, that are
        remembered."""
        self._is_on = limits is not None
        self._limits, self._datacentres = limits or AddressLimits(), datacentres
        self._key = key or os.urandom(32)
        """Addresses are in memory as Python's own keyed hashes (SipHash): ten times as quick as those of hashlib."""
        self._sources: BoundedMap[int, _AddressActivity] = BoundedMap(most)
        self._websites: BoundedMap[bytes, _AddressActivity] = BoundedMap(most)
        self._on_links: BoundedMap[int, _LinkClicks] = BoundedMap(2 * most)
        self._visitors: BoundedMap[int, dict[str, int]] = BoundedMap(most)
        """Visitors that were counted lately; named ones with their countries and when they were last there."""
        self._last: _RequestVerdict | None = None
        self._origin_of = lru_cache(maxsize=MAX_ORIGINS)(self._find_origin)

    def judge_redirect(
        self, request: RequestContext, headers: Mapping[bytes, bytes], is_https: bool, row: TrackedEvent
    ) -> None:
        """Marks the click of a followed link, unless it is a machine's already."""
        if self._is_on and not row.is_bot and headers_contradict_agent(request.client.agent_text, headers, is_https):
            _mark(row, Suspicion.INCOHERENT_HEADERS)
        self.judge(request, headers, row)

    def judge(
        self, request: RequestContext, headers: Mapping[bytes, bytes], row: TrackedEvent, *, is_named: bool = False
    ) -> None:
        """Marks an event, unless it is a machine's already. `is_named`: the website told who the visitor is."""
        if row.is_bot or request.backfill or not self._is_on:
            return
        judged = self._last
        if judged is None or judged.request is not request:
            judged = self._last = self._judge_request(request, headers)
        reason = judged.reason
        if reason is None and judged.source is not None:
            reason = self._of_event(judged, judged.source, row, is_named)
        if reason is not None:
            _mark(row, reason)

    def _judge_request(self, request: RequestContext, headers: Mapping[bytes, bytes]) -> _RequestVerdict:
        origin = self._origin_of(request.client.address)
        if origin is None:
            return _RequestVerdict(request)
        network, is_datacentre, is_local = origin
        # Mail programs fetch pixels through their own servers; people follow links and open pages directly.
        if is_datacentre and request.origin != "pixel":
            return _RequestVerdict(request, Suspicion.DATACENTRE_ADDRESS)
        if is_local and not _FORWARDED.isdisjoint(headers):
            return _RequestVerdict(request)  # a local address that forwards is a proxy which TRUSTED_PROXIES lacks
        now, website = request.now, request.website.id_bytes
        judged = _RequestVerdict(request)
        judged.network = network
        judged.key = hash((self._key, network, website))
        source = self._sources.get(judged.key)
        if source is None:
            source = _AddressActivity()
            self._sources.put(judged.key, source)
        overall = self._websites.get(website)
        if overall is None:
            overall = _AddressActivity()
            self._websites.put(website, overall)
        source.fade(now)
        overall.fade(now)
        judged.source, judged.overall = source, overall
        judged.share = max(0.0, overall.events - source.events) * SHARE
        if _changes_agents(source, request.client.agent, now, judged.share):
            judged.reason = Suspicion.CHANGING_AGENTS
        return judged

    def _find_origin(self, address: str) -> tuple[bytes, bool, bool] | None:
        """Returns the network of an address, and whether it is a hosting company's or a local one; none for a text that
        is no address."""
        packed = packed_address(address)
        if packed is None:
            return None
        network = packed if len(packed) == 4 else packed[:8]
        return network, self._datacentres.holds(packed), _is_local(packed)

    def _of_event(
        self, judged: _RequestVerdict, source: _AddressActivity, row: TrackedEvent, is_named: bool
    ) -> Suspicion | None:
        """Returns why the event is suspicious; counts an event that is not."""
        limits, overall = self._limits, judged.overall
        if source.events + 1 > limits.events + judged.share:
            return Suspicion.RATE
        seen = self._visitors.get(row.visitor)
        if seen is None:
            others = max(0.0, overall.visitors - source.visitors) * SHARE
            if source.visitors + 1 > limits.visitors + others:
                return Suspicion.MANY_VISITORS
        elif is_named and _travels(seen, row.country, judged.request.now):
            return Suspicion.IMPOSSIBLE_SEQUENCE
        if row.type == "click":
            reason = self._of_click(judged, source, row.link_id)
            if reason is not None:
                return reason
        source.events += 1
        overall.events += 1
        if seen is None and row.visitor:
            source.visitors += 1
            overall.visitors += 1
            self._visitors.put(row.visitor, {row.country: judged.request.now} if is_named else _UNNAMED)
        return None

    def _of_click(self, judged: _RequestVerdict, source: _AddressActivity, link: str) -> Suspicion | None:
        limits, now, on_links = self._limits, judged.request.now, self._on_links
        here_key = hash((judged.key, link))
        here = on_links.get(here_key)
        is_new_link = here is None and link != NO_ID_TEXT
        if is_new_link and source.links + 1 > limits.links + judged.share:
            return Suspicion.MANY_LINKS
        if here is None:
            here = self._put(here_key)
        all_key = hash((self._key, judged.request.website.id_bytes, link))
        overall = on_links.get(all_key) or self._put(all_key)
        network = judged.network
        near_key = hash((self._key, network[:3] if len(network) == 4 else network[:6], all_key))
        near = on_links.get(near_key) or self._put(near_key)
        here.fade(now)
        overall.fade(now)
        near.fade(now)
        total = overall.clicks
        if here.clicks + 1 > limits.clicks + (total - here.clicks) * SHARE:
            return Suspicion.RATE
        if near.clicks + 1 > limits.neighbours + (total - near.clicks) * SHARE:
            return Suspicion.BURST
        if is_new_link:
            source.links += 1
        here.clicks += 1
        overall.clicks += 1
        near.clicks += 1
        return None

    def _put(self, key: int) -> _LinkClicks:
        made = _LinkClicks()
        self._on_links.put(key, made)
        return made


def _changes_agents(source: _AddressActivity, agent: Agent, now: int, more: float) -> bool:
    """Returns whether the address goes through the versions of a browser. From then on it is marked until it stops."""
    versions = source.versions
    this = (agent.browser, agent.os, agent.version)
    if now - versions.get(this, -WINDOW_MS) >= WINDOW_MS:
        same = sum(1 for one, at in versions.items() if one[:2] == this[:2] and now - at < WINDOW_MS)
        if same >= VERSIONS + more:
            source.tainted_until = now + WINDOW_MS
        elif len(versions) >= MAX_REMEMBERED:
            source.versions = versions = {one: at for one, at in versions.items() if now - at < WINDOW_MS}
            if len(versions) >= MAX_REMEMBERED:
                del versions[next(iter(versions))]
    if now < source.tainted_until:
        return True
    versions[this] = now
    return False


def _travels(seen: dict[str, int], country: str, now: int) -> bool:
    """Returns whether a named visitor was just in too many other countries; notes where they are now."""
    if seen is _UNNAMED or country == _UNKNOWN:
        return False
    if now - seen.get(country, -TRAVEL_MS) >= TRAVEL_MS:
        elsewhere = sum(1 for name, at in seen.items() if name != _UNKNOWN and now - at < TRAVEL_MS)
        if elsewhere >= COUNTRIES:
            return True
        if len(seen) >= MAX_REMEMBERED:
            seen.clear()
    seen[country] = now
    return False


def _mark(row: TrackedEvent, reason: Suspicion) -> None:
    row.is_bot, row.bot_reason = True, reason.value


def _is_local(address: bytes) -> bool:
    """Loopback, private and link-local addresses, and those inside a carrier's network."""
    if len(address) == 16:
        return address[0] & 0xFE == 0xFC or address[:2] == b"\xfe\x80" or address == bytes(15) + b"\1"
    first, second = address[0], address[1]
    return (
        first in (10, 127)
        or (first == 172 and second & 0xF0 == 16)
        or (first, second) in ((192, 168), (169, 254))
        or (first == 100 and second & 0xC0 == 64)
    )
