"""`/api/platform/sites/*`: sites of the website builder and their pages."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel

from command_api.kernel.http import Id, Runs
from command_api.kernel.images.uploads import IMAGE_BODY, SentImage, UploadedImage, process_with_copy
from command_api.kernel.rate_limits import Limit, consume
from command_api.publishing import commands, rendering, sites
from command_api.publishing.releases import ReleaseOutdated
from command_api.publishing.schemas import (
    ImageState,
    NewSite,
    PublishOrder,
    SaveDocument,
    SiteAddress,
)
from command_api.publishing.subscriptions import commands as subscription_commands
from infra.domain.publishing.serving import NARROW_WIDTH
from infra.kernel.http.client_left import client_left
from infra.kernel.http.problems import Problem
from infra.kernel.http.route_costs import DOCUMENT, costs
from schemas.http.publishing import PageState, SiteState
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/platform/sites", tags=["sites"])

NEW_SITES: Final = Limit("new-site", timedelta(minutes=5), 20)
SAVES: Final = Limit("site-save", timedelta(seconds=1), 120)
"""An editor saves a few seconds after a change."""
RELEASES: Final = Limit("site-release", timedelta(seconds=10), 30)
IMAGES: Final = Limit("site-image", timedelta(seconds=10), 40)
ATTEMPTS: Final = 4
"""The largest number of attempts, as the site may change while it is rendered."""
Page = Annotated[UUID, Path(alias="pageId")]


@router.post("", status_code=201, response_model=SiteState)
def create_site(body: NewSite, run: Runs) -> Response:
    """Makes a site of one of the caller's websites, from a starter or with an empty home page. Nobody sees it yet."""
    consume(run.container.pool, NEW_SITES, str(run.person.account_id))
    return run(commands.CreateSite(uuid7(), body), body, status=201, is_consistent=True)


@router.put("/{id}/document", response_model=SiteState, openapi_extra=costs(DOCUMENT))
def save_site(id_: Id, body: SaveDocument, run: Runs) -> Response:
    """Saves name, theme, menu and list of pages. 409 `site_changed` if it was changed since `basedOn`."""
    consume(run.container.pool, SAVES, str(run.person.account_id))
    return run(commands.SaveSite(id_, body), body, is_consistent=True)


@router.put("/{id}/pages/{pageId}", response_model=PageState, openapi_extra=costs(DOCUMENT))
def save_page(id_: Id, page_id: Page, body: SaveDocument, run: Runs, request: Request) -> Response:
    """Saves the blocks of a page of the site's document. 409 `page_changed` if it was changed since `basedOn`."""
    consume(run.container.pool, SAVES, str(run.person.account_id))
    account_id, has_left = run.person.account_id, client_left(request)
    return run.prepared(
        lambda: rendering.page_to_save(id_, page_id, body, account_id, has_left), body, is_consistent=True
    )


@router.post("/{id}/publish", response_model=SiteState, openapi_extra=costs(DOCUMENT))
def publish_site(id_: Id, run: Runs, request: Request, body: PublishOrder | None = None) -> Response:
    """Shows visitors what is saved now. Only pages that changed are rendered. 503 `rendering` with the numbers of
    `rendered` and all `pages` when that takes long: repeat the request to go on. It ends when its client leaves.
    409 `placeholders_left` with their number in `placeholders` while texts in square brackets are to fill in, unless
    the body allows them; `GET .../placeholders` lists them."""
    consume(run.container.pool, RELEASES, str(run.person.account_id))
    allows_placeholders = body is not None and body.allows_placeholders
    return _serve(commands.PublishSite(id_, allows_placeholders), run, request, body)


@router.post("/{id}/releases/{release}/publish", response_model=SiteState, openapi_extra=costs(DOCUMENT))
def publish_release(
    id_: Id, release: Annotated[int, Path(ge=1, le=2**31 - 1)], run: Runs, request: Request
) -> Response:
    """Shows visitors an earlier release again; 503 as for a new one."""
    consume(run.container.pool, RELEASES, str(run.person.account_id))
    return _serve(commands.PublishRelease(id_, release), run, request)


@router.post("/{id}/unpublish", response_model=SiteState)
def unpublish_site(id_: Id, run: Runs) -> Response:
    """Shows visitors nothing; the site and its releases stay."""
    return run(commands.UnpublishSite(id_), is_consistent=True)


@router.put("/{id}/address", response_model=SiteState)
def move_site(id_: Id, body: SiteAddress, run: Runs, request: Request) -> Response:
    """Serves the site under another slug, and under a verified custom domain of its website. Its pages are rendered
    for the new address; 503 as for a release."""
    consume(run.container.pool, RELEASES, str(run.person.account_id))
    return _serve(commands.MoveSite(id_, body), run, request, body)


@router.delete("/{id}", status_code=204)
def remove_site(id_: Id, run: Runs) -> Response:
    """Removes the site with its pages, releases and images."""
    return run(commands.RemoveSite(id_), status=204, is_consistent=True)


@router.post(
    "/{id}/images",
    status_code=201,
    response_model=ImageState,
    openapi_extra=IMAGE_BODY,
)
def add_site_image(id_: Id, sent: SentImage, run: Runs) -> Response:
    """Stores an image for the site's pages, the file itself as the body: JPEG, PNG or WebP, at most 5 MB."""
    sites.require_own(run.container.load(id_, sites.evolve), run.context)
    consume(run.container.pool, IMAGES, str(run.person.account_id))
    picture, narrow = process_with_copy(sent, NARROW_WIDTH)
    return run(commands.AddSiteImage(id_, picture, narrow), UploadedImage(hash=picture.hash), status=201)


@router.delete("/{id}/subscribers/{subscriberId}", status_code=204)
def remove_site_subscriber(id_: Id, subscriber_id: Annotated[UUID, Path(alias="subscriberId")], run: Runs) -> Response:
    """Removes an address from the site's list. Only its owner can subscribe it again."""
    command = subscription_commands.RemoveSubscriber(id_, subscriber_id)
    return run(command, status=204, is_consistent=True)


def _serve(command: commands.Serving, run: Runs, request: Request, body: BaseModel | None = None) -> Response:
    """Renders what the command serves and sends it, again if something changed meanwhile."""
    has_left = client_left(request)
    for _ in range(ATTEMPTS):
        with suppress(ReleaseOutdated):
            return run.prepared(lambda: rendering.prepared(command, run, has_left), body, is_consistent=True)
    raise Problem(409, "busy", "This site was changed while it was rendered. Please try again.")
