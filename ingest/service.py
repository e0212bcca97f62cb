"""The edge as a process: `althing serve ingest`. It starts without Postgres and log too, and says so in /readyz."""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
from collections.abc import Sequence
from threading import Thread

from infra.countries import open_places
from infra.http_guard import Receive, Scope, Send
from infra.http_server import serve
from infra.log import open_log
from infra.sealing import derived_key
from infra.settings import Settings, SettingsError, load
from ingest.agents import warm_up
from ingest.answers import CORS
from ingest.app import App, endpoint_of
from ingest.canary import canary
from ingest.conversion_keys import ConversionKeys
from ingest.counters import Counters
from ingest.datacentres import Datacentres, read_datacentres
from ingest.decisions import Decisions
from ingest.directory import Directory
from ingest.edge import Edge
from ingest.key_uses import KeyUses
from ingest.lookup import lookup_in, progress_in
from ingest.postgres import Postgres
from ingest.rates import SiteRates
from ingest.refresh import Refresher
from ingest.refusals import Refusals
from ingest.refused import Refused
from ingest.retries import Retries
from ingest.steps.decode import MAX_BODY, MAX_EVENTS
from ingest.steps.pseudonymise import Hasher, Salts
from ingest.steps.publish import Publisher
from ingest.suspicion import Limits, Suspicions
from ingest.tolls import Tolls
from ingest.turns import Turns
from schemas.tracking import Outcome

logger = logging.getLogger(__name__)

LINGER_MS = 1
DELIVERY_TIMEOUT_S = 4.5
"""A request is answered 503 within 5 s when the log does not acknowledge."""
SWITCH_S = 0.0005
"""The longest that another thread (the log's writer, with somebody's large batch) keeps the event loop from going on.
Python's own 5 ms would be added to an honest request at each of its steps."""
DRAIN_S = 1.5
CLOSE_S = 2.0


def main(argv: Sequence[str] = ()) -> int:
    """Serves until SIGTERM. Returns the exit code: 0 clean stop, 1 could not start, 2 wrong settings."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("kafka").setLevel(logging.ERROR)
    sys.setswitchinterval(SWITCH_S)
    try:
        settings = load()
        service = Service(settings)
    except (SettingsError, ValueError) as error:
        print(error, file=sys.stderr)  # noqa: T201 - for the person who starts it
        return 2
    return serve(
        service,
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
        """Opens what the edge needs; waits for nothing that may be away."""
        settings, loop = self._settings, asyncio.get_running_loop()
        warm_up()
        log = open_log(settings, linger_ms=LINGER_MS, delivery_timeout_s=DELIVERY_TIMEOUT_S)
        counters = Counters()
        postgres = Postgres(settings.postgres_url)
        await postgres.open()
        built_in = (canary(settings),) if settings.canary else ()
        directory = Directory(lookup_in(postgres), built_in, progress_in(postgres))
        publisher = Publisher(log, counters, settings.ingest_max_unacked)
        edge = Edge(
            settings=settings,
            log=log,
            postgres=postgres,
            directory=directory,
            places=open_places(settings),
            hasher=self._hasher,
            click_key=self._click_key,
            rates=SiteRates(settings.site_rate, MAX_EVENTS),
            tolls=Tolls(settings.address_refusals),
            turns=Turns(),
            publisher=publisher,
            retries=Retries(publisher, counters, settings.data_dir / "ingest-clicks.spool"),
            refusals=Refusals(log, counters),
            counters=counters,
            conversion_keys=ConversionKeys(postgres),
            decisions=Decisions(postgres),
            key_uses=KeyUses(directory, postgres),
            suspicions=Suspicions(
                Limits(settings.suspicious_clicks) if settings.mark_suspicious else None,
                read_datacentres() if settings.mark_datacentres else Datacentres(),
            ),
        )
        self._refresher = Refresher(
            settings.postgres_url,
            settings.data_dir / "ingest-directory.json",
            # A large listing is put in order on the thread that read it: here no event would be taken meanwhile.
            lambda listing, read_at: loop.call_soon_threadsafe(
                directory.replace, listing and directory.prepared(listing), read_at
            ),
            lambda salts: loop.call_soon_threadsafe(self._salts.replace, salts),
            lambda changes, read_at: loop.call_soon_threadsafe(directory.apply, changes, read_at),
        )
        self._refresher.start()
        edge.refusals.start()
        edge.retries.start()
        edge.key_uses.start()
        self._app.edge = edge
        # What is here now stays: the collector need not look at it again, thousands of times a minute.
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000, 20, 100)

    def stopping(self) -> None:
        """From now on this process is not ready: a load balancer sends nothing new."""
        if self._app.edge is not None:
            self._app.edge.stopping = True

    def refused(self, scope: Scope, status: int, code: str, message: str) -> None:
        """The guard refused a request before it came here (body too large or too slow): it is counted and kept too."""
        if self._app.edge is not None:
            outcome = Outcome.TOO_LARGE if status == 413 else Outcome.INVALID
            error = Refused(outcome, code, message, status=status)
            self._app.edge.counters.answers[status] += 1
            self._app.edge.refusals.add(error, endpoint_of(scope["path"]))

    async def stop(self) -> None:
        """Everything accepted is in the log, and what could not be is on disk, before the process ends."""
        edge = self._app.edge
        if edge is None:
            return
        edge.stopping = True
        await edge.publisher.drain(DRAIN_S)
        await edge.retries.stop()
        await edge.refusals.stop(1.0)
        await edge.key_uses.stop(0.5)
        if self._refresher is not None:
            await asyncio.to_thread(self._refresher.stop)
        await edge.postgres.close()
        closing = Thread(target=edge.log.close, daemon=True)
        closing.start()
        await asyncio.to_thread(closing.join, CLOSE_S)  # a log that is away would hold the end up for nothing


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
