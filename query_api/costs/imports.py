"""`GET /api/platform/costs/imports`: files of costs, where each import stands, and what it does, line by line."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope
from query_api.kernel.pagination import Page50
from schemas.http.costs import CostImport
from schemas.http.money import Amount
from schemas.http.report_imports import ImportQuestion, RejectedImportLine
from schemas.http.responses import ResponseModel

router = APIRouter(prefix="/api/platform/costs/imports", tags=["costs"], dependencies=[READS_OWN_WRITES])

MAX_REJECTED_SHOWN: Final = 100
RowKind = Literal["new", "changed", "unchanged", "rejected"]


class CostImportDetails(CostImport):
    """An import with its file, and how the file is read."""

    website_id: UUID
    platform: str
    file_name: str
    file_size: int
    uploaded_at: datetime
    applied_at: datetime | None
    mapping: dict[str, Any] = Field(description="What a person said about the file")
    layout: dict[str, Any] | None = Field(description="How the file is read")
    headers: list[str]
    sample: list[list[str]] = Field(description="The first rows, as text")
    notes: list[str] = Field(description="What is skipped, and why")


class CostImportRow(ResponseModel):
    """The cost of a day and of some traffic in a file. Of a rejected line: code, message and text."""

    line: int = Field(description="The first one of the file that is about it")
    lines: int = Field(description="Lines that add up to it")
    kind: RowKind
    day: date | None
    source: str | None
    campaign: str | None
    term: str | None
    content: str | None
    amount: Amount | None
    worth: Amount | None = Field(description="In the website's currency")
    code: str
    message: str
    text: str


_IMPORTS: Final = (
    "SELECT i.*, l.layout, l.headers, l.sample, l.notes"
    " FROM read.cost_imports AS i LEFT JOIN costs.import_layout AS l ON l.import_id = i.id"
)
_LISTED: Final = (
    f"{_IMPORTS} WHERE i.website_id = ANY(%(websites)s)"
    " AND (%(at)s::timestamptz IS NULL OR (i.uploaded_at, i.id) < (%(at)s, %(last)s::uuid))"
    " ORDER BY i.uploaded_at DESC, i.id DESC LIMIT %(limit)s"
)
_REJECTED: Final = (
    "SELECT line, code, message FROM costs.import_row"  # noqa: S608 - own number
    f" WHERE import_id = %s AND kind = 'rejected' ORDER BY line LIMIT {MAX_REJECTED_SHOWN}"
)
_ROWS: Final = (
    "SELECT line, lines, kind, day, source, campaign, term, content, amount, currency, worth, worth_currency, code,"
    " message, text FROM costs.import_row WHERE import_id = %(import)s AND (%(kind)s::text IS NULL OR kind = %(kind)s)"
    " AND (%(last)s::int IS NULL OR line > %(last)s) ORDER BY line LIMIT %(limit)s"
)


@router.get("")
def get_cost_imports(
    scope: CallerScope, page: Page50, website_id: Annotated[UUID | None, Query(alias="websiteId")] = None
) -> list[CostImportDetails]:
    """Imports of costs, the newest first."""
    rows = page.rows(scope.reader, _LISTED, "uploaded_at", {"websites": scope.scope(website_id)})
    return [_details(row, []) for row in rows]


@router.get("/{id}")
def get_cost_import(id: UUID, scope: CallerScope) -> CostImportDetails:
    """One import: the preview, and the questions that are open."""
    row = scope.row(f"{_IMPORTS} WHERE i.id = %s", id, "import")
    return _details(row, [RejectedImportLine.of_row(each) for each in scope.reader.rows(_REJECTED, (id,))])


@router.get("/{id}/rows")
def get_cost_import_rows(
    id: UUID, scope: CallerScope, page: Page50, kind: Annotated[RowKind | None, Query()] = None
) -> list[CostImportRow]:
    """The days and traffic behind each number, in the order of the file."""
    scope.row(f"{_IMPORTS} WHERE i.id = %s", id, "import")
    (last,) = page.after(int)
    bound = {"import": id, "kind": kind, "last": last, "limit": page.limit + 1}
    return [_row(row) for row in page.take(scope.reader.rows(_ROWS, bound), "line")]


def _details(row: Mapping[str, Any], rejected: list[RejectedImportLine]) -> CostImportDetails:
    counts: Mapping[str, int] = row["counts"] or {}
    return CostImportDetails(
        import_id=row["id"],
        state=row["state"],
        **{name: counts.get(name, 0) for name in ("rows", "new", "changed", "unchanged")},
        rejected=rejected,
        rejected_count=counts.get("rejected", 0),
        delta=[Amount(**each) for each in row["delta"] or []],
        questions=[ImportQuestion(**each) for each in row["questions"] or []] if row["state"] == "asking" else [],
        code=row["code"],
        message=row["message"],
        website_id=row["website_id"],
        platform=row["platform"],
        file_name=row["file"]["name"],
        file_size=row["file"]["size"],
        uploaded_at=row["uploaded_at"],
        applied_at=row["applied_at"],
        mapping={name: value for name, value in row["mapping"].items() if value is not None},
        layout=row["layout"],
        headers=row["headers"] or [],
        sample=row["sample"] or [],
        notes=row["notes"] or [],
    )


def _row(row: Mapping[str, Any]) -> CostImportRow:
    return CostImportRow(
        **{name: row[name] for name in ("line", "lines", "kind", "day", "code", "message", "text")},
        **{name: row[name] or None for name in ("source", "campaign", "term", "content")},
        amount=_amount(row["amount"], row["currency"]),
        worth=_amount(row["worth"], row["worth_currency"]),
    )


def _amount(minor: int | None, currency: str | None) -> Amount | None:
    return None if minor is None or currency is None else Amount(amount=minor, currency=currency)
