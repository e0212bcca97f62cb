"""Bodies and answers of the reads of sites."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, Field

from query_api.kernel.responses import RowModel
from schemas.events.marketplace import Niche

Document = Annotated[dict[str, Any], Field(description="As docs/sites.md defines it")]


class SiteSummary(RowModel):
    """A site of the caller."""

    id: UUID
    websiteId: UUID
    name: str
    slug: str
    address: str = Field(description="Where visitors find it: under its custom domain while that is verified")
    domainId: UUID | None
    domain: str | None
    pages: int
    published: int | None = Field(description="Number of the release that visitors see")
    publishedAt: datetime | None
    hasChanges: bool = Field(description="Whether something is saved that visitors do not see")
    documentVersion: int = Field(description="What the next change is based on")
    createdAt: datetime
    updatedAt: datetime


class PageVersion(RowModel):
    """The current version of a page."""

    id: UUID
    version: int = Field(description="What the next change is based on")
    savedAt: datetime


class SiteDetails(SiteSummary):
    """A site with its document. Pages that are in no `pageStates` are empty: their first change is based on 0."""

    document: Document
    pageStates: list[PageVersion]


class PageDetails(RowModel):
    """A version of a page with its blocks. Version 0 was never saved: it is empty."""

    id: UUID
    version: int = Field(description="What the next change is based on")
    savedAt: datetime | None
    siteId: UUID
    document: Document


class SiteVersionDetails(PageVersion):
    """A version of a site's document."""

    document: Document


class Version(RowModel):
    """A version that was saved."""

    version: int
    savedAt: datetime
    restoredFrom: int | None = Field(description="The version that this one repeats")


class Release(RowModel):
    """What was published together."""

    number: int
    publishedAt: datetime
    restoredFrom: int | None = Field(description="The release that this one repeats")
    isShown: bool = Field(description="Whether visitors see it")
    pages: int


class StarterSummary(BaseModel):
    """A site to begin with. `pages`: titles, the home page first."""

    niche: Niche
    label: str
    description: str
    pages: list[str]


class PreviewOrder(BaseModel):
    """What is shown: null stands for what is saved."""

    pageId: UUID
    document: Document | None = None
    page: Document | None = None


class PreviewProblem(BaseModel):
    """Something that a block refers to and that is not there."""

    code: str
    message: str
    placement: str


class PlaceToFill(BaseModel):
    """A text of the starter that waits for the author's own."""

    placement: str
    field: str
    text: str


class Preview(BaseModel):
    """A page as visitors will see it, without a script."""

    html: str
    problems: list[PreviewProblem]
    placesToFill: list[PlaceToFill]
