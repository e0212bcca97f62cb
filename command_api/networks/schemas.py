"""Bodies of requests about networks' reports."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BeforeValidator, Field

from command_api.kernel.form_json import field_names
from command_api.kernel.http import RequestModel
from schemas.events.networks import ReportMapping


class UploadedReport(RequestModel):
    """What identifies an upload, for a repeated request."""

    sha256: str
    network: str
    website_id: UUID
    mapping: ReportMapping
    partner_id: UUID | None
    as_of: datetime | None
    dry_run: bool


class ChangeReportMapping(RequestModel):
    """How the file is read; fields without a value are detected again."""

    mapping: Annotated[ReportMapping, BeforeValidator(field_names)] = Field(
        description="The whole mapping: it replaces the one before"
    )
