"""`/api/platform/annotations`: what is noted on the charts of a website, by people and automatically.

Automatic ones follow from recorded events: new terms of a partner that the website links to, links that were
created, deleted or led elsewhere, imports, posts of social channels, and a rebuild of the events that became live.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from query_api.analytics.request import RangeQuery, range_of
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context
from schemas.http.responses import ResponseModel

router = APIRouter(tags=["analytics"])

MAX_ANNOTATIONS: Final = 200


class AnnotationKind(StrEnum):
    """Who noted it: a person, or what happened."""

    OWN = "own"
    TERMS_CHANGED = "terms_changed"
    LINK_CREATED = "link_created"
    LINK_CHANGED = "link_changed"
    LINK_DELETED = "link_deleted"
    IMPORTED = "imported"
    POST_PUBLISHED = "post_published"
    PROJECTION_PROMOTED = "projection_promoted"


class Annotation(ResponseModel):
    """A note on a moment of the charts."""

    id: UUID | None = Field(description="Null: automatic, and cannot be changed")
    kind: AnnotationKind
    at: datetime
    text: str


_ANNOTATIONS: Final = (
    "SELECT * FROM ("
    "SELECT a.id, 'own' AS kind, a.at, a.text FROM read.annotations AS a WHERE a.website_id = %(website)s"
    " UNION ALL SELECT NULL, 'terms_changed', t.effective_at, 'New terms of ' || p.name"
    " FROM read.partner_terms AS t JOIN read.partners AS p ON p.id = t.partner_id"
    " WHERE t.effective_at > p.created_at AND EXISTS (SELECT FROM read.links AS l WHERE l.website_id = %(website)s"
    " AND l.partner_id = t.partner_id AND (l.deleted_at IS NULL OR l.deleted_at > t.effective_at))"
    " UNION ALL SELECT NULL, 'link_created', l.created_at, 'Link ' || l.slug || ' created'"
    " FROM read.links AS l WHERE l.website_id = %(website)s"
    " UNION ALL SELECT NULL, 'link_changed', c.at, 'Link ' || l.slug"
    " || CASE WHEN c.shift IS NOT NULL THEN ': weights shifted by results'"
    " WHEN c.restores IS NOT NULL THEN ': weights restored'"
    " ELSE coalesce(' moved to ' || p.name, ' has a new destination') END"
    " FROM read.link_changes AS c JOIN read.links AS l ON l.id = c.link_id"
    " LEFT JOIN read.partners AS p ON p.id = c.partner_id"
    " WHERE c.website_id = %(website)s AND c.version > 1 AND c.is_redirected AND c.bulk_id IS NULL"
    # One note for a change of many links.
    " UNION ALL SELECT NULL, 'link_changed', min(c.at), to_char(count(*), 'FM999,999')"
    " || CASE count(*) WHEN 1 THEN ' link' ELSE ' links' END"
    " || coalesce(' moved to ' || min(p.name), CASE count(*) WHEN 1 THEN ' has a new destination'"
    " ELSE ' have new destinations' END)"
    " FROM read.link_changes AS c LEFT JOIN read.partners AS p ON p.id = c.partner_id"
    " WHERE c.website_id = %(website)s AND c.is_redirected AND c.bulk_id IS NOT NULL GROUP BY c.bulk_id, c.partner_id"
    " UNION ALL SELECT NULL, 'link_deleted', l.deleted_at, 'Link ' || l.slug || ' deleted'"
    " FROM read.links AS l WHERE l.website_id = %(website)s AND l.deleted_at IS NOT NULL"
    " UNION ALL SELECT NULL, 'imported', i.first_at, to_char(i.events, 'FM999,999,999,999')"
    " || CASE i.events WHEN 1 THEN ' page view' ELSE ' page views' END || ' of the past imported'"
    " FROM read.imports AS i WHERE i.website_id = %(website)s"
    " UNION ALL SELECT NULL, 'post_published', s.published_at, s.title || ' – ' || s.address"
    " FROM read.social_posts AS s WHERE s.website_id = %(website)s"
    " UNION ALL SELECT NULL, 'projection_promoted', b.promoted_at, 'Reports rebuilt from the event log'"
    " FROM engine.build AS b WHERE b.name = 'events' AND b.generation > 1 AND b.promoted_at IS NOT NULL"
    ") AS noted WHERE at >= %(start)s AND at < %(end)s ORDER BY at DESC, kind, text LIMIT %(limit)s"
)


@router.get(
    "/api/platform/annotations",
    dependencies=[READS_OWN_WRITES],
)
def get_annotations(query: Annotated[RangeQuery, Query()], context: Context, scope: CallerScope) -> list[Annotation]:
    """Annotations in a range, newest first, at most 200."""
    website = scope.website(query.website_id)
    range_ = range_of(query, website, context)
    bound = {"website": website.id, "start": range_.start, "end": range_.end, "limit": MAX_ANNOTATIONS}
    return [Annotation.of_row(row) for row in scope.reader.rows(_ANNOTATIONS, bound)]
