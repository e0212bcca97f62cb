"""`GET /api/admin/outbox`: mails that wait, were sent or failed. Each look is in the audit trail.

The text is shown only while there is no mail server: then an admin hands the links on.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final
from uuid import UUID

from fastapi import APIRouter, Request, Response
from psycopg import Connection
from pydantic import BaseModel, Field

from infra.audit_trail import Entry, record
from infra.client import client_of
from infra.mail import opened
from query_api import paging
from query_api.context import AsAdmin, Context, Services
from query_api.owned import Owned, not_found
from query_api.paging import Cursor, Limit

router = APIRouter(tags=["admin"])


class OutboxMail(BaseModel):
    """A mail, without its text."""

    id: UUID
    kind: str
    to: str
    subject: str
    state: str = Field(description="waiting, sent or failed; without a mail server all wait")
    attempts: int
    error: str
    createdAt: datetime
    sentAt: datetime | None


class OutboxLetter(OutboxMail):
    """A mail with its text."""

    text: str | None = Field(description="Null with a mail server, and once it was sent")


_COLUMNS: Final = "id, kind, recipient_sealed, subject, text_sealed, state, attempts, error, created_at, sent_at"
_PAGE: Final = (
    f"SELECT {_COLUMNS} FROM ops.mail WHERE %(at)s::timestamptz IS NULL OR (created_at, id) < (%(at)s, %(id)s)"  # noqa: S608 - own text
    " ORDER BY created_at DESC, id DESC LIMIT %(limit)s"
)
_ONE: Final = f"SELECT {_COLUMNS} FROM ops.mail WHERE id = %s"  # noqa: S608 - own text


@router.get("/api/admin/outbox")
def get_outbox(
    request: Request, response: Response, context: Context, admin: AsAdmin, limit: Limit = 50, cursor: Cursor = None
) -> list[OutboxMail]:
    """Newest first."""
    at, last = paging.decode(cursor, datetime, UUID) if cursor else (None, None)
    rows = admin.reader.rows(_PAGE, {"at": at, "id": last, "limit": limit + 1})
    more, rows = len(rows) > limit, rows[:limit]
    paging.link_next(request, response, paging.encode(rows[-1]["created_at"], rows[-1]["id"]) if more else None)
    _note(context, request, admin, None)
    return [OutboxMail(**_shown(context, row)) for row in rows]


@router.get("/api/admin/outbox/{id}")
def get_outbox_mail(id: UUID, request: Request, context: Context, admin: AsAdmin) -> OutboxLetter:
    """One mail, with its text while there is no mail server."""
    row = admin.reader.row(_ONE, (id,))
    if row is None:
        raise not_found("mail")
    _note(context, request, admin, id)
    shows = context.settings.smtp_url is None
    text = opened(context.settings, row["id"], row["recipient_sealed"], row["text_sealed"])[1] if shows else None
    return OutboxLetter(**_shown(context, row), text=text)


def _shown(context: Services, row: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": row["id"],
        "kind": row["kind"],
        "to": opened(context.settings, row["id"], row["recipient_sealed"], None)[0],
        "subject": row["subject"],
        "state": row["state"],
        "attempts": row["attempts"],
        "error": row["error"],
        "createdAt": row["created_at"],
        "sentAt": row["sent_at"],
    }


def _note(context: Services, request: Request, admin: Owned, mail_id: UUID | None) -> None:
    who = admin.principal.account_id
    action = "outbox.listed" if mail_id is None else "outbox.read"
    connection: Connection[Any]
    with context.pool.connection() as connection:
        record(
            connection,
            Entry(action, actor_id=who, account_id=who, subject_id=mail_id),
            client_of(request, context.settings),
        )
