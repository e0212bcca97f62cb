"""Ingest in the test's own process, without its neighbours: one website with a link, a log that keeps records."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from hashlib import sha256
from pathlib import Path
from time import time
from typing import Any, cast
from uuid import UUID, uuid4

from infra.kernel.config.settings import Settings
from infra.kernel.http.request_limits import Message
from infra.kernel.log import Log, Position, Record
from infra.kernel.net.geoip import open_geoip
from infra.kernel.security.visitor_keys import VisitorKeys
from ingest.app import App
from ingest.bots.datacentres import read_datacentres
from ingest.context import IngestContext
from ingest.directory.directory import Directory, DirectoryListing, KeyRow, LinkRow, PartnerRow, WebsiteRow
from ingest.directory.key_uses import KeyUses
from ingest.directory.lookup import lookup_in
from ingest.directory.postgres import Postgres
from ingest.limits.fair_scheduling import FairScheduler
from ingest.limits.rate_limits import SiteRateLimits
from ingest.metrics import Counters
from ingest.publish_retries import PublishRetries
from ingest.rejection_log import RejectionLog
from ingest.reports.conversion_keys import ConversionKeys
from ingest.reports.conversion_outcomes import ConversionOutcomes
from ingest.request_cost import RequestCosts
from ingest.steps.decode import MAX_EVENTS
from ingest.steps.pseudonymise import Hasher, Salts
from ingest.steps.publish import Publisher
from ingest.visitors.sealing import TextSealing
from ingest.visitors.suspicion import AddressLimits, SuspicionDetector
from ingest.visitors.visitor_keys import VisitorKeyBlocks

KEY = "pk_attacked"
SECRET_KEY = "sk_attacked"
SLUG = "attacked"
WEBSITE = UUID("0190a1b2-0000-7000-8000-00000000eb51")


class KeepingLog:
    """Keeps what is published in `records`, and acknowledges at once."""

    def __init__(self) -> None:
        self.records: list[Record] = []

    def partitions(self, _topic: str) -> int:
        return 4

    def publish(self, records: Sequence[Record]) -> Future[list[Position]]:
        self.records += records
        done: Future[list[Position]] = Future()
        done.set_result([Position(record.topic, 0, 0) for record in records])
        return done


async def request(
    context: IngestContext, path: str, body: bytes, method: str = "POST", headers: Mapping[str, str] | None = None
) -> int:
    """Sends one request to the application and gives the status of its answer."""
    app = App()
    app.context = context
    target, _, query = path.partition("?")
    scope: dict[str, Any] = {
        "type": "http",
        "method": method,
        "path": target,
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in (headers or {}).items()],
        "client": ("192.0.2.1", 1),
    }
    statuses: list[int] = []

    parts: list[Message] = [{"type": "http.request", "body": body}]

    async def receive() -> Message:
        if not parts:  # the client stays until it is answered
            await asyncio.Event().wait()
        return parts.pop()

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    await app(scope, receive, send)
    return statuses[0]


def ingest_context(kept: KeepingLog) -> IngestContext:
    """Ingest without its neighbours, which knows one website with a link."""
    settings = Settings(site_rate=1_000_000)
    log, counters, postgres = cast(Log, kept), Counters(), Postgres(None)
    directory = Directory(lookup_in(postgres))
    website = WebsiteRow(WEBSITE, "attacked.example", "USD")
    keys = tuple(
        KeyRow(website.id, sha256(text.encode()).hexdigest(), kind, ())
        for text, kind in ((KEY, "site"), (SECRET_KEY, "secret"))
    )
    partner = PartnerRow(uuid4(), "", "partner", "Partner", "", 30, True)
    link = LinkRow(uuid4(), SLUG, 4711, website.id, partner.id, "https://partner.example/?c={click_id}", (), True)
    directory.replace(DirectoryListing((website,), keys, (link,), (partner,)), time())
    publisher = Publisher(log, counters, 20_000)
    return IngestContext(
        settings=settings,
        log=log,
        postgres=postgres,
        site_postgres=postgres,
        directory=directory,
        places=open_geoip(settings),
        hasher=Hasher(b"v" * 32, b"c" * 32, Salts()),
        click_key=b"k" * 32,
        rate_limits=SiteRateLimits(settings.site_rate, MAX_EVENTS),
        costs=RequestCosts(1_000_000),
        scheduler=FairScheduler(),
        publisher=publisher,
        retries=PublishRetries(publisher, counters, Path("unused")),
        rejections=RejectionLog(log, counters, TextSealing()),
        counters=counters,
        conversion_keys=ConversionKeys(postgres),
        conversion_outcomes=ConversionOutcomes(postgres),
        key_uses=KeyUses(directory, postgres),
        suspicion_detector=SuspicionDetector(AddressLimits(settings.suspicious_clicks), read_datacentres()),
        visitor_keys=VisitorKeyBlocks(directory, postgres, VisitorKeys(Settings(master_key="5a" * 32))),
    )
