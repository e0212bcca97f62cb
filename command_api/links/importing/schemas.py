"""Bodies and answers of the calls that import links."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from command_api.kernel.http import RequestModel
from command_api.links.importing.files import MAX_CHARACTERS, MAX_LINES
from command_api.links.schemas import Id
from schemas.http.responses import ResponseModel

ImportOutcome = Literal["new", "changed", "unchanged", "refused"]


class ImportLinks(RequestModel):
    """A CSV file of links: all lines are imported, or none."""

    website_id: Annotated[Id, Field(description="Of lines that name no website")]
    csv: Annotated[str, Field(max_length=MAX_CHARACTERS, description=f"At most {MAX_LINES:,} lines")]
    updates_existing: Annotated[
        bool, Field(description="A line with the slug of an own link changes that link; else the slug is taken")
    ] = False


class PlannedImportLine(ResponseModel):
    """The outcome of a line (from 1, the header), and why it is refused."""

    line: int
    slug: str
    outcome: ImportOutcome
    destination: Annotated[str | None, Field(description="Where the link leads afterwards")]
    columns: Annotated[list[str], Field(description="Changed: what changes; refused: the column, if it is one")]
    message: str | None


class LinkImportPlan(ResponseModel):
    """What an import would do: each line, refused ones first."""

    created: int
    changed: int
    unchanged: int
    refused: Annotated[int, Field(description="Lines; with one of them nothing is imported")]
    lines: list[PlannedImportLine]


class ImportedLinks(ResponseModel):
    """What an import did."""

    created: int
    changed: int
    unchanged: int
