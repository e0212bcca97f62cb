"""The filter of conversions for the list, its totals, its file and decisions about many, as SQL. Pure.

Both APIs use it, so that a decision about "all that match" concerns what the list shows. Every condition compares with
operators that Postgres pushes below row-level security, so that indexes are used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

MAX_SEARCH: Final = 200
SEARCHED: Final = ("txid", "click_id", "customer")
"""Columns of `read.conversions` that a search looks in: the whole value, or its beginning."""
_LAST: Final = chr(0x10FFFF)
"""Sorts behind every text that continues a prefix."""
EQUAL: Final = (
    "status",
    "partner_id",
    "link_id",
    "click_id",
    "kind",
    "country",
    "device",
    "source",
    "coupon",
    "reported_by",
    "key_kind",
    "address_class",
)
"""Fields of a filter that are compared with the column of the same name."""


@dataclass(frozen=True, slots=True)
class ConversionFilter:
    """Conversions of these websites that have every value that is given. `start`, `end`: when they occurred."""

    website_ids: Sequence[UUID]
    status: str | None = None
    partner_id: UUID | None = None
    link_id: UUID | None = None
    click_id: str | None = None
    kind: str | None = None
    country: str | None = None
    device: str | None = None
    source: str | None = None
    coupon: str | None = None
    reported_by: str | None = None
    key_kind: str | None = None
    address_class: str | None = None
    attributed: bool | None = None
    unread: bool | None = None
    network: str | None = None
    """That stated it in a report, else that of its partner."""
    import_id: UUID | None = None
    """An import that has it, and is applied."""
    is_void: bool | None = None
    subs: Mapping[str, str] = field(default_factory=dict)
    search: str | None = None
    start: datetime | None = None
    end: datetime | None = None
    recorded_since: datetime | None = None
    recorded_until: datetime | None = None

    def conditions(self, table: str) -> tuple[list[str], dict[str, Any]]:
        """SQL terms on `table`, an alias of `read.conversions`, and the values that they name."""
        terms = [f"{table}.website_id = ANY(%(website_ids)s)"]
        bound: dict[str, Any] = {"website_ids": list(self.website_ids)}
        for name, term in _TERMS.items():
            if (wanted := getattr(self, name)) is not None:
                terms.append(term.format(table=table))
                bound[name] = wanted
        if self.attributed is not None:
            terms.append(f"{table}.partner_id IS {'NOT ' if self.attributed else ''}NULL")
        if self.unread is not None:
            terms.append(f"{table}.unread {'<>' if self.unread else '='} ''")
        for name, value in sorted(self.subs.items()):
            terms.append(f"{table}.subs ->> %({name}_name)s = %({name})s")
            bound |= {f"{name}_name": name, name: value}
        for name, column, sign in _TIMES:
            if (moment := getattr(self, name)) is not None:
                terms.append(f"{table}.{column} {sign} %({name})s")
                bound[name] = moment
        if searched := (self.search or "").strip():
            terms.append(f"({' OR '.join(_BEGINS.format(table=table, column=column) for column in SEARCHED)})")
            bound |= {"search": searched, "search_end": searched + _LAST}
        return terms, bound


_TIMES: Final = (
    ("start", "occurred_at", ">="),
    ("end", "occurred_at", "<"),
    ("recorded_since", "recorded_at", ">="),
    ("recorded_until", "recorded_at", "<"),
)
_TERMS: Final[Mapping[str, str]] = {
    **{name: f"{{table}}.{name} = %({name})s" for name in EQUAL},
    "network": "({table}.network = %(network)s OR ({table}.network = '' AND {table}.partner_id IN"
    " (SELECT n.id FROM read.partners AS n WHERE n.postback_preset = %(network)s)))",
    "import_id": "EXISTS (SELECT FROM networks.import_row AS r WHERE r.import_id = %(import_id)s AND r.is_applied"
    " AND r.website_id = {table}.website_id AND r.network = {table}.network AND r.txid = {table}.network_txid)",
    "is_void": "{table}.is_void = %(is_void)s",
}
"""The terms of fields with one value."""
_BEGINS: Final = "{table}.{column} ~>=~ %(search)s AND {table}.{column} ~<~ %(search_end)s"
