"""The directory: keys, websites, links and partners in memory, refreshed from Postgres.

The hot path only reads dictionaries. `ingest.directory.refresh` fills them from the read models' views and from a copy
on disk, so that ingest starts and works while Postgres is down (at most `MAX_AGE_S`). An unknown key, link or partner
is looked up once at the source. If the look-up fails or the source is behind the event store, the response is "try
again", not "unknown".
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from time import monotonic, time
from typing import Any, Final, TypeVar
from uuid import UUID

from ingest.errors import Unavailable
from ingest.rate_limits import Bucket
from ingest.routing import NO_ROUTING, Routing, routing_with_click_id
from schemas.click_id_links import with_click_id

MAX_AGE_S: Final = 24 * 3600.0
NEGATIVE_S: Final = 2.0
BEHIND_S: Final = 0.5
CATCH_UP_S: Final = 0.5
"""How long a request waits for read models that are slightly behind."""
POLL_INTERVAL_S: Final = 0.05
MAX_WAITING: Final = 16
"""Requests that may wait concurrently; further ones are answered immediately."""
LOOKUPS_PER_S: Final = 100
MAX_NEGATIVE: Final = 10_000
MAX_NAME: Final = 128
"""Slugs and ids are never longer: a longer name is unknown and is not cached."""
BUSY: Final = "busy"
T = TypeVar("T")
Put = Callable[[dict[Any, Any], object, object], None]
_MISSING: Final = object()


@dataclass(frozen=True, slots=True)
class Website:
    """A website that may send. `id_text`, `id_bytes`: the id in the forms that the hot path needs.

    `link_click_ids`: its script adds click ids to the links of its pages; `link_impressions_every`: one page view of so
    many reports which links were in view, 0: none. `account_id`: its owner.
    """

    id: UUID
    domain: str
    currency: str
    link_click_ids: bool = False
    link_impressions_every: int = 0
    account_id: UUID | None = None
    id_text: str = field(init=False)
    id_bytes: bytes = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "id_text", str(self.id))
        object.__setattr__(self, "id_bytes", self.id.bytes)


@dataclass(frozen=True, slots=True, eq=False)
class Key:
    """A valid key. `kind`: site, secret or postback; `origins`: empty = any."""

    website: Website
    kind: str
    origins: tuple[str, ...] = ()
    hash: str = ""


@dataclass(frozen=True, slots=True)
class Partner:
    """A partner program. `preset`: how its postbacks name things; `click_id_parameter`: in which its links pass the
    click id, empty: none. `account_id`: whose private partner it is; none: it is in the directory, for everybody."""

    id: UUID
    id_text: str
    slug: str
    name: str
    preset: str
    cookie_days: int
    is_active: bool
    click_id_parameter: str = ""
    account_id: UUID | None = None

    def is_open_to(self, website: Website) -> bool:
        """Whether what the website sends may name it. Any other private partner is as unknown as one that is not
        there."""
        return self.account_id is None or self.account_id == website.account_id


@dataclass(frozen=True, slots=True)
class Link:
    """A tracked link, with all that a redirect needs. `is_gone`: it exists and redirects no more. Destinations have the
    click id where the partner takes it. `utm`: the UTM parameters of clicks that name none."""

    id_text: str
    slug: str
    code: int
    website: Website
    partner_id: str
    destination: str
    subs: tuple[tuple[str, str], ...]
    is_gone: bool
    routing: Routing = NO_ROUTING
    utm: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class CustomDomain:
    """A host name that is, or once was, verified for a website."""

    id: UUID
    host: str
    website_id: UUID
    is_verified: bool


@dataclass(frozen=True, slots=True)
class KeyRow:
    """A valid key, as the read model stores it. `hash`: SHA-256 in hexadecimal; `origins`: empty = any."""

    website_id: UUID
    hash: str
    kind: str
    origins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LinkRow:
    """A link as the read model stores it. `subs`, `utm`: pairs of name and value."""

    id: UUID
    slug: str
    code: int
    website_id: UUID
    partner_id: UUID
    destination: str
    subs: tuple[tuple[str, str], ...]
    is_active: bool
    routing: Routing = NO_ROUTING
    utm: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """One reading of the views, as they stand."""

    websites: tuple[Website, ...] = ()
    keys: tuple[KeyRow, ...] = ()
    links: tuple[LinkRow, ...] = ()
    partners: tuple[Partner, ...] = ()
    domains: tuple[CustomDomain, ...] = ()


Lookup = Callable[[str, str], Awaitable[Listing]]
"""Reads what belongs to one key hash (`"key"`), one slug (`"link"`), or one partner's slug or id (`"partner"`) from the
source. Raises `Unavailable`."""

Progress = Callable[[str], Awaitable[tuple[int, int]]]
"""How far the read models of a kind of look-up are, and the last event that is written. Raises `Unavailable`."""
Check = Callable[[], None]


def no_check() -> None:
    return


class Index:
    """Listings by what requests name. To make one of a large listing takes a while: not in the event loop."""

    __slots__ = (
        "domains",
        "keys",
        "links",
        "links_by_code",
        "links_by_id",
        "network_partners",
        "partners",
        "websites",
    )

    def __init__(self, listing: Listing, built_in: Mapping[str, Key]) -> None:
        self.websites: dict[UUID, Website] = {}
        self.keys: dict[str, Key] = dict(built_in)
        self.links: dict[str, Link] = {}
        self.links_by_id: dict[str, Link] = {}
        self.links_by_code: dict[int, Link] = {}
        self.partners: dict[str, Partner] = {}
        self.network_partners: dict[tuple[UUID, str], str] = {}
        """By website and network: the partner of that network which the website has links of; empty: several."""
        self.domains: dict[str, CustomDomain] = {}
        self.add(listing, _put)

    def add(self, listing: Listing, put: Put) -> None:
        """Enters all that `listing` has by `put`."""
        for website in listing.websites:
            put(self.websites, website.id, website)
        for partner in listing.partners:
            put(self.partners, partner.id_text, partner)
            put(self.partners, partner.slug, partner)
        for row in listing.keys:
            owner = self.websites.get(row.website_id)
            if owner is not None:
                put(self.keys, row.hash, Key(owner, row.kind, row.origins, row.hash))
        for link_row in listing.links:
            owner = self.websites.get(link_row.website_id)
            if owner is not None:
                self._add_link(link_row, owner, put)
        for domain in listing.domains:
            self._add_domain(domain, put)

    def _add_domain(self, row: CustomDomain, put: Put) -> None:
        """Several accounts may have had the name, one after the other; one at most has it now."""
        domain = row if row.website_id in self.websites else replace(row, is_verified=False)
        before = self.domains.get(row.host)
        if before is None or not before.is_verified:
            put(self.domains, row.host, domain)

    def _add_link(self, row: LinkRow, website: Website, put: Put) -> None:
        partner = self.partners.get(str(row.partner_id))
        gone = not row.is_active or (partner is not None and not partner.is_active)
        parameter = partner.click_id_parameter if partner is not None else ""
        link = Link(
            str(row.id),
            row.slug,
            row.code,
            website,
            str(row.partner_id),
            with_click_id(row.destination, parameter),
            row.subs,
            gone,
            routing_with_click_id(row.routing, parameter, website.domain),
            row.utm,
        )
        put(self.links, link.slug, link)
        put(self.links_by_id, link.id_text, link)
        put(self.links_by_code, link.code, link)
        if partner is not None and partner.preset and not gone:
            name = website.id, partner.preset
            put(self.network_partners, name, _common(self.network_partners.get(name), partner.id_text))


def _common(before: str | None, partner: str) -> str:
    return partner if before in (None, partner) else ""


def _put(into: dict[Any, Any], name: object, value: object) -> None:
    into[name] = value


class Directory:
    """Keys, links and partners by what requests name them. Owned by the event loop."""

    def __init__(self, lookup: Lookup, built_in: Sequence[Key] = (), progress: Progress | None = None) -> None:
        """`built_in`: keys that stand in no listing. Without `progress` what the source does not have is unknown."""
        self._lookup = lookup
        self._progress = progress
        self._built_in = {key.hash: key for key in built_in}
        self._read_at = 0.0
        self._missing: dict[tuple[str, str], tuple[float, int | None]] = {}
        """Until when something counts as missing, and the position at which that is certain; none: it is."""
        self._waiting = 0
        self._bucket = Bucket(LOOKUPS_PER_S, LOOKUPS_PER_S)
        self._before: list[tuple[dict[Any, Any], object, object]] = []
        """What stood where something was looked up since the last reading."""
        self.used: dict[str, UUID] = {}
        """Hashes of the keys that were used since `ingest.directory.key_uses` took them, with their websites."""
        self._set_index(Index(Listing(), {}))

    @property
    def is_known(self) -> bool:
        """Whether the directory is recent enough to be used."""
        return time() - self._read_at < MAX_AGE_S

    def prepared(self, listing: Listing) -> Index:
        """`listing` as `replace` takes it at once. May be called from any thread."""
        return Index(listing, self._built_in)

    def replace(self, listing: Listing | Index | None, read_at: float) -> None:
        """From now on `listing` holds, as it was read at `read_at` (Unix time); none: the one before still does.

        What was looked up in between goes either way: it may have been revoked before any reading saw it.
        """
        self._read_at = read_at
        if listing is not None:
            self._before = []
            self._set_index(self.prepared(listing) if isinstance(listing, Listing) else listing)
            return
        while self._before:
            into, name, value = self._before.pop()
            if value is _MISSING:
                into.pop(name, None)
            else:
                into[name] = value

    def apply(self, changes: Listing, read_at: float) -> None:
        """From now on the rows in `changes` hold too, in place of those of the same name."""
        self.replace(None, read_at)
        self._index.add(changes, _put)

    def _set_index(self, index: Index) -> None:
        self._index = index
        self.websites, self.keys, self.partners, self.domains = (
            index.websites,
            index.keys,
            index.partners,
            index.domains,
        )
        self.links, self.links_by_id, self.links_by_code = index.links, index.links_by_id, index.links_by_code
        self.network_partners = index.network_partners

    def _put(self, into: dict[Any, Any], name: object, value: object) -> None:
        """Until the next reading."""
        self._before.append((into, name, into.get(name, _MISSING)))
        if value is _MISSING:
            into.pop(name, None)
        else:
            into[name] = value

    async def key(self, text: str, before_lookup: Check = no_check) -> Key | None:
        """The key that was sent, or none. Raises `Unavailable` when the look-up fails."""
        digest = _digest(text)
        found = self.keys.get(digest) if self.is_known else None
        return found or await self._find("key", digest, lambda: self.keys.get(digest), before_lookup)

    def key_in_memory(self, text: str) -> Key | None:
        """The same without a look-up, and without a coroutine: nearly every request needs no more."""
        return self.keys.get(_digest(text)) if self.is_known else None

    async def link(self, slug: str, before_lookup: Check = no_check) -> Link | None:
        """The link of that slug, also an inactive one, or none. Raises `Unavailable` when the look-up fails."""
        found = self.links.get(slug) if self.is_known else None
        return found or await self._find("link", slug, lambda: self.links.get(slug), before_lookup)

    async def link_of(self, text: str) -> Link | None:
        """The link that an event names by slug or id. One batch may name thousands of wrong ones: above the rate limit
        of look-ups a link that is not in the directory (at most a few seconds old) counts as unknown."""
        try:
            return self.links_by_id.get(text.lower()) or await self.link(text)
        except Unavailable as error:
            if error.code != BUSY:
                raise
            return None

    async def partner(self, text: str, before_lookup: Check = no_check) -> Partner | None:
        """The partner of that slug or id, or none. Raises `Unavailable` when the look-up fails."""
        name = text.lower()
        found = (self.partners.get(text) or self.partners.get(name)) if self.is_known else None
        return found or await self._find("partner", name, lambda: self.partners.get(name), before_lookup)

    async def partner_of(self, text: str) -> Partner | None:
        """The partner that an event names; as `link_of`."""
        try:
            return self.partners.get(text) or await self.partner(text)
        except Unavailable as error:
            if error.code != BUSY:
                raise
            return None

    async def _find(self, kind: str, name: str, held: Callable[[], T | None], before_lookup: Check) -> T | None:
        """Queries the source. A miss counts only after the read models have everything that was written at the time of
        the first miss, so that a new key, link or partner is never unknown."""
        if len(name) > MAX_NAME:
            return None
        until, needed = self._missing.get((kind, name), (0.0, None))
        if until > monotonic():
            if needed is None:
                return None
            raise _directory_behind()
        before_lookup()
        if self._bucket.wait(1) > 0:
            raise Unavailable(BUSY, "Too many unknown keys, links and partners were requested; please try again.")
        found = await self._query_source(kind, name, held)
        if found is None and self._progress is not None:
            found = await self._query_until_current(kind, name, held, needed, self._progress)
        if found is None:
            self._remember(kind, name, NEGATIVE_S, None)
        return found

    async def _query_until_current(
        self, kind: str, name: str, held: Callable[[], T | None], needed: int | None, progress: Progress
    ) -> T | None:
        """Queries again once the read models are current. Raises `Unavailable` when they stay behind."""
        reached, written = await progress(kind)
        needed = written if needed is None else needed
        if self._waiting < MAX_WAITING:
            self._waiting += 1
            try:
                deadline = monotonic() + CATCH_UP_S
                while reached < needed and monotonic() < deadline:
                    await asyncio.sleep(POLL_INTERVAL_S)
                    reached, _ = await progress(kind)
            finally:
                self._waiting -= 1
        found = await self._query_source(kind, name, held)
        if found is None and reached < needed:
            self._remember(kind, name, BEHIND_S, needed)
            raise _directory_behind()
        return found

    async def _query_source(self, kind: str, name: str, held: Callable[[], T | None]) -> T | None:
        listing = await self._lookup(kind, name)
        if not self.is_known:  # the directory is too old; the source is authoritative
            held_here: dict[str, dict[str, Any]] = {"key": self.keys, "link": self.links, "partner": self.partners}
            self._put(held_here[kind], name, _MISSING)
        self._index.add(listing, self._put)
        return held()

    def _remember(self, kind: str, name: str, seconds: float, needed: int | None) -> None:
        if len(self._missing) >= MAX_NEGATIVE:
            self._missing.clear()
        self._missing[kind, name] = monotonic() + seconds, needed


def _directory_behind() -> Unavailable:
    return Unavailable("directory_behind", "A key, link or partner in this request may be too new; please try again.")


def _digest(key: str) -> str:
    return sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


def pairs_of(stored: object) -> tuple[tuple[str, str], ...]:
    """The sub ids or UTM parameters of a link, from JSON."""
    return tuple(sorted((str(k), str(v)) for k, v in stored.items())) if isinstance(stored, dict) else ()


def origins_of(stored: Sequence[str] | None) -> tuple[str, ...]:
    """The allowed origins of a key, lower case."""
    return tuple(origin.lower().rstrip("/") for origin in stored or ())
