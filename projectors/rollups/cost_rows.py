"""From a decided event of a cost to rows of `cost_changes`: what it adds, and what it takes back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from infra.kernel.log import StoredRecord
from projectors.engine.projection import Batch, DedupIndex
from projectors.rollups.decided_rows import add_rows
from schemas.base import DomainEvent
from schemas.events.costs import CostAdded, CostChanged, CostEntry, CostImportBooked, CostRemoved, CostRestored
from schemas.identity import platform_cost_id
from schemas.tracking import NO_ID, log_time

HANDLED: Final = (CostAdded, CostChanged, CostRemoved, CostRestored, CostImportBooked)
_NAMES: Final = frozenset(event_class.NAME.encode() for event_class in HANDLED)


def to_rows(records: Sequence[StoredRecord], _known: DedupIndex, batch: Batch) -> None:
    """Makes the rows of `cost_changes` (`projection.Transform`)."""
    add_rows(records, batch, _NAMES, rows_of)


def rows_of(event: DomainEvent) -> Iterator[Mapping[str, Any]]:
    """Yields the rows that `event` comes to, without their place in the log."""
    match event:
        case CostAdded() | CostRestored():
            yield _row(event, event.website_id, event.entry, 1)
        case CostRemoved():
            yield _row(event, event.website_id, event.entry, -1)
        case CostChanged():
            yield _row(event, event.website_id, event.replaced, -1)
            yield _row(event, event.website_id, event.entry, 1)
        case CostImportBooked():
            cost_id = platform_cost_id(event.website_id, event.platform)
            for change in event.changes:
                if change.replaced is not None:
                    yield _row(event, event.website_id, change.replaced, -1, cost_id)
                if change.entry is not None:
                    yield _row(event, event.website_id, change.entry, 1, cost_id)
        case _:
            return


def _row(
    event: DomainEvent, website_id: UUID, entry: CostEntry, sign: int, cost_id: UUID | None = None
) -> Mapping[str, Any]:
    return {
        "website_id": website_id,
        "cost_id": cost_id or event.originator_id,
        "changed_at": log_time(event.timestamp),
        **{name: getattr(entry, name) for name in ("first", "last", "source", "campaign", "term", "content")},
        "link_id": entry.link_id or NO_ID,
        "placement": entry.placement,
        "amount": sign * entry.worth.amount,
        "currency": entry.worth.currency,
    }
