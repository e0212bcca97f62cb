"""From a record of topic `rejected` to a row of `refusals`; a refusal that was written twice counts once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

import msgspec

from infra.kernel.log import StoredRecord
from infra.kernel.subscriptions.dead_letters import FailedRecord
from projectors.engine.projection import Batch, DedupIndex
from projectors.rollups.event_rows import FIRST_YEAR, LAST_YEAR
from schemas.tracking import Outcome

_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - log times are UTC without saying so
_SAME: Final = bytes(8)


class Row(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """`schemas.tracking.Refusal` as msgspec checks it; a unit test holds the two together."""

    id: UUID
    at: datetime
    outcome: Outcome
    code: str
    message: str
    endpoint: str
    website_id: UUID = UUID(int=0)
    key_kind: str = ""
    count: Annotated[int, msgspec.Meta(ge=1, lt=2**32)] = 1
    sample: str = ""
    partner: str = ""
    report_id: UUID = UUID(int=0)


_decode: Final = msgspec.json.Decoder(Row).decode


def to_rows(records: Sequence[StoredRecord], known: DedupIndex, batch: Batch) -> None:
    """Rows of `refusals` (`projection.RowMaker`)."""
    decoded: list[tuple[StoredRecord, Row]] = []
    for record in records:
        try:
            row = _decode(record.value)
            if row.at.tzinfo is not None or not FIRST_YEAR <= row.at.year <= LAST_YEAR:
                raise msgspec.ValidationError("`at` is UTC text, YYYY-MM-DD hh:mm:ss.mmm, from 1970 to 2105")
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            batch.bad.append(FailedRecord(record, "invalid", f"{type(error).__name__}: {error}"))
        else:
            decoded.append((record, row))
    known.load([row.id.bytes + row.website_id.bytes for _, row in decoded])
    for record, row in decoded:
        at = int((row.at - _EPOCH).total_seconds())
        if known.check(row.id.bytes + row.website_id.bytes, record.offset, _SAME, at) is None:
            line = record.value.rstrip()[:-1]
            place = (record.topic.encode(), record.partition, record.offset)
            batch.rows.append(line + b',"_topic":"%b","_partition":%d,"_offset":%d}' % place)
            batch.offsets.append(record.offset)
