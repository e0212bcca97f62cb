"""The directory: keys, websites, links and partners in memory, refreshed from Postgres.

The hot path only reads dictionaries. `ingest.directory.refresh` fills them from the read models' views and from a copy
on disk, so that ingest starts and works while Postgres is down (at most `MAX_AGE_S`). An unknown key, link or partner
is looked up once at the source, within the limits of its request (`ingest.directory.request_lookups`). If the look-up
fails or the source is behind the event store, the response is "try again", not "unknown".
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from time import monotonic, time
from typing import Any, Final
from uuid import UUID

from ingest.bounded_map import BoundedMap
from ingest.directory.request_lookups import MAX_LOOKUPS, RequestLookups
from ingest.errors import EventRejected, Unavailable
from ingest.limits.rate_limits import Bucket
from ingest.links.routing import NO_ROUTING, LinkRouting, is_live, live_routing
from schemas.click_id import MAX_PLACE, Click
from schemas.click_id_links import with_click_id
from schemas.networks import TxidScope

MAX_AGE_S: Final = 24 * 3600.0
NEGATIVE_S: Final = 2.0
BEHIND_S: Final = 0.5
CATCH_UP_S: Final = 0.5
"""The time that a request waits for read models that are slightly behind."""
POLL_INTERVAL_S: Final = 0.05
MAX_WAITING: Final = 16
"""Requests that may wait concurrently; further ones are answered immediately."""
LOOKUPS_PER_S: Final = 100
"""Limit of each kind in each lane."""
LOOKUPS_PER_S_OF_OWNER: Final = 20
"""Limit of the names in the events of one website: others' new links and partners are looked up beside it."""
MAX_OWNERS: Final = 2_000
MAX_NEGATIVE: Final = 10_000
MAX_NAME: Final = 128
"""Slugs and ids are never longer: a longer name is unknown and is not cached."""
BUSY: Final = "busy"
KINDS: Final = ("link", "partner", "key")
Name = tuple[str, str]
"""A kind and the name under which it is looked up."""
Put = Callable[[dict[Any, Any], object, object], None]
_MISSING: Final = object()
_NEVER: Final[tuple[float, int | None]] = (0.0, None)


@dataclass(frozen=True, slots=True)
class WebsiteRow:
    """A website that may send. `id_text`, `id_bytes`: the id in the forms that the hot path needs.

    `link_click_ids`: its script adds click ids to the links of its pages; `link_impressions_every`: one page view of so
    many reports which links were in view, 0: none. `account_id`: its owner. `txid_scope`: of the ids of its own
    reports. `keeps_ad_click_ids`: of visitors who come from advertisements; with `ad_click_ids_need_consent` of those
    alone who agreed. `kept_from_ms`: events before that have expired, Unix time.
    """

    id: UUID
    domain: str
    currency: str
    link_click_ids: bool = False
    link_impressions_every: int = 0
    account_id: UUID | None = None
    txid_scope: TxidScope = TxidScope.WEBSITE
    keeps_ad_click_ids: bool = False
    ad_click_ids_need_consent: bool = False
    kept_from_ms: int = 0
    id_text: str = field(init=False)
    id_bytes: bytes = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "id_text", str(self.id))
        object.__setattr__(self, "id_bytes", self.id.bytes)


@dataclass(frozen=True, slots=True, eq=False)
class KeyEntry:
    """A valid key. `kind`: site, secret or postback; `origins`: empty = any."""

    website: WebsiteRow
    kind: str
    origins: tuple[str, ...] = ()
    hash: str = ""


@dataclass(frozen=True, slots=True)
class PartnerRow:
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

    def is_open_to(self, website: WebsiteRow) -> bool:
        """Returns whether events of the website may name the partner. Any other private partner is as unknown as one
        that does not exist."""
        return self.account_id is None or self.account_id == website.account_id


@dataclass(frozen=True, slots=True)
class LinkEntry:
    """A tracked link, with all that a redirect needs. `is_gone`: it exists and redirects no more. Destinations have the
    click id where the partner takes it, those of partners that are switched off are left out (`destination`: empty).
    `utm`: the UTM parameters of clicks that name none. `former_partners`: those before the present one, and until when
    it led to each, Unix time in ms, the first first. `variant_partners`: those that its variants ever named, as click
    ids count them."""

    id_text: str
    slug: str
    code: int
    website: WebsiteRow
    partner_id: str
    destination: str
    subs: tuple[tuple[str, str], ...]
    is_gone: bool
    routing: LinkRouting = NO_ROUTING
    utm: tuple[tuple[str, str], ...] = ()
    former_partners: tuple[tuple[str, int], ...] = ()
    variant_partners: tuple[str, ...] = ()

    def place_of(self, partner_id: str) -> int | None:
        """How a click id names the partner of a variant, 0 for the link's own (empty); none: it does not."""
        if not partner_id:
            return 0 if self.variant_partners else None
        named = self.variant_partners[:MAX_PLACE]
        return named.index(partner_id) + 1 if partner_id in named else None

    def partner_of(self, click: Click) -> str:
        """The partner to which the link led a click."""
        if click.partner_place and click.partner_place <= len(self.variant_partners):
            return self.variant_partners[click.partner_place - 1]
        return self.partner_at(round(click.at.timestamp() * 1000))

    def partner_at(self, moment: int) -> str:
        """The partner to which the link led at a Unix time in ms, but for its variants."""
        return next((partner for partner, until in self.former_partners if moment < until), self.partner_id)


@dataclass(frozen=True, slots=True)
class CustomDomainEntry:
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
    """A link as the read model stores it. `subs`, `utm`: pairs of name and value; `former_partners`: of partner and
    the end of its time; `variant_partners`: as `LinkEntry` has them."""

    id: UUID
    slug: str
    code: int
    website_id: UUID
    partner_id: UUID
    destination: str
    subs: tuple[tuple[str, str], ...]
    is_active: bool
    routing: LinkRouting = NO_ROUTING
    utm: tuple[tuple[str, str], ...] = ()
    former_partners: tuple[tuple[str, int], ...] = ()
    variant_partners: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DirectoryListing:
    """One reading of the views, as they stand."""

    websites: tuple[WebsiteRow, ...] = ()
    keys: tuple[KeyRow, ...] = ()
    links: tuple[LinkRow, ...] = ()
    partners: tuple[PartnerRow, ...] = ()
    domains: tuple[CustomDomainEntry, ...] = ()


Lookup = Callable[[str, Sequence[str]], Awaitable[DirectoryListing]]
"""Reads what belongs to key hashes (`"key"`), or to slugs or ids of links (`"link"`) or partners (`"partner"`) from the
source. Raises `Unavailable`."""

Progress = Callable[[str], Awaitable[tuple[int, int]]]
"""The position of the read models of a kind of look-up, and the last event that is written. Raises `Unavailable`."""


class SourceLane:
    """A lane to the source with limits of its own: a client that uses up those of one lane delays no one in another."""

    def __init__(self, lookup: Lookup, progress: Progress | None) -> None:
        self.lookup = lookup
        self.progress = progress
        self.waiting = 0
        """Requests that wait until the read models are current."""
        self._of_kinds = {kind: Bucket(LOOKUPS_PER_S, LOOKUPS_PER_S) for kind in KINDS}
        self._of_owners: BoundedMap[Hashable, Bucket] = BoundedMap(MAX_OWNERS)

    def take(self, kind: str, owner: Hashable) -> bool:
        """Returns whether one more name may be looked up now; `owner`: who names it, none: no one in particular."""
        if owner is not None:
            bucket = self._of_owners.get(owner)
            if bucket is None:
                bucket = Bucket(LOOKUPS_PER_S_OF_OWNER, 2 * MAX_LOOKUPS)
                self._of_owners.put(owner, bucket)
            if bucket.wait(1) > 0:
                return False
        return self._of_kinds[kind].wait(1) == 0


class Index:
    """Listings by what requests name. To make one of a large listing takes a while: not in the event loop."""

    __slots__ = (
        "ad_click_id_sites",
        "domains",
        "keys",
        "links",
        "links_by_code",
        "links_by_id",
        "network_partners",
        "partners",
        "websites",
    )

    def __init__(self, listing: DirectoryListing, built_in: Mapping[str, KeyEntry]) -> None:
        self.websites: dict[UUID, WebsiteRow] = {}
        self.ad_click_id_sites: dict[UUID, None] = {}
        """Websites that keep ad click ids; what `websites` says of them counts."""
        self.keys: dict[str, KeyEntry] = dict(built_in)
        self.links: dict[str, LinkEntry] = {}
        self.links_by_id: dict[str, LinkEntry] = {}
        self.links_by_code: dict[int, LinkEntry] = {}
        self.partners: dict[str, PartnerRow] = {}
        self.network_partners: dict[tuple[UUID, str], str] = {}
        """By website and network: the partner of that network which the website has links of; empty: several."""
        self.domains: dict[str, CustomDomainEntry] = {}
        self.add(listing, _put)

    def add(self, listing: DirectoryListing, put: Put) -> None:
        """Enters all that `listing` has by `put`."""
        for website in listing.websites:
            put(self.websites, website.id, website)
            if website.keeps_ad_click_ids:
                put(self.ad_click_id_sites, website.id, None)
        for partner in listing.partners:
            put(self.partners, partner.id_text, partner)
            put(self.partners, partner.slug, partner)
        for row in listing.keys:
            owner = self.websites.get(row.website_id)
            if owner is not None:
                put(self.keys, row.hash, KeyEntry(owner, row.kind, row.origins, row.hash))
        for link_row in listing.links:
            owner = self.websites.get(link_row.website_id)
            if owner is not None:
                self._add_link(link_row, owner, put)
        for domain in listing.domains:
            self._add_domain(domain, put)

    def _add_domain(self, row: CustomDomainEntry, put: Put) -> None:
        """Several accounts may have had the name, one after the other; one at most has it now."""
        domain = row if row.website_id in self.websites else replace(row, is_verified=False)
        stored = self.domains.get(row.host)
        if stored is None or not stored.is_verified:
            put(self.domains, row.host, domain)

    def _add_link(self, row: LinkRow, website: WebsiteRow, put: Put) -> None:
        partner = self.partners.get(str(row.partner_id))
        routing = live_routing(row.routing, partner, website.domain, self.partners.get)
        parameter = partner.click_id_parameter if partner is not None else ""
        link = LinkEntry(
            str(row.id),
            row.slug,
            row.code,
            website,
            str(row.partner_id),
            with_click_id(row.destination, parameter) if is_live(partner) else "",
            row.subs,
            not row.is_active or not (is_live(partner) or routing.variants),
            routing,
            row.utm,
            row.former_partners,
            row.variant_partners,
        )
        put(self.links, link.slug, link)
        put(self.links_by_id, link.id_text, link)
        put(self.links_by_code, link.code, link)
        of_variants = (self.partners.get(variant.partner_id) for variant in routing.variants if variant.partner_id)
        for each in (partner, *of_variants) if not link.is_gone else ():
            if each is not None and each.preset and each.is_active:
                name = website.id, each.preset
                put(self.network_partners, name, _common(self.network_partners.get(name), each.id_text))


def _common(current: str | None, partner: str) -> str:
    return partner if current in (None, partner) else ""


def _put(into: dict[Any, Any], name: object, value: object) -> None:
    into[name] = value


class Directory:
    """Keys, links and partners by what requests name them. Owned by the event loop."""

    def __init__(
        self,
        lookup: Lookup,
        built_in: Sequence[KeyEntry] = (),
        progress: Progress | None = None,
        of_events: SourceLane | None = None,
    ) -> None:
        """`built_in`: keys that are in no listing. Without `progress` what the source does not have is unknown.
        `of_events`: the lane for what the events of requests name; none: as the other one."""
        self._of_requests = SourceLane(lookup, progress)
        self._of_events = of_events or SourceLane(lookup, progress)
        self._built_in = {key.hash: key for key in built_in}
        self._read_at = 0.0
        self._missing: BoundedMap[Name, tuple[float, int | None]] = BoundedMap(MAX_NEGATIVE)
        """Until when something counts as missing, and the position at which that is certain; none: it is."""
        self._replaced: dict[tuple[int, object], tuple[dict[Any, Any], object, object]] = {}
        """What stood where something was looked up since the last reading; by index and name."""
        self.used: dict[str, UUID] = {}
        """Hashes of the keys that were used since `ingest.directory.key_uses` took them, with their websites."""
        self._set_index(Index(DirectoryListing(), {}))

    @property
    def is_known(self) -> bool:
        """Returns whether the directory is recent enough to be used."""
        return time() - self._read_at < MAX_AGE_S

    def prepared(self, listing: DirectoryListing) -> Index:
        """`listing` as `replace` takes it at once. May be called from any thread."""
        return Index(listing, self._built_in)

    def replace(self, listing: DirectoryListing | Index | None, read_at: float) -> None:
        """Replaces the listing by `listing`, as it was read at `read_at` (Unix time); none: the one before stays valid.

        What was looked up in between goes either way: it may have been revoked before any reading saw it.
        """
        self._read_at = read_at
        if listing is not None:
            self._replaced = {}
            self._set_index(self.prepared(listing) if isinstance(listing, DirectoryListing) else listing)
            return
        replaced, self._replaced = self._replaced, {}
        for into, name, value in replaced.values():
            if value is _MISSING:
                into.pop(name, None)
            else:
                into[name] = value

    def apply(self, changes: DirectoryListing, read_at: float) -> None:
        """Adds the rows in `changes`, in place of those of the same name."""
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
        self.ad_click_id_sites = index.ad_click_id_sites

    def _put(self, into: dict[Any, Any], name: object, value: object) -> None:
        """Puts one value until the next reading."""
        self._replaced.setdefault((id(into), name), (into, name, into.get(name, _MISSING)))
        if value is _MISSING:
            into.pop(name, None)
        else:
            into[name] = value

    async def key(self, text: str, lookups: RequestLookups | None = None) -> KeyEntry | None:
        """The key that was sent, or none. Raises `Unavailable` when the look-up fails."""
        digest = _digest(text)
        if not self.is_known or digest not in self.keys:
            await self._find_one("key", digest, lookups)
        return self.keys.get(digest)

    def key_in_memory(self, text: str) -> KeyEntry | None:
        """The same without a look-up, and without a coroutine: nearly every request needs no more."""
        return self.keys.get(_digest(text)) if self.is_known else None

    async def link(self, slug: str, lookups: RequestLookups | None = None) -> LinkEntry | None:
        """The link of that slug, also an inactive one, or none. Raises `Unavailable` when the look-up fails."""
        if not self.is_known or slug not in self.links:
            await self._find_one("link", slug, lookups)
        return self.links.get(slug)

    async def partner(self, text: str, lookups: RequestLookups | None = None) -> PartnerRow | None:
        """The partner of that slug or id, or none. Raises `Unavailable` when the look-up fails."""
        name = text.lower()
        if not self.is_known or not (text in self.partners or name in self.partners):
            await self._find_one("partner", name, lookups)
        return self.partners.get(text) or self.partners.get(name)

    def unknown_link(self, text: str) -> Name | None:
        """The name to look up of a link that an event names by slug or id; none if it is in memory."""
        return None if self.is_known and self._is_held("link", text) else ("link", text)

    def unknown_partner(self, text: str) -> Name | None:
        """The same for a partner."""
        return (
            None if self.is_known and (text in self.partners or text.lower() in self.partners) else partner_name(text)
        )

    def unknown_key(self, text: str) -> Name | None:
        """The same for a key."""
        return None if self.key_in_memory(text) is not None else key_name(text)

    async def find_all(self, names: Collection[Name], owner: Hashable, lookups: RequestLookups) -> frozenset[Name]:
        """Looks up what the events of a request name, so that it is in memory afterwards if it exists. Returns the
        names that were not looked up, because the request or `owner` (its website) names too many unknown ones: they
        are no more known to be unknown. Raises `Unavailable`.
        """
        skipped = set[Name]()
        for kind in KINDS:
            of_kind = [name for name_kind, name in names if name_kind == kind]
            left_out: Collection[str] = of_kind
            with suppress(EventRejected):  # its address may cause no look-up now
                left_out = await self._find(kind, of_kind, self._of_events, lookups, owner)
            skipped.update((kind, name) for name in left_out)
        if skipped and not self.is_known:
            raise Unavailable(BUSY, "The directory is not known yet; please try again.")
        return frozenset(skipped)

    async def _find_one(self, kind: str, name: str, lookups: RequestLookups | None) -> None:
        """Looks up what the request itself names. Raises `Unavailable`, and `EventRejected` if the client may cause no
        look-up."""
        lookups = lookups or RequestLookups()
        if await self._find(kind, (name,), self._of_requests, lookups):
            raise Unavailable(BUSY, "Too many unknown keys, links and partners were requested; please try again.")

    async def _find(
        self, kind: str, names: Sequence[str], lane: SourceLane, lookups: RequestLookups, owner: Hashable = None
    ) -> Sequence[str]:
        """Queries the source for the names in one statement, and returns those that it did not query. A miss counts
        only after the read models have everything that was written at the time of the first miss, so that a new key,
        link or partner is never unknown."""
        needed = {name: self._position_needed(kind, name) for name in names if self._may_exist(kind, name)}
        if not needed:
            return ()
        lookups.check()
        asked = [name for name in needed if lookups.take() and lane.take(kind, owner)]
        if asked:
            await lookups.run(self._query(kind, asked, needed, lane))
        return [name for name in needed if name not in asked]

    def _may_exist(self, kind: str, name: str) -> bool:
        """Returns whether a look-up can have another result than the last one. Raises `Unavailable` while the source is
        known to be behind."""
        if len(name) > MAX_NAME:
            return False
        until, needed = self._missing.get((kind, name)) or _NEVER
        if until <= monotonic():
            return True
        if needed is not None:
            raise _directory_behind()
        return False

    def _position_needed(self, kind: str, name: str) -> int | None:
        return (self._missing.get((kind, name)) or _NEVER)[1]

    async def _query(self, kind: str, names: Sequence[str], needed: Mapping[str, int | None], lane: SourceLane) -> None:
        missing = await self._query_source(kind, names, lane)
        if missing and lane.progress is not None:
            missing = await self._query_until_current(kind, missing, needed, lane, lane.progress)
        for name in missing:
            self._missing.put((kind, name), (monotonic() + NEGATIVE_S, None))

    async def _query_until_current(
        self, kind: str, names: Sequence[str], positions: Mapping[str, int | None], lane: SourceLane, progress: Progress
    ) -> Sequence[str]:
        """Queries again once the read models are current. Raises `Unavailable` when they stay behind."""
        reached, written = await progress(kind)
        needed = {name: written if (earlier := positions[name]) is None else earlier for name in names}
        if lane.waiting < MAX_WAITING:
            lane.waiting += 1
            try:
                deadline = monotonic() + CATCH_UP_S
                while reached < max(needed.values()) and monotonic() < deadline:
                    await asyncio.sleep(POLL_INTERVAL_S)
                    reached, _ = await progress(kind)
            finally:
                lane.waiting -= 1
        missing = await self._query_source(kind, names, lane)
        behind = [name for name in missing if reached < needed[name]]
        for name in behind:
            self._missing.put((kind, name), (monotonic() + BEHIND_S, needed[name]))
        if behind:
            raise _directory_behind()
        return missing

    async def _query_source(self, kind: str, names: Sequence[str], lane: SourceLane) -> Sequence[str]:
        """Takes the rows that the source has of the names, and returns the names that it does not have."""
        listing = await lane.lookup(kind, names)
        if not self.is_known:  # the directory is too old; the source is authoritative
            for name in names:
                self._forget(kind, name)
        self._index.add(listing, self._put)
        return [name for name in names if not self._is_held(kind, name)]

    def _is_held(self, kind: str, name: str) -> bool:
        if kind == "link":
            return name in self.links or name.lower() in self.links_by_id
        return name in (self.keys if kind == "key" else self.partners)

    def _forget(self, kind: str, name: str) -> None:
        held: dict[str, dict[str, Any]] = {"key": self.keys, "link": self.links, "partner": self.partners}
        for into, text in ((held[kind], name), (self.links_by_id, name.lower() if kind == "link" else "")):
            if text in into:
                self._put(into, text, _MISSING)


def key_name(text: str) -> Name:
    """Returns the name under which a key is looked up."""
    return "key", _digest(text)


def partner_name(text: str) -> Name:
    """Returns the name under which a partner is looked up."""
    return "partner", text.lower()


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
