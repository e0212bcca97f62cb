"""`GET /api/platform/sites/{id}/subscribers*`: who gets the newsletter of a site of the caller."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Path, Response
from fastapi.responses import RedirectResponse
from pydantic import Field

from infra.domain import contacts
from infra.kernel.config.settings import Settings
from infra.kernel.http.openapi import file_response
from infra.kernel.http.route_costs import EXPORT, costs
from query_api.kernel.authorization import AccountScope, require_existing
from query_api.kernel.csv import columns_of, csv_stream
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context
from query_api.kernel.pagination import Page50
from query_api.kernel.postgres_reader import Row
from schemas.http.responses import ResponseModel

router = APIRouter(tags=["sites"])

_BATCH_SIZE: Final = 2_000
"""Rows of the file that are read together."""
_READS: Final = [READS_OWN_WRITES]
_SITE: Final = "SELECT id, slug FROM read.sites WHERE id = %s AND account_id = %s"
_SUBSCRIBERS: Final = """
SELECT s.*, c.email_sealed FROM read.site_subscriptions AS s JOIN leads.contact AS c ON c.id = s.id
WHERE s.site_id = %(site)s AND s.account_id = %(account)s AND c.account_id = s.account_id
  AND s.state IN ('pending', 'confirmed') AND (%(state)s::text IS NULL OR s.state = %(state)s)
  AND (%(at)s::timestamptz IS NULL OR (s.requested_at, s.id) < (%(at)s, %(last)s))
ORDER BY s.requested_at DESC, s.id DESC LIMIT %(limit)s"""


class SiteSubscriber(ResponseModel):
    """An address on the list of a site. Only confirmed ones may be written to."""

    id: UUID
    email: str
    state: Literal["pending", "confirmed"]
    page: str = Field(description="Path of the page that the form was on")
    block: str = Field(description="The form's name in reports")
    requested_at: datetime
    confirmed_at: datetime | None


class SiteSubscriberForSending(SiteSubscriber):
    """With what belongs into every email to them: the link, and the address for `List-Unsubscribe` (RFC 8058)."""

    unsubscribe_url: str
    one_click_url: str


@router.get("/api/platform/sites/{id}/subscribers", dependencies=_READS)
def get_site_subscribers(
    id: UUID,
    scope: CallerScope,
    context: Context,
    page: Page50,
    state: Literal["pending", "confirmed"] | None = None,
) -> list[SiteSubscriber]:
    """Newest first. Addresses of those who unsubscribed, or did not confirm within a week, are deleted."""
    _own_slug(id, scope)
    rows = page.rows(scope.reader, _SUBSCRIBERS, "requested_at", _values(id, scope, state))
    return [_subscriber(context.settings, row) for row in rows]


@router.get(
    "/api/platform/sites/{id}/subscribers.csv",
    response_class=Response,
    responses=file_response("text/csv"),
    dependencies=_READS,
    openapi_extra=costs(EXPORT),
)
def get_site_subscribers_csv(id: UUID, scope: CallerScope, context: Context) -> Response:
    """All confirmed subscribers, for the program that sends the newsletter, each with an unsubscribe link."""
    slug = _own_slug(id, scope)
    subscribers = _confirmed(id, scope, context.settings)
    return csv_stream(f"{slug}-subscribers", columns_of(SiteSubscriberForSending), subscribers)


@router.get(
    "/api/public/site-newsletter/stop/{token}", status_code=303, response_class=RedirectResponse, tags=["public"]
)
def open_site_newsletter_stop(
    token: Annotated[str, Path(pattern=r"^[0-9a-f]{32}\.[0-9a-f]{32}$")],
) -> RedirectResponse:
    """The List-Unsubscribe address of an email, opened in a browser: leads to the button and changes nothing."""
    return RedirectResponse(f"/site-newsletter/unsubscribe#code={token}", 303)


def _own_slug(site_id: UUID, scope: AccountScope) -> str:
    """Returns the slug of the account's own site. Raises `Problem` 404 for a site of anybody else, admins included."""
    row = require_existing(scope.reader.row(_SITE, (site_id, scope.principal.account_id)), "site")
    return str(row["slug"])


def _values(site_id: UUID, scope: AccountScope, state: str | None) -> dict[str, Any]:
    return {"site": site_id, "account": scope.principal.account_id, "state": state}


def _confirmed(site_id: UUID, scope: AccountScope, settings: Settings) -> Iterator[SiteSubscriberForSending]:
    """Yields the subscribers newest first, read in batches: the file is complete and may be long."""
    values = _values(site_id, scope, "confirmed") | {"limit": _BATCH_SIZE, "at": None, "last": None}
    while rows := scope.reader.rows(_SUBSCRIBERS, values):
        for row in rows:
            yield SiteSubscriberForSending.of_row(
                row,
                email=_email(settings, row),
                unsubscribe_url=contacts.unsubscribe_page(settings, "site_newsletter", row["id"]),
                one_click_url=contacts.one_click_url(settings, row["id"], "site_newsletter"),
            )
        values |= {"at": rows[-1]["requested_at"], "last": rows[-1]["id"]}


def _subscriber(settings: Settings, row: Row) -> SiteSubscriber:
    return SiteSubscriber.of_row(row, email=_email(settings, row))


def _email(settings: Settings, row: Row) -> str:
    return contacts.decrypt_field(settings, row["id"], "email", row["email_sealed"])
