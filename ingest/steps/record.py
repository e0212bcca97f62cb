"""Step to_record: the record of topic `clicks`."""

from __future__ import annotations

from typing import Final

from infra.kernel.log import Record
from ingest.event import PageEvent, SiteEvent
from ingest.rows import encode_row
from schemas import topics

CLICKS: Final = topics.CLICKS.name


def to_record(event: SiteEvent) -> None:
    """Encodes the row. A generated id cannot repeat, so its record may go to any partition: one at a time is
    cheapest."""
    row, headers = event.row, event.record_headers
    partition = None if headers else event.context.publisher.partition
    event.record = Record(CLICKS, row.event_id.encode(), encode_row(row), headers, event.request.now, partition)


def to_record_by_id(event: PageEvent) -> None:
    """Encodes the row; the id decides the partition."""
    event.record = Record(CLICKS, event.row.event_id.encode(), encode_row(event.row), event.record_headers)
