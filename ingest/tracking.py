"""`POST /track`: clicks, page views and custom events, one or ten thousand at a time.

The steps are in `ingest.steps`, in this order: identify site, decode, validate, enrich, pseudonymise, stamp, publish.
Each keeps the event or drops it with a reason; the answer is given after the log has acknowledged every kept one.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final
from uuid import UUID

import msgspec

from infra.http_guard import Receive, Scope, Send
from infra.log import Record
from ingest.answers import send_accepted_one, send_json, send_problem
from ingest.bots import PREFETCH, SPAM_REFERRER
from ingest.directory import Key
from ingest.edge import Edge
from ingest.query import site_of
from ingest.refused import Refused, Unavailable, not_allowed
from ingest.rows import Row, SentEvent, encode_row
from ingest.steps.decode import Body, Decoded, Reading, decode_one, is_array, is_json
from ingest.steps.enrich import enrich
from ingest.steps.identify_site import bearer, identify, missing_key
from ingest.steps.publish import MAX_GROUP
from ingest.steps.stamp import moment_of, stamp
from ingest.steps.validate import begin_row
from ingest.tolls import COST, VOUCHED, vouch
from ingest.turns import SMALL, Turn
from ingest.visit import Client, Headers, Visit, client_address, client_of, visit_of, with_overrides
from schemas import topics
from schemas.tracking import NO_ID, Outcome, Suspicion

ENDPOINT: Final = "/track"
MAX_DEBUGGED: Final = 100
SITE: Final = "site"
NO_HEADERS: Final[Headers] = {}
SUSPICIONS: Final = frozenset(Suspicion)
KEY_WITHIN: Final = 64 * 1024
"""Bytes at the start of a batch in which an event has to name its website, when nothing else of the request does."""
MAX_PEEKED: Final = 200
MAX_NAMES: Final = 4
"""Different keys that are tried for that."""
FREE_MS: Final = 5.0
"""Work on one request that costs its address nothing, if it is kept."""
LARGE: Final = 16 * 1024
"""Bodies from this size on always wait for a turn."""
LOOK_EVERY: Final = 4
"""Events between two looks at the clock; the dearest one takes less than a millisecond."""
_SITE: Final = re.compile(rb'"site"\s*+:\s*+"([\w-]{1,128}+)"')
_CLICKS: Final = topics.CLICKS.name
_ACCEPTED: Final = Outcome.ACCEPTED.value
_DEBUG: Final = b"x-debug-request"


async def track(edge: Edge, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers one request."""
    headers: dict[bytes, bytes] = dict(scope["headers"])
    body: bytes = (await receive()).get("body", b"")
    request = _Request(edge, scope, headers)
    try:
        text = bearer(headers) or (site_of(scope["query_string"]) if scope["query_string"] else "")
        if text:
            request.key = await request.identify(text)
        encoding = headers.get(b"content-encoding", b"")
        packed = Body(body, encoding)
        content_type = headers.get(b"content-type", b"")
        if request.key is None:
            await request.find_a_key(packed.start(KEY_WITHIN), content_type)
        if encoding or len(body) > SMALL:
            await request.begin(packed)
        events, alone = await request.read(packed.whole(), content_type)
        request.count = len(events)
        if alone and isinstance(events[0], Refused):
            raise events[0]
        request.client = client_of(scope, headers, edge.settings.trusted_proxies, edge.places)
        await request.resolve(events)
        await request.process(events)
        if len(request.records) > MAX_GROUP:
            await request.publish_in_parts()
        else:
            request.end()
            if request.records:
                await edge.publisher.submit(request.records)
    except (Refused, Unavailable) as error:
        await request.refuse(send, error, body)
        return
    await request.answer(send, events, body)


class _Request:
    """What one request gathers on its way."""

    __slots__ = (
        "address",
        "client",
        "count",
        "edge",
        "headers",
        "key",
        "keys",
        "records",
        "refused",
        "rows",
        "scope",
        "turn",
        "visits",
    )

    client: Client

    def __init__(self, edge: Edge, scope: Scope, headers: Headers) -> None:
        self.edge = edge
        self.scope = scope
        self.headers = headers
        self.address = client_address(scope, edge.settings.trusted_proxies)
        self.key: Key | None = None
        self.count = 1
        self.keys: dict[str, Key | Refused] = {}
        self.visits: dict[Key, Visit | Refused] = {}
        self.records: list[Record] = []
        self.rows: list[Row] = []
        self.refused: list[tuple[int, Refused]] = []
        self.turn: Turn | None = None

    async def identify(self, text: str) -> Key:
        """The key called `text`. One that has to be looked up is not, for an address above its limit."""
        edge, address = self.edge, self.address
        return await identify(edge.directory, text, self.headers, before_lookup=lambda: edge.tolls.check(address))

    async def find_a_key(self, start: bytes, content_type: bytes) -> None:
        """A batch names its website in its events: one of the first ones has to name it by a usable key, before any
        of the batch is unpacked further or decoded. Raises `Refused` and `Unavailable`."""
        if is_json(content_type) and not is_array(start):
            return  # one event is small
        names = dict.fromkeys(found.group(1).decode("latin-1") for found in islice(_SITE.finditer(start), MAX_PEEKED))
        for name in list(names)[:MAX_NAMES]:
            if isinstance(await self._key_of(name), Key):
                return
        first = next(iter(self.keys.values()), None)
        raise first if isinstance(first, Refused) else missing_key()

    async def begin(self, packed: Body) -> None:
        """The work begins: large bodies wait for their turn. Raises `Refused` (429) when the address is above its
        limit, and the body is more than a browser sends."""
        key = self.key or next((key for key in self.keys.values() if isinstance(key, Key)), None)
        size = len(packed.start(LARGE))
        if size >= LARGE and (key is None or key.kind != "secret"):
            self.edge.tolls.check(self.address)
        if size > SMALL:
            self.turn = self.edge.turns.begin(key.website.id if key is not None else self.address)
            if size >= LARGE or self.turn.is_over():
                await self.turn.next()

    async def read(self, body: bytes, content_type: bytes) -> tuple[Decoded, bool]:
        """The events, and whether it is one alone. Raises `Refused`."""
        turn = self.turn
        if turn is None and is_json(content_type) and not is_array(body):
            return [decode_one(body)], True  # a small event alone, as most are
        reading = Reading(body, content_type)
        for _ in reading.steps():
            if turn is not None and turn.is_over():
                await turn.next()
        return reading.events, reading.is_alone

    def end(self) -> None:
        """The work is done. What was refused of it and what is much is charged to the address, unless a key that only
        a server has vouches for it."""
        if self.key is not None:
            vouch(self.scope, self.key)
        turn = self.turn
        if turn is None:
            return
        turn.end()
        spent_ms = turn.spent_s * 1000
        self.scope[COST] = spent_ms
        if self.rows and VOUCHED not in self.scope:
            share = len(self.refused) / self.count
            self.edge.tolls.charge(self.address, max(share * spent_ms, spent_ms - FREE_MS, share, 0.0))

    async def publish_in_parts(self) -> None:
        """Many records into the log, part by part, because handing over takes time too. Raises `Unavailable`."""
        records, publisher = self.records, self.edge.publisher
        publisher.check_room(len(records))
        parts: list[asyncio.Future[None]] = []
        for start in range(0, len(records), MAX_GROUP):
            if self.turn is not None:
                await self.turn.next()
            parts.append(publisher.submit(records[start : start + MAX_GROUP], has_room=True))
        self.end()
        await asyncio.wait(parts)
        for part in parts:
            part.result()

    async def resolve(self, events: Decoded) -> None:
        """Looks up what the events name and takes their share of each website's rate."""
        counts: dict[Key, int] = {}
        turn = self.turn
        for index, sent in enumerate(events):
            if turn is not None and not index % LOOK_EVERY and turn.is_over():
                await turn.next()
            if isinstance(sent, Refused):
                continue
            if sent.link is not None:
                await self.edge.directory.link_of(sent.link)
            if sent.partner and sent.partner not in self.edge.directory.partners:
                await self.edge.directory.partner_of(sent.partner)
            key = self.key
            if key is None or sent.site is not None:
                found = await self._key_of(sent.site or "")
                if isinstance(found, Refused):
                    if len(events) == 1:
                        raise found
                    continue
                key = key or found
            counts[key] = counts.get(key, 0) + 1
        origin = "script" if b"origin" in self.headers else "server"
        for key, count in counts.items():
            try:
                self.edge.rates.take(key.website.id, count)
                self.visits[key] = visit_of(key, self.client, origin, self.headers)
            except Refused as error:
                if len(counts) == 1:
                    self.key = key
                    raise
                self.visits[key] = error

    async def _key_of(self, text: str) -> Key | Refused:
        found = self.keys.get(text)
        if found is None:
            try:
                found = await self.identify(text)
            except Refused as error:
                found = error
            self.keys[text] = found
        return found

    async def process(self, events: Decoded) -> None:
        """Every event through the steps; what is dropped is remembered with its place and reason, and told once for
        all that are dropped for the same reason."""
        told: dict[tuple[UUID, str], _Told] = {}
        turn = self.turn
        for index, sent in enumerate(events):
            if turn is not None and not index % LOOK_EVERY and turn.is_over():
                await turn.next()
            try:
                if isinstance(sent, Refused):
                    raise sent
                self.records.append(self._record(sent))
            except Refused as error:
                self.refused.append((index, error))
                website = self.key.website.id if self.key is not None else NO_ID
                kind = self.key.kind if self.key is not None else ""
                if self.key is None and isinstance(sent, SentEvent):
                    owner = self.keys.get(sent.site or "")
                    if isinstance(owner, Key):
                        website, kind = owner.website.id, owner.kind
                same = told.get((website, error.code))
                if same is not None:
                    same.count += 1
                    continue
                sample = b"" if isinstance(sent, Refused) else sample_of(sent)
                told[website, error.code] = _Told(error, kind, sample)
        for (website, _), one in told.items():
            self.edge.refusals.add(
                one.error, ENDPOINT, website_id=website, key_kind=one.key_kind, sample=one.sample, count=one.count
            )

    def _record(self, sent: SentEvent) -> Record:
        key = self.key
        if key is None or sent.site is not None:
            named = self.keys[sent.site or ""]
            if isinstance(named, Refused):
                raise named
            if key is None:
                key = named
            elif key.website.id != named.website.id:
                raise not_allowed("site_mismatch", "site names another website than the key.")
        visit = self.visits[key]
        if isinstance(visit, Refused):
            raise visit
        row = begin_row(visit, sent)
        if sent.ip is not None or sent.user_agent is not None:
            visit = with_overrides(visit, sent.ip, sent.user_agent, self.edge.places)
        enrich(self.edge.directory, self.edge.click_key, visit, sent, row)
        occurred, clamped = moment_of(visit, sent.occurred_at)
        self.edge.hasher.pseudonymise(visit, sent, row, occurred)
        if visit.kind == SITE or sent.ip is not None:  # else the address is that of the website's own server
            headers = self.headers if visit.kind == SITE else NO_HEADERS
            self.edge.suspicions.judge(visit, headers, row, is_named=bool(sent.visitor_id))
        record_headers = stamp(visit, sent, row, occurred, clamped)
        self.rows.append(row)
        # An id made here cannot be repeated, so its record may lie anywhere: one batch to one partition is cheapest.
        partition = None if record_headers else self.edge.publisher.partition
        return Record(_CLICKS, row.event_id.encode(), encode_row(row), record_headers, visit.now, partition)

    async def answer(self, send: Send, events: Decoded, body: bytes) -> None:
        """202 with what was kept and what was not; 400 when nothing was."""
        outcomes = self.edge.counters.outcomes
        machines = [row for row in self.rows if row.is_bot]
        if len(machines) < len(self.rows):
            outcomes[ENDPOINT, _ACCEPTED] += len(self.rows) - len(machines)
        for row in machines:
            outcomes[ENDPOINT, outcome_of(row).value] += 1
        if len(self.rows) == 1 and not self.refused and _DEBUG not in self.headers:
            await send_accepted_one(send)
            return
        rejected = [{"index": index, "code": e.code, "message": e.message} for index, e in self.refused]
        if not self.rows:
            first = self.refused[0][1]
            status = 400 if len(events) > 1 else first.status
            error = Refused(first.outcome, first.code, first.message, status, first.retry_after)
            await send_problem(send, error, accepted=0, rejected=rejected)
            return
        content: dict[str, Any] = {"accepted": len(self.rows), "rejected": rejected}
        if self.headers.get(_DEBUG, b"").lower() in (b"true", b"1"):
            content["debug"] = [debug_of(row) for row in self.rows[:MAX_DEBUGGED]]
        await send_json(send, 202, content)

    async def refuse(self, send: Send, error: Refused | Unavailable, body: bytes) -> None:
        """The whole request is refused."""
        self.end()
        if isinstance(error, Refused):
            website = self.key.website.id if self.key is not None else NO_ID
            kind = self.key.kind if self.key is not None else ""
            self.edge.refusals.add(error, ENDPOINT, website_id=website, key_kind=kind, sample=body, count=self.count)
            rejected = [{"index": 0, "code": error.code, "message": error.message}]
            await send_problem(send, error, accepted=0, rejected=rejected)
        else:
            await send_problem(send, error)


@dataclass(slots=True)
class _Told:
    """What is kept of the events of one request that were dropped for one reason."""

    error: Refused
    key_kind: str
    sample: bytes
    count: int = 1


def sample_of(sent: SentEvent) -> bytes:
    """What was sent, without what tells who the visitor is."""
    shown = msgspec.structs.replace(sent, site=None, ip=None, user_agent=None, visitor_id=None, session_id=None)
    try:
        return msgspec.json.encode(shown)
    except (ValueError, OverflowError):
        return b""


def outcome_of(row: Row) -> Outcome:
    """What becomes of a kept event."""
    if not row.is_bot:
        return Outcome.ACCEPTED
    if row.bot_reason == PREFETCH:
        return Outcome.PREFETCH
    if row.bot_reason in SUSPICIONS:
        return Outcome.SUSPICIOUS
    return Outcome.SPAM_REFERRER if row.bot_reason == SPAM_REFERRER else Outcome.BOT


def debug_of(row: Row) -> dict[str, Any]:
    """What `X-Debug-Request: true` shows of an event."""
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
