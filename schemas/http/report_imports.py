"""Parts of the responses about imports, of networks' reports and of costs."""

from __future__ import annotations

from schemas.http.responses import ResponseModel


class RejectedImportLine(ResponseModel):
    """A line of a report that cannot count, and why."""

    line: int
    code: str
    message: str


class ImportQuestion(ResponseModel):
    """What a report leaves open; `field` is the part of the mapping that answers it."""

    field: str
    message: str
    choices: list[str]
