"""Ingest as a process: `althing serve ingest`. It starts without Postgres and log, which `/readyz` reports."""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
from collections.abc import Sequence
from threading import Thread

from infra.kernel.config.loading import load
from infra.kernel.config.settings import Settings, SettingsError
from infra.kernel.http.request_limits import Receive, Scope, Send
from infra.kernel.http.server import serve
from infra.kernel.log import open_log
from infra.kernel.net.geoip import open_geoip
from infra.kernel.observability import logging as logs
from infra.kernel.security.encryption import derived_key
from infra.kernel.security.text_keys import TextKeys
from infra.kernel.security.visitor_keys import VisitorKeys
from ingest.app import App, endpoint_of
from ingest.bots.datacentres import Datacentres, read_datacentres
from ingest.bots.user_agents import warm_up
from ingest.canary import canary_key
from ingest.context import IngestContext
from ingest.directory.directory import Directory, SourceLane
from ingest.directory.key_uses import KeyUses
from ingest.directory.lookup import lookup_in, progress_in
from ingest.directory.postgres import Postgres
from ingest.directory.refresh import Refresher
from ingest.errors import EventRejected
from ingest.limits.fair_scheduling import FairScheduler
from ingest.limits.rate_limits import SiteRateLimits
from ingest.metrics import Counters
from ingest.origins import same_site
from ingest.publish_retries import PublishRetries
from ingest.rejection_log import RejectionLog
from ingest.reports.conversion_keys import ConversionKeys
from ingest.reports.conversion_outcomes import ConversionOutcomes
from ingest.request_cost import RequestCosts
from ingest.responses import CORS
from ingest.steps.decode import MAX_BODY, MAX_EVENTS
from ingest.steps.pseudonymise import Hasher, Salts
from ingest.steps.publish import Publisher
from ingest.tracing import traced
from ingest.visitors.sealing import TextSealing
from ingest.visitors.suspicion import AddressLimits, SuspicionDetector
from ingest.visitors.visitor_keys import VisitorKeyBlocks
from schemas.tracking import Outcome

LINGER_MS = 1
DELIVERY_TIMEOUT_S = 4.5
"""A request is answered 503 within 5 s when the log does not acknowledge."""
SWITCH_S = 0.0005
"""The longest time for which another thread (the log's writer with a large batch) blocks the event loop. Python's
default of 5 ms would be added to each step of a request."""
DRAIN_S = 1.5
CLOSE_S = 2.0


def main(_arguments: Sequence[str] = ()) -> int:
    """Serves until SIGTERM. Returns the exit code: 0 clean stop, 1 could not start, 2 wrong settings."""
    logs.configure("ingest")
    logging.getLogger("kafka").setLevel(logging.ERROR)
    sys.setswitchinterval(SWITCH_S)
    try:
        settings = load()
        service = Service(settings)
    except (SettingsError, ValueError) as error:
        print(error, file=sys.stderr)  # noqa: T201 - for the person who starts it
        return 2
    return serve(
        traced(service),
        host=settings.host,
        port=settings.tracking_port,
        max_body_bytes=MAX_BODY,
        refusal_headers=CORS,
        on_stop=service.stopping,
        on_refused=service.refused,
    )


class Service:
    """The ASGI application with its beginning and end (`lifespan`)."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._click_key = derived_key(settings, "click-id")
        self._salts = Salts()
        self._hasher = Hasher(derived_key(settings, "visitor"), derived_key(settings, "customer"), self._salts)
        self._app = App()
        self._refresher: Refresher | None = None
        self._pools: tuple[Postgres, ...] = ()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._app(scope, receive, send)
            return
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await self.start()
                await send({"type": "lifespan.startup.complete"})
            else:
                await self.stop()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def start(self) -> None:
        """Opens the dependencies without waiting for unavailable ones."""
        settings, loop = self._settings, asyncio.get_running_loop()
        warm_up()
        same_site.warm_up()
        log = open_log(settings, linger_ms=LINGER_MS, delivery_timeout_s=DELIVERY_TIMEOUT_S)
        counters = Counters()
        postgres, of_sites, of_requests, of_events, of_keys = self._pools = pools(settings.postgres_url)
        for pool in self._pools:
            await pool.open()
        built_in = (canary_key(settings),) if settings.canary else ()
        directory = Directory(
            lookup_in(of_requests),
            built_in,
            progress_in(of_requests),
            of_events=SourceLane(lookup_in(of_events), progress_in(of_events)),
        )
        sealing = TextSealing()
        publisher = Publisher(log, counters, settings.ingest_max_unacked)
        context = IngestContext(
            settings=settings,
            log=log,
            postgres=postgres,
            site_postgres=of_sites,
            directory=directory,
            places=open_geoip(settings),
            hasher=self._hasher,
            click_key=self._click_key,
            rate_limits=SiteRateLimits(settings.site_rate, MAX_EVENTS),
            costs=RequestCosts(settings.address_refusals),
            scheduler=FairScheduler(),
            publisher=publisher,
            retries=PublishRetries(publisher, counters, settings.data_dir / "ingest-clicks.spool"),
            rejections=RejectionLog(log, counters, sealing),
            counters=counters,
            conversion_keys=ConversionKeys(postgres),
            conversion_outcomes=ConversionOutcomes(postgres),
            key_uses=KeyUses(directory, postgres),
            suspicion_detector=SuspicionDetector(
                AddressLimits(settings.suspicious_clicks) if settings.mark_suspicious else None,
                read_datacentres() if settings.mark_datacentres else Datacentres(),
            ),
            visitor_keys=VisitorKeyBlocks(directory, of_keys, VisitorKeys(settings)),
            sealing=sealing,
        )
        self._refresher = Refresher(
            settings.postgres_url,
            settings.data_dir / "ingest-directory.json",
            # A large listing is indexed on the thread that read it, because indexing would block the event loop.
            lambda listing, read_at: loop.call_soon_threadsafe(
                directory.replace, listing and directory.prepared(listing), read_at
            ),
            lambda salts: loop.call_soon_threadsafe(self._salts.replace, salts),
            TextKeys(settings).newest,
            lambda key: loop.call_soon_threadsafe(sealing.replace, key),
            lambda changes, read_at: loop.call_soon_threadsafe(directory.apply, changes, read_at),
        )
        self._refresher.start()
        context.rejections.start()
        context.retries.start()
        context.key_uses.start()
        context.visitor_keys.start()
        self._app.context = context
        # The objects that exist now stay alive: the collector need not traverse them in each run.
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000, 20, 100)

    def stopping(self) -> None:
        """Marks the process as not ready, so that a load balancer sends nothing new."""
        if self._app.context is not None:
            self._app.context.stopping = True

    def refused(self, scope: Scope, status: int, code: str, message: str) -> None:
        """Records a request that the request limits rejected (body too large or too slow)."""
        if self._app.context is not None:
            outcome = Outcome.TOO_LARGE if status == 413 else Outcome.INVALID
            error = EventRejected(outcome, code, message, status=status)
            self._app.context.counters.answers[status] += 1
            self._app.context.rejections.add(error, endpoint_of(scope["path"]))

    async def stop(self) -> None:
        """Publishes all accepted events, or saves them on disk, before the process ends."""
        context = self._app.context
        if context is None:
            return
        context.stopping = True
        await context.publisher.drain(DRAIN_S)
        await context.retries.stop()
        await context.rejections.stop(1.0)
        await context.key_uses.stop(0.5)
        await context.visitor_keys.stop()
        if self._refresher is not None:
            await asyncio.to_thread(self._refresher.stop)
        for pool in self._pools:
            await pool.close()
        closing = Thread(target=context.log.close, daemon=True)
        closing.start()
        await asyncio.to_thread(closing.join, CLOSE_S)  # an unavailable log must not delay the exit


def pools(url: str | None) -> tuple[Postgres, Postgres, Postgres, Postgres, Postgres]:
    """Connections for reported conversions, published sites, what requests name (a key, a followed link), what their
    events name, and visitors' keys. Each has its own: a client that uses up those of one kind delays no one else."""
    return (
        Postgres(url),
        Postgres(url, size=4),
        Postgres(url, size=3, least=0),
        Postgres(url, size=2, least=0),
        Postgres(url, size=1, least=0),
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
