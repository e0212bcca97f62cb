"""The filter of links for the list and for changes of many, as SQL. Pure.

Both APIs use it, so that a change of "all that match" concerns what the list shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

MAX_SEARCH: Final = 200
WANTED: Final = (
    " WHERE l.deleted_at IS NULL AND l.website_id = ANY(%(websites)s)"
    " AND (%(partner)s::uuid IS NULL OR l.partner_id = %(partner)s)"
    " AND (%(channel)s::text IS NULL OR l.channel_id::text = %(channel)s)"
    " AND (%(tag)s::text IS NULL OR %(tag)s = ANY(l.tags))"
    " AND (%(folder)s::text IS NULL OR coalesce(l.folder, '') = %(folder)s)"
    " AND (%(archived)s = 'include' OR l.is_archived = (%(archived)s = 'only'))"
    " AND (%(search)s::text IS NULL OR strpos(lower(concat_ws(' ', l.slug, l.destination, l.coupon, p.name,"
    " l.folder, to_jsonb(l.tags)::text)), %(search)s) > 0)"
)
"""The links that `LinkFilter.values` describe; `l` is `read.links`, `p` the link's row of `read.partners`, if any."""


@dataclass(frozen=True, slots=True)
class LinkFilter:
    """Links of these websites that have every value that is given. `folder`: empty: in none; `archived`: exclude,
    include or only."""

    websites: Sequence[UUID]
    partner_id: UUID | None = None
    channel_id: UUID | None = None
    tag: str | None = None
    folder: str | None = None
    archived: str = "exclude"
    search: str | None = None

    def values(self) -> dict[str, Any]:
        """The values of `WANTED`."""
        return {
            "websites": list(self.websites),
            "partner": self.partner_id,
            "channel": str(self.channel_id) if self.channel_id else None,
            "tag": self.tag,
            "folder": self.folder,
            "archived": self.archived,
            "search": self.search.casefold() if self.search else None,
        }
