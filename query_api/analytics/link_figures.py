"""What each link brought: clicks, conversions and commission of all time, bots left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final
from uuid import UUID

from query_api.analytics import metrics
from query_api.analytics.metrics import PERFORMANCE_COUNTERS, Counts, Source
from query_api.columnar import Columnar, Query

_SQL: Final = (
    f"SELECT toString(t.link_id) AS link, {metrics.counters(Source.RAW, PERFORMANCE_COUNTERS)}"  # noqa: S608 - own text
    f" FROM {Source.RAW.table} AS t"
    " WHERE t.website_id IN {websites:Array(UUID)} AND t.link_id IN {links:Array(UUID)} AND NOT t.is_bot"
    " AND t.type IN ('click', 'conversion') GROUP BY t.link_id"
)


def of_links(columnar: Columnar, links: Mapping[UUID, UUID]) -> Mapping[UUID, Counts]:
    """Link id to its counts, for `links` (link id to website id). Raises `Problem` 503."""
    if not links:
        return {}
    rows = columnar.rows(Query(_SQL, {"websites": _texts(set(links.values())), "links": _texts(links)}))
    return {UUID(row["link"]): Counts.of(row) for row in rows}


def _texts(ids: Iterable[UUID]) -> list[str]:
    return sorted(str(one) for one in ids)
