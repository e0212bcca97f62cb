"""Responses of both APIs about networks' reports."""

from __future__ import annotations

from uuid import UUID

from pydantic import Field

from schemas.events.networks import PullSchedule
from schemas.http.money import Amount
from schemas.http.report_imports import ImportQuestion, RejectedImportLine
from schemas.http.responses import ResponseModel
from schemas.report_imports import ImportState


class NetworkImport(ResponseModel):
    """An import of a network's report. Until it is read, its numbers are 0."""

    import_id: UUID
    state: ImportState
    rows: int = Field(default=0, description="Lines of money in the file, rejected ones included")
    new: int = Field(default=0, description="Of sales that were not known")
    changed: int = Field(default=0, description="Of known sales whose commission, amount or status changes")
    unchanged: int = 0
    unmatched: int = Field(
        default=0, description="Without a click of the website, new or not: not attributed to a page"
    )
    tests: int = Field(default=0, description="Test actions, which never count")
    rejected: list[RejectedImportLine] = Field(default=[], description="The first 100")
    rejected_count: int = 0
    delta: list[Amount] = Field(default=[], description="What the import changes in commissions, by currency")
    questions: list[ImportQuestion] = Field(default=[])
    code: str = Field(default="", description="Why it failed")
    message: str = ""


class NetworkConnection(ResponseModel):
    """A website's connection to the API of a network. Its credentials are never shown."""

    id: UUID
    website_id: UUID
    network: str
    schedule: PullSchedule
    currency: str | None = Field(description="Of the account, where the network's rows name none")
    partner_id: UUID | None = Field(description="Who pays rows of no known advertiser")
    is_refused: bool = Field(description="The network does not accept the credentials: enter new ones")
