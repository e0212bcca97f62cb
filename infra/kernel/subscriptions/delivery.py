"""Hands the records of topic `domain` to a handler: each event once, and those of an aggregate in order.

log -> projection worker, or event subscription of the write side -> `deliver` -> handler

The transaction is the caller's: what the handler writes, the dead letters and the position are stored together. An
event that cannot be processed becomes a dead letter, and the later events of its aggregate are parked behind it; all
other aggregates go on. A record whose commit position was seen before is passed over: the relay may send a record
twice.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from infra.kernel.log import StoredRecord
from infra.kernel.log.signature import UNSIGNED, UNSIGNED_TEXT
from infra.kernel.subscriptions.dead_letters import NEWER, PARKED, REFUSED, UNDECODABLE, FailedRecord
from schemas import envelope
from schemas.envelope import NewerEvent, UndecodableEvent


class DeliveryFailed(Exception):
    """The handler cannot process the event; the text is for the dead letter."""


@dataclass(frozen=True, slots=True)
class Delivered:
    """`reached`: the commit position of the last event; `bad`: the dead letters to write."""

    reached: int
    bad: list[FailedRecord]


def deliver(
    records: Iterable[StoredRecord],
    reached: int,
    parked: set[bytes],
    event_names: Collection[str],
    handle: Callable[[StoredRecord], None],
    *,
    signed_from: float,
) -> Delivered:
    """Calls `handle` with each record after position `reached` whose event is among `event_names`, or that no code here
    knows: a newer version may. `handle` raises `DeliveryFailed` or `UndecodableEvent` for a dead letter, which adds the
    aggregate to `parked`; anything else ends the batch."""
    bad = list[FailedRecord]()
    for record in records:
        if record.is_forged(signed_from):
            bad.append(FailedRecord(record, UNSIGNED, UNSIGNED_TEXT))
            continue
        try:
            position = envelope.position_of(record.headers)
        except (UndecodableEvent, ValueError) as error:
            bad.append(FailedRecord(record, UNDECODABLE, str(error)))
            continue
        if position <= reached:
            continue
        reached = position
        if not is_for(record, event_names):
            continue
        failed = _failure(record, parked, handle)
        if failed is not None:
            parked.add(record.key)
            bad.append(failed)
    return Delivered(reached, bad)


def is_for(record: StoredRecord, event_names: Collection[str]) -> bool:
    """Returns whether the record's event is one of these; true without a name, and for one that this code does not
    know."""
    for name, value in record.headers:
        if name == "event":
            return value.decode(errors="replace") in event_names or not envelope.is_known(record.headers)
    return True


def _failure(record: StoredRecord, parked: set[bytes], handle: Callable[[StoredRecord], None]) -> FailedRecord | None:
    if record.key in parked:
        return FailedRecord(record, PARKED, "an earlier event of the same aggregate is a dead letter")
    try:
        handle(record)
    except UndecodableEvent as error:
        return FailedRecord(record, NEWER if isinstance(error, NewerEvent) else UNDECODABLE, str(error))
    except DeliveryFailed as error:
        return FailedRecord(record, REFUSED, str(error))
    return None
