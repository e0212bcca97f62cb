"""Finds the click of an ad that began the visit of a conversion's click.

conversion -> its click -> the events of that visit that have ad click ids -> their keys -> the ids
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, Protocol
from uuid import UUID

from command_api.conversions.model import Conversion
from command_api.destinations.decision import AdClick
from command_api.kernel.container import Container
from infra.domain.ad_platforms.rules import PlatformRules
from infra.domain.visits.ad_click_ids import OF_CLICK, OF_VISIT
from infra.kernel.clickhouse.client import ClientPool
from infra.kernel.security.visitor_keys import Sealed, VisitorKeys, key_ids, wrapped_keys
from schemas.click_id import event_id

QUERY_TIMEOUT_S: Final = 10


class AdClicks(Protocol):
    """Source of ads' clicks. Raises when it is unavailable."""

    def of_conversion(self, conversion: Conversion, rules: PlatformRules) -> AdClick | None:
        """The platform's last click in the visit, up to the conversion's own click; else another one of the visit whose
        ids cannot be read any more, or are another platform's."""
        ...


class ClickHouseAdClicks:
    """`AdClicks` on the projected view and the keys of visitors."""

    def __init__(self, container: Container, clients: ClientPool) -> None:
        self._container = container
        self._clients = clients

    def of_conversion(self, conversion: Conversion, rules: PlatformRules) -> AdClick | None:
        attribution, website_id = conversion.facts.attribution, conversion.facts.website_id
        if attribution is None or not attribution.click_id:
            return None
        bound = {
            "site": str(website_id),
            "day": attribution.clicked_at.astimezone(UTC).date().isoformat(),
            "visitor": attribution.visitor,
            "id": str(event_id(attribution.click_id)),
        }
        rows = [row for row in self._rows(attribution.visitor, bound) if row[2] <= attribution.clicked_at]
        sealed = [(Sealed(website_id, id_, text), at) for id_, text, at in rows]
        return best_click(rules, self._opened(sealed))

    def _opened(self, sealed: list[tuple[Sealed, datetime]]) -> list[AdClick]:
        if not sealed:
            return []
        with self._container.pool.connection() as connection:
            wrapped = wrapped_keys(connection, key_ids(one.text for one, _ in sealed))
        keys = VisitorKeys(self._container.settings)
        return [AdClick(one.event_id, at, one.text, keys.open(one, wrapped)) for one, at in sealed]

    def _rows(self, visitor: int, bound: Mapping[str, Any]) -> list[tuple[UUID, str, datetime]]:
        with self._clients.use() as client:
            result = client.query(
                OF_VISIT if visitor else OF_CLICK,
                parameters=dict(bound),
                settings={"max_execution_time": QUERY_TIMEOUT_S},
            )
            return [(id_, text, at if at.tzinfo else at.replace(tzinfo=UTC)) for id_, text, at in result.result_rows]


def best_click(rules: PlatformRules, clicks: list[AdClick]) -> AdClick | None:
    """The last of the clicks, oldest first, that has an id of the platform; without one the last that cannot be read,
    then the last."""
    named = [click for click in clicks if click.ids is not None and click.ids.keys() & rules.click_ids.keys()]
    unreadable = [click for click in clicks if click.ids is None]
    return next((found[-1] for found in (named, unreadable, clicks) if found), None)
