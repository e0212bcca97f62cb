"""From a record of topic `rejected` to a row of `refusals`; a refusal that was written twice counts once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
import orjson
from psycopg import Connection

from infra.kernel.log import StoredRecord
from projectors.engine.projection import Batch, DedupIndex
from projectors.rollups.timed_records import decoded, unix_seconds
from schemas.tracking import Outcome

_SAME: Final = bytes(8)
_NONE: Final[frozenset[UUID]] = frozenset()


class RefusalRow(msgspec.Struct, forbid_unknown_fields=True, gc=False):
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
    request: str = ""


_decode: Final = msgspec.json.Decoder(RefusalRow).decode


def to_rows(records: Sequence[StoredRecord], known: DedupIndex, batch: Batch) -> None:
    """Makes the rows of `refusals` (`projection.RowMaker`)."""
    entries = decoded(records, _decode, "at", batch)
    forgotten: frozenset[UUID] = batch.parameters or _NONE
    known.load([each.row.id.bytes + each.row.website_id.bytes for each in entries])
    for record, value, number, row in entries:
        at = unix_seconds(row.at)
        if known.check(row.id.bytes + row.website_id.bytes, record.offset, _SAME, at) is None:
            line = (_without_texts(value) if row.id in forgotten else value).rstrip()[:-1]
            place = (record.topic.encode(), record.partition, record.offset, number)
            batch.rows.append(line + b',"_topic":"%b","_partition":%d,"_offset":%d,"_text_key":%d}' % place)
            batch.offsets.append(record.offset)


def parse_parameters(parameters: Sequence[str], _connection: Connection[Any]) -> frozenset[UUID]:
    """Refusals whose sample named a visitor who was forgotten."""
    return frozenset(map(UUID, parameters))


def _without_texts(value: bytes) -> bytes:
    return orjson.dumps({**orjson.loads(value), "sample": "", "request": ""})
