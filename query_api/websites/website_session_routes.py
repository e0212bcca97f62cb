"""`/api/website`: the website of a website session, its analytics, deliveries and keys.

No website id is asked for, so none is taken.
"""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel

from infra.identity import Principal
from infra.website_identity import WebsitePrincipal, authenticate_website
from query_api.analytics import routes
from query_api.analytics.clicks import ClickPoint
from query_api.analytics.conversions import ConversionPoint
from query_api.analytics.geographic import CountryPerformance
from query_api.analytics.overview import Overview
from query_api.analytics.partners import PartnerPerformance
from query_api.analytics.request import Asked, Day, FigureQuery, asked_of
from query_api.context import Context
from query_api.delivery import routes as delivery
from query_api.delivery.routes import Delivery, DeliveryQuery, DeliveryRange
from query_api.owned import Owned
from query_api.platform import websites
from query_api.platform.websites import Key

router = APIRouter(prefix="/api/website", tags=["website"])


class SessionWebsite(BaseModel):
    """The website that the token is for, and who signed in to it."""

    id: UUID
    domain: str
    timezone: str
    currency: str
    userName: str
    userEmail: str


def signed_in_to_website(request: Request, context: Context) -> WebsitePrincipal:
    """Who asks. Raises `Problem` 401; a platform token is none here."""
    return authenticate_website(context.pool, request.headers, request.method)


TheirWebsite = Annotated[WebsitePrincipal, Depends(signed_in_to_website)]


def asked(query: Annotated[FigureQuery, Query()], context: Context, person: TheirWebsite) -> Asked:
    """The question about the session's own website. Raises `Problem` 400, 404."""
    owned = _owned(context, person)
    return asked_of(query, owned.website(person.website_id), context, owned)


TheAsked = Annotated[Asked, Depends(asked)]


@router.get("")
def get_session_website(context: Context, person: TheirWebsite) -> SessionWebsite:
    """The website of the session."""
    owned = _owned(context, person)
    website = owned.website(person.website_id)
    user = owned.reader.row("SELECT name, email FROM read.accounts WHERE id = %s", (person.account_id,)) or {}
    return SessionWebsite(
        id=website.id,
        domain=website.domain,
        timezone=website.timezone,
        currency=website.currency,
        userName=user.get("name", ""),
        userEmail=user.get("email", ""),
    )


@router.get("/analytics/overview", response_model=Overview)
def get_website_overview(asked: TheAsked, response: Response) -> Response:
    """The dashboard's cards."""
    return routes.get_overview(asked, response)


@router.get("/analytics/clicks", response_model=list[ClickPoint])
def get_website_clicks(asked: TheAsked, response: Response) -> Response:
    """Traffic per bucket."""
    return routes.get_clicks(asked, response)


@router.get("/analytics/conversions", response_model=list[ConversionPoint])
def get_website_conversions(asked: TheAsked, response: Response) -> Response:
    """Conversions by status per bucket."""
    return routes.get_conversions(asked, response)


@router.get("/analytics/partners", response_model=list[PartnerPerformance])
def get_website_partners(asked: TheAsked, response: Response) -> Response:
    """The top ten partners."""
    return routes.get_partners(asked, response)


@router.get("/analytics/geographic", response_model=list[CountryPerformance])
def get_website_countries(asked: TheAsked, response: Response) -> Response:
    """Countries by clicks."""
    return routes.get_geographic(asked, response)


@router.get("/delivery")
def get_website_delivery(
    response: Response,
    context: Context,
    person: TheirWebsite,
    timeRange: Annotated[DeliveryRange, Query()] = DeliveryRange.LAST_24H,
    from_: Annotated[Day, Query(alias="from", description="First day, with timeRange=custom: YYYY-MM-DD")] = None,
    to: Annotated[Day, Query(description="Last day, inclusive")] = None,
) -> Delivery:
    """Where did my event go."""
    query = DeliveryQuery(websiteId=person.website_id, timeRange=timeRange, from_=from_, to=to)
    return delivery.get_delivery(query, response, context, _owned(context, person))


@router.get("/keys")
def get_website_keys(context: Context, person: TheirWebsite) -> list[Key]:
    """The valid keys of the website, oldest first."""
    return websites.get_keys(person.website_id, _owned(context, person))


def _owned(context: Context, person: WebsitePrincipal) -> Owned:
    """The account's own rows, without any of its roles."""
    return Owned(context.pool, Principal(person.account_id, person.session_id, "", "", frozenset()))
