"""Fields of events that no audit entry repeats.

Texts of users and pseudonyms of visitors must be erasable, and entries are immutable. The account is in the entry.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Final

from schemas.base import DomainEvent, personal_fields

_OF_ALL: Final = frozenset(DomainEvent.model_fields) | {
    "key_hash",
    "public_key",
    "subject_hash",
    "insights",
    "conversion_ids",
}
_OF_AGGREGATES: Final = {
    "account": frozenset({"account_id"}),
    "link": frozenset({"slug", "destination", "coupon", "tags", "folder"}),
    "website": frozenset({"name", "is_readable"}),
    "visitor": frozenset({"salt", "visitors", "sessions", "clicks", "conversions", "refusals"}),
}
"""The fields by the first part of the event's name."""
_OF_OWNED: Final = {"partner": frozenset({"name", "slug", "base_url", "description"})}
"""Likewise, where the event names an account."""


def unaudited_fields(event: DomainEvent) -> Set[str]:
    """The fields of the event that its audit entry must not have."""
    aggregate = event.NAME.partition(".")[0]
    owned = _OF_OWNED.get(aggregate, frozenset()) if getattr(event, "account_id", None) is not None else frozenset()
    return _OF_ALL | personal_fields(type(event)) | _OF_AGGREGATES.get(aggregate, frozenset()) | owned
