"""What the read models of insights must hold after an event (see `folding`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final
from uuid import UUID

from schemas.base import DomainEvent
from schemas.events import accounts, insights, websites
from schemas.insights import insight_id

Key = tuple[Any, ...]
Rows = dict[Key, dict[str, Any]]


class InsightRows(Rows):
    """`told`: what each website is told now, so that nobody searches all that ever was told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: dict[UUID, list[Key]] = {}


def told(rows: Rows, event: DomainEvent, _: int) -> None:
    assert isinstance(rows, InsightRows)  # noqa: S101 - `STARTS` says so
    match event:
        case insights.InsightsGenerated():
            _close(rows, event.website_id, event)
            for rank, insight in enumerate(event.insights, start=1):
                key = (insight_id(event.website_id, insight.key),)
                rows[key] = {
                    "id": key[0],
                    "website_id": event.website_id,
                    "rank": rank,
                    "insight": insight.model_dump(mode="json"),
                    "told_at": event.timestamp,
                    "is_open": True,
                    "closed_at": None,
                }
                rows.told.setdefault(event.website_id, []).append(key)
        case websites.WebsiteDisconnected():
            _close(rows, event.originator_id, event)


def _close(rows: InsightRows, website_id: UUID, event: DomainEvent) -> None:
    for key in rows.told.pop(website_id, ()):
        rows[key].update(is_open=False, closed_at=event.timestamp)


def digests(rows: Rows, event: DomainEvent, _: int) -> None:
    match event:
        case insights.InsightsDigestChosen():
            rows[(event.account_id,)] = {"account_id": event.account_id, "every": event.every}
        case accounts.AccountErased() if row := rows.get((event.originator_id,)):
            row["every"] = "off"


FOLDS: Final[Mapping[str, Callable[[Rows, DomainEvent, int], None]]] = {"insights": told, "insight_digests": digests}
KEYS: Final[Mapping[str, Key]] = {"insight_digests": ("account_id",)}
STARTS: Final[Mapping[str, Callable[[], Rows]]] = {"insights": InsightRows}
