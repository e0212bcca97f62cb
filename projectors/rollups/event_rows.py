"""From a record of topic `clicks` to a row of `events`: checked so strictly that ClickHouse cannot refuse it, then
passed through byte for byte with its place in the log appended.

Ids that a client chose (records with header `h`) are looked up: one that the partition already held makes a row of
`duplicates`; if its content differs, a refusal tells the website's owner. The canary's records (`schemas.canary`) make
rows of `duplicates` alone, whatever their ids: here, and only here, it is kept out of every figure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Final
from uuid import UUID, uuid5

import msgspec
import orjson

from infra.kernel.log import Position, Record, StoredRecord
from infra.kernel.log.partitions import place_of
from infra.kernel.subscriptions.dead_letters import NEWER, FailedRecord
from projectors.engine.projection import Batch, DedupIndex, Duplicate
from projectors.rollups.duplicates import DUPLICATES
from projectors.rollups.event_row import Row, decode_row
from projectors.rollups.event_rules import EventRules
from projectors.rollups.forgotten import without_person
from projectors.rollups.traffic_marks import Rule, result_of
from schemas.canary import WEBSITE_ID
from schemas.topics import CLICKS, REJECTED
from schemas.tracking import HASH_HEADER, Outcome, Refusal

MAX_VALUE: Final = 2**64 - 1
FIRST_YEAR: Final = 1970
LAST_YEAR: Final = 2105
"""ClickHouse's `DateTime` of the rollups ends in February 2106."""

MAX_TYPE_LENGTH: Final = 64
INVALID: Final = "invalid"

_UNKNOWN_FIELD: Final = "Object contains unknown field"
"""The beginning of msgspec's message."""

_Named = tuple[bytes, bytes, int]
"""An id that a client chose: key, content and time of arrival, as `DedupIndex` takes them."""

_REFUSALS: Final = UUID("b3b7a2b4-4a4f-5f0d-8e0c-27a9c2b9a1d5")
_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - log times are UTC without saying so
_FIRST: Final = datetime(FIRST_YEAR, 1, 1)  # noqa: DTZ001 - compared with times that have no zone either
_END: Final = datetime(LAST_YEAR + 1, 1, 1)  # noqa: DTZ001 - compared with times that have no zone either
_NO_RULES: Final = EventRules()
_BRACE: Final = ord("}")
_TYPE: Final = re.compile(r"[a-z0-9_.-]+")
_COUNTRY: Final = re.compile(r"[A-Z]{2}")
_PLACED: Final = b"%b%b%d}"
_SEALED: Final = b'%b%b%d,"_text_key":%d}'


def to_rows(records: Sequence[StoredRecord], known: DedupIndex, batch: Batch) -> None:
    """Makes the rows of `events` and `duplicates`, and refusals of conflicts (`projection.RowMaker`)."""
    good = _checked(records, batch)
    chosen = [named[0] for _, _, _, named in good if named is not None]
    if chosen:
        known.load(chosen)
    add_row, add_place = batch.rows.append, batch.offsets.append
    for record, value, number, named in good:
        if named is not None:
            key, content, at = named
            if (home := known.elsewhere(record)) is not None:
                batch.publish.append(Record(record.topic, record.key, record.value, record.headers, partition=home))
                _keep_apart(record, decode_row(value), record.offset, number, batch)
                continue
            seen = known.check(key, record.offset, content, at)
            if seen is not None:
                _repeated(record, decode_row(value), seen, number, batch)
                continue
        offset = record.offset
        if value[-1] != _BRACE:
            value = value.rstrip()
        place = _place(record.topic, record.partition)
        add_row(_SEALED % (value[:-1], place, offset, number) if number else _PLACED % (value[:-1], place, offset))
        add_place(offset)


def _checked(records: Sequence[StoredRecord], batch: Batch) -> list[tuple[StoredRecord, bytes, int, _Named | None]]:
    """The records that are rows, with what the row is made of, the key that sealed its texts, and the id that a client
    chose; the others are noted as bad.

    A decoded row takes five times its record's memory: each is let go before the next.
    """
    good: list[tuple[StoredRecord, bytes, int, _Named | None]] = []
    add = good.append
    rules: EventRules = batch.parameters or _NO_RULES
    ruled = rules.websites
    for record, opened in zip(records, batch.texts(records), strict=True):
        value, number = opened.value, opened.number
        try:
            row = decode_row(value)
            if not (_FIRST <= row.occurred_at < _END and _FIRST <= row.received_at < _END):
                raise msgspec.ValidationError("times lie between 1970 and 2105")
            if row.visitor > MAX_VALUE or row.session > MAX_VALUE:
                raise msgspec.ValidationError("visitor and session are unsigned 64-bit numbers")
            # what the caches of the two words keep is short
            if len(row.type) > MAX_TYPE_LENGTH or not (_is_type(row.type) and _is_country(row.country[:3])):
                raise msgspec.ValidationError("type is 1-64 of a-z 0-9 _ . -, country is two capital letters")
        except TypeError:
            batch.bad.append(
                FailedRecord(record, INVALID, "times are UTC text without a zone, YYYY-MM-DD hh:mm:ss.mmm")
            )
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            batch.bad.append(FailedRecord(record, reason_of(error), f"{type(error).__name__}: {error}"))
        else:
            if row.website_id == WEBSITE_ID:
                _keep_apart(record, row, record.offset, number, batch)
            else:
                if ruled and row.website_id in ruled:
                    value = _by_rules(value, row, number, rules)
                add((record, value, number, _named(record, row) if record.headers else None))
    return good


def reason_of(error: Exception) -> str:
    """Returns why a record that cannot be decoded is a dead letter. Records are signed: a field that this code does not
    have was written by a newer version of ingest."""
    return NEWER if str(error).startswith(_UNKNOWN_FIELD) else INVALID


def _by_rules(value: bytes, row: Row, number: int, rules: EventRules) -> bytes:
    """Returns the value after traffic rules, and as it is left of a visitor who was forgotten."""
    marked = _marked(value, row, rules.marks.get(row.website_id, ()))
    return without_person(marked, row, number, rules.forgotten.get(row.website_id, ()))


def _marked(value: bytes, row: Row, rules: Sequence[Rule]) -> bytes:
    """The value as the rules have it."""
    result = result_of(rules, row)
    if result is None or result == (row.is_bot, row.bot_reason):
        return value
    fields = orjson.loads(value)
    fields["is_bot"], fields["bot_reason"] = result
    return orjson.dumps(fields)


@lru_cache(4096)
def _is_type(name: str) -> bool:
    return _TYPE.fullmatch(name) is not None


@lru_cache(1024)
def _is_country(code: str) -> bool:
    return _COUNTRY.fullmatch(code) is not None


@lru_cache(256)
def _place(topic: str, partition: int) -> bytes:
    """Returns the beginning of a row's position as JSON."""
    return b',"_topic":"%b","_partition":%d,"_offset":' % (topic.encode(), partition)


def _named(record: StoredRecord, row: Row) -> _Named | None:
    for name, content in record.headers:
        if name == HASH_HEADER:
            since = row.received_at - _EPOCH
            key = row.event_id.bytes + row.website_id.bytes
            return key, content[:8].ljust(8, b"\0"), since.days * 86_400 + since.seconds
    return None


def _repeated(record: StoredRecord, row: Row, seen: Duplicate, number: int, batch: Batch) -> None:
    _keep_apart(record, row, seen.first_offset, number, batch, is_conflict=not seen.is_same)
    if not seen.is_same:
        batch.publish.append(_conflict(record, row, seen))


def _keep_apart(
    record: StoredRecord, row: Row, first_offset: int, number: int, batch: Batch, *, is_conflict: bool = False
) -> None:
    line = {
        "website_id": row.website_id,
        "event_id": row.event_id,
        "received_at": _log_time(row.received_at),
        "is_conflict": is_conflict,
        "first_offset": first_offset,
        "_topic": record.topic,
        "_partition": record.partition,
        "_offset": record.offset,
        "_text_key": number,
    }
    batch.others.setdefault(DUPLICATES.name, []).append(msgspec.json.encode(line))


def _conflict(record: StoredRecord, row: Row, seen: Duplicate) -> Record:
    refusal = Refusal(
        id=uuid5(_REFUSALS, f"{record.topic}\n{record.partition}\n{record.offset}"),
        website_id=row.website_id,
        at=_log_time(row.received_at),
        outcome=Outcome.INVALID,
        code="id_conflict",
        message=(
            f"Event id {row.event_id} was sent again with other content. The first one counts "
            f"({Position(CLICKS.name, *place_of(seen.first_offset, record.partition))})."
        ),
        endpoint="/track",
        # its personal texts stay sealed
        sample=record.value[:500].decode("utf-8", "replace"),
    )
    value = refusal.model_dump_json(exclude_defaults=True).encode()
    return Record(REJECTED.name, str(row.website_id).encode(), value)


def _log_time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 1000:03d}"
