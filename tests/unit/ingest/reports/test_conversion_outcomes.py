"""Reports that wait for their decision: one look for all of them, whatever becomes of the others."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, cast
from uuid import UUID, uuid4

import pytest

from ingest.directory.postgres import Postgres
from ingest.errors import Unavailable
from ingest.reports import conversion_outcomes
from ingest.reports.conversion_outcomes import ConversionOutcomes
from schemas.tracking import NO_ID

PATIENCE_S = 30
NOW = datetime(2026, 11, 22, tzinfo=UTC)


class ReadModel:
    """Answers as Postgres does: with what is decided by now."""

    def __init__(self) -> None:
        self.decided: set[UUID] = set()
        self.looks: list[list[UUID]] = []
        self.is_away = False
        self.decides_at = 0
        """The look from which on everything is decided; 0: never."""
        self.merges_at = 0
        """The look from which on a further report is merged; 0: never."""

    async def rows(self, _: str, params: Sequence[Any]) -> list[tuple[Any, ...]]:
        [wanted] = params
        self.looks.append(wanted)
        await asyncio.sleep(0)
        if self.is_away:
            raise Unavailable("postgres_unavailable", "away")
        if self.decides_at and len(self.looks) >= self.decides_at:
            self.decided.update(wanted)
        amount = 50 if self.merges_at and len(self.looks) >= self.merges_at else 100
        return [conversion_row(one, amount) for one in wanted if one in self.decided]


def conversion_row(identity: UUID, amount: int) -> tuple[Any, ...]:
    none, money = (None,) * 4, (amount, "EUR", 10, "EUR")
    return (uuid4(), "pending", "", "sale", "sale", "t1", *money, "", "", NOW, NOW, None, NO_ID, *none, identity)


@pytest.fixture
def postgres() -> ReadModel:
    return ReadModel()


@pytest.fixture
def waits(postgres: ReadModel, monkeypatch: pytest.MonkeyPatch) -> ConversionOutcomes:
    monkeypatch.setattr(conversion_outcomes, "WAIT_S", PATIENCE_S)
    monkeypatch.setattr(conversion_outcomes, "POLL_INTERVAL_S", 0.001)
    return ConversionOutcomes(cast(Postgres, postgres))


async def test_one_look_is_for_all_who_wait(postgres: ReadModel, waits: ConversionOutcomes) -> None:
    postgres.decides_at = 3
    ids = [uuid4() for _ in range(300)]
    found = await asyncio.gather(*(waits.wait_for(one) for one in [*ids, ids[0]]))
    assert [one["id"] for one in found if one] == [str(one) for one in [*ids, ids[0]]]
    assert len(postgres.looks) == 3 and len(postgres.looks[0]) == 300
    assert (waits._waiting, waits._count) == ({}, 0)


async def test_a_request_that_timed_out_is_not_looked_up(
    postgres: ReadModel, waits: ConversionOutcomes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversion_outcomes, "WAIT_S", 0.01)
    assert await waits.wait_for(uuid4()) is None
    assert (waits._waiting, waits._count) == ({}, 0)
    postgres.decides_at = len(postgres.looks) + 1
    monkeypatch.setattr(conversion_outcomes, "WAIT_S", PATIENCE_S)
    last = uuid4()
    found = await waits.wait_for(last)
    assert found is not None and postgres.looks[-1] == [last]


async def test_a_further_report_is_answered_with_what_it_made_of_the_conversion(
    postgres: ReadModel, waits: ConversionOutcomes
) -> None:
    sale = uuid4()
    postgres.decided, postgres.merges_at = {sale}, 5
    before = await waits.current(sale)
    assert before is not None and before["amount"] == 100
    first, after = await asyncio.gather(waits.wait_for(sale), waits.wait_for(sale, before))
    assert first == before and after is not None and after["amount"] == 50
    assert (waits._waiting, waits._count) == ({}, 0)


async def test_a_report_that_adds_nothing_returns_the_current_state(
    postgres: ReadModel, waits: ConversionOutcomes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversion_outcomes, "WAIT_S", 0.01)
    sale = uuid4()
    postgres.decided = {sale}
    before = await waits.current(sale)
    assert before is not None and await waits.wait_for(sale, before) == before
    assert (waits._waiting, waits._count) == ({}, 0)


async def test_nobody_waits_for_a_database_that_is_away(postgres: ReadModel, waits: ConversionOutcomes) -> None:
    postgres.is_away = True
    assert list(await asyncio.gather(waits.wait_for(uuid4()), waits.wait_for(uuid4()))) == [None, None]
    assert len(postgres.looks) == 1
    postgres.is_away, postgres.decides_at = False, 1
    assert await waits.wait_for(uuid4()) is not None


async def test_so_many_wait_and_no_more(
    postgres: ReadModel, waits: ConversionOutcomes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversion_outcomes, "MAX_WAITING", 1)
    first = asyncio.ensure_future(waits.wait_for(uuid4()))
    await asyncio.sleep(0)
    assert await waits.wait_for(uuid4()) is None
    postgres.decides_at = 1
    assert await first is not None
