"""Bodies and answers of the reads of sites."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from query_api.kernel.requests import QueryModel
from schemas.events.marketplace import Niche
from schemas.http.publishing import PageState, SiteState
from schemas.http.responses import ResponseModel

Document = Annotated[dict[str, Any], Field(description="As docs/sites.md defines it")]


class SiteSummary(SiteState):
    """A site of the caller."""

    name: str
    address: str = Field(description="Where visitors find it: under its custom domain while that is verified")
    domain: str | None
    pages: int
    published_at: datetime | None
    has_changes: bool = Field(description="Whether something is saved that visitors do not see")
    created_at: datetime
    updated_at: datetime


class PageVersion(ResponseModel):
    """The current version of a page."""

    id: UUID
    version: int = Field(description="What the next change is based on")
    saved_at: datetime


class SiteDetails(SiteSummary):
    """A site with its document. Pages that are in no `pageStates` are empty: their first change is based on 0."""

    document: Document
    page_states: list[PageVersion]


class PageDetails(PageState):
    """A version of a page with its blocks. Version 0 was never saved: it is empty."""

    document: Document


class SiteVersionDetails(PageVersion):
    """A version of a site's document."""

    document: Document


class Version(ResponseModel):
    """A version that was saved."""

    version: int
    saved_at: datetime
    restored_from: int | None = Field(description="The version that this one repeats")


class Release(ResponseModel):
    """What was published together."""

    number: int
    published_at: datetime
    restored_from: int | None = Field(description="The release that this one repeats")
    is_shown: bool = Field(description="Whether visitors see it")
    pages: int


class StarterSummary(ResponseModel):
    """A site to begin with. `pages`: titles, the home page first."""

    niche: Niche
    label: str
    description: str
    pages: list[str]


class PreviewOrder(QueryModel, extra="ignore"):
    """What is shown: null stands for what is saved."""

    page_id: UUID
    document: Document | None = None
    page: Document | None = None


class PreviewProblem(ResponseModel):
    """Something that a block refers to and that is not there."""

    code: str
    message: str
    placement: str


class PlaceToFill(ResponseModel):
    """A text in square brackets, of a starter or of a new block, that its author is to fill in."""

    page_id: UUID | None = Field(description="The page that has it; null: the site's own texts have it")
    placement: str = Field(description="Of its block; empty: it is in a title, description or name")
    field: str = Field(description="Its place in the block, such as questions.0.answer, or in the page or site")
    text: str


class SitePlaceholders(ResponseModel):
    """Texts that are still to fill in."""

    count: int
    places: list[PlaceToFill] = Field(description="By page; at most 500")


class Preview(ResponseModel):
    """A page as visitors will see it, without a script."""

    html: str
    problems: list[PreviewProblem]
    places_to_fill: list[PlaceToFill]
