"""From decided events of a topic to rows of a table in ClickHouse, each event once: `conversion_rows`, `cost_rows`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import orjson

from infra.kernel.log import StoredRecord
from infra.kernel.subscriptions.dead_letters import NEWER, UNDECODABLE, FailedRecord
from projectors.engine.projection import Batch
from schemas import envelope
from schemas.base import DomainEvent


def add_rows(
    records: Sequence[StoredRecord],
    batch: Batch,
    names: frozenset[bytes],
    rows_of: Callable[[DomainEvent], Iterable[Mapping[str, Any]]],
) -> None:
    """Adds the rows of the events with these names to the batch, each with its place in the log. A known event with
    another name is skipped; a record that cannot be read becomes a failed one."""
    for record in records:
        try:
            position = envelope.position_of(record.headers)
            if position <= batch.domain_position:
                continue
            batch.domain_position = position
            name = dict(record.headers).get("event")
            if name is None or (name not in names and envelope.is_known(record.headers)):
                continue
            rows = list(rows_of(envelope.decode(record.value, record.headers, batch.decrypt).event))
        except ValueError as error:
            reason = NEWER if isinstance(error, envelope.NewerEvent) else UNDECODABLE
            batch.bad.append(FailedRecord(record, reason, str(error)))
            continue
        place = {"_topic": record.topic, "_partition": record.partition, "_offset": record.offset}
        for row in rows:
            batch.rows.append(orjson.dumps({**row, **place}))
            batch.offsets.append(record.offset)
