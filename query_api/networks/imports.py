"""`GET /api/platform/networks/imports`: reports of networks, how far each is, and what it does, row by row."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope
from query_api.kernel.pagination import Page50
from schemas.http.money import Amount
from schemas.http.networks import NetworkImport
from schemas.http.report_imports import ImportQuestion, RejectedImportLine
from schemas.http.responses import ResponseModel

router = APIRouter(prefix="/api/platform/networks/imports", tags=["networks"], dependencies=[READS_OWN_WRITES])

MAX_REJECTED_SHOWN: Final = 100
RowKind = Literal["new", "changed", "unchanged", "unmatched", "rejected", "test"]


class NetworkImportDetails(NetworkImport):
    """An import with its file, its progress, and how the file is read."""

    website_id: UUID
    network: str
    partner_id: UUID | None
    as_of: datetime | None
    file_name: str
    file_size: int
    uploaded_at: datetime
    applied_at: datetime | None
    done: int = Field(description="Sales that count, or count no more, of those that it is about")
    total: int = Field(description="Rows of the file")
    mapping: dict[str, Any] = Field(description="What a person said about the file")
    layout: dict[str, Any] | None = Field(description="How the file is read")
    headers: list[str]
    sample: list[list[str]] = Field(description="The first rows, as text")
    notes: list[str] = Field(description="What is skipped, and why")


class NetworkImportRow(ResponseModel):
    """A row of a report. Of a rejected one: code, message and text."""

    line: int
    kind: RowKind
    is_unmatched: bool
    txid: str
    occurred_at: datetime | None
    partner: str
    order_ref: str
    status: str
    raw_status: str
    commission: str | None = Field(description="A decimal, as the network reports it")
    sale: str | None
    currency: str
    product: str
    click_id: str
    code: str
    message: str
    text: str


_IMPORTS: Final = (
    "SELECT i.*, coalesce(j.done, 0) AS done, coalesce(j.total, 0) AS total, j.layout, j.headers, j.sample, j.notes"
    " FROM read.network_imports AS i LEFT JOIN networks.import_job AS j ON j.import_id = i.id"
)
_LISTED: Final = (
    f"{_IMPORTS} WHERE i.website_id = ANY(%(websites)s)"
    " AND (%(at)s::timestamptz IS NULL OR (i.uploaded_at, i.id) < (%(at)s, %(last)s::uuid))"
    " ORDER BY i.uploaded_at DESC, i.id DESC LIMIT %(limit)s"
)
_REJECTED: Final = (
    "SELECT line, detail ->> 'code' AS code, detail ->> 'message' AS message FROM networks.import_row"  # noqa: S608 - own number
    f" WHERE import_id = %s AND kind = 'rejected' ORDER BY line LIMIT {MAX_REJECTED_SHOWN}"
)
_ROWS: Final = (
    "SELECT line, kind, is_unmatched, txid, detail FROM networks.import_row WHERE import_id = %(import)s"
    " AND (%(kind)s::text IS NULL OR kind = %(kind)s OR (%(kind)s = 'unmatched' AND is_unmatched"
    " AND kind NOT IN ('rejected', 'test'))) AND (%(last)s::int IS NULL OR line > %(last)s)"
    " ORDER BY line LIMIT %(limit)s"
)


@router.get("")
def get_network_imports(
    scope: CallerScope, page: Page50, website_id: Annotated[UUID | None, Query(alias="websiteId")] = None
) -> list[NetworkImportDetails]:
    """Imports of networks' reports, the newest first."""
    rows = page.rows(scope.reader, _LISTED, "uploaded_at", {"websites": scope.scope(website_id)})
    return [_details(row, []) for row in rows]


@router.get("/{id}")
def get_network_import(id: UUID, scope: CallerScope) -> NetworkImportDetails:
    """One import: the preview, the questions that are open, the progress."""
    row = scope.row(f"{_IMPORTS} WHERE i.id = %s", id, "import")
    return _details(row, [RejectedImportLine.of_row(each) for each in scope.reader.rows(_REJECTED, (id,))])


@router.get("/{id}/rows")
def get_network_import_rows(
    id: UUID, scope: CallerScope, page: Page50, kind: Annotated[RowKind | None, Query()] = None
) -> list[NetworkImportRow]:
    """The rows behind each number, in the order of the file."""
    scope.row(f"{_IMPORTS} WHERE i.id = %s", id, "import")
    (last,) = page.after(int)
    bound = {"import": id, "kind": kind, "last": last, "limit": page.limit + 1}
    return [_row(row) for row in page.take(scope.reader.rows(_ROWS, bound), "line")]


def _details(row: Mapping[str, Any], rejected: list[RejectedImportLine]) -> NetworkImportDetails:
    counts: Mapping[str, int] = row["counts"] or {}
    return NetworkImportDetails(
        import_id=row["id"],
        state=row["state"],
        **{name: counts.get(name, 0) for name in ("rows", "new", "changed", "unchanged", "unmatched", "tests")},
        rejected=rejected,
        rejected_count=counts.get("rejected", 0),
        delta=[Amount(**each) for each in row["delta"] or []],
        questions=[ImportQuestion(**each) for each in row["questions"] or []] if row["state"] == "asking" else [],
        code=row["code"],
        message=row["message"],
        website_id=row["website_id"],
        network=row["network"],
        partner_id=row["partner_id"],
        as_of=row["as_of"],
        file_name=row["file"]["name"],
        file_size=row["file"]["size"],
        uploaded_at=row["uploaded_at"],
        applied_at=row["applied_at"],
        done=row["done"],
        total=row["total"],
        mapping={name: value for name, value in row["mapping"].items() if value is not None},
        layout=row["layout"],
        headers=row["headers"] or [],
        sample=row["sample"] or [],
        notes=row["notes"] or [],
    )


def _row(row: Mapping[str, Any]) -> NetworkImportRow:
    detail: Mapping[str, Any] = row["detail"]
    texts = {
        name: detail.get(key) or ""
        for name, key in (
            ("partner", "partner"),
            ("order_ref", "orderRef"),
            ("status", "status"),
            ("raw_status", "rawStatus"),
            ("currency", "currency"),
            ("product", "product"),
            ("click_id", "clickId"),
            ("code", "code"),
            ("message", "message"),
            ("text", "text"),
        )
    }
    return NetworkImportRow(
        line=row["line"],
        kind=row["kind"],
        is_unmatched=row["is_unmatched"],
        txid=row["txid"],
        occurred_at=detail.get("occurredAt"),
        commission=detail.get("commission"),
        sale=detail.get("sale"),
        **texts,
    )
