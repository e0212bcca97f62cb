"""Bodies of requests about imports of costs."""

from __future__ import annotations

from uuid import UUID

from pydantic import Field

from command_api.kernel.http import RequestModel
from schemas.events.costs import CostMapping


class UploadedCosts(RequestModel):
    """What identifies an upload, for a repeated request."""

    sha256: str
    platform: str
    website_id: UUID
    mapping: CostMapping
    dry_run: bool


class ChangeCostMapping(RequestModel):
    """How the file is read; fields without a value are detected again."""

    mapping: CostMapping = Field(description="The whole mapping: it replaces the one before")
