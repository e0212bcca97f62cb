"""`GET /api/admin/outbox`: emails that are queued, sent or failed. Each view is in the audit trail.

The text is shown only while there is no mail server: then an admin hands the links on.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Query, Request
from psycopg import Connection
from pydantic import Field

from infra.kernel.mail.outbox import decrypt_mail
from infra.kernel.security.audit_log import Entry, record
from infra.kernel.security.client_info import client_of
from query_api.kernel.authorization import AllAccounts, require_existing
from query_api.kernel.dependencies import AdminScope, Context, Services
from query_api.kernel.pagination import Page50
from query_api.kernel.postgres_reader import like
from schemas.http.responses import ResponseModel

router = APIRouter(tags=["admin"])


class OutboxMail(ResponseModel):
    """An email without its text."""

    id: UUID
    kind: str
    to: str
    subject: str
    state: str = Field(description="waiting, sent or failed; without a mail server all are waiting")
    attempts: int
    error: str
    created_at: datetime
    sent_at: datetime | None


class OutboxLetter(OutboxMail):
    """An email with its text."""

    text: str | None = Field(description="Null if a mail server is configured, or once sent")


_COLUMNS: Final = "id, kind, recipient_sealed, subject, text_sealed, state, attempts, error, created_at, sent_at"
_PAGE: Final = (
    f"SELECT {_COLUMNS} FROM kernel.mail WHERE (%(search)s::text IS NULL OR subject ILIKE %(search)s)"  # noqa: S608 - own text
    " AND (%(state)s::text IS NULL OR state = %(state)s)"
    " AND (%(at)s::timestamptz IS NULL OR (created_at, id) < (%(at)s, %(last)s))"
    " ORDER BY created_at DESC, id DESC LIMIT %(limit)s"
)
_ONE: Final = f"SELECT {_COLUMNS} FROM kernel.mail WHERE id = %s"  # noqa: S608 - own text


@router.get("/api/admin/outbox")
def get_outbox(
    request: Request,
    context: Context,
    admin: AdminScope,
    page: Page50,
    search: Annotated[str | None, Query(max_length=200, description="Part of the subject")] = None,
    state: Literal["waiting", "sent", "failed"] | None = None,
) -> list[OutboxMail]:
    """Newest first."""
    rows = page.rows(admin.reader, _PAGE, "created_at", {"search": like(search), "state": state})
    _note(context, request, admin, None)
    return [
        OutboxMail.of_row(row, to=decrypt_mail(context.settings, row["id"], row["recipient_sealed"], None)[0])
        for row in rows
    ]


@router.get("/api/admin/outbox/{id}")
def get_outbox_mail(id: UUID, request: Request, context: Context, admin: AdminScope) -> OutboxLetter:
    """One email, with its text while there is no mail server."""
    row = require_existing(admin.reader.row(_ONE, (id,)), "email")
    _note(context, request, admin, id)
    text_sealed = row["text_sealed"] if context.settings.smtp_url is None else None
    to, text = decrypt_mail(context.settings, id, row["recipient_sealed"], text_sealed)
    return OutboxLetter.of_row(row, to=to, text=text)


def _note(context: Services, request: Request, admin: AllAccounts, mail_id: UUID | None) -> None:
    who = admin.principal.account_id
    action = "outbox.listed" if mail_id is None else "outbox.read"
    connection: Connection[Any]
    with context.pool.connection() as connection:
        record(
            connection,
            Entry(action, actor_id=who, account_id=who, subject_id=mail_id),
            client_of(request, context.settings),
        )
