"""The SQL that finds the sealed ad click ids of the visit that a click belongs to. Pure text.

They are in column `ad_ids` of the visit's events (`infra.kernel.security.visitor_keys`).
"""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

from typing import Final

from infra.domain.visits.statement import visits

MAX_EVENTS: Final = 10_000
"""Events of the visitor's day that the visit is looked for in; the newest."""

_DAY: Final = "website_id = {site:UUID} AND toDate(occurred_at) = {day:Date}"
_EVENTS: Final = (
    f"(SELECT * FROM events WHERE {_DAY} AND visitor = {{visitor:UInt64}} AND type <> 'conversion'"
    f" ORDER BY occurred_at DESC LIMIT {MAX_EVENTS})"
)
_VISIT: Final = (
    "SELECT arrayJoin(ids) FROM (SELECT groupArray(event_id) AS ids"
    f" FROM ({visits(_EVENTS, '1', ('event_id', 'visit'))})"
    " GROUP BY visit HAVING has(ids, {id:UUID}))"
)
_SEALED: Final = f"SELECT event_id, ad_ids, occurred_at FROM events WHERE {_DAY} AND ad_ids <> '' AND event_id"
# Of `events` by its view: while a new version is built, the live table may be one that has no such column.
OF_VISIT: Final = f"{_SEALED} IN ({_VISIT}) ORDER BY occurred_at, event_id"
"""Those of the click's visit, the first seen first. Bound: site, day (UTC), visitor, id (the click)."""
OF_CLICK: Final = f"{_SEALED} = {{id:UUID}}"
"""Those of a click whose visitor is not known."""
