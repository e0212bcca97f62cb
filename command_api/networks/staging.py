"""The staged lines of imports, and what was stated about each sale: schema `networks`.

`process` reads a file into `import_row`, compares each sale with its recorded state, lets the lines count or not, and
keeps in `stated_sale` the reports for topic `conversions`. A change of lines and what follows from it for their sales
is one transaction; a report that may not be in the log is published again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import islice
from typing import Any, Final, LiteralString
from uuid import UUID

from psycopg import Connection
from psycopg.types.json import Jsonb

from command_api.networks.reading.rows import NetworkRow, ReportInspection, ReportStatus
from command_api.networks.sales import SaleLine
from infra.domain.report_files.layouts import RejectedLine
from schemas.events.networks import ImportCounts
from schemas.tracking import ConversionReported

SALES: Final = 2_000
"""Sales that are compared at a time."""
COPIED_ROWS: Final = 2_000
UNPUBLISHED: Final = 2_000
"""Statements that are published again at a time."""
MAX_REJECTED_SHOWN: Final = 100
REJECTED_LINES: Final[LiteralString] = (
    "SELECT line, detail ->> 'code', detail ->> 'message' FROM networks.import_row"
    " WHERE import_id = %s AND kind = 'rejected' ORDER BY line LIMIT %s"
)
REJECTED: Final = "rejected"
TEST: Final = "test"

FILES: Final = ("networks", "import_file")
"""The table of the files' parts."""

Rows = Connection[Any]


@dataclass(frozen=True, slots=True)
class Job:
    """How far the work on an import is. `awaited`: next offset by partition of topic `conversions`."""

    order: int
    done: int
    total: int
    awaited: Mapping[int, int]


def job(connection: Rows, import_id: UUID) -> Job:
    """Raises `LookupError` for an import that is not stored."""
    row = connection.execute(_JOB, (import_id,)).fetchone()
    if row is None:
        raise LookupError(f"no import {import_id}")
    order, done, total, awaited = row
    return Job(order, done, total, {int(partition): offset for partition, offset in (awaited or {}).items()})


@dataclass(frozen=True, slots=True)
class StagedRow:
    """A line with what follows from it. `kind`: `rejected`, `test`, or what the preview will say."""

    line: int
    txid: str
    group: str
    kind: str
    is_unmatched: bool
    detail: Mapping[str, Any]


def staged(row: NetworkRow, line: SaleLine) -> StagedRow:
    """The line of a row that can count."""
    detail = {
        "lineKey": line.line_key,
        "occurredAt": line.occurred_at.isoformat(),
        "hasTime": line.has_time,
        "commission": str(line.commission),
        "sale": None if line.sale is None else str(line.sale),
        "currency": line.currency,
        "status": line.status.value,
        "rawStatus": row.raw_status,
        "updatedAt": _text(line.updated_at),
        "statedAt": _text(line.stated_at),
        "isCorrection": line.is_correction,
        "processedAt": _text(line.processed_at),
        "isAmended": line.is_amended,
        "isLead": line.is_lead,
        "isBonus": row.is_bonus,
        "orderRef": line.order_ref,
        "partnerId": str(line.partner_id) if line.partner_id else None,
        "partner": row.partner_name or row.partner_ref,
        "clickId": line.click_id,
        "clickRef": "" if line.click_id else row.click_ref[:200],
        "product": row.product[:200],
        "reason": row.decline_reason[:200],
    }
    kind = TEST if row.is_test else "new"
    return StagedRow(row.line, row.txid, line.group, kind, not line.click_id, _without_nul(detail))


def refused(line: RejectedLine) -> StagedRow:
    """The line of what cannot count."""
    detail = {"code": line.code, "message": line.message, "text": line.text}
    return StagedRow(line.line, "", "", REJECTED, is_unmatched=False, detail=_without_nul(detail))


DELETE_ENDED: Final = (
    "DELETE FROM networks.import_file WHERE import_id = %s",
    "DELETE FROM networks.import_row WHERE import_id = %s AND kind <> 'rejected'",
)
"""Statements that delete what is stored of an import that counts no more, but for its rejected rows."""


def replace_rows(
    connection: Rows, import_id: UUID, website_id: UUID, network: str, rows: Iterable[StagedRow]
) -> tuple[int, datetime | None]:
    """Stores the lines of a file in place of those that there are. Returns their number and the latest time that
    they name."""
    connection.execute("DELETE FROM networks.import_row WHERE import_id = %s", (import_id,))
    order = job(connection, import_id).order
    count, latest = 0, ""
    for batch in _batches(rows):  # each is a statement of its own, which has a time limit
        with connection.cursor().copy(_COPY) as copy:
            copy.set_types(("uuid", "int4", "uuid", "int8", "text", "text", "text", "text", "bool", "jsonb"))
            for row in batch:
                copy.write_row(
                    (
                        import_id,
                        row.line,
                        website_id,
                        order,
                        network,
                        row.txid,
                        row.group,
                        row.kind,
                        row.is_unmatched,
                        Jsonb(row.detail),
                    )
                )
                latest = max(latest, row.detail.get("updatedAt") or row.detail.get("occurredAt") or "")
        count += len(batch)
    return count, datetime.fromisoformat(latest) if latest else None


def rows_with_sub_ids(
    connection: Rows, import_id: UUID, after: int, limit: int
) -> list[tuple[int, str, UUID, datetime]]:
    """The next rows behind line `after` that have a sub id and no click id: line, sub id, partner, time."""
    return connection.execute(_WITH_SUB_IDS, (import_id, after, limit)).fetchall()


def set_clicks(connection: Rows, import_id: UUID, click_ids: Mapping[int, str]) -> None:
    """Stores the click ids of these lines."""
    connection.execute(_SET_CLICKS, (list(click_ids), list(click_ids.values()), import_id))


def reject_conflicts(connection: Rows, import_id: UUID) -> None:
    """Rejects lines that state the same part of a sale at the same moment as an earlier line, with another amount."""
    connection.execute(_CONFLICTS, (import_id, import_id))


def _batches(rows: Iterable[StagedRow]) -> Iterator[list[StagedRow]]:
    left = iter(rows)
    while batch := list(islice(left, COPIED_ROWS)):
        yield batch


def lines_of(
    connection: Rows, website_id: UUID, network: str, txids: Sequence[str], with_import: UUID | None
) -> dict[str, list[tuple[UUID, bool, SaleLine]]]:
    """The lines of each sale that count, and those of `with_import`: its import, whether it counts, and the line."""
    found: dict[str, list[tuple[UUID, bool, SaleLine]]] = {txid: [] for txid in txids}
    rows = connection.execute(_LINES, (website_id, network, list(txids), with_import))
    for txid, import_id, order, line, group, is_applied, detail, file_at in rows:
        found[txid].append((import_id, is_applied, sale_line(order, line, group, detail, file_at)))
    return found


def sale_line(order: int, line: int, group: str, detail: Mapping[str, Any], file_at: datetime | None) -> SaleLine:
    """The line of a staged row."""
    return SaleLine(
        order=order,
        line=line,
        line_key=detail["lineKey"],
        occurred_at=datetime.fromisoformat(detail["occurredAt"]),
        has_time=detail["hasTime"],
        commission=Decimal(detail["commission"]),
        currency=detail["currency"],
        status=ReportStatus(detail["status"]),
        updated_at=_time(detail["updatedAt"]),
        stated_at=_time(detail["statedAt"]),
        file_at=file_at,
        sale=None if detail["sale"] is None else Decimal(detail["sale"]),
        is_correction=detail["isCorrection"],
        processed_at=_time(detail["processedAt"]),
        is_amended=detail["isAmended"],
        is_lead=detail["isLead"],
        group=group,
        order_ref=detail["orderRef"],
        partner_id=UUID(detail["partnerId"]) if detail["partnerId"] else None,
        click_id=detail["clickId"],
    )


def newest_imports(
    connection: Rows, website_id: UUID, network: str, groups: Sequence[str], import_id: UUID, *, applies: bool
) -> tuple[dict[str, int], dict[str, int]]:
    """The import (by its order) that counts for each group: among those that are applied, and once `import_id` is or,
    without `applies`, is not any more."""
    before: dict[str, tuple[datetime, int]] = {}
    after: dict[str, tuple[datetime, int]] = {}
    if not groups:
        return {}, {}
    for group, of_import, order, at, is_applied in connection.execute(
        _GROUPS, (website_id, network, list(groups), import_id)
    ):
        counts_then = applies if of_import == import_id else is_applied
        for best, counts in ((before, is_applied), (after, counts_then)):
            if counts:
                best[group] = max(best.get(group, (at, order)), (at, order))
    return {group: order for group, (_, order) in before.items()}, {group: n for group, (_, n) in after.items()}


@dataclass(frozen=True, slots=True)
class StatedSale:
    """The last statement about a sale."""

    report: ConversionReported
    commission: Decimal
    currency: str
    is_gone: bool


def stated_of(connection: Rows, website_id: UUID, network: str, txids: Sequence[str]) -> dict[str, StatedSale]:
    """Returns the last statements about these sales."""
    rows = connection.execute(_STATED, (website_id, network, list(txids)))
    return {
        txid: StatedSale(ConversionReported.model_validate(report), commission, currency, is_gone)
        for txid, report, commission, currency, is_gone in rows
    }


def state(connection: Rows, website_id: UUID, network: str, sales: Mapping[str, StatedSale]) -> None:
    """Keeps what is to be published about these sales."""
    if not sales:
        return
    revision = [one.report.network_sale.revision if one.report.network_sale else 0 for one in sales.values()]
    reports = f"[{','.join(one.report.model_dump_json() for one in sales.values())}]"
    commission, currency = [one.commission for one in sales.values()], [one.currency for one in sales.values()]
    gone = [one.is_gone for one in sales.values()]
    connection.execute(_STATE, (website_id, network, list(sales), revision, commission, currency, gone, reports))


def keep_inspection(connection: Rows, import_id: UUID, inspection: ReportInspection) -> None:
    """Keeps how the file is read, to be shown."""
    layout = inspection.layout.model_dump(mode="json")
    values = (layout, list(inspection.headers), [list(row) for row in inspection.sample], list(inspection.notes))
    connection.execute(_INSPECTED, (*(Jsonb(_clean(value)) for value in values), import_id))


def sales_of(connection: Rows, import_id: UUID, after: str) -> tuple[list[str], bool]:
    """The next sales of an import in the order of their ids; and whether it replaces groups."""
    rows = connection.execute(_SALES, (import_id, after, SALES)).fetchall()
    [(has_groups,)] = connection.execute(_HAS_GROUPS, (import_id,)).fetchall()
    return [txid for (txid,) in rows], has_groups


def superseded(connection: Rows, import_id: UUID) -> list[str]:
    """Sales of groups of the import that only earlier imports have: they count no more."""
    return [txid for (txid,) in connection.execute(_SUPERSEDED, {"import": import_id, "groups": None})]


def set_kinds(connection: Rows, import_id: UUID, kinds: Mapping[str, str]) -> None:
    """Marks the rows of each sale with what the import does to it."""
    connection.execute(_KINDS, (list(kinds), list(kinds.values()), import_id))


def counted(connection: Rows, import_id: UUID) -> ImportCounts:
    """The rows by kind."""
    rows = connection.execute(_COUNTS, (import_id,)).fetchall()
    kinds = {kind: count for kind, count, _ in rows}
    return ImportCounts(
        rows=sum(kinds.values()),
        unmatched=sum(unmatched for kind, _, unmatched in rows if kind not in (REJECTED, TEST)),
        tests=kinds.get(TEST, 0),
        **{kind: kinds.get(kind, 0) for kind in ("new", "changed", "unchanged", REJECTED)},
    )


def next_sales(connection: Rows, import_id: UUID, limit: int, *, is_applied: bool) -> list[str]:
    """The next sales with rows that count (`is_applied`) or do not yet; all of a group together."""
    txids = [txid for (txid,) in connection.execute(_NEXT, (import_id, import_id, is_applied, limit))]
    if not txids:
        return []
    connection.execute(_DONE_UNTIL, (txids[-1], import_id))
    of_groups = [txid for (txid,) in connection.execute(_OF_GROUPS, (import_id, import_id, txids))]
    return sorted({*txids, *of_groups})


def affected(connection: Rows, import_id: UUID, txids: Sequence[str]) -> list[str]:
    """These sales, and those that earlier imports have in the same groups."""
    groups = [group for (group,) in connection.execute(_GROUPS_OF, (import_id, list(txids)))]
    if not groups:
        return list(txids)
    others = connection.execute(_SUPERSEDED, {"import": import_id, "groups": groups})
    return sorted({*txids, *(txid for (txid,) in others)})


def let_count(connection: Rows, import_id: UUID, txids: Sequence[str], *, is_applied: bool) -> None:
    """Lets the import's rows of these sales count, or not."""
    connection.execute(_LET_COUNT, (is_applied, import_id, list(txids)))


def unpublished(connection: Rows, website_id: UUID, network: str) -> list[ConversionReported]:
    """Returns the first statements that may not be in the log, at most `UNPUBLISHED`."""
    rows = connection.execute(_UNPUBLISHED, (website_id, network, UNPUBLISHED))
    return [ConversionReported.model_validate(report) for (report,) in rows]


def published(connection: Rows, website_id: UUID, network: str, reports: Sequence[ConversionReported]) -> None:
    """Notes that the log has these reports, unless something else was stated since."""
    txids = [report.network_sale.txid for report in reports if report.network_sale is not None]
    stated = [report.network_sale.revision for report in reports if report.network_sale is not None]
    connection.execute(_PUBLISHED, (txids, stated, website_id, network))


def await_decision(connection: Rows, import_id: UUID, awaited: Mapping[int, int], count: int) -> None:
    """Notes up to where the log has reports of the import, and how many sales are done."""
    ends = {str(partition): offset for partition, offset in awaited.items()}
    connection.execute(_AWAIT, (count, Jsonb(ends), import_id))


def revisions(connection: Rows, count: int) -> list[int]:
    """The next revisions, in ascending order."""
    return [row[0] for row in connection.execute(_REVISIONS, (count,))] if count else []


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def _without_nul(detail: dict[str, Any]) -> dict[str, Any]:
    return {name: value.replace("\x00", "") if isinstance(value, str) else value for name, value in detail.items()}


def _clean(value: Any) -> Any:
    """The value without NULs, which Postgres cannot store."""
    if isinstance(value, str):
        return value.replace("\x00", "")
    if isinstance(value, list):
        return [_clean(each) for each in value]
    if isinstance(value, dict):
        return {_clean(name): _clean(each) for name, each in value.items()}
    return value


_JOB: Final = "SELECT import_order, done, total, awaited FROM networks.import_job WHERE import_id = %s"
_COPY: Final = (
    "COPY networks.import_row (import_id, line, website_id, import_order, network, txid, group_key, kind, is_unmatched,"
    " detail) FROM STDIN (FORMAT BINARY)"
)
_WITH_SUB_IDS: Final = (
    "SELECT line, detail ->> 'clickRef', (detail ->> 'partnerId')::uuid, (detail ->> 'occurredAt')::timestamptz"
    " FROM networks.import_row WHERE import_id = %s AND line > %s AND is_unmatched AND kind = 'new'"
    " AND detail ->> 'clickRef' <> '' AND detail ->> 'partnerId' IS NOT NULL ORDER BY line LIMIT %s"
)
_SET_CLICKS: Final = (
    "UPDATE networks.import_row AS r SET is_unmatched = false, detail = r.detail || jsonb_build_object('clickId',"
    " named.click_id, 'clickRef', '') FROM unnest(%s::int[], %s::text[]) AS named (line, click_id)"
    " WHERE r.import_id = %s AND r.line = named.line"
)
_CONFLICTS: Final = (
    "UPDATE networks.import_row AS r SET kind = 'rejected', txid = '', is_unmatched = false,"
    " detail = jsonb_build_object('code', 'conflicting_lines', 'message', 'Line ' || d.first_line ||"
    " ' has the same transaction id with another amount.', 'text', r.txid)"
    " FROM (SELECT line, first_value(line) OVER same AS first_line, first_value(commission) OVER same AS commission,"
    " first_value(sale) OVER same AS sale, first_value(currency) OVER same AS currency FROM (SELECT line, txid,"
    " (detail ->> 'commission')::numeric AS commission, (detail ->> 'sale')::numeric AS sale,"
    " detail ->> 'currency' AS currency, detail FROM networks.import_row WHERE import_id = %s AND kind = 'new'"
    " AND group_key = '' AND NOT (detail ->> 'isCorrection')::boolean) AS lines"
    " WINDOW same AS (PARTITION BY txid, detail ->> 'lineKey', detail ->> 'updatedAt', detail ->> 'status',"
    " detail ->> 'isAmended' ORDER BY line)) AS d WHERE r.import_id = %s AND r.line = d.line"
    " AND (d.commission, d.sale, d.currency) IS DISTINCT FROM ((r.detail ->> 'commission')::numeric,"
    " (r.detail ->> 'sale')::numeric, r.detail ->> 'currency')"
)
_LINES: Final = (
    "SELECT r.txid, r.import_id, r.import_order, r.line, r.group_key, r.is_applied, r.detail, j.stated_at"
    " FROM networks.import_row AS r JOIN networks.import_job AS j USING (import_id)"
    " WHERE r.website_id = %s AND r.network = %s AND r.txid = ANY(%s) AND (r.is_applied OR r.import_id = %s)"
    " AND r.kind NOT IN ('rejected', 'test') ORDER BY r.txid, r.import_order, r.line"
)
_GROUPS: Final = (
    "SELECT r.group_key, r.import_id, r.import_order, coalesce(j.stated_at, to_timestamp(0)), bool_or(r.is_applied)"
    " FROM networks.import_row AS r JOIN networks.import_job AS j USING (import_id)"
    " WHERE r.website_id = %s AND r.network = %s AND r.group_key = ANY(%s) AND (r.is_applied OR r.import_id = %s)"
    " GROUP BY 1, 2, 3, 4"
)
_STATED: Final = (
    "SELECT txid, report, commission, currency, is_gone FROM networks.stated_sale"
    " WHERE website_id = %s AND network = %s AND txid = ANY(%s)"
)
_STATE: Final = (
    "INSERT INTO networks.stated_sale (website_id, network, txid, revision, report, commission, currency, is_gone)"
    " SELECT %s, %s, s.txid, s.revision, r.report, s.commission, s.currency, s.is_gone"
    " FROM unnest(%s::text[], %s::bigint[], %s::numeric[], %s::text[], %s::bool[])"
    " WITH ORDINALITY AS s (txid, revision, commission, currency, is_gone, place)"
    " JOIN jsonb_array_elements(%s::jsonb) WITH ORDINALITY AS r (report, place) USING (place)"
    " ON CONFLICT (website_id, network, txid) DO UPDATE SET revision = excluded.revision, report = excluded.report,"
    " commission = excluded.commission, currency = excluded.currency, is_gone = excluded.is_gone, is_published = false"
)
_INSPECTED: Final = (
    "UPDATE networks.import_job SET layout = %s, headers = %s, sample = %s, notes = %s WHERE import_id = %s"
)
_SALES: Final = (
    "SELECT DISTINCT txid FROM networks.import_row WHERE import_id = %s AND txid > %s"
    " AND kind NOT IN ('rejected', 'test') ORDER BY txid LIMIT %s"
)
_HAS_GROUPS: Final = "SELECT EXISTS (SELECT FROM networks.import_row WHERE import_id = %s AND group_key <> '')"
_SUPERSEDED: Final = (
    "SELECT DISTINCT r.txid FROM networks.import_row AS r JOIN (SELECT DISTINCT website_id, network, group_key"
    " FROM networks.import_row WHERE import_id = %(import)s AND group_key <> ''"
    " AND (%(groups)s::text[] IS NULL OR group_key = ANY(%(groups)s))) AS own USING (website_id, network, group_key)"
    " WHERE r.import_id <> %(import)s AND r.is_applied AND NOT EXISTS (SELECT FROM networks.import_row AS mine"
    " WHERE mine.import_id = %(import)s AND mine.txid = r.txid) ORDER BY r.txid"
)
_KINDS: Final = (
    "UPDATE networks.import_row AS r SET kind = said.kind FROM unnest(%s::text[], %s::text[]) AS said (txid, kind)"
    " WHERE r.import_id = %s AND r.txid = said.txid AND r.kind NOT IN ('rejected', 'test', said.kind)"
)
_COUNTS: Final = (
    "SELECT kind, count(*), count(*) FILTER (WHERE is_unmatched) FROM networks.import_row"
    " WHERE import_id = %s GROUP BY 1"
)
_DONE_UNTIL: Final = "UPDATE networks.import_job SET done_until = %s WHERE import_id = %s"
_NEXT: Final = (
    "SELECT DISTINCT txid FROM networks.import_row WHERE import_id = %s"
    " AND txid > (SELECT done_until FROM networks.import_job WHERE import_id = %s) AND is_applied = %s"
    " AND kind NOT IN ('rejected', 'test') ORDER BY txid LIMIT %s"
)
_OF_GROUPS: Final = (
    "SELECT DISTINCT txid FROM networks.import_row WHERE import_id = %s AND group_key IN (SELECT group_key"
    " FROM networks.import_row WHERE import_id = %s AND txid = ANY(%s) AND group_key <> '')"
)
_GROUPS_OF: Final = (
    "SELECT DISTINCT group_key FROM networks.import_row WHERE import_id = %s AND txid = ANY(%s) AND group_key <> ''"
)
_LET_COUNT: Final = (
    "UPDATE networks.import_row SET is_applied = %s WHERE import_id = %s AND txid = ANY(%s)"
    " AND kind NOT IN ('rejected', 'test')"
)
_UNPUBLISHED: Final = (
    "SELECT report FROM networks.stated_sale WHERE website_id = %s AND network = %s AND NOT is_published"
    " ORDER BY revision LIMIT %s"
)
_PUBLISHED: Final = (
    "UPDATE networks.stated_sale AS s SET is_published = true FROM unnest(%s::text[], %s::bigint[])"
    " AS said (txid, revision) WHERE s.website_id = %s AND s.network = %s AND s.txid = said.txid"
    " AND s.revision = said.revision"
)
_AWAIT: Final = (
    "UPDATE networks.import_job AS j SET done = j.done + %s, awaited = (SELECT jsonb_object_agg(key, value) FROM"
    " (SELECT key, max(value::bigint) AS value FROM (SELECT * FROM jsonb_each_text(coalesce(j.awaited, '{}'))"
    " UNION ALL SELECT * FROM jsonb_each_text(%s)) AS each GROUP BY key) AS both_of) WHERE import_id = %s"
)
_REVISIONS: Final = "SELECT nextval('networks.revision') FROM generate_series(1, %s)"
