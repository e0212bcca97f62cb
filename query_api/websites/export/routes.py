"""`GET /api/platform/websites/{id}/export.zip`: everything of one website, streamed as it is read.

The owner's session or an access token for the whole account is needed. Nothing is stored on the server: the download is
the export, and who cancels it ends it (decision 52).
"""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse

from infra.kernel.http.openapi import file_response
from infra.kernel.http.route_costs import EXPORT, costs
from infra.kernel.security.access_tokens import require_whole_account
from infra.kernel.security.audit_log import Entry, record
from infra.kernel.security.client_info import client_of
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context
from query_api.websites.export.archive import zipped
from query_api.websites.export.rows import files

router = APIRouter(prefix="/api/platform/websites", tags=["websites"], dependencies=[READS_OWN_WRITES])


@router.get(
    "/{id}/export.zip",
    response_class=Response,
    responses=file_response("application/zip"),
    openapi_extra=costs(EXPORT),
)
def export_website(id: UUID, request: Request, context: Context, scope: CallerScope) -> Response:
    """All data of the website: tables as CSV, settings as JSON. No key, token or secret is in it."""
    require_whole_account(scope.principal)
    website, now = scope.website(id), datetime.now(UTC)
    account = scope.principal.account_id
    entry = Entry("website.exported", actor_id=account, account_id=account, subject_id=website.id)
    with context.pool.connection() as connection:
        record(connection, entry, client_of(request, context.settings))
    return StreamingResponse(
        zipped(files(scope.reader, context.clickhouse, website, now), now),
        media_type="application/zip",
        headers={
            "Content-Disposition": f'attachment; filename="{website.domain}-{now:%Y-%m-%d}.zip"',
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
        },
    )
