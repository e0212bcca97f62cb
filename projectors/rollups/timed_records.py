"""Records that are decoded whole and have one moment, before they become rows: topics `rejected` and `conversions`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Final, Generic, NamedTuple, TypeVar

import msgspec

from infra.kernel.log import StoredRecord
from infra.kernel.subscriptions.dead_letters import FailedRecord
from projectors.engine.projection import Batch
from projectors.rollups.event_rows import FIRST_YEAR, LAST_YEAR, reason_of

R = TypeVar("R")
_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - log times are UTC without saying so


class Decoded(NamedTuple, Generic[R]):
    """A record with its value, personal texts included, the key that sealed them, and its row."""

    record: StoredRecord
    value: bytes
    number: int
    row: R


def decoded(
    records: Sequence[StoredRecord], decode: Callable[[bytes], R], moment: str, batch: Batch
) -> list[Decoded[R]]:
    """Returns each record with its row; those that are invalid become dead letters of the batch. `moment`: the field
    with the UTC time."""
    moment_of: Callable[[R], datetime] = attrgetter(moment)
    entries = []
    for record, opened in zip(records, batch.texts(records), strict=True):
        try:
            row = decode(opened.value)
            at = moment_of(row)
            if at.tzinfo is not None or not FIRST_YEAR <= at.year <= LAST_YEAR:
                raise msgspec.ValidationError(f"`{moment}` is UTC text, YYYY-MM-DD hh:mm:ss.mmm, from 1970 to 2105")
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            batch.bad.append(FailedRecord(record, reason_of(error), f"{type(error).__name__}: {error}"))
        else:
            entries.append(Decoded(record, opened.value, opened.number, row))
    return entries


def unix_seconds(moment: datetime) -> int:
    """Returns the Unix seconds of a log time, which has no zone."""
    return int((moment - _EPOCH).total_seconds())
