"""The hot paths that the regression gate measures, each with reference work on the same data.

They are the parts of our own code that every event passes through in ingest, the log and the projectors, and every
chart in the query service, without engines: an engine's time depends on its version and on the disk, and the benches
measure it.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import orjson

from infra.kernel.config.settings import Settings
from infra.kernel.log import Record, StoredRecord
from infra.kernel.log.sealed_texts import TextReader, sealed_value
from infra.kernel.log.signature import Signer
from infra.kernel.security.text_keys import TextKey, leaf_of
from projectors.engine.dedup import NullDedupIndex
from projectors.engine.projection import Batch
from projectors.rollups import event_rows
from query_api.analytics import series
from query_api.analytics.ranges import TimeRange, resolve
from schemas.topics import CLICKS
from schemas.zones import ZoneInfo
from tests.bench import ingest_worker

RECORDS: Final = 4_000
REQUESTS: Final = 200
CHARTS: Final = 20
KEY: Final = TextKey(7, {"": bytes(16)})


@dataclass(frozen=True)
class GatePath:
    """`work` is what is measured, `reference` what it is compared with; both use the same data each time."""

    name: str
    work: Callable[[], object]
    reference: Callable[[], object]
    reference_name: str


def gate_paths(folder: Path) -> Sequence[GatePath]:
    """All paths, ready to run. Ingest keeps its files in `folder`."""
    return [*_ingest(folder), *_log(), projector_path(), sealed_projector_path(), _dashboard()]


def _ingest(folder: Path) -> Sequence[GatePath]:
    """The whole service from request to answer, without network and log, so with every step of the pipeline."""
    loop = asyncio.new_event_loop()
    app = loop.run_until_complete(ingest_worker.started(folder))
    cases = ingest_worker.cases()
    batch, single = f"/track, {ingest_worker.BATCH:,} events", "/track, one event"

    def sealing(path: GatePath) -> GatePath:
        """With a key of texts, as every installation has one."""
        texts = app._app.context.sealing

        def work() -> object:
            texts.key = KEY
            try:
                return path.work()
            finally:
                texts.key = None

        return replace(path, name=f"{path.name}, texts sealed", work=work)

    paths = [
        _case("ingest: a batch, decoded and validated", loop, app, cases[batch], requests=2),
        _case("ingest: single events", loop, app, cases[single], requests=REQUESTS),
    ]
    return [*paths, *map(sealing, paths)]


def _case(name: str, loop: asyncio.AbstractEventLoop, app: Any, case: ingest_worker.Case, requests: int) -> GatePath:
    few = ingest_worker.Case(case.requests, case.status, case.events, requests)
    return GatePath(
        name,
        lambda: loop.run_until_complete(ingest_worker.run(app, few)),
        lambda: loop.run_until_complete(ingest_worker.run(_echo, few)),
        "an echo of the JSON by the standard library",
    )


async def _echo(_scope: Any, receive: Any, send: Any) -> None:
    """A service that reads and writes JSON and lets others run once: machines differ in what each of these costs."""
    body = json.dumps(json.loads((await receive())["body"])).encode()
    await asyncio.sleep(0)
    await send({"type": "http.response.start", "status": 202})
    await send({"type": "http.response.body", "body": body})


def _log() -> Sequence[GatePath]:
    records = [Record(CLICKS.name, b"%d" % number, _value(number), partition=0) for number in range(RECORDS)]
    stored = [StoredRecord(CLICKS.name, 0, n, 0, each.key, each.value, ()) for n, each in enumerate(records)]
    signer = Signer(Settings(master_key="5a" * 32))
    _, signature = signer.header(CLICKS.name, 0, records)

    def digest() -> bytes:
        return hashlib.sha256(b"".join([part for record in records for part in (record.key, record.value)])).digest()

    return [
        GatePath(
            "log: records signed",
            lambda: signer.header(CLICKS.name, 0, records),
            digest,
            "SHA-256 of the joined records",
        ),
        GatePath(
            "log: records verified",
            lambda: signer.checked(list(stored), [(len(stored) - 1, signature)]),
            digest,
            "SHA-256 of the joined records",
        ),
    ]


def projector_path() -> GatePath:
    """From records of topic `clicks` to rows of `events`."""
    stored = [StoredRecord(CLICKS.name, 0, n, 0, b"", _value(n), ()) for n in range(RECORDS)]
    values = [record.value for record in stored]
    return GatePath(
        "projector: rows of records",
        lambda: event_rows.to_rows(stored, NullDedupIndex(), Batch()),
        lambda: [orjson.loads(value) for value in values],
        "JSON read by orjson",
    )


def sealed_projector_path() -> GatePath:
    """The same with sealed titles, each of another visitor."""
    stored = [StoredRecord(CLICKS.name, 0, n, 0, b"%d" % n, _sealed_value(n), ()) for n in range(RECORDS)]
    values, texts = [_value(number) for number in range(RECORDS)], TextReader(lambda _: {KEY.number: KEY})
    return GatePath(
        "projector: rows of records, texts sealed",
        lambda: event_rows.to_rows(stored, NullDedupIndex(), Batch(texts=texts)),
        lambda: [orjson.loads(value) for value in values],
        "JSON read by orjson",
    )


def _dashboard() -> GatePath:
    """The query service's own part of a chart of 90 days: the edges of the range, and the figures of each day."""
    zone, now = ZoneInfo("Europe/Berlin"), datetime(2026, 5, 17, 10, tzinfo=UTC)
    edges = resolve(TimeRange.LAST_90D, zone, now).edges
    rows = [
        {"edge": int(edge.timestamp()), "clicks": n, "pageviews": 3 * n, "pending": n // 9, "c_pending": 100 * n}
        for n, edge in enumerate(edges[:-1])
    ]
    text = json.dumps(rows)
    return GatePath(
        "query: a chart of 90 days",
        lambda: [series.buckets(resolve(TimeRange.LAST_90D, zone, now), rows) for _ in range(CHARTS)],
        lambda: [json.loads(text) for _ in range(CHARTS)],
        "its rows read by the standard library",
    )


def _sealed_value(number: int) -> bytes:
    clear = orjson.loads(_value(number))
    title = orjson.dumps({"title": clear.pop("title")})
    leaf = leaf_of("visitor", number.to_bytes(8, "big"))
    return sealed_value(orjson.dumps(clear), title, KEY, leaf, CLICKS.name, b"%d" % number)


def _value(number: int) -> bytes:
    """A record of topic `clicks` as ingest writes it."""
    return orjson.dumps(
        {
            "event_id": str(UUID(int=number + (7 << 76) + (1 << 63))),
            "website_id": "0190a1b2-0000-7000-8000-00000000eb51",
            "type": "pageview",
            "occurred_at": "2026-05-17 10:05:03.250",
            "received_at": "2026-05-17 10:05:03.251",
            "visitor": 1234567890123456 + number,
            "session": 6543210987654321 + number,
            "hostname": "shop.example.com",
            "path": f"/products/{number % 400}",
            "title": f"Product {number % 400}",
            "source": "Google",
            "channel": "Organic Search",
            "country": "DE",
            "device": "desktop",
            "browser": "Chrome",
            "os": "Windows",
        }
    )
