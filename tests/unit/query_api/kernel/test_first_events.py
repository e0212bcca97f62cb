"""What is remembered of first events: the newest answer, of as many websites as are kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from uuid import UUID

import pytest

from infra.kernel.http.problems import Problem
from query_api.kernel import first_events
from query_api.kernel.clickhouse_reader import ClickHouseReader, Query
from query_api.kernel.first_events import FirstEvents

NOON = datetime(2026, 8, 1, 12, tzinfo=UTC)
ONE, TWO, THREE = (UUID(int=n) for n in (1, 2, 3))


@dataclass
class Store:
    """Has these first events, and answers unless it is away."""

    events: dict[UUID, datetime] = field(default_factory=dict)
    is_away: bool = False

    def rows(self, query: Query) -> list[dict[str, Any]]:
        if self.is_away:
            raise Problem(503, "analytics_unavailable", "away")
        asked = {UUID(one) for one in query.parameters["websites"]}
        return [
            {"website": str(one), "first": at.replace(tzinfo=None)} for one, at in self.events.items() if one in asked
        ]


def over(store: Store) -> FirstEvents:
    return FirstEvents(cast(ClickHouseReader, store))


def test_while_the_store_is_away_the_last_answer_stays() -> None:
    store = Store({ONE: NOON})
    asked = over(store)
    assert asked.of([ONE, TWO]) == ({ONE: NOON}, True)
    store.events[ONE] = NOON - timedelta(days=30)  # older ones were imported
    assert asked.of([ONE])[0] == {ONE: NOON - timedelta(days=30)}
    store.is_away = True
    assert asked.of([ONE, TWO]) == ({ONE: NOON - timedelta(days=30)}, False)
    assert asked.of([]) == ({}, True)


def test_what_is_gone_from_the_store_is_forgotten() -> None:
    store = Store({ONE: NOON})
    asked = over(store)
    asked.of([ONE])
    store.events.clear()
    assert asked.of([ONE]) == ({}, True)
    store.is_away = True
    assert asked.of([ONE]) == ({}, False)


def test_the_least_recently_requested_websites_are_evicted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_events, "KEPT", 2)
    store = Store(dict.fromkeys((ONE, TWO, THREE), NOON))
    asked = over(store)
    for one in (ONE, TWO, ONE, THREE):
        asked.of([one])
    store.is_away = True
    assert asked.of([ONE, TWO, THREE])[0].keys() == {ONE, THREE}
