"""Changes of the directory since the last read, from the event store, so that a refresh costs only what changed.

Created and changed links and added websites and keys are read one by one. Other changes (a partner, a domain, a removed
website or key) and a rebuilt read model need a full read, which is rare.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import psycopg

MAX_CHANGES: Final = 2_000
"""Events; after more of them the whole directory is read."""
READ_MODELS: Final = ("websites", "website_keys", "event_expiries", "links", "partners", "custom_domains")
_ADDS: Final = frozenset({"website.connected", "website.key_issued"})
_STATE: Final = """
SELECT p.projection, p.generation, p.domain_position
FROM engine.projection AS live
JOIN engine.position AS p ON p.projection = live.name AND p.generation = live.live_generation
WHERE live.name = ANY(%s) AND p.topic = 'domain' AND to_regclass('events.stored_events') IS NOT NULL
"""
_CHANGED: Final = """
SELECT DISTINCT originator_id, topic FROM (
    SELECT originator_id, topic FROM events.stored_events WHERE notification_id > %s AND notification_id <= %s
    AND split_part(topic, '.', 1) IN ('link', 'website', 'partner', 'domain') LIMIT %s
) AS changed
"""


@dataclass(frozen=True, slots=True)
class LivePositions:
    """Generation and position of each live read model."""

    models: dict[str, tuple[int, int]]

    @property
    def lowest(self) -> int:
        return min(position for _, position in self.models.values())

    @property
    def highest(self) -> int:
        return max(position for _, position in self.models.values())

    def follows(self, earlier: LivePositions) -> bool:
        """Returns whether every model only advanced since then."""
        return all(
            earlier.models[name][0] == generation and earlier.models[name][1] <= position
            for name, (generation, position) in self.models.items()
        )


@dataclass(frozen=True, slots=True)
class Changes:
    """The links that changed, and the websites whose entry or keys were added."""

    links: list[UUID]
    websites: list[UUID]


def progress_of(connection: psycopg.Connection[Any]) -> LivePositions | None:
    """The positions of the read models; none unless all are known."""
    rows = connection.execute(_STATE, (list(READ_MODELS),)).fetchall()
    models = {name: (generation, position) for name, generation, position in rows}
    return LivePositions(models) if len(models) == len(READ_MODELS) else None


def changes_between(connection: psycopg.Connection[Any], earlier: LivePositions, now: LivePositions) -> Changes | None:
    """The changes, or none if a full read is needed. The rows themselves are read in their current state."""
    if not now.follows(earlier):
        return None
    if now == earlier:
        return Changes([], [])
    rows = connection.execute(_CHANGED, (earlier.lowest, now.highest, MAX_CHANGES + 1)).fetchall()
    if len(rows) > MAX_CHANGES:
        return None
    links: set[UUID] = set()
    websites: set[UUID] = set()
    for originator, topic in rows:
        name = topic.rpartition(".v")[0]
        if name.startswith("link."):
            links.add(originator)
        elif name in _ADDS:
            websites.add(originator)
        else:
            return None
    return Changes(sorted(links), sorted(websites))
