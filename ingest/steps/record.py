"""Step to_record: the record of topic `clicks`."""

from __future__ import annotations

from typing import Final

from infra.kernel.log import Record
from ingest.event import PageEvent, SiteEvent
from ingest.steps.publish import Publisher
from ingest.visitors.sealing import TextSealing
from schemas import topics

CLICKS: Final = topics.CLICKS.name


def to_record(event: SiteEvent, *, publisher: Publisher, sealing: TextSealing) -> None:
    """Encodes the row. A generated id cannot repeat, so its record may go to any partition: one at a time is
    cheapest."""
    row, headers = event.row, event.record_headers
    partition = None if headers else publisher.partition
    value = sealing.event(row, event.request.website.id_bytes)
    event.record = Record(CLICKS, row.event_id.encode(), value, headers, event.request.now, partition)


def to_record_by_id(event: PageEvent, *, sealing: TextSealing) -> None:
    """Encodes the row; the id decides the partition."""
    value = sealing.event(event.row, event.request.website.id_bytes)
    event.record = Record(CLICKS, event.row.event_id.encode(), value, event.record_headers)
