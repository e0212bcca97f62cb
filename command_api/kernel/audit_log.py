"""What a person's commands leave in the audit trail: one entry per kind of event, written with the events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final
from uuid import UUID

from psycopg import Connection, Cursor

from infra.audit_trail import Entry, record
from infra.client import Client
from schemas.base import DomainEvent, personal_fields

_NOT_TOLD: Final = frozenset(DomainEvent.model_fields) | {"key_hash", "public_key", "subject_hash", "insights"}
_GUARDS: Final = ("email.", "host.", "slug.")
"""What these tell is told by the event that they guard."""
_OF_LINKS: Final = frozenset(("slug", "destination", "coupon"))
"""What a person wrote: an entry is never changed again, and such words have to go with their account."""
_LONGEST: Final = 200


def record_events(
    connection: Cursor[Any] | Connection[Any], events: Sequence[DomainEvent], actor_id: UUID | None, client: Client
) -> None:
    """Writes them into the trail, in the caller's transaction."""
    for entry in entries(events, actor_id):
        record(connection, entry, client)


def entries(events: Sequence[DomainEvent], actor_id: UUID | None) -> Iterator[Entry]:
    """One entry per kind of event; of several the number, of a single one also its plain fields."""
    kinds: dict[str, list[DomainEvent]] = {}
    for event in events:
        if event.NAME.startswith(_GUARDS):
            continue
        kinds.setdefault(event.NAME, []).append(event)
    for name, same in kinds.items():
        subjects = {event.originator_id for event in same}
        subject = subjects.pop() if len(subjects) == 1 else None
        concerns = subject if name.startswith("account.") else actor_id
        details = _details(same[0]) if len(same) == 1 else {"count": len(same)}
        yield Entry(name, "done", actor_id, concerns, None if subject == concerns else subject, details)


def _details(event: DomainEvent) -> dict[str, Any]:
    written = _OF_LINKS if event.NAME.startswith("link.") else frozenset()
    state = event.model_dump(mode="json", exclude=set(_NOT_TOLD | personal_fields(type(event)) | written))
    plain = {
        name: value
        for name, value in state.items()
        if isinstance(value, (str, int, bool, list)) and value not in ("", [])
    }
    return {name: value[:_LONGEST] if isinstance(value, str) else value for name, value in plain.items()}
