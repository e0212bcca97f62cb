"""What the query service shares of ClickHouse is shared until a projection there advances."""

from __future__ import annotations

import pytest
from psycopg import Notify

from infra.kernel.config.settings import Settings
from query_api.kernel.read_your_writes import CHANNEL, ProjectionPositions


@pytest.fixture
def positions(monkeypatch: pytest.MonkeyPatch) -> ProjectionPositions:
    """As if it listened, and had found one table."""
    made = ProjectionPositions(Settings())
    monkeypatch.setattr(made, "_listening", True)
    monkeypatch.setattr(made, "_tables", {"events": "events__g1"})
    return made


def test_an_advance_in_clickhouse_is_another_version(positions: ProjectionPositions) -> None:
    before = positions.version
    positions._take(Notify(CHANNEL, "events:clicks:3:10:7", 1))
    assert positions.version != before
    assert positions.next_offset("events", "clicks", 3) == 10


def test_an_advance_of_a_read_model_is_not(positions: ProjectionPositions) -> None:
    before = positions.version
    positions._take(Notify(CHANNEL, "partners:domain:0:10:7", 1))
    assert positions.version == before
    assert positions.next_offset("partners", "domain", 0) == 10
