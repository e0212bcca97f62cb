"""Which report each field of a conversion comes from, and the lines of networks' reports that have the sale.

The reports of its events are merged again, by the code that decided; a person's decision has no source here, it is in
the history.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

from pydantic import Field

from infra.domain.report_merging import CLAIM, merge
from query_api.conversions.routes import ConversionInFull
from query_api.kernel.postgres_reader import PostgresReader
from schemas.events.conversions import Reported
from schemas.http.responses import ResponseModel

SourcedField = Literal["amount", "payout", "status", "occurred_at", "click_id", "coupon", "customer"]
ReportSource = Literal["shop", "page", "network", "import"]
FIELDS: Final[tuple[SourcedField, ...]] = (
    "amount",
    "payout",
    "status",
    "occurred_at",
    "click_id",
    "coupon",
    "customer",
)
MAX_LINES: Final = 20


class FieldSource(ResponseModel):
    """The report that a field of the conversion comes from."""

    field: SourcedField
    source: ReportSource = Field(
        description="shop: its server; page: the site key; network: a postback; import: a network's file or API"
    )
    network: str | None = Field(description="Slug of the network whose report it is; null: the report does not say")
    at: datetime = Field(description="When the report was received")


class ImportedLine(ResponseModel):
    """A line of a network's report that has the sale and counts."""

    import_id: UUID
    file_name: str
    line: int
    uploaded_at: datetime


def field_sources(steps: Sequence[Mapping[str, Any]], conversion: ConversionInFull) -> list[FieldSource]:
    """The source of each field that a report names. `steps`: of `read.conversion_steps`, in their order. Reports from
    before reports were recorded are not known."""
    stored = [said for step in steps if (said := step["detail"].get("reported"))]
    reports = {report.report_id: report for report in (Reported.model_validate(said, strict=False) for said in stored)}
    if not reports:
        return []
    sources = merge(reports.values()).sources
    named = [(name, reports[sources[name]]) for name in FIELDS if name in sources]
    return [_source(name, report) for name, report in named if name != "status" or report.status == conversion.status]


def imported_lines(reader: PostgresReader, conversion: ConversionInFull) -> list[ImportedLine]:
    """The lines of applied imports that have the sale, those of the newest import first."""
    if not conversion.network:
        return []
    rows = reader.rows(_LINES, (conversion.website_id, conversion.network, conversion.network_txid))
    return [ImportedLine.of_row(row) for row in rows]


def _source(name: SourcedField, report: Reported) -> FieldSource:
    stated = report.network_sale
    return FieldSource(
        field=name, source=_kind(report), network=stated.network if stated else None, at=report.received_at
    )


def _kind(report: Reported) -> ReportSource:
    if report.network_sale is not None or report.reported_by == "import":
        return "import"
    if report.reported_by == "postback":
        return "network"
    return "page" if report.key_kind == CLAIM else "shop"


_LINES: Final = (
    "SELECT r.import_id, i.file ->> 'name' AS file_name, r.line, i.uploaded_at FROM networks.import_row AS r"  # noqa: S608 - own number
    " JOIN read.network_imports AS i ON i.id = r.import_id"
    " WHERE r.website_id = %s AND r.network = %s AND r.txid = %s AND r.is_applied"
    f" ORDER BY i.uploaded_at DESC, i.id, r.line LIMIT {MAX_LINES}"
)
