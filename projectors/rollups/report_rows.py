"""From a record of topic `conversions` to a row of `conversion_reports`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from infra.kernel.log import StoredRecord
from infra.kernel.subscriptions.dead_letters import FailedRecord
from projectors.engine.projection import Batch, DedupIndex
from projectors.rollups.event_rows import FIRST_YEAR, LAST_YEAR
from schemas.tracking import NO_ID, Outcome

CONFLICT: Final = "conflict"
"""The outcome of a report that `refusals` counts as invalid."""

_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - log times are UTC without saying so
_SAME: Final = bytes(8)


class Row(msgspec.Struct, gc=False):
    """The fields of `schemas.tracking.ConversionReported` that a row has."""

    report_id: UUID
    website_id: UUID
    received_at: datetime
    reported_by: str
    key_kind: str = ""
    partner_id: UUID = NO_ID
    is_conflict: bool = False


_decode: Final = msgspec.json.Decoder(Row).decode


def to_rows(records: Sequence[StoredRecord], known: DedupIndex, batch: Batch) -> None:
    """Rows of `conversion_reports` (`projection.RowMaker`)."""
    decoded: list[tuple[StoredRecord, Row]] = []
    for record in records:
        try:
            row = _decode(record.value)
            if row.received_at.tzinfo is not None or not FIRST_YEAR <= row.received_at.year <= LAST_YEAR:
                raise msgspec.ValidationError("`received_at` is UTC text, YYYY-MM-DD hh:mm:ss.mmm, from 1970 to 2105")
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            batch.bad.append(FailedRecord(record, "invalid", f"{type(error).__name__}: {error}"))
        else:
            decoded.append((record, row))
    known.load([_key(row) for _, row in decoded])
    for record, row in decoded:
        at = int((row.received_at - _EPOCH).total_seconds())
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
        }
        batch.rows.append(msgspec.json.encode(line))
        batch.offsets.append(record.offset)


def outcome_of(*, is_conflict: bool, is_repeat: bool) -> str:
    """The outcome of a report in the log; a conflict is one each time it is sent."""
    if is_conflict:
        return CONFLICT
    return str(Outcome.DUPLICATE) if is_repeat else str(Outcome.ACCEPTED)


def _key(row: Row) -> bytes:
    return row.report_id.bytes + row.website_id.bytes
