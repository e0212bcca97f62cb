"""Rows of the audit trail: all for an admin, those of the own account for others."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from query_api.kernel.pagination import Page
from query_api.kernel.postgres_reader import PostgresReader
from schemas.http.operations import AuditEntry

_ENTRIES: Final = (
    "SELECT e.seq, e.at, e.action, e.outcome, e.actor_id, e.account_id, e.subject_id, e.address, e.device, e.details,"
    " coalesce(actor.name, '') AS actor_name, coalesce(concerned.name, '') AS account_name FROM kernel.audit AS e"
    " LEFT JOIN read.accounts AS actor ON actor.id = e.actor_id"
    " LEFT JOIN read.accounts AS concerned ON concerned.id = e.account_id"
    " WHERE (%(account)s::uuid IS NULL OR e.account_id = %(account)s)"
    " AND (%(action)s::text IS NULL OR starts_with(e.action, %(action)s))"
    " AND (%(outcome)s::text IS NULL OR e.outcome = %(outcome)s)"
    " AND (%(actor)s::text IS NULL OR strpos(lower(concat_ws(' ', actor.name, actor.email)), %(actor)s) > 0)"
    " AND (%(object)s::uuid IS NULL OR e.subject_id = %(object)s OR e.account_id = %(object)s)"
    " AND (%(since)s::timestamptz IS NULL OR e.at >= %(since)s)"
    " AND (%(until)s::timestamptz IS NULL OR e.at < %(until)s)"
    " AND (%(cursor)s::bigint IS NULL OR e.seq < %(cursor)s) ORDER BY e.seq DESC LIMIT %(limit)s"
)


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Conditions on audit entries: all that are set must be true."""

    account: UUID | None = None
    action: str | None = None
    """The beginning of the action."""

    outcome: str | None = None
    actor: str | None = None
    """Part of the actor's name or email address, in lower case."""

    object: UUID | None = None
    """The account or the other thing that is affected."""

    since: datetime | None = None
    until: datetime | None = None


def entries(reader: PostgresReader, page: Page, chosen: AuditFilter) -> list[AuditEntry]:
    """Reads one page, newest first; adds the link to the next."""
    [cursor] = page.after(int)
    bound = {**asdict(chosen), "cursor": cursor, "limit": page.limit + 1}
    return [AuditEntry.of_row(row) for row in page.take(reader.rows(_ENTRIES, bound), "seq")]
