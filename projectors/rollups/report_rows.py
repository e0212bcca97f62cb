"""From a record of topic `conversions` to a row of `conversion_reports`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from infra.kernel.log import StoredRecord
from projectors.engine.projection import Batch, DedupIndex
from projectors.rollups.timed_records import decoded, unix_seconds
from schemas.tracking import NO_ID, Outcome

CONFLICT: Final = "conflict"
"""The outcome of a report that `refusals` counts as invalid."""

_SAME: Final = bytes(8)


class ReportRow(msgspec.Struct, gc=False):
    """The fields of `schemas.tracking.ConversionReported` that a row has."""

    report_id: UUID
    website_id: UUID
    received_at: datetime
    reported_by: str
    key_kind: str = ""
    partner_id: UUID = NO_ID
    is_conflict: bool = False


_decode: Final = msgspec.json.Decoder(ReportRow).decode


def to_rows(records: Sequence[StoredRecord], known: DedupIndex, batch: Batch) -> None:
    """Makes the rows of `conversion_reports` (`projection.RowMaker`)."""
    entries = decoded(records, _decode, "received_at", batch)
    known.load([_key(each.row) for each in entries])
    for record, _, number, row in entries:
        at = unix_seconds(row.received_at)
        is_repeat = known.check(_key(row), record.offset, _SAME, at) is not None
        line = {
            "report_id": row.report_id,
            "website_id": row.website_id,
            "received_at": f"{row.received_at:%Y-%m-%d %H:%M:%S}.{row.received_at.microsecond // 1000:03d}",
            "reported_by": row.reported_by,
            "key_kind": row.key_kind,
            "partner_id": row.partner_id,
            "outcome": outcome_of(is_conflict=row.is_conflict, is_repeat=is_repeat),
            "_topic": record.topic,
            "_partition": record.partition,
            "_offset": record.offset,
            "_text_key": number,
        }
        batch.rows.append(msgspec.json.encode(line))
        batch.offsets.append(record.offset)


def outcome_of(*, is_conflict: bool, is_repeat: bool) -> str:
    """The outcome of a report in the log; a conflict is one each time it is sent."""
    if is_conflict:
        return CONFLICT
    return str(Outcome.DUPLICATE) if is_repeat else str(Outcome.ACCEPTED)


def _key(row: ReportRow) -> bytes:
    return row.report_id.bytes + row.website_id.bytes
