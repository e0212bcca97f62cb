"""Bodies of requests about imports of costs."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import BeforeValidator, Field

from command_api.kernel.form_json import field_names
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

    mapping: Annotated[CostMapping, BeforeValidator(field_names)] = Field(
        description="The whole mapping: it replaces the one before"
    )
