"""`used-dimensions`: which dimensions have a value at all in a range, so that a page need not offer the others.

Whole days are read from the counters of their builds, where an empty dimension has no row but that of the empty text.
"""

from __future__ import annotations

from typing import Final

from fastapi import Response

from infra.domain.visits.dimensions import VARIANT
from query_api.analytics import statement
from query_api.analytics.request import AnalyticsRequest
from schemas.tracking import SUBS

COUNTED: Final = (
    *("utm_campaign", "utm_source", "utm_medium", "utm_content", "utm_term"),
    *("placement", "region", "language"),
    *SUBS,
)
"""Dimensions that many websites never use, and that are a column."""
_HAS_SPLIT: Final = (
    "SELECT id FROM read.links WHERE website_id = %s AND jsonb_array_length(routing -> 'variants') > 0 LIMIT 1"
)


def read(request: AnalyticsRequest, response: Response) -> list[str]:
    """Returns the names in a fixed order; `variant` if any link has a split, whenever it was used."""
    [rows] = request.read(response, statement.used_dimensions(request.selection, request.range, COUNTED))
    used = {row["name"] for row in rows}
    split = [VARIANT] if request.reader.rows(_HAS_SPLIT, (request.website.id,)) else []
    return [*(name for name in COUNTED if name in used), *split]
