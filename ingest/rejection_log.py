"""Records every rejection: equal ones of a second become one record of topic `rejected`, written within a second.

The buffer is bounded and separate from accepted traffic: while the log is unavailable the newest rejections are counted
as lost.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

import msgspec
import structlog

from infra.domain.visitor_data.samples import GATHERED_FOR_S
from infra.kernel.log import Log, Record
from infra.kernel.observability import logging
from ingest.clock import now_ms
from ingest.errors import EventRejected
from ingest.metrics import Counters
from ingest.visitors.ad_click_ids import IN_TEXT as AD_CLICK_ID
from ingest.visitors.sealing import TextSealing
from schemas import topics
from schemas.tracking import NO_ID, Refusal, log_time
from schemas.uuid7 import uuid7

logger: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

FLUSH_S: Final = GATHERED_FOR_S
MAX_KINDS: Final = 5_000
"""Different (website, code, second, endpoint, partner, request) that are gathered at once."""
MAX_WAITING: Final = 20_000
MAX_SAMPLE: Final = 500
MAX_PARTNER: Final = 64
MAX_REQUEST: Final = 4_000
"""Characters of a request that is kept whole; a longer one cannot be replayed."""
MAX_REQUESTS: Final = 50
"""Requests of one website that are kept whole at each `flush`; further ones are counted with the others."""

_Kind = tuple[UUID, str, int, str, str, str]


@dataclass(slots=True)
class _RejectionGroup:
    """Equal rejections of one second."""

    at_ms: int
    refused: EventRejected
    key_kind: str
    sample: str
    count: int


class RejectionLog:
    """Owned by the event loop."""

    def __init__(self, log: Log, counters: Counters, sealing: TextSealing) -> None:
        self._log = log
        self._sealing = sealing
        self._counters = counters
        self._gathered: dict[_Kind, _RejectionGroup] = {}
        self._requests: Counter[UUID] = Counter()
        self._waiting = 0
        self._settled_all = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._flush_forever())

    def add(
        self,
        refused: EventRejected,
        endpoint: str,
        *,
        website_id: UUID = NO_ID,
        key_kind: str = "",
        sample: bytes | str = b"",
        count: int = 1,
        partner: str = "",
        request: Mapping[str, str] | None = None,
    ) -> None:
        """Adds a rejection (or `count` equal ones). `sample`: the data that was sent; secret parts are removed here.
        `partner`: the slug that a postback names, which need not exist. `request`: the fields of one that can be
        replayed once its partner or preset exists; secret and personal ones are removed here."""
        if website_id == NO_ID:
            website_id, key_kind = refused.website_id, refused.key_kind
        self._counters.outcomes[endpoint, refused.outcome.value] += count
        at = now_ms()
        kept = "" if request is None or website_id == NO_ID else self._kept(website_id, request)
        kind = (website_id, refused.code, at // 1000, endpoint, partner_text(partner), kept)
        group = self._gathered.get(kind)
        if group is not None:
            group.count += count
        elif len(self._gathered) < MAX_KINDS:
            self._gathered[kind] = _RejectionGroup(at, refused, key_kind, without_secrets(sample), count)
        else:
            self._counters.refusals_lost += count

    def _kept(self, website_id: UUID, request: Mapping[str, str]) -> str:
        if self._requests[website_id] >= MAX_REQUESTS:
            return ""
        self._requests[website_id] += 1
        return request_text(request)

    async def stop(self, timeout_s: float) -> None:
        """Writes the collected rejections and waits for it, at most `timeout_s`."""
        if self._task is not None:
            self._task.cancel()
        self.flush()
        if self._waiting:
            self._settled_all.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._settled_all.wait(), timeout_s)

    def flush(self) -> None:
        """Passes the collected rejections to the log without waiting."""
        gathered, self._gathered = self._gathered, {}
        self._requests.clear()
        records = [self._record(kind, group) for kind, group in gathered.items()]
        if not records:
            return
        if self._waiting + len(records) > MAX_WAITING:
            self._counters.refusals_lost += sum(group.count for group in gathered.values())
            return
        self._waiting += len(records)
        loop = asyncio.get_running_loop()
        self._log.publish(records).add_done_callback(
            lambda future: loop.call_soon_threadsafe(self._settled, len(records), future.exception())
        )

    def _record(self, kind: _Kind, group: _RejectionGroup) -> Record:
        website_id, code, _, endpoint, partner, request = kind
        refusal = Refusal(
            id=uuid7(group.at_ms),
            website_id=website_id,
            at=log_time(datetime.fromtimestamp(group.at_ms / 1000, UTC)),
            outcome=group.refused.outcome,
            code=code,
            message=group.refused.message,
            endpoint=endpoint,
            key_kind=group.key_kind,
            count=group.count,
            sample=group.sample,
            partner=partner,
            request=request,
        )
        key = str(website_id).encode()
        return Record(topics.REJECTED.name, key, self._sealing.refusal(refusal, key))

    def _settled(self, count: int, error: BaseException | None) -> None:
        self._waiting -= count
        if not self._waiting:
            self._settled_all.set()
        if error is not None:
            self._counters.refusals_lost += count
            logger.warning("refusals_lost", records=count, error=error)

    async def _flush_forever(self) -> None:
        logging.begin_context(component="refusals")
        while True:
            await asyncio.sleep(FLUSH_S)
            try:
                self.flush()
            except Exception:
                # Without this task no refusal would be written any more.
                logger.exception("unexpected_error")


def partner_text(slug: str) -> str:
    """Returns a slug as it is stored: short, and without anything that looks like a key or an address."""
    return without_secrets(slug[: 4 * MAX_PARTNER])[:MAX_PARTNER]


def without_secrets(sample: bytes | str) -> str:
    """The start of the sample without anything that looks like a key, an email address or an IP address."""
    text = sample[: 4 * MAX_SAMPLE]
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    text = _without_private(text)
    return "".join(c if c.isprintable() or c == " " else "�" for c in text[:MAX_SAMPLE])


def request_text(fields: Mapping[str, str]) -> str:
    """The fields as a JSON object, whole, but for those that `without_secrets` would change: a part of a value would be
    read as another value. Empty: more than `MAX_REQUEST`."""
    kept = {name: value for name, value in fields.items() if _is_plain(name, value)}
    text = msgspec.json.encode(kept).decode()
    return text if len(text) <= MAX_REQUEST else ""


def _is_plain(name: str, value: str) -> bool:
    member = msgspec.json.encode({name: value}).decode()
    return _without_private(member) == member and _without_private(f"{name}={value}") == f"{name}={value}"


def _without_private(text: str) -> str:
    text = _SECRET.sub(lambda found: f"{found.group(1) or found.group(2)}[removed]", text)
    text = _PRIVATE_FIELD.sub(r'\1"[removed]"', text)
    text = _QUERY.sub(r"\1[removed]", text)
    text = AD_CLICK_ID.sub(r"\1[removed]", text)
    return _PERSONAL.sub("[removed]", text)


_SECRET: Final = re.compile(
    r"\b((?:sk|pb|pk)_)[A-Za-z0-9_]+|((?:token|password|secret|authorization)[\"']?\s*[=:]\s*[\"']?)[^&\"'\s,}]+", re.I
)
_PRIVATE_FIELD: Final = re.compile(
    r'("(?:ip|user_agent|visitor_id|session_id|customer_id|ad_params)"\s*:\s*)(?:"[^"]*"?|[\d.]+)'
)
_QUERY: Final = re.compile(r"(https?://[^\s\"'?#]*[?#])[^\s\"']*")
_PERSONAL: Final = re.compile(
    r"(?<![\w.+%-])[\w.+%-]+(?:@|%40)[\w-]+\.[\w.-]+|\b\d{1,3}(?:\.\d{1,3}){3}\b|(?:[0-9a-f]{1,4}:){4,7}[0-9a-f]{0,4}",
    re.I,
)
