"""`GET /api/platform/networks/connections`: connections to networks' APIs, how each goes, and its last import."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope
from query_api.kernel.pagination import Page50
from schemas.http.networks import NetworkConnection

router = APIRouter(prefix="/api/platform/networks/connections", tags=["networks"], dependencies=[READS_OWN_WRITES])


class NetworkConnectionDetails(NetworkConnection):
    """A connection, and how its last pull went."""

    added_at: datetime
    is_pulling: bool
    pulled_at: datetime | None = Field(description="When it was read successfully; null: not yet")
    next_at: datetime | None = Field(description="When it is read next; null: not without new credentials")
    problem: str = Field(description="Why the last call failed; empty: it did not")
    rows: int = Field(description="Of the last pull")
    import_id: UUID | None = Field(description="The last pull that brought something new")


_LISTED: Final = (
    "SELECT c.id, c.website_id, c.network, c.schedule, c.currency, c.partner_id, c.is_refused, c.added_at,"
    " n.pull_id IS NOT NULL AS is_pulling, c.pulled_at, n.next_at, coalesce(n.problem, c.problem) AS problem,"
    " c.rows, c.import_id FROM read.network_connections AS c"
    " LEFT JOIN networks.connection AS n ON n.connection_id = c.id WHERE c.website_id = ANY(%(websites)s)"
    " AND (%(at)s::timestamptz IS NULL OR (c.added_at, c.id) < (%(at)s, %(last)s::uuid))"
    " ORDER BY c.added_at DESC, c.id DESC LIMIT %(limit)s"
)


@router.get("")
def get_network_connections(
    scope: CallerScope, page: Page50, website_id: Annotated[UUID | None, Query(alias="websiteId")] = None
) -> list[NetworkConnectionDetails]:
    """Connections to networks' APIs, the newest first. Credentials are never shown."""
    rows = page.rows(scope.reader, _LISTED, "added_at", {"websites": scope.scope(website_id)})
    return [NetworkConnectionDetails.of_row(row) for row in rows]
