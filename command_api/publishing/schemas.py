"""Bodies and answers of the calls for sites."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from command_api.kernel.http import RequestModel
from command_api.publishing.sites import Site
from infra.domain.publishing.blocks import MAX_OFFERS
from schemas.events.marketplace import Niche
from schemas.http.publishing import SiteState
from schemas.http.responses import ResponseModel

Document = Annotated[dict[str, Any], Field(description="As docs/sites.md defines it")]


class NewSite(RequestModel):
    """A site of a website. It begins with the starter of `niche`, or with a page that lists `links`, else with an empty
    home page."""

    website_id: Annotated[UUID, Field(strict=False)]
    name: Annotated[str, Field(max_length=300)]
    slug: Annotated[str, Field(max_length=300)]
    niche: Niche | None = None
    links: Annotated[
        tuple[Annotated[UUID, Field(strict=False)], ...] | None,
        Field(strict=False, min_length=1, max_length=MAX_OFFERS),
    ] = Field(default=None, description="Tracked links of the website: the site is a link-in-bio page that lists them")


class SaveDocument(RequestModel):
    """A document after the change."""

    document: Document
    based_on: Annotated[int, Field(ge=0, description="The version that was changed; 0: a new page")]
    restored_from: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="The version that this one repeats, for the list of versions"
    )


class PublishOrder(RequestModel):
    """What a release may contain."""

    allows_placeholders: bool = Field(
        default=False, description="Whether placeholders (texts in square brackets) are published as they are"
    )


class SiteAddress(RequestModel):
    """Where visitors find the site."""

    slug: Annotated[str, Field(max_length=300)]
    domain_id: Annotated[UUID, Field(strict=False)] | None = Field(
        default=None, description="The verified custom domain that serves it; null: the slug alone"
    )


class ImageState(ResponseModel):
    """A stored image."""

    hash: str
    width: int
    height: int


def site_state(site: Site) -> SiteState:
    return SiteState.of(site)
