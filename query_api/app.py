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
from anyio import CapacityLimiter
from fastapi import Depends, FastAPI, Request, Response
from fastapi.routing import APIRoute
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from infra import PRODUCT_NAME
from infra.kernel.config.settings import Settings
from infra.kernel.config.version import product_version
from infra.kernel.http import health, openapi, problems
from infra.kernel.http.lane_pools import BACKGROUND, lane_pool
from infra.kernel.http.lanes import working_in
from infra.kernel.http.modules import switched_on
from infra.kernel.http.request_bounds import RequestBounds
from infra.kernel.http.request_context import LogContextMiddleware
from infra.kernel.http.route_costs import CostTable
from infra.kernel.http.worker_slots import WorkerSlotMiddleware
from infra.kernel.log import open_log
from infra.kernel.security.client_info import address_of
from infra.kernel.security.sessions import Pool
from query_api.accounts import admin, export, invites, profile, sessions, setup, sign_ins, tokens
from query_api.analytics import annotations as annotation_routes
from query_api.analytics import (
    click_log,
    delivery,
    explain,
    movers,
    partner_totals,
    platform_totals,
    visitor_data,
    websites_summary,
)
from query_api.analytics import routes as analytics
from query_api.analytics import views as view_routes
from query_api.analytics.live import routes as live
from query_api.analytics.live import snapshot as live_snapshot
from query_api.analytics.live.hub import LiveHub
from query_api.analytics.live.snapshot import LiveData
from query_api.analytics.reports import scheduled as reports
from query_api.analytics.reports import view as report_view
from query_api.conversions import awaiting_rate, candidate_clicks, open_items, payouts
from query_api.conversions import explain as conversion_explain
from query_api.conversions import routes as conversions
from query_api.conversions.accountant import routes as accountant
from query_api.conversions.reconciliation import routes as reconciliation
from query_api.conversions.statements import routes as statements
from query_api.costs import imports as cost_imports
from query_api.costs import routes as costs
from query_api.destinations import routes as destinations
from query_api.domains import admin as admin_domains
from query_api.domains import routes as domains
from query_api.forum import members as forum_members
from query_api.forum import posts as forum_posts
from query_api.forum import search as forum_search
from query_api.forum import threads as forum_threads
from query_api.insights import routes as insights
from query_api.kernel import combined_reads
from query_api.kernel.clickhouse_reader import ClickHouseReader
from query_api.kernel.dependencies import Services, refuse_odd_parameters
from query_api.kernel.first_events import FirstEvents
from query_api.kernel.freshness import FreshnessMonitor
from query_api.kernel.postgres_reader import ADMIN, PostgresReader, take_role
from query_api.kernel.query_coalescing import QueryCoalescer
from query_api.kernel.read_your_writes import ProjectionPositions
from query_api.kernel.visitor_cache import VisitorCache
from query_api.leads import admin as admin_leads
from query_api.leads import early_access, newsletter
from query_api.links import admin as admin_links
from query_api.links import changes as link_changes
from query_api.links import export as link_export
from query_api.links import history as link_history
from query_api.links import routes as links
from query_api.links import split as link_split
from query_api.marketplace import deals, transfers
from query_api.marketplace import listings as market_listings
from query_api.matching import directory as program_directory
from query_api.matching import ideas, learning
from query_api.matching import routes as matching
from query_api.networks import connections as network_connections
from query_api.networks import imports as network_imports
from query_api.notifications import alerts, webhooks
from query_api.notifications import routes as notifications
from query_api.operations import (
    account_usage,
    audit_log,
    dead_letters,
    exchange_rates,
    mail_outbox,
    projections,
    rebuild_runs,
    subscriptions,
    system,
)
from query_api.partners import admin as admin_partners
from query_api.partners import requests as partner_requests
from query_api.partners import routes as partners
from query_api.publishing import routes as publishing
from query_api.publishing import subscribers as site_subscribers
from query_api.search import routes as search
from query_api.site import sitemap
from query_api.social import connections as social_connections
from query_api.social import report as social_report
from query_api.social import routes as social
from query_api.sql import pins, queries, report_query
from query_api.sql import routes as sql
from query_api.sql import statements as sql_asking
from query_api.sql.execution import StatementRunner
from query_api.sql.pinned_results import PinnedResults
from query_api.websites import admin as admin_websites
from query_api.websites import retention
from query_api.websites import routes as websites
from query_api.websites import website_session_routes as website
from query_api.websites.export import routes as website_export

THREADS: Final = 32
"""Requests that are worked on at one time; further ones wait for a thread."""

HEALTH: Final = "health"
"""The lane of health checks: threads and a connection that no request can take."""
HEALTH_THREADS: Final = 2
POSTGRES_CONNECTIONS: Final = {BACKGROUND: 12, HEALTH: 1}
ROUTERS: Final = (
    profile.router,
    combined_reads.router,
    invites.router,
    domains.router,
    sessions.router,
    setup.router,
    sign_ins.router,
    tokens.router,
    export.router,
    admin.router,
    audit_log.router,
    mail_outbox.router,
    website.router,
    websites.router,
    website_export.router,
    visitor_data.router,
    retention.router,
    partners.router,
    link_changes.router,  # before the link of an id
    link_export.router,
    links.router,
    link_history.router,
    link_split.router,
    social.router,
    publishing.router,
    site_subscribers.router,
    social_report.router,
    social_connections.router,
    accountant.router,
    statements.router,
    payouts.router,
    reconciliation.router,
    costs.router,
    cost_imports.router,
    destinations.router,
    open_items.router,
    awaiting_rate.router,
    conversions.router,
    conversion_explain.router,
    candidate_clicks.router,
    analytics.router,
    explain.router,
    live.router,
    delivery.router,
    annotation_routes.router,
    view_routes.router,
    reports.router,
    report_view.router,
    report_query.router,
    admin_partners.router,
    partner_requests.router,
    admin_links.router,
    admin_websites.router,
    admin_domains.router,
    click_log.router,
    click_log.links_router,
    platform_totals.router,
    partner_totals.router,
    search.router,
    websites_summary.router,
    movers.router,
    projections.router,
    rebuild_runs.router,
    subscriptions.router,
    dead_letters.router,
    system.router,
    account_usage.router,
    exchange_rates.router,
    sql.router,
    sql.admin_router,
    queries.router,
    pins.router,
    sql_asking.router,
    early_access.router,
    forum_threads.router,
    forum_posts.router,
    forum_search.router,
    forum_members.router,
    forum_members.own_router,
    forum_members.admin_router,
    network_imports.router,
    network_connections.router,
    notifications.router,
    alerts.router,
    webhooks.router,
    newsletter.router,
    sitemap.router,
    admin_leads.router,
    market_listings.router,
    market_listings.admin_router,
    deals.router,
    deals.admin_router,
    transfers.router,
    matching.router,
    ideas.router,
    learning.router,
    program_directory.router,
    insights.router,
)


def create_app(settings: Settings) -> FastAPI:
    """The application; nothing is connected before it starts, and starting waits for no engine."""
    app = FastAPI(
        title=f"{PRODUCT_NAME} query API",
        version=product_version(),
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=partial(_lifespan, settings),
        dependencies=[Depends(refuse_odd_parameters)],
        generate_unique_id_function=_operation_id,
        responses=openapi.REFUSALS,
        strict_content_type=True,
    )
    problems.install(app)
    openapi.describe(app, access_tokens=True)
    routers = switched_on(ROUTERS, settings.without)
    for router in routers:
        app.include_router(router)
    _add_health(app)
    app.add_middleware(WorkerSlotMiddleware)
    app.state.routes = routes = [route for router in routers for route in router.routes]
    app.add_middleware(RequestBounds, table=CostTable(routes), lanes=None, settings=settings, address_of=address_of)
    app.add_middleware(HeadAsGetMiddleware)
    app.add_middleware(NoStoreMiddleware)
    app.add_middleware(LogContextMiddleware)
    return app


@asynccontextmanager
async def _lifespan(settings: Settings, app: FastAPI) -> AsyncIterator[None]:
    anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
    pool = lane_pool(settings, POSTGRES_CONNECTIONS, configure=take_role)
    everything = PostgresReader(pool, ADMIN)
    positions = ProjectionPositions(settings)
    clickhouse = ClickHouseReader(settings, lambda: positions.tables)
    freshness = FreshnessMonitor(positions, lambda: open_log(settings))
    live_hub = LiveHub(_LiveReader(clickhouse, everything))
    positions.observe(lambda projection: live_hub.nudge() if projection == "events" else None)
    positions.observe_ended_sessions(live_hub.end_session)
    statement_runner = StatementRunner(settings)
    shared = QueryCoalescer(clickhouse, positions)
    app.state.sitemap = sitemap.SitemapCache()
    app.state.live_hub, app.state.statement_runner = live_hub, statement_runner
    app.state.pinned_results = PinnedResults(statement_runner)
    cache, first_events = VisitorCache(shared, positions), FirstEvents(clickhouse)
    app.state.services = Services(settings, pool, clickhouse, positions, shared, cache, freshness, first_events)
    await live_hub.start()
    freshness.start()
    positions.start()
    try:
        yield
    finally:
        publishing.WORKERS.close()
        await live_hub.stop()
        await statement_runner.close()
        positions.stop()
        freshness.stop()
        clickhouse.close()
        await anyio.to_thread.run_sync(pool.close)


@dataclass(frozen=True, slots=True)
class _LiveReader:
    clickhouse: ClickHouseReader
    reader: PostgresReader

    def read(self, website_id: UUID) -> LiveData:
        return live_snapshot.read(self.clickhouse, self.reader, website_id, datetime.now(UTC))

    def fingerprints(self, website_ids: list[UUID]) -> Mapping[UUID, int]:
        return live_snapshot.fingerprints(self.clickhouse, website_ids, datetime.now(UTC))


def _operation_id(route: APIRoute) -> str:
    """Unique over all calls: conversions and partners exist as lists and as analytics."""
    name = openapi.operation_id(route)
    return f"{name}Analytics" if route.path.startswith("/api/platform/analytics/") else name


def _add_health(app: FastAPI) -> None:
    async def monitoring(request: Request) -> None:
        services: Services = request.app.state.services
        if not health.may_monitor(request.scope, services.settings.metrics_networks):
            raise problems.Problem(404, "not_found", "Not found.")

    may_monitor = [Depends(monitoring)]

    @app.get("/livez", include_in_schema=False, dependencies=may_monitor)
    async def livez() -> Response:
        status, body = health.livez()
        return Response(body, status, media_type="application/json")

    threads = CapacityLimiter(HEALTH_THREADS)

    @app.get("/readyz", include_in_schema=False, dependencies=may_monitor)
    async def readyz(request: Request) -> Response:
        services: Services = request.app.state.services
        status, body = await anyio.to_thread.run_sync(_readyz, services, limiter=threads)
        return Response(body, status, media_type="application/json")

    @app.get("/metrics", include_in_schema=False, dependencies=may_monitor)
    def metrics() -> Response:
        body, content_type = health.metrics()
        return Response(body, headers={"Content-Type": content_type})


def _readyz(services: Services) -> tuple[int, bytes]:
    with working_in(HEALTH):
        return health.readyz(
            {"postgres": _postgres_answers(services.pool), "clickhouse": services.clickhouse.answers()}
        )


def _postgres_answers(pool: Pool) -> bool:
    try:
        with pool.connection(timeout=0.5) as connection:
            connection.execute("SELECT 1")
    except psycopg.Error:
        return False
    return True


class NoStoreMiddleware:
    """Responses are private to the caller: no cache may store them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Adds `Cache-Control: no-store` to answers that have no `Cache-Control` yet."""

        async def send_uncached(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, receive, send_uncached if scope["type"] == "http" else send)


class HeadAsGetMiddleware:
    """Answers HEAD as GET; the server leaves the body out. A stream has no head of its own: 405."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Turns HEAD into GET before routing, live streams excepted."""
        if scope["type"] == "http" and scope["method"] == "HEAD" and not scope["path"].endswith("/live"):
            scope = {**scope, "method": "GET"}
        await self._app(scope, receive, send)
