"""The command service's HTTP app: routes of all contexts, cross-site guard, problem documents, health, OpenAPI."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio.to_thread
from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from command_api.accounts import admin_routes, invite_routes, settings_routes, website_login
from command_api.accounts import routes as accounts
from command_api.accounts.passwords import Passwords
from command_api.accounts.providers import routes as providers
from command_api.accounts.providers.service import ProviderSignIn
from command_api.accounts.sign_in import Accounts
from command_api.analysts import routes as analysts
from command_api.conversions import bulk
from command_api.conversions import routes as conversions
from command_api.core import Core
from command_api.domains import routes as domains
from command_api.domains.looking import looking
from command_api.forum import moderation_routes as forum_moderation
from command_api.forum import routes as forum
from command_api.forum.desk import ForumDesk
from command_api.http import install_refusals
from command_api.insights import routes as insights
from command_api.insights.desk import InsightsDesk
from command_api.leads import admin_routes as leads_administration
from command_api.leads import public_routes as leads
from command_api.leads.desk import LeadsDesk
from command_api.links import routes as links
from command_api.marketplace import admin_routes as marketplace_administration
from command_api.marketplace import deal_routes, listing_routes, member_routes, messages
from command_api.matching import admin_routes as program_directory
from command_api.matching import routes as matching
from command_api.notifications import routes as notifications
from command_api.operations import dead_letters
from command_api.operations import projections as projection_requests
from command_api.operations import routes as operations
from command_api.partners import routes as partners
from command_api.websites import routes as websites
from command_api.websites import traffic_routes
from infra import PRODUCT_NAME, health
from infra.countries import open_places
from infra.identity import refuse_cross_site
from infra.llm import LanguageModel
from infra.problems import REFUSALS, Problem, describe, install
from infra.threads import OwnThreads
from schemas.insights import DIGEST_STOP_PATH

THREADS = 16
"""Requests that are worked on at one time; further ones wait for a thread."""
CONTEXTS = (
    accounts,
    invite_routes,
    settings_routes,
    admin_routes,
    website_login,
    providers,
    websites,
    traffic_routes,
    domains,
    partners,
    links,
    bulk,
    conversions,
    operations,
    dead_letters,
    projection_requests,
    analysts,
    leads,
    leads_administration,
    forum,
    forum_moderation,
    notifications,
    listing_routes,
    deal_routes,
    member_routes,
    marketplace_administration,
    messages,
    matching,
    program_directory,
    insights,
)

FOREIGN_PATHS = (
    leads.STOP_PATH,
    notifications.STOP_PATH,
    DIGEST_STOP_PATH,
    member_routes.STOP_PATH,
    messages.MESSAGES_PATH,
)
"""Where mail programs POST a form and the escrow provider its messages."""


def create_app(core: Core, parts: Callable[[], health.Parts] | None = None) -> FastAPI:
    """The app over an open core. `parts` tells `/readyz` about more than Postgres (relay, policies)."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        try:
            yield
        finally:
            app.state.insights.close()

    app = FastAPI(
        title=f"{PRODUCT_NAME}: commands",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=_operation_id,
        responses=REFUSALS,
        lifespan=lifespan,
    )
    app.state.core = core
    app.state.accounts = Accounts(core, Passwords())
    app.state.providers = ProviderSignIn(app.state.accounts)
    app.state.leads = LeadsDesk.of(core)
    app.state.forum = ForumDesk(core)
    app.state.insights = InsightsDesk.of(core)
    app.state.matching = LanguageModel(core.settings, core.pool)
    app.state.places = open_places(core.settings)
    app.state.looking = looking(core.settings)
    install(app)
    install_refusals(app)
    for context in CONTEXTS:
        app.include_router(context.router)
    app.include_router(member_routes.public_router)
    app.include_router(_health(core, parts))
    app.add_middleware(OwnThreads)
    app.add_middleware(CrossSiteGuard, public_url=core.settings.app_url)
    describe(app)
    return app


def _operation_id(route: APIRoute) -> str:
    """`connect_website` -> `connectWebsite`."""
    head, *tail = route.name.split("_")
    return head + "".join(part.capitalize() for part in tail)


class CrossSiteGuard:
    """Refuses unsafe requests that another site's page may have made, before anything else sees them.

    Not where programs of others call: a token or a signature speaks for itself, and nobody is signed in.
    """

    def __init__(self, app: ASGIApp, public_url: str) -> None:
        self._app = app
        self._public_url = public_url

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not scope["path"].startswith(FOREIGN_PATHS):
            try:
                refuse_cross_site(Headers(scope=scope), scope["method"], self._public_url)
            except Problem as problem:
                await problem.response()(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _health(core: Core, parts: Callable[[], health.Parts] | None) -> APIRouter:
    router = APIRouter(include_in_schema=False)

    @router.get("/livez")
    async def livez() -> Response:
        return Response(health.livez(), media_type="application/json")

    @router.get("/readyz")
    def readyz() -> Response:
        found: dict[str, bool | str] = dict(parts()) if parts else {}
        try:
            with core.pool.connection(timeout=1) as connection:
                connection.execute("SELECT 1")
            found["postgres"] = True
        except Exception as error:  # noqa: BLE001 - whatever it is, we are not ready
            found["postgres"] = type(error).__name__
        status, body = health.readyz(found)
        return Response(body, status, media_type="application/json")

    @router.get("/metrics")
    async def metrics(request: Request) -> Response:
        if not health.is_loopback(request.client.host if request.client else None):
            raise Problem(404, "not_found", "There is nothing at this address.")
        body, content_type = health.metrics()
        return Response(body, headers={"content-type": content_type})

    return router
