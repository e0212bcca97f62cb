"""`POST /track`: clicks, page views and custom events, one or ten thousand at a time.

This module reads the body within the limits of a request; each event then takes the steps of `ingest.pipeline.TRACK`.
The response is sent after the log has acknowledged the records.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec.structs import replace

from infra.kernel.http.request_limits import Receive, Scope, Send
from infra.kernel.log import Record
from ingest.bots.bot_detection import PREFETCH, SPAM_REFERRER
from ingest.context import IngestContext
from ingest.directory.directory import Directory, KeyEntry, Name, key_name
from ingest.directory.request_lookups import RequestLookups
from ingest.endpoints.page_links import page_links
from ingest.errors import EventRejected, Unavailable, not_allowed, not_looked_up
from ingest.event import SiteEvent
from ingest.limits.fair_scheduling import SMALL, TimeSlice
from ingest.pipeline import NO_STEP, TRACK
from ingest.query_strings import site_of
from ingest.request_cost import COST, EXEMPT, exempt_server_key
from ingest.responses import send_accepted_one, send_json, send_problem
from ingest.rows import SentEvent
from ingest.steps.decode import BodyDecoder, Decoded, DecodedBody, decode_one, is_array, is_json
from ingest.steps.identify_site import MAX_KEY, bearer, identify, missing_key
from ingest.steps.publish import MAX_GROUP
from ingest.visitors.request_context import (
    Headers,
    RequestClient,
    RequestContext,
    client_address,
    client_at,
    new_row,
    request_context,
)
from schemas.tracking import NO_ID, Outcome, Suspicion, TrackedEvent

ENDPOINT: Final = "/track"
MAX_DEBUGGED: Final = 100
SUSPICIONS: Final = frozenset(Suspicion)
KEY_WITHIN: Final = 64 * 1024
"""A batch without a key in header or query must name its website within so many bytes."""
MAX_PEEKED: Final = 200
MAX_NAMES: Final = 4
"""Different keys that are tried in that range."""
FREE_MS: Final = 5.0
"""Processing time of accepted events that is not charged to the address."""
LARGE: Final = 16 * 1024
"""Bodies of this size or more always wait for a time slice."""
CLOCK_EVERY: Final = 4
"""Events between two checks of the clock; the most expensive event takes less than a millisecond."""
_SITE: Final = re.compile(rb'"site"\s*+:\s*+"([\w-]{1,128}+)"')
_ACCEPTED: Final = Outcome.ACCEPTED.value
_DEBUG: Final = b"x-debug-request"


async def track(context: IngestContext, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers one request."""
    headers: dict[bytes, bytes] = dict(scope["headers"])
    body: bytes = (await receive()).get("body", b"")
    batch = _BatchRequest(context, scope, receive, headers)
    try:
        text = bearer(headers) or (site_of(scope["query_string"]) if scope["query_string"] else "")
        if text:
            batch.key = await batch.identify(text)
        batch.runner.current = "decode"
        encoding = headers.get(b"content-encoding", b"")
        packed = DecodedBody(body, encoding) if encoding or len(body) > SMALL else None
        content_type = headers.get(b"content-type", b"")
        if batch.key is None:
            start = body if packed is None else packed.start(KEY_WITHIN)
            batch.runner.current = "identify_site"
            await batch.find_key(start, content_type)
            batch.runner.current = "decode"
        if packed is not None:
            await batch.begin(packed)
        if packed is None and is_json(content_type) and not is_array(body):
            events, alone = [decode_one(body)], True  # a small event alone, as most are
        else:
            events, alone = await batch.read(body if packed is None else packed.whole(), content_type)
        batch.count = len(events)
        if alone and isinstance(events[0], EventRejected):
            raise events[0]
        batch.client = client_at(batch.address, headers, context.places)
        batch.runner.current = "look_up"
        await batch.resolve(events)
        batch.runner.current = NO_STEP
        await batch.process(events)
        batch.runner.current = "publish"
        if len(batch.records) > MAX_GROUP:
            await batch.publish_in_parts()
        else:
            batch.end()
            if batch.records:
                await context.publisher.submit(batch.records)
    except (EventRejected, Unavailable) as error:
        await batch.refuse(send, error, body)
        return
    batch.runner.current = "answer"
    await batch.answer(send, events)
    batch.runner.current = NO_STEP


class _BatchRequest:
    """The state of one request while it is processed."""

    __slots__ = (
        "address",
        "client",
        "context",
        "count",
        "headers",
        "key",
        "keys",
        "lookups",
        "not_looked_up",
        "records",
        "rejected_events",
        "requests",
        "rows",
        "runner",
        "scope",
        "time_slice",
    )

    client: RequestClient

    def __init__(self, context: IngestContext, scope: Scope, receive: Receive, headers: Headers) -> None:
        self.context = context
        self.scope = scope
        self.headers = headers
        self.address = client_address(scope, context.settings.trusted_proxies)
        self.lookups = RequestLookups(receive, lambda: context.costs.check(self.address))
        self.key: KeyEntry | None = None
        self.count = 1
        self.keys: dict[str, KeyEntry | EventRejected] = {}
        self.requests: dict[KeyEntry, RequestContext | EventRejected] = {}
        self.not_looked_up: dict[int, EventRejected] = {}
        self.records: list[Record] = []
        self.rows: list[TrackedEvent] = []
        self.rejected_events: list[tuple[int, EventRejected]] = []
        self.time_slice: TimeSlice | None = None
        self.runner = TRACK.runner(context)

    async def identify(self, text: str) -> KeyEntry:
        """The key `text`. Raises `EventRejected` for an unknown key, and for an address above its limit when the key
        needs a look-up."""
        return await identify(self.context.directory, text, self.headers, lookups=self.lookups)

    async def find_key(self, start: bytes, content_type: bytes) -> None:
        """Finds a usable key in the first events of a batch, before the batch is unpacked further or decoded. Raises
        `EventRejected` and `Unavailable`."""
        if is_json(content_type) and not is_array(start):
            return  # a single event is small
        names = dict.fromkeys(match.group(1).decode("latin-1") for match in islice(_SITE.finditer(start), MAX_PEEKED))
        for name in list(names)[:MAX_NAMES]:
            if isinstance(await self._key_of(name), KeyEntry):
                return
        first = next(iter(self.keys.values()), None)
        raise first if isinstance(first, EventRejected) else missing_key()

    async def begin(self, packed: DecodedBody) -> None:
        """Starts the work; large bodies wait for a time slice. Raises `EventRejected` (429) when the address is above
        its limit and the body is larger than a browser sends."""
        key = self.key or self._first_key()
        size = len(packed.start(LARGE))
        if size >= LARGE and (key is None or key.kind != "secret"):
            self.context.costs.check(self.address)
        if size > SMALL:
            self.time_slice = self.context.scheduler.begin(key.website.id if key is not None else self.address)
            if size >= LARGE or self.time_slice.is_over():
                await self.time_slice.next()

    async def read(self, body: bytes, content_type: bytes) -> tuple[Decoded, bool]:
        """The events, and whether it is one alone. Raises `EventRejected`."""
        time_slice = self.time_slice
        reading = BodyDecoder(body, content_type)
        for _ in reading.steps():
            if time_slice is not None and time_slice.is_over():
                await time_slice.next()
        return reading.events, reading.is_alone

    def end(self) -> None:
        """Ends the work. Rejected events and expensive work are charged to the address, except with a server key."""
        if self.key is not None:
            exempt_server_key(self.scope, self.key)
        time_slice = self.time_slice
        if time_slice is None:
            return
        time_slice.end()
        spent_ms = time_slice.spent_s * 1000
        self.scope[COST] = spent_ms
        if self.rows and EXEMPT not in self.scope:
            share = len(self.rejected_events) / self.count
            self.context.costs.charge(self.address, max(share * spent_ms, spent_ms - FREE_MS, share, 0.0))

    async def publish_in_parts(self) -> None:
        """Publishes many records in groups, because passing them to the client takes time too. Raises `Unavailable`."""
        records, publisher = self.records, self.context.publisher
        publisher.check_capacity(len(records))
        parts: list[asyncio.Future[None]] = []
        for start in range(0, len(records), MAX_GROUP):
            if self.time_slice is not None:
                await self.time_slice.next()
            parts.append(publisher.submit(records[start : start + MAX_GROUP], is_capacity_checked=True))
        self.end()
        await asyncio.wait(parts)
        for part in parts:
            part.result()

    async def resolve(self, events: Decoded) -> None:
        """Looks up the links, partners and keys of the events, all at once, and charges each website's rate limit."""
        named, unknown, count = await self._sort(events)
        if unknown:
            await self._look_up(unknown, events)
        counts: dict[KeyEntry, int] = {}
        if count and self.key is not None:
            counts[self.key] = count
        for sent in named:
            identified = await self._key_of(sent.site or "")
            if isinstance(identified, EventRejected):
                if len(events) == 1:
                    raise identified
                continue
            key = self.key or identified
            counts[key] = counts.get(key, 0) + 1
        self.runner.current = "limit_rate"
        self._open_requests(counts)

    async def _sort(self, events: Decoded) -> tuple[list[SentEvent], dict[Name, None], int]:
        """The events whose key is to be read from them; what all of them name that is not in memory, in the order in
        which it is named first; how many events have the key of the request. A key that is alone is looked up when it
        is needed."""
        directory, time_slice = self.context.directory, self.time_slice
        has_key = self.key is not None
        named: list[SentEvent] = []
        unknown: dict[Name, None] = {}
        count = 0
        for index, sent in enumerate(events):
            if time_slice is not None and not index % CLOCK_EVERY and time_slice.is_over():
                await time_slice.next()
            if isinstance(sent, EventRejected):
                continue
            if sent.link is not None or sent.partner:
                unknown.update(dict.fromkeys(unknown_names(directory, sent)))
            if has_key and sent.site is None:
                count += 1
                continue
            named.append(sent)
            if self.count > 1 and (name := self._unknown_key(sent.site or "")) is not None:
                unknown[name] = None
        return named, unknown, count

    def _unknown_key(self, text: str) -> Name | None:
        """The name to look up of a key that is neither in memory nor was tried before."""
        is_known = text in self.keys or not 0 < len(text) <= MAX_KEY
        return None if is_known else self.context.directory.unknown_key(text)

    async def _look_up(self, unknown: Collection[Name], events: Decoded) -> None:
        """Looks the names up, and notes the events that name one for which this request may not. Raises
        `EventRejected` if that is the only event."""
        directory, key = self.context.directory, self.key or self._first_key()
        owner = key.website.id if key is not None else self.address
        skipped = await directory.find_all(unknown, owner, self.lookups)
        if not skipped:
            return
        for index, sent in enumerate(events):
            if isinstance(sent, EventRejected):
                continue
            if sent.site and key_name(sent.site) in skipped:
                self.keys[sent.site] = not_looked_up()
            elif not skipped.isdisjoint(unknown_names(directory, sent)):
                self.not_looked_up[index] = not_looked_up()
        if self.count == 1 and self.not_looked_up:
            raise self.not_looked_up[0]

    def _first_key(self) -> KeyEntry | None:
        return next((key for key in self.keys.values() if isinstance(key, KeyEntry)), None)

    def _open_requests(self, counts: Mapping[KeyEntry, int]) -> None:
        """Charges each website's rate limit and creates its request context. Raises `EventRejected` when the only
        website is over its limit."""
        origin = "script" if b"origin" in self.headers else "server"
        for key, count in counts.items():
            try:
                self.context.rate_limits.take(key.website.id, count)
                self.requests[key] = request_context(key, self.client, origin, self.headers)
            except EventRejected as error:
                if len(counts) == 1:
                    self.key = key
                    raise
                self.requests[key] = error

    async def _key_of(self, text: str) -> KeyEntry | EventRejected:
        identified = self.keys.get(text)
        if identified is None:
            try:
                identified = await self.identify(text)
            except EventRejected as error:
                identified = error
            self.keys[text] = identified
        return identified

    async def process(self, events: Decoded) -> None:
        """Runs every event through the steps. Dropped events keep their index and reason; events dropped for the same
        reason become one entry of the rejection log."""
        groups: dict[tuple[UUID, str], _DroppedEvents] = {}
        time_slice, run, drop = self.time_slice, self.runner.run, self.runner.drop
        headers, records, rows = self.headers, self.records, self.rows
        unresolved = self.not_looked_up
        usual = self.requests.get(self.key) if self.key is not None else None
        blank: TrackedEvent | None = None
        blank_of: RequestContext | None = None
        error: EventRejected | None
        for index, sent in enumerate(events):
            if time_slice is not None and not index % CLOCK_EVERY and time_slice.is_over():
                await time_slice.next()
            if isinstance(sent, EventRejected):
                error = sent
                drop(error.code, "decode")
            elif unresolved and index in unresolved:
                error = self._dropped("look_up", unresolved[index])
            else:
                request = usual if sent.site is None and usual is not None else self._request_of(sent)
                if isinstance(request, EventRejected):
                    error = request
                else:
                    if blank is None or request is not blank_of:
                        blank, blank_of = new_row(request), request
                    event = SiteEvent(request, headers, sent, blank, is_alone=self.count == 1)
                    error = run(event)
                    if error is None:
                        records.append(event.record)
                        rows.append(event.row)
                        continue
            self.rejected_events.append((index, error))
            owner = self._owner_of(sent)
            website, kind = (owner.website.id, owner.kind) if owner is not None else (NO_ID, "")
            same = groups.get((website, error.code))
            if same is not None:
                same.count += 1
                continue
            sample = b"" if isinstance(sent, EventRejected) else sample_of(sent)
            groups[website, error.code] = _DroppedEvents(error, kind, sample)
        for (website, _), one in groups.items():
            self.context.rejections.add(
                one.error, ENDPOINT, website_id=website, key_kind=one.key_kind, sample=one.sample, count=one.count
            )

    def _owner_of(self, sent: SentEvent | EventRejected) -> KeyEntry | None:
        """The key whose owner sees that the event is rejected."""
        if self.key is not None or isinstance(sent, EventRejected):
            return self.key
        owner = self.keys.get(sent.site or "")
        return owner if isinstance(owner, KeyEntry) else None

    def _request_of(self, sent: SentEvent) -> RequestContext | EventRejected:
        """The context of the website that the event belongs to, or why it has none, which is counted."""
        key = self.key
        if key is None or sent.site is not None:
            named = self.keys[sent.site or ""]
            if isinstance(named, EventRejected):
                return self._dropped("identify_site", named)
            if key is None:
                key = named
            elif key.website.id != named.website.id:
                error = not_allowed("site_mismatch", "site names another website than the key.")
                return self._dropped("identify_site", error)
        request = self.requests[key]
        return self._dropped("limit_rate", request) if isinstance(request, EventRejected) else request

    def _dropped(self, step: str, error: EventRejected) -> EventRejected:
        self.runner.drop(error.code, step)
        return error

    async def answer(self, send: Send, events: Decoded) -> None:
        """Sends 202 with accepted and rejected events, or 400 when none was accepted."""
        outcomes = self.context.counters.outcomes
        links = self._page_links()
        is_plain = len(self.rows) == 1 and not self.rejected_events and _DEBUG not in self.headers and links is None
        if is_plain and not self.rows[0].is_bot:
            outcomes[ENDPOINT, _ACCEPTED] += 1
            await send_accepted_one(send)
            return
        machines = [row for row in self.rows if row.is_bot]
        if len(machines) < len(self.rows):
            outcomes[ENDPOINT, _ACCEPTED] += len(self.rows) - len(machines)
        for row in machines:
            outcomes[ENDPOINT, outcome_of(row).value] += 1
        if is_plain:
            await send_accepted_one(send)
            return
        rejected = [{"index": index, "code": e.code, "message": e.message} for index, e in self.rejected_events]
        if not self.rows:
            first = self.rejected_events[0][1]
            status = 400 if len(events) > 1 else first.status
            error = EventRejected(first.outcome, first.code, first.message, status, first.retry_after)
            await send_problem(send, error, accepted=0, rejected=rejected)
            return
        content: dict[str, Any] = {"accepted": len(self.rows), "rejected": rejected}
        if links is not None:
            content["links"] = links
        if self.headers.get(_DEBUG, b"").lower() in (b"true", b"1"):
            content["debug"] = [debug_of(row) for row in self.rows[:MAX_DEBUGGED]]
        await send_json(send, 202, content)

    def _page_links(self) -> dict[str, Any] | None:
        """Returns the data that the script in the page that sent the events needs for its links."""
        if b"origin" not in self.headers or len(self.requests) != 1:
            return None
        [(key, request)] = self.requests.items()
        if key.kind != "site" or isinstance(request, EventRejected):
            return None
        return page_links(self.context, request)

    async def refuse(self, send: Send, error: EventRejected | Unavailable, body: bytes) -> None:
        """Rejects the whole request."""
        self.end()
        if isinstance(error, EventRejected):
            self.runner.drop(error.code)
            website = self.key.website.id if self.key is not None else NO_ID
            kind = self.key.kind if self.key is not None else ""
            self.context.rejections.add(
                error, ENDPOINT, website_id=website, key_kind=kind, sample=body, count=self.count
            )
            rejected = [{"index": 0, "code": error.code, "message": error.message}]
            await send_problem(send, error, accepted=0, rejected=rejected)
        else:
            await send_problem(send, error)


@dataclass(slots=True)
class _DroppedEvents:
    """The events of one request that were dropped for one reason."""

    error: EventRejected
    key_kind: str
    sample: bytes
    count: int = 1


def unknown_names(directory: Directory, sent: SentEvent) -> list[Name]:
    """The link and the partner of the event that are not in memory."""
    link = directory.unknown_link(sent.link) if sent.link is not None else None
    partner = directory.unknown_partner(sent.partner) if sent.partner else None
    return [name for name in (link, partner) if name is not None]


def sample_of(sent: SentEvent) -> bytes:
    """Returns the event as it was sent, without fields that identify the visitor."""
    without_visitor = replace(
        sent, site=None, ip=None, user_agent=None, visitor_id=None, session_id=None, ad_params=None
    )
    try:
        return msgspec.json.encode(without_visitor)
    except (ValueError, OverflowError):
        return b""


def outcome_of(row: TrackedEvent) -> Outcome:
    """The outcome that an accepted event is counted as."""
    if not row.is_bot:
        return Outcome.ACCEPTED
    if row.bot_reason == PREFETCH:
        return Outcome.PREFETCH
    if row.bot_reason in SUSPICIONS:
        return Outcome.SUSPICIOUS
    return Outcome.SPAM_REFERRER if row.bot_reason == SPAM_REFERRER else Outcome.BOT


def debug_of(row: TrackedEvent) -> dict[str, Any]:
    """The debug output for `X-Debug-Request: true`."""
    return {
        "id": row.event_id,
        "outcome": outcome_of(row).value,
        "country": row.country,
        "device": row.device,
        "visitor": f"{row.visitor:016x}"[:8],
        "session": f"{row.session:016x}"[:8] if row.session else "",
        "is_bot": row.is_bot,
        "bot_reason": row.bot_reason,
        "source": row.source,
        "channel": row.channel,
        "occurred_at": row.occurred_at,
        "flags": row.flags,
    }
