"""The command service's HTTP app: routes of all contexts, cross-site guard, problem documents, health, OpenAPI."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial

import anyio.to_thread
from fastapi import APIRouter, Depends, FastAPI, Request, Response
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from command_api.accounts import admin_routes, settings_routes, token_routes, website_login
from command_api.accounts import routes as accounts
from command_api.accounts.invites import routes as invite_routes
from command_api.accounts.passwords import Passwords
from command_api.accounts.providers import routes as providers
from command_api.accounts.providers.service import ProviderSignIn
from command_api.accounts.sign_in import SignInService
from command_api.analytics import routes as annotation_routes
from command_api.analytics.erasure import routes as erasure_routes
from command_api.analytics.reports import routes as report_routes
from command_api.analytics.reports.mail import STOP_PATH as REPORT_STOP_PATH
from command_api.analytics.views import routes as view_routes
from command_api.conversions import replay_routes
from command_api.conversions import routes as conversions
from command_api.conversions import setup_check_routes as setup_check
from command_api.conversions.attribution.click_reader import ClickHouseClicks
from command_api.conversions.payouts import routes as payouts
from command_api.conversions.reconciliation import routes as reconciliation
from command_api.conversions.replay import RefusedReports
from command_api.costs import routes as costs
from command_api.costs.imports import routes as cost_imports
from command_api.destinations import routes as destinations
from command_api.domains import admin_routes as domain_administration
from command_api.domains import routes as domains
from command_api.domains.dns_check import open_dns_checker
from command_api.forum import moderation_routes as forum_moderation
from command_api.forum import routes as forum
from command_api.insights import routes as insights
from command_api.insights.service import InsightService
from command_api.kernel.container import Container
from command_api.kernel.http import install_error_handlers
from command_api.kernel.images import uploads as image_uploads
from command_api.kernel.request_lanes import THREADS
from command_api.leads import admin_routes as leads_administration
from command_api.leads import public_routes as leads
from command_api.links import admin_routes as link_administration
from command_api.links import routes as links
from command_api.links.bulk import routes as link_bulks
from command_api.links.importing import routes as link_imports
from command_api.links.shifting import routes as link_shifts
from command_api.marketplace import admin_routes as marketplace_administration
from command_api.marketplace import deal_routes, member_routes
from command_api.marketplace.escrow import webhook as escrow_webhook
from command_api.marketplace.listings import routes as listing_routes
from command_api.marketplace.mails import STOP_PATH as SEARCH_STOP_PATH
from command_api.matching import admin_routes as program_directory
from command_api.matching import learning_routes
from command_api.matching import routes as matching
from command_api.matching.ideas import routes as idea_routes
from command_api.networks import routes as networks
from command_api.networks.connections import routes as network_connections
from command_api.notifications import routes as notifications
from command_api.notifications.alerts import routes as alert_routes
from command_api.notifications.alerts.mail import STOP_PATH as ALERTS_STOP_PATH
from command_api.notifications.webhooks import routes as webhook_routes
from command_api.operations import dead_letters
from command_api.operations import routes as operations
from command_api.partners import private_routes as private_partners
from command_api.partners import routes as partners
from command_api.publishing import public_routes as site_newsletters
from command_api.publishing import rendering
from command_api.publishing import routes as publishing
from command_api.social import routes as social
from command_api.social.connections import routes as social_connections
from command_api.sql import query_routes
from command_api.sql import routes as analysts
from command_api.websites import admin_routes as website_administration
from command_api.websites import routes as websites
from infra import PRODUCT_NAME
from infra.kernel.clickhouse.client import ClientPool
from infra.kernel.config.version import product_version
from infra.kernel.http import health
from infra.kernel.http.lanes import Lanes
from infra.kernel.http.modules import switched_on
from infra.kernel.http.openapi import REFUSALS, describe, operation_id
from infra.kernel.http.problems import Problem, install
from infra.kernel.http.request_bounds import RequestBounds
from infra.kernel.http.request_context import LogContextMiddleware
from infra.kernel.http.route_costs import CostTable
from infra.kernel.llm import LanguageModel
from infra.kernel.log import open_log
from infra.kernel.net.geoip import open_geoip
from infra.kernel.security.client_info import address_of
from infra.kernel.security.sessions import authenticate, refuse_cross_site
from schemas.http.insights import DIGEST_STOP_PATH

CLICKHOUSE_CLIENTS = 2
CLICKHOUSE_READ_TIMEOUT_S = 3
"""The timeout of requests that do without the analytics store if it is slow."""
CONTEXTS = (
    accounts,
    invite_routes,
    settings_routes,
    token_routes,
    admin_routes,
    website_login,
    providers,
    websites,
    website_administration,
    domains,
    domain_administration,
    partners,
    private_partners,
    publishing,
    site_newsletters,
    links,
    link_bulks,
    link_imports,
    link_shifts,
    link_administration,
    social,
    social_connections,
    annotation_routes,
    view_routes,
    erasure_routes,
    report_routes,
    conversions,
    setup_check,
    replay_routes,
    payouts,
    reconciliation,
    costs,
    cost_imports,
    destinations,
    operations,
    dead_letters,
    analysts,
    query_routes,
    leads,
    leads_administration,
    forum,
    forum_moderation,
    networks,
    network_connections,
    notifications,
    alert_routes,
    webhook_routes,
    listing_routes,
    deal_routes,
    member_routes,
    marketplace_administration,
    escrow_webhook,
    matching,
    learning_routes,
    idea_routes,
    program_directory,
    insights,
)
ROUTERS = (*(context.router for context in CONTEXTS), member_routes.public_router)

FOREIGN_PATHS = (
    leads.STOP_PATH,
    site_newsletters.STOP_PATH,
    notifications.STOP_PATH,
    DIGEST_STOP_PATH,
    SEARCH_STOP_PATH,
    REPORT_STOP_PATH,
    ALERTS_STOP_PATH,
    escrow_webhook.MESSAGES_PATH,
)
"""Endpoints that mail clients and the escrow provider call; they carry a token or signature."""


def create_app(container: Container, parts: Callable[[], health.Parts] | None = None) -> FastAPI:
    """Creates the app. `parts` adds the state of relay and policies to `/readyz`."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = lanes.threads
        try:
            yield
        finally:
            rendering.WORKERS.close()
            image_uploads.POOL.close()
            app.state.insights.close()
            events.close()
            clickhouse.close()

    app = FastAPI(
        title=f"{PRODUCT_NAME}: commands",
        version=product_version(),
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=operation_id,
        responses=REFUSALS,
        lifespan=lifespan,
    )
    lanes = Lanes(THREADS)
    app.state.lanes = lanes
    clickhouse = ClientPool(container.settings, CLICKHOUSE_CLIENTS, read_timeout_s=CLICKHOUSE_READ_TIMEOUT_S)
    events = open_log(container.settings)
    app.state.container = container
    app.state.log = events
    app.state.clickhouse = clickhouse
    app.state.clicks = ClickHouseClicks(clickhouse)
    app.state.refused_reports = RefusedReports(clickhouse)
    app.state.accounts = SignInService(container, Passwords())
    app.state.providers = ProviderSignIn(app.state.accounts)
    app.state.insights = InsightService.of(container, events)
    app.state.matching = LanguageModel(container.settings, container.pool)
    app.state.places = open_geoip(container.settings)
    app.state.dns_checker = open_dns_checker(container.settings)
    install(app)
    install_error_handlers(app)
    routers = switched_on(ROUTERS, container.settings.without)
    for router in routers:
        app.include_router(router)
    app.include_router(_health(container, lanes, parts))
    routes = [route for router in routers for route in router.routes]
    app.add_middleware(
        RequestBounds,
        address_of=address_of,
        table=CostTable(routes),
        lanes=lanes,
        settings=container.settings,
        authenticate=partial(authenticate, container.pool),
    )
    app.add_middleware(CrossSiteGuard, public_url=container.settings.app_url)
    app.add_middleware(LogContextMiddleware)
    describe(app)
    return app


class CrossSiteGuard:
    """Rejects unsafe cross-site requests before the app handles them.

    Except `FOREIGN_PATHS`, which a token or a signature authenticates instead of a session.
    """

    def __init__(self, app: ASGIApp, public_url: str) -> None:
        self._app = app
        self._public_url = public_url

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Responds to a rejected request with a problem document."""
        if scope["type"] == "http" and not scope["path"].startswith(FOREIGN_PATHS):
            try:
                refuse_cross_site(Headers(scope=scope), scope["method"], self._public_url)
            except Problem as problem:
                await problem.response()(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _health(container: Container, lanes: Lanes, parts: Callable[[], health.Parts] | None) -> APIRouter:
    async def monitoring(request: Request) -> None:
        if not health.may_monitor(request.scope, container.settings.metrics_networks):
            raise Problem(404, "not_found", "There is nothing at this address.")

    router = APIRouter(include_in_schema=False, dependencies=[Depends(monitoring)])

    @router.get("/livez")
    async def livez() -> Response:
        status, body = health.livez(lanes.why_hung())
        return Response(body, status, media_type="application/json")

    @router.get("/readyz")
    def readyz() -> Response:
        states: dict[str, bool | str] = dict(parts()) if parts else {}
        try:
            with container.pool.connection(timeout=1) as connection:
                connection.execute("SELECT 1")
            states["postgres"] = True
        except Exception as error:  # noqa: BLE001 - any error means not ready
            states["postgres"] = type(error).__name__
        status, body = health.readyz(states)
        return Response(body, status, media_type="application/json")

    @router.get("/metrics")
    async def metrics() -> Response:
        body, content_type = health.metrics()
        return Response(body, headers={"content-type": content_type})

    return router
