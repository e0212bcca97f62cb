"""Audit entries of commands: one entry per event type, written in the transaction of the events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final
from uuid import UUID

from psycopg import Connection, Cursor

from command_api.kernel.decision import OnBehalf
from infra.kernel.security.audit_log import Entry, record
from infra.kernel.security.client_info import Client
from schemas.audit import unaudited_fields
from schemas.base import DomainEvent

_WITHOUT_ENTRY: Final = ("admin_act.", "email.", "host.", "slug.")
"""Reservations, and what tells an owner of an admin's act: the event that they belong to has the audit entry."""
_MAX_TEXT_LENGTH: Final = 200


def audit(
    connection: Cursor[Any] | Connection[Any],
    events: Sequence[DomainEvent],
    actor_id: UUID | None,
    client: Client,
    on_behalf: OnBehalf | None = None,
) -> None:
    """Writes the entries of `events` in the caller's transaction."""
    for entry in entries(events, actor_id, on_behalf):
        record(connection, entry, client)


def entries(events: Sequence[DomainEvent], actor_id: UUID | None, on_behalf: OnBehalf | None = None) -> Iterator[Entry]:
    """Returns one entry per event type: for several events their count, for a single one its plain fields. What an
    admin does `on_behalf` of an owner concerns the owner, who sees it with its reason in the account's activity."""
    kinds: dict[str, list[DomainEvent]] = {}
    for event in events:
        if event.NAME.startswith(_WITHOUT_ENTRY):
            continue
        kinds.setdefault(event.NAME, []).append(event)
    for name, same in kinds.items():
        subjects = {_subject_of(event) for event in same}
        subject = subjects.pop() if len(subjects) == 1 else None
        concerns = subject if name.startswith("account.") else actor_id
        details = _details(same[0]) if len(same) == 1 else {"count": len(same)}
        if on_behalf is not None:
            concerns, details = on_behalf.owner_id, {**details, "reason": on_behalf.reason}
        yield Entry(name, "done", actor_id, concerns, None if subject == concerns else subject, details)


def _subject_of(event: DomainEvent) -> UUID:
    """The aggregate; of a session its account."""
    account_id: UUID | None = getattr(event, "account_id", None) if event.NAME.startswith("account.") else None
    return account_id or event.originator_id


def _details(event: DomainEvent) -> dict[str, Any]:
    state = event.model_dump(mode="json", exclude=set(unaudited_fields(event)))
    return {
        name: value[:_MAX_TEXT_LENGTH] if isinstance(value, str) else value
        for name, value in state.items()
        if isinstance(value, (str, int, list)) and value not in ("", [])
    }
