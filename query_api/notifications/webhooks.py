"""`GET /api/platform/webhooks`: where the account's alerts are sent. `…/{id}/deliveries`: the messages, newest first.

Read as the account itself, whatever roles it has.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Path
from pydantic import Field

from query_api.kernel.authorization import require_existing
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope
from query_api.kernel.pagination import Page20
from schemas.http.notifications import Webhook
from schemas.http.responses import ResponseModel

router = APIRouter(prefix="/api/platform", tags=["notifications"])


class ListedWebhook(Webhook):
    """A webhook, since when, and why it was turned off."""

    switched_off: Literal["", "failures", "gone"] = Field(description="Why it was turned off automatically")
    added_at: datetime


class WebhookDelivery(ResponseModel):
    """One message and its outcome."""

    id: UUID
    type: str
    state: Literal["waiting", "delivered", "failed", "dropped"]
    attempts: int
    status: int | None = Field(description="Of the last response")
    error: str
    created_at: datetime
    attempted_at: datetime | None
    next_attempt_at: datetime | None


_COLUMNS: Final = "id, url, format, website_ids, kinds, resolved, active, switched_off, added_at"
_ALL: Final = f"SELECT {_COLUMNS} FROM read.webhooks WHERE account_id = %s ORDER BY added_at, id"  # noqa: S608 - own text
_ONE: Final = "SELECT id FROM read.webhooks WHERE id = %s AND account_id = %s"
_DELIVERIES: Final = """
SELECT d.id, d.type, d.state, d.attempts, d.status, d.error, d.created_at, d.attempted_at,
    CASE WHEN d.state = 'waiting' THEN d.due_at END AS next_attempt_at
FROM notifications.webhook_delivery AS d
WHERE d.webhook_id = %(webhook)s AND d.account_id = %(me)s
  AND (%(at)s::timestamptz IS NULL OR (d.created_at, d.id) < (%(at)s, %(last)s::uuid))
ORDER BY d.created_at DESC, d.id DESC LIMIT %(limit)s"""


@router.get("/webhooks", dependencies=[READS_OWN_WRITES])
def get_webhooks(scope: CallerScope) -> list[ListedWebhook]:
    """Oldest first."""
    return [ListedWebhook.of_row(row) for row in scope.reader.rows(_ALL, (scope.principal.account_id,))]


@router.get("/webhooks/{id}/deliveries", dependencies=[READS_OWN_WRITES])
def get_webhook_deliveries(
    webhook_id: Annotated[UUID, Path(alias="id")], scope: CallerScope, page: Page20
) -> list[WebhookDelivery]:
    """Messages of the last 30 days."""
    me = scope.principal.account_id
    require_existing(scope.reader.row(_ONE, (webhook_id, me)), "webhook")
    rows = page.rows(scope.reader, _DELIVERIES, "created_at", {"webhook": webhook_id, "me": me})
    return [WebhookDelivery.of_row(row) for row in rows]
