"""The audit log: who did what and when, and what was denied. Appended to `kernel.audit` as a hash chain.

A decision is recorded in the transaction of its events, so it is in the log exactly if it happened; a denial is
recorded separately. Rows contain ids and no names: the person behind an id is erased with the account.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

from psycopg import Connection, Cursor
from psycopg.types.json import Jsonb

from infra.kernel.security.client_info import Client

Outcome = Literal["done", "refused"]


@dataclass(frozen=True)
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
        "SELECT kernel.write_audit(%(action)s::text, %(outcome)s::text, %(actor_id)s::uuid, %(account_id)s::uuid,"
        " %(subject_id)s::uuid, %(network)s::text, %(device)s::text, %(details)s::jsonb)",
        {**vars(entry), "network": client.network, "device": client.device, "details": Jsonb(dict(entry.details))},
    )
