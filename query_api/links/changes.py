"""`GET /api/platform/links/changes`: changes of many links, how far they are, and the outcome of each link."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope
from query_api.kernel.pagination import Page50
from schemas.http.links import LinkBulkProgress
from schemas.http.responses import ResponseModel

router = APIRouter(prefix="/api/platform/links/changes", tags=["links"], dependencies=[READS_OWN_WRITES])

MAX_LISTED: Final = 50


class LinkBulk(ResponseModel):
    """A change of many links."""

    id: UUID
    website_id: UUID
    kind: str = Field(description="move, replace, organize or undo; empty: the account was erased")
    partner_name: str | None = Field(description="Move: to which partner")
    find: str
    replacement: str
    add_tags: list[str]
    folder: str | None
    is_archived: bool | None
    undoes: UUID | None
    links: int
    done: int
    changed: int
    failed: int
    state: LinkBulkProgress
    started_at: datetime
    ended_at: datetime | None


class LinkOutcome(ResponseModel):
    """The outcome of one link. Links that were as wished already have no row."""

    link_id: UUID
    slug: str | None
    is_changed: bool
    code: str
    message: str = Field(description="Why it was not changed")


_BULKS: Final = (
    "SELECT b.id, b.website_id, b.change, b.links, b.done, b.changed, b.failed, b.state, b.started_at, b.ended_at,"
    " p.name AS partner_name FROM read.link_bulks AS b"
    " LEFT JOIN read.partners AS p ON p.id = (b.change ->> 'partner_id')::uuid"
)
_OUTCOMES: Final = (
    "SELECT o.link_id, l.slug, o.code = '' AS is_changed, o.code, o.message FROM read.link_bulk_outcomes AS o"
    " LEFT JOIN read.links AS l ON l.id = o.link_id WHERE o.bulk_id = %(bulk)s"
    " AND (NOT %(failed)s OR o.code <> '') AND (%(last)s::uuid IS NULL OR o.link_id > %(last)s)"
    " ORDER BY o.link_id LIMIT %(limit)s"
)


@router.get("")
def get_link_bulks(scope: CallerScope, website_id: Annotated[UUID, Query(alias="websiteId")]) -> list[LinkBulk]:
    """The latest changes of many links of a website, the newest first."""
    sql = f"{_BULKS} WHERE b.website_id = ANY(%s) ORDER BY b.started_at DESC, b.id DESC LIMIT {MAX_LISTED}"
    return [_bulk(row) for row in scope.reader.rows(sql, (list(scope.scope(website_id)),))]


@router.get("/{id}")
def get_link_bulk(id: UUID, scope: CallerScope) -> LinkBulk:
    """One change of many links."""
    return _bulk(scope.row(f"{_BULKS} WHERE b.id = %s", id, "change"))


@router.get("/{id}/outcomes")
def get_link_outcomes(
    id: UUID,
    scope: CallerScope,
    page: Page50,
    failed: Annotated[bool, Query(description="Only links that were not changed")] = False,
) -> list[LinkOutcome]:
    """The outcome of each link."""
    scope.row(f"{_BULKS} WHERE b.id = %s", id, "change")
    (last,) = page.after(UUID)
    bound = {"bulk": id, "failed": failed, "last": last, "limit": page.limit + 1}
    return [LinkOutcome.of_row(row) for row in page.take(scope.reader.rows(_OUTCOMES, bound), "link_id")]


def _bulk(row: Mapping[str, Any]) -> LinkBulk:
    change: dict[str, Any] = {
        "kind": "",
        "find": "",
        "replacement": "",
        "add_tags": [],
        "folder": None,
        "is_archived": None,
    }
    change |= {"is_archived": None, "undoes": None, **(row["change"] or {})}
    return LinkBulk.of_row(row, **{name: value for name, value in change.items() if name in LinkBulk.model_fields})
