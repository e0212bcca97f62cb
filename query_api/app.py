"""The query service's application: every GET under `/api`, its engines, and how it starts and stops."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Final
from uuid import UUID

import anyio.to_thread
import psycopg
from fastapi import Depends, FastAPI, Request, Response
from fastapi.routing import APIRoute
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from infra import PRODUCT_NAME, health, postgres, problems
from infra.identity import Pool
from infra.log import open_log
from infra.settings import Settings
from infra.threads import OwnThreads
from query_api.admin import (
    accounts,
    audit_trail,
    clicks,
    dead_letters,
    exchange_rates,
    outbox,
    projections,
    system,
    totals,
)
from query_api.admin import leads as admin_leads
from query_api.admin import links as admin_links
from query_api.admin import partners as admin_partners
from query_api.analytics import explain
from query_api.analytics import routes as analytics
from query_api.columnar import Columnar
from query_api.context import Services
from query_api.delivery import routes as delivery
from query_api.first_events import FirstEvents
from query_api.forum import members as forum_members
from query_api.forum import posts as forum_posts
from query_api.forum import search as forum_search
from query_api.forum import threads as forum_threads
from query_api.freshness import Freshness
from query_api.insights import routes as insights
from query_api.live import reading
from query_api.live import routes as live
from query_api.live.hub import Hub
from query_api.live.reading import LiveData
from query_api.marketplace import deals
from query_api.marketplace import listings as market_listings
from query_api.matching import directory as program_directory
from query_api.matching import learning
from query_api.matching import routes as matching
from query_api.parameters import refuse_odd_parameters
from query_api.platform import (
    account,
    conversions,
    domains,
    explained,
    export,
    invites,
    links,
    notifications,
    partners,
    sessions,
    sign_ins,
    statements,
    websites,
)
from query_api.public import early_access, newsletter, sitemap
from query_api.reader import Reader, take_role
from query_api.shared_reads import SharedReads
from query_api.sql import asking as sql_asking
from query_api.sql import routes as sql
from query_api.sql.running import Runner
from query_api.waiting import Positions
from query_api.website import routes as website

THREADS: Final = 32
"""Requests that are worked on at one time; further ones wait for a thread."""

POSTGRES_CONNECTIONS: Final = 12
ROUTERS: Final = (
    account.router,
    invites.router,
    domains.router,
    sessions.router,
    sign_ins.router,
    export.router,
    accounts.router,
    audit_trail.router,
    outbox.router,
    website.router,
    websites.router,
    partners.router,
    links.router,
    statements.router,
    conversions.router,
    explained.router,
    analytics.router,
    explain.router,
    live.router,
    delivery.router,
    admin_partners.router,
    admin_links.router,
    clicks.router,
    totals.router,
    projections.router,
    dead_letters.router,
    system.router,
    exchange_rates.router,
    sql.router,
    sql.admin_router,
    sql_asking.router,
    early_access.router,
    forum_threads.router,
    forum_posts.router,
    forum_search.router,
    forum_members.router,
    forum_members.own_router,
    forum_members.admin_router,
    notifications.router,
    newsletter.router,
    sitemap.router,
    admin_leads.router,
    market_listings.router,
    market_listings.admin_router,
    deals.router,
    deals.admin_router,
    matching.router,
    learning.router,
    program_directory.router,
    insights.router,
)


def create_app(settings: Settings) -> FastAPI:
    """The application; nothing is connected before it starts, and starting waits for no engine."""
    app = FastAPI(
        title=f"{PRODUCT_NAME} query API",
        version=account.product_version(),
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=partial(_lifespan, settings),
        dependencies=[Depends(refuse_odd_parameters)],
        generate_unique_id_function=_operation_id,
        responses=problems.REFUSALS,
        strict_content_type=True,
    )
    problems.install(app)
    problems.describe(app)
    for router in ROUTERS:
        app.include_router(router)
    _add_health(app)
    app.add_middleware(OwnThreads)
    app.add_middleware(HeadAsGet)
    app.add_middleware(NotCached)
    return app


@asynccontextmanager
async def _lifespan(settings: Settings, app: FastAPI) -> AsyncIterator[None]:
    anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
    pool = postgres.pool(settings, POSTGRES_CONNECTIONS, configure=take_role)
    service = Reader.of_service(pool)
    positions = Positions(settings)
    columnar = Columnar(settings, lambda: positions.tables)
    freshness = Freshness(positions, lambda: open_log(settings))
    hub = Hub(_LiveReader(columnar, service))
    positions.observe(lambda projection: hub.nudge() if projection == "events" else None)
    positions.observe_ended_sessions(hub.end_session)
    runner = Runner(settings)
    shared = SharedReads(columnar, positions)
    app.state.sitemap = sitemap.Kept()
    app.state.services = Services(
        settings, pool, columnar, positions, shared, freshness, hub, runner, FirstEvents(columnar)
    )
    await hub.start()
    freshness.start()
    positions.start()
    try:
        yield
    finally:
        await hub.stop()
        await runner.close()
        positions.stop()
        freshness.stop()
        columnar.close()
        await anyio.to_thread.run_sync(pool.close)


@dataclass(frozen=True, slots=True)
class _LiveReader:
    columnar: Columnar
    reader: Reader

    def read(self, website_id: UUID) -> LiveData:
        return reading.read(self.columnar, self.reader, website_id, datetime.now(UTC))

    def fingerprints(self, website_ids: list[UUID]) -> Mapping[UUID, int]:
        return reading.fingerprints(self.columnar, website_ids, datetime.now(UTC))


def _operation_id(route: APIRoute) -> str:
    """Unique over all calls: conversions and partners are asked for as lists and as figures."""
    return f"{route.name}_analytics" if route.path.startswith("/api/platform/analytics/") else route.name


def _add_health(app: FastAPI) -> None:
    @app.get("/livez", include_in_schema=False)
    async def livez() -> Response:
        return Response(health.livez(), media_type="application/json")

    @app.get("/readyz", include_in_schema=False)
    def readyz(request: Request) -> Response:
        services: Services = request.app.state.services
        parts = {"postgres": _postgres_answers(services.pool), "clickhouse": services.columnar.answers()}
        status, body = health.readyz(parts)
        return Response(body, status, media_type="application/json")

    @app.get("/metrics", include_in_schema=False)
    def metrics(request: Request) -> Response:
        if request.client is None or not health.is_loopback(request.client.host):
            raise problems.Problem(404, "not_found", "There is nothing at this address.")
        body, content_type = health.metrics()
        return Response(body, headers={"Content-Type": content_type})


def _postgres_answers(pool: Pool) -> bool:
    try:
        with pool.connection(timeout=0.5) as connection:
            connection.execute("SELECT 1")
    except psycopg.Error:
        return False
    return True


class NotCached:
    """Figures and lists belong to the person who asked: no cache on the way may keep them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_uncached(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, receive, send_uncached if scope["type"] == "http" else send)


class HeadAsGet:
    """Answers HEAD as GET; the server leaves the body out. A stream has no head of its own: 405."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "HEAD" and not scope["path"].endswith("/live"):
            scope = {**scope, "method": "GET"}
        await self._app(scope, receive, send)
