"""`/api/website`: the website of a website session, its analytics, deliveries and keys.

The session determines the website; there is no website id parameter.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response

from infra.kernel.http.openapi import WEBSITE_SESSION, Authentication
from infra.kernel.http.problems import Problem
from infra.kernel.security.access_tokens import PREFIX as ACCESS_TOKEN
from infra.kernel.security.access_tokens import authenticate_caller
from infra.kernel.security.sessions import Principal, bearer
from infra.kernel.security.website_sessions import WebsitePrincipal, authenticate_website
from query_api.analytics import delivery, routes
from query_api.analytics.clicks import ClickPoint
from query_api.analytics.conversions import ConversionPoint
from query_api.analytics.delivery import Delivery, DeliveryQuery, DeliveryRange
from query_api.analytics.geographic import CountryPerformance
from query_api.analytics.overview import Overview
from query_api.analytics.partners import PartnerPerformance
from query_api.analytics.request import AnalyticsRequest, Day, FigureQuery, request_for
from query_api.kernel.authorization import AccountScope
from query_api.kernel.dependencies import Context, Services
from query_api.websites import routes as websites
from query_api.websites.routes import Key
from schemas.http.responses import ResponseModel

router = APIRouter(prefix="/api/website", tags=["website"])


class SessionWebsite(ResponseModel):
    """The website that the token is for, and who signed in to it."""

    id: UUID
    domain: str
    timezone: str
    currency: str
    user_name: str
    user_email: str


def _signed_in_to_website(request: Request) -> WebsitePrincipal:
    context: Services = request.app.state.services
    if (bearer(request.headers) or "").startswith(ACCESS_TOKEN):
        caller = authenticate_caller(context.pool, request.headers, request.method)
        websites_of_token = list(caller.website_ids or ())
        if len(websites_of_token) != 1:
            raise Problem(403, "one_website_needed", "An access token reads this if it is for exactly one website.")
        return WebsitePrincipal(caller.account_id, websites_of_token[0], caller.session_id)
    return authenticate_website(context.pool, request.headers, request.method)


TheirWebsite = Annotated[WebsitePrincipal, Depends(Authentication(WEBSITE_SESSION, _signed_in_to_website))]
"""Dependency: the website session, or an access token of one website. Raises `Problem` 401 for a platform token."""


def request(query: Annotated[FigureQuery, Query()], context: Context, person: TheirWebsite) -> AnalyticsRequest:
    """The question about the session's own website. Raises `Problem` 400, 404."""
    owned = _owned(context, person)
    return request_for(query, owned.website(person.website_id), context, owned)


ParsedRequest = Annotated[AnalyticsRequest, Depends(request)]


@router.get("")
def get_session_website(context: Context, person: TheirWebsite) -> SessionWebsite:
    """The website of the session."""
    owned = _owned(context, person)
    website = owned.website(person.website_id)
    user = owned.reader.row("SELECT name, email FROM read.accounts WHERE id = %s", (person.account_id,)) or {}
    return SessionWebsite.of_row(asdict(website), user_name=user.get("name", ""), user_email=user.get("email", ""))


@router.get("/analytics/overview", response_model=Overview)
def get_website_overview(request: ParsedRequest, response: Response) -> Response:
    """The dashboard's cards."""
    return routes.get_overview(request, response)


@router.get("/analytics/clicks", response_model=list[ClickPoint])
def get_website_clicks(request: ParsedRequest, response: Response) -> Response:
    """Traffic per bucket."""
    return routes.get_clicks(request, response)


@router.get("/analytics/conversions", response_model=list[ConversionPoint])
def get_website_conversions(request: ParsedRequest, response: Response) -> Response:
    """Conversions by status per bucket."""
    return routes.get_conversions(request, response)


@router.get("/analytics/partners", response_model=list[PartnerPerformance])
def get_website_partners(request: ParsedRequest, response: Response) -> Response:
    """The top ten partners."""
    return routes.get_partners(request, response)


@router.get("/analytics/geographic", response_model=list[CountryPerformance])
def get_website_countries(request: ParsedRequest, response: Response) -> Response:
    """Countries by clicks."""
    return routes.get_geographic(request, response)


@router.get("/delivery")
def get_website_delivery(
    response: Response,
    context: Context,
    person: TheirWebsite,
    time_range: Annotated[DeliveryRange, Query(alias="timeRange")] = DeliveryRange.LAST_24H,
    from_: Annotated[Day, Query(alias="from", description="First day, with timeRange=custom: YYYY-MM-DD")] = None,
    to: Annotated[Day, Query(description="Last day, inclusive")] = None,
) -> Delivery:
    """Event delivery: outcomes of received events."""
    query = DeliveryQuery.named(website_id=person.website_id, time_range=time_range, from_=from_, to=to)
    return delivery.get_delivery(query, response, context, _owned(context, person))


@router.get("/keys")
def get_website_keys(context: Context, person: TheirWebsite) -> list[Key]:
    """The valid keys of the website, oldest first."""
    return websites.get_keys(person.website_id, _owned(context, person))


def _owned(context: Context, person: WebsitePrincipal) -> AccountScope:
    """The account's own rows, without any of its roles."""
    return AccountScope(context.pool, Principal(person.account_id, person.session_id, "", "", frozenset()))
