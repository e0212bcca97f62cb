"""Step to_record: the record of topic `clicks`."""

from __future__ import annotations

from typing import Final

from infra.kernel.log import Record
from ingest.event import ImportedPage, LinkClick, SiteEvent
from schemas import topics

CLICKS: Final = topics.CLICKS.name


def to_record(event: SiteEvent) -> None:
    """Encodes the row. A generated id cannot repeat, so its record may go to any partition: one at a time is
    cheapest."""
    row, headers, context = event.row, event.record_headers, event.context
    partition = None if headers else context.publisher.partition
    value = context.sealing.event(row, event.request.website.id_bytes)
    event.record = Record(CLICKS, row.event_id.encode(), value, headers, event.request.now, partition)


def to_record_by_id(event: SiteEvent | LinkClick) -> None:
    """Encodes the row; the id decides the partition."""
    value = event.context.sealing.event(event.row, event.request.website.id_bytes)
    event.record = Record(CLICKS, event.row.event_id.encode(), value, event.record_headers)


def to_imported_record(event: ImportedPage) -> None:
    """The same of a line of an access log."""
    value = event.sealing.event(event.row, event.request.website.id_bytes)
    event.record = Record(CLICKS, event.row.event_id.encode(), value, event.record_headers)
