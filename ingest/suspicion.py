"""Clicks and visitors that are probably faked: marked with a reason and kept apart like those of machines.

Looks at what one address does on one website: how fast, on how many links, as how many visitors, with how many versions
of one browser. Only what goes beyond a limit is marked: the first clicks stay, and so does a person behind the same
address who comes later. Thousands of people may share an address (offices, phone networks): the limits grow with what
other addresses do at the same time on the same link or website.

The memory is this process's own, bounded, and fades within minutes. Addresses are in it as keyed hashes. With several
processes each counts for itself.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from math import exp
from typing import Final

from ingest.agents import Agent
from ingest.coherence import contradicts_itself
from ingest.datacentres import Datacentres, packed_address
from ingest.recent import Recent
from ingest.rows import NO_ID_TEXT, Row
from ingest.visit import Visit
from schemas.tracking import Suspicion

SHARE: Final = 0.1
"""Of what all other addresses do, this part more is normal for one: a phone network's address on a busy link."""
VERSIONS: Final = 6
"""Versions of one browser on one system within a minute. People update: nearly all of them use the newest three."""
COUNTRIES: Final = 2
"""Countries of one named visitor within `TRAVEL_MS`: at home, and by a VPN. Nobody is in a third one that soon."""
TRAVEL_MS: Final = 600_000
WINDOW_MS: Final = 60_000
MOST_SOURCES: Final = 40_000
"""Addresses with a website, and visitors: about 1 KB each at worst."""
MOST_KEPT: Final = 32
"""Versions of an address and countries of a visitor that are remembered."""

MOST_ORIGINS: Final = 16_384
_FORWARDED: Final = frozenset((b"x-forwarded-for", b"forwarded", b"x-real-ip"))
_UNKNOWN: Final = "ZZ"


class Limits:
    """What one address may do in about a minute before the rest is marked."""

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


class _Source:
    """What one address did on one website, or all did: about as much as within the last minute, for it fades.

    `n` at once count as `n`; `n` evenly within each minute as about `n`.
    """

    __slots__ = ("at", "events", "links", "tainted_until", "versions", "visitors")

    def __init__(self) -> None:
        self.at = 0
        self.events = self.visitors = self.links = 0.0
        self.versions: dict[tuple[str, str, str], int] = {}
        self.tainted_until = 0

    def fade(self, now: int) -> None:
        """While a clock goes back nothing fades."""
        if now > self.at:
            left = exp((self.at - now) / WINDOW_MS)
            self.at = now
            self.events *= left
            self.visitors *= left
            self.links *= left


class _OnLink:
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


class _Judged:
    """What holds for all events of one visit, decided at its first one. `reason`: it holds for each of them."""

    __slots__ = ("everybody", "key", "network", "reason", "share", "source", "visit")

    def __init__(self, visit: Visit, reason: Suspicion | None = None) -> None:
        self.visit, self.reason = visit, reason
        self.source: _Source | None = None
        self.everybody = _EVERYBODY
        self.network = b""
        self.key = 0
        self.share = 0.0


_EVERYBODY: Final = _Source()
_UNNAMED: Final[dict[str, int]] = {}


class Suspicions:
    """Marks rows. Belongs to the event loop."""

    def __init__(
        self, limits: Limits | None, datacentres: Datacentres, key: bytes | None = None, most: int = MOST_SOURCES
    ) -> None:
        """Without `limits` nothing is marked. `most`: addresses, and visitors, that are remembered."""
        self._is_on = limits is not None
        self._limits, self._datacentres = limits or Limits(), datacentres
        self._key = key or os.urandom(32)
        """Addresses are in memory as Python's own keyed hashes (SipHash): ten times as quick as those of hashlib."""
        self._sources: Recent[int, _Source] = Recent(most)
        self._websites: Recent[bytes, _Source] = Recent(most)
        self._on_links: Recent[int, _OnLink] = Recent(2 * most)
        self._visitors: Recent[int, dict[str, int]] = Recent(most)
        """Visitors that were counted lately; named ones with their countries and when they were last there."""
        self._last: _Judged | None = None
        self._origin_of = lru_cache(maxsize=MOST_ORIGINS)(self._find_origin)

    def judge_redirect(self, visit: Visit, headers: Mapping[bytes, bytes], is_https: bool, row: Row) -> None:
        """Marks the click of a followed link, unless it is a machine's already."""
        if self._is_on and not row.is_bot and contradicts_itself(visit.client.agent_text, headers, is_https):
            _mark(row, Suspicion.INCOHERENT_HEADERS)
        self.judge(visit, headers, row)

    def judge(self, visit: Visit, headers: Mapping[bytes, bytes], row: Row, *, is_named: bool = False) -> None:
        """Marks an event, unless it is a machine's already. `is_named`: the website told who the visitor is."""
        if row.is_bot or visit.backfill or not self._is_on:
            return
        judged = self._last
        if judged is None or judged.visit is not visit:
            judged = self._last = self._judge_visit(visit, headers)
        reason = judged.reason
        if reason is None and judged.source is not None:
            reason = self._of_event(judged, judged.source, row, is_named)
        if reason is not None:
            _mark(row, reason)

    def _judge_visit(self, visit: Visit, headers: Mapping[bytes, bytes]) -> _Judged:
        origin = self._origin_of(visit.client.address)
        if origin is None:
            return _Judged(visit)
        network, is_datacentre, is_local = origin
        # Mail programs fetch pixels through servers of theirs; people follow links and open pages themselves.
        if is_datacentre and visit.origin != "pixel":
            return _Judged(visit, Suspicion.DATACENTRE_ADDRESS)
        if is_local and not _FORWARDED.isdisjoint(headers):
            return _Judged(visit)  # a local address that forwards is a proxy which TRUSTED_PROXIES lacks
        now, website = visit.now, visit.website.id_bytes
        judged = _Judged(visit)
        judged.network = network
        judged.key = hash((self._key, network, website))
        source = self._sources.get(judged.key)
        if source is None:
            source = _Source()
            self._sources.put(judged.key, source)
        everybody = self._websites.get(website)
        if everybody is None:
            everybody = _Source()
            self._websites.put(website, everybody)
        source.fade(now)
        everybody.fade(now)
        judged.source, judged.everybody = source, everybody
        judged.share = max(0.0, everybody.events - source.events) * SHARE
        if _changes_agents(source, visit.client.agent, now, judged.share):
            judged.reason = Suspicion.CHANGING_AGENTS
        return judged

    def _find_origin(self, address: str) -> tuple[bytes, bool, bool] | None:
        """Network of an address, and whether it is a hosting company's or a local one; none for what is no address."""
        packed = packed_address(address)
        if packed is None:
            return None
        network = packed if len(packed) == 4 else packed[:8]
        return network, self._datacentres.holds(packed), _is_local(packed)

    def _of_event(self, judged: _Judged, source: _Source, row: Row, is_named: bool) -> Suspicion | None:
        """Why it is suspicious; what is not is counted."""
        limits, everybody = self._limits, judged.everybody
        if source.events + 1 > limits.events + judged.share:
            return Suspicion.RATE
        seen = self._visitors.get(row.visitor)
        if seen is None:
            others = max(0.0, everybody.visitors - source.visitors) * SHARE
            if source.visitors + 1 > limits.visitors + others:
                return Suspicion.MANY_VISITORS
        elif is_named and _travels(seen, row.country, judged.visit.now):
            return Suspicion.IMPOSSIBLE_SEQUENCE
        if row.type == "click":
            reason = self._of_click(judged, source, row.link_id)
            if reason is not None:
                return reason
        source.events += 1
        everybody.events += 1
        if seen is None and row.visitor:
            source.visitors += 1
            everybody.visitors += 1
            self._visitors.put(row.visitor, {row.country: judged.visit.now} if is_named else _UNNAMED)
        return None

    def _of_click(self, judged: _Judged, source: _Source, link: str) -> Suspicion | None:
        limits, now, on_links = self._limits, judged.visit.now, self._on_links
        here_key = hash((judged.key, link))
        here = on_links.get(here_key)
        is_new_link = here is None and link != NO_ID_TEXT
        if is_new_link and source.links + 1 > limits.links + judged.share:
            return Suspicion.MANY_LINKS
        if here is None:
            here = self._put(here_key)
        all_key = hash((self._key, judged.visit.website.id_bytes, link))
        everybody = on_links.get(all_key) or self._put(all_key)
        network = judged.network
        near_key = hash((self._key, network[:3] if len(network) == 4 else network[:6], all_key))
        near = on_links.get(near_key) or self._put(near_key)
        here.fade(now)
        everybody.fade(now)
        near.fade(now)
        total = everybody.clicks
        if here.clicks + 1 > limits.clicks + (total - here.clicks) * SHARE:
            return Suspicion.RATE
        if near.clicks + 1 > limits.neighbours + (total - near.clicks) * SHARE:
            return Suspicion.BURST
        if is_new_link:
            source.links += 1
        here.clicks += 1
        everybody.clicks += 1
        near.clicks += 1
        return None

    def _put(self, key: int) -> _OnLink:
        made = _OnLink()
        self._on_links.put(key, made)
        return made


def _changes_agents(source: _Source, agent: Agent, now: int, more: float) -> bool:
    """Whether the address goes through the versions of a browser. From then on it is marked until it stops."""
    versions = source.versions
    this = (agent.browser, agent.os, agent.version)
    if now - versions.get(this, -WINDOW_MS) >= WINDOW_MS:
        same = sum(1 for one, at in versions.items() if one[:2] == this[:2] and now - at < WINDOW_MS)
        if same >= VERSIONS + more:
            source.tainted_until = now + WINDOW_MS
        elif len(versions) >= MOST_KEPT:
            source.versions = versions = {one: at for one, at in versions.items() if now - at < WINDOW_MS}
            if len(versions) >= MOST_KEPT:
                del versions[next(iter(versions))]
    if now < source.tainted_until:
        return True
    versions[this] = now
    return False


def _travels(seen: dict[str, int], country: str, now: int) -> bool:
    """Whether a named visitor was just in too many other countries; where they are now is noted."""
    if seen is _UNNAMED or country == _UNKNOWN:
        return False
    if now - seen.get(country, -TRAVEL_MS) >= TRAVEL_MS:
        elsewhere = sum(1 for name, at in seen.items() if name != _UNKNOWN and now - at < TRAVEL_MS)
        if elsewhere >= COUNTRIES:
            return True
        if len(seen) >= MOST_KEPT:
            seen.clear()
    seen[country] = now
    return False


def _mark(row: Row, reason: Suspicion) -> None:
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
