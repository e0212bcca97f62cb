"""The audit trail: who did what and when, and who was refused. Appended to `auth.audit`, each row bound to the last.

What is decided is written in the transaction of its events, so it is in the trail exactly if it happened; a refusal is
written by itself. Rows hold ids and no names: the person behind an id is forgotten with the account.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

from psycopg import Connection, Cursor
from psycopg.types.json import Jsonb

from infra.client import Client

Outcome = Literal["done", "refused"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One row. `actor_id` did it; it concerns `account_id`, and `subject_id` if that is something else's id."""

    action: str
    outcome: Outcome = "done"
    actor_id: UUID | None = None
    account_id: UUID | None = None
    subject_id: UUID | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


def record(connection: Cursor[Any] | Connection[Any], entry: Entry, client: Client) -> None:
    """Appends the entry in the caller's transaction. Other writers wait until that ends: keep it short."""
    connection.execute(
        "SELECT auth.write_audit(%s::text, %s::text, %s::uuid, %s::uuid, %s::uuid, %s::text, %s::text, %s::jsonb)",
        (
            entry.action,
            entry.outcome,
            entry.actor_id,
            entry.account_id,
            entry.subject_id,
            client.network,
            client.device,
            Jsonb(dict(entry.details)),
        ),
    )
