"""Sites and their pages as both APIs answer them."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from pydantic import Field

from schemas.http.responses import ResponseModel


class SiteState(ResponseModel):
    """How a site stands."""

    id: UUID
    website_id: UUID
    slug: str
    domain_id: UUID | None
    document_version: int = Field(description="What the next change is based on")
    published: int | None = Field(description="Number of the release that visitors see")


class PageState(ResponseModel):
    """How a page stands. Version 0 was never saved."""

    id: UUID
    site_id: UUID
    version: int = Field(description="What the next change is based on")
    saved_at: datetime | None
