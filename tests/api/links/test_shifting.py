"""`PUT …/links/{id}/split/shifting`: weights follow results once a day, within bounds, with a log and an undo."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import httpx2
import orjson
import pytest

from command_api.kernel.process_manager import ProcessWorker
from command_api.links import model as links
from command_api.links.shifting import handlers
from command_api.links.shifting.process import link_shifts, read_figures
from infra.kernel.clickhouse.client import ClientPool, client
from infra.kernel.config.settings import Settings
from schemas.events.links import LinkUpdated, ShiftOutcome
from tests.support.command import Person
from tests.support.policies import Policies, policies
from tests.support.query import conversion, event

NOW = datetime.now(UTC)


@pytest.fixture(scope="module")
def led(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[Policies]:
    with policies(embedded_postgres, embedded_clickhouse, leading=False) as made:
        yield made


class Split:
    """A link whose two variants lead to two partners, and the process that shifts its weights."""

    def __init__(self, led: Policies) -> None:
        self.led, self.world = led, led.world
        self.site, self.partner = self.world.website(), self.world.partner()
        self.other = self.world.partner(baseUrl="https://other-program.example/start")
        variants = [
            {"destination": self.partner["baseUrl"], "weight": 1, "name": "Old page"},
            {"destination": "https://other-program.example/new", "weight": 1, "partnerId": self.other["id"]},
        ]
        self.id = UUID(self.world.link(self.site, self.partner, variants=variants)["id"])

    def sells(self, *, first: int = 3, second: int = 9, days: int = 20) -> None:
        """Forty visitors a day and variant, of whom so many buy."""
        rows = []
        for day in range(2, 2 + days):
            at = NOW - timedelta(days=day)
            for number, buyers in ((1, first), (2, second)):
                for visitor in range(40):
                    named = f"{self.id.hex}-{day}-{number}-{visitor}"
                    same: dict[str, Any] = {"link_id": self.id, "click_id": named, "visitor": hash(named) % 2**60}
                    same["props"] = orjson.dumps({"route": f"variant {number}"}).decode()
                    rows.append(event(self.site["id"], at, **same))
                    if visitor < buyers:
                        rows.append(conversion(self.site["id"], at, d_pending=1, c_pending=1_000 + visitor, **same))
        with closing(client(self.led.clickhouse)) as clickhouse:
            lines = b"\n".join(orjson.dumps(row) for row in rows)
            clickhouse.raw_insert("events__g1", insert_block=lines, fmt="JSONEachRow")

    def put(self, person: Person | None = None, **body: Any) -> httpx2.Response:
        path = f"/api/platform/links/{self.id}/split/shifting"
        return self.world.call("PUT", path, person or self.world.owner, json={"isOn": True, **body})

    def undo(self, version: int, **body: Any) -> httpx2.Response:
        path = f"/api/platform/links/{self.id}/split/shifts/{version}/undo"
        return self.world.call("POST", path, self.world.owner, json=body)

    def looks(self, days: int = 0, *, is_counted: bool = True) -> int:
        """Runs the process as on a later day; returns how many splits were due."""
        clients = ClientPool(self.led.clickhouse, 1)
        figures_of = partial(read_figures, self.world.core, clients)
        manager = link_shifts(self.world.core, figures_of, lambda _: is_counted)
        later = timedelta(days=days, hours=2 if days else 0)
        with closing(clients):
            return ProcessWorker(self.world.core, [manager], now=lambda: datetime.now(UTC) + later).run_once()

    @property
    def state(self) -> links.LinkAggregate:
        link = self.world.core.store.load(self.id, links.evolve)
        assert link is not None
        return link

    @property
    def weights(self) -> list[int]:
        return [each.weight for each in self.state.routing.variants]

    def due(self) -> datetime | None:
        query = "SELECT due_at FROM kernel.timeout WHERE process = %s AND id = %s"
        row = self.world.postgres.execute(query, (handlers.NAME, self.id)).fetchone()
        return row[0] if row is not None else None


@pytest.fixture
def split(led: Policies) -> Iterator[Split]:
    made = Split(led)
    yield made
    led.world.postgres.execute("DELETE FROM kernel.timeout WHERE process = %s", (handlers.NAME,))


def test_weights_shift_to_the_better_variant_day_by_day_and_back_at_an_undo(split: Split) -> None:
    split.sells()
    assert split.put(minShare=15, maxStep=20).json() == {"isOn": True, "minShare": 15, "maxStep": 20}
    assert (split.looks(), split.weights) == (1, [30, 70])
    shifted = split.world.core.store.event(split.id, 3)
    assert isinstance(shifted, LinkUpdated) and shifted.shift is not None
    assert [(each.clicks, each.conversions, each.buyers) for each in shifted.shift.variants] == [
        (800, 60, 60),
        (800, 180, 180),
    ]
    due = split.due()
    assert due is not None and due > datetime.now(UTC) and due.hour in (4, 5)
    assert split.looks() == 0, "not before the next day"
    assert (split.looks(days=1), split.weights) == (1, [15, 85])
    assert (split.looks(days=2), split.weights) == (1, [15, 85])
    assert split.state.shift is not None and split.state.shift.outcome is ShiftOutcome.AT_BOUNDS

    assert split.undo(4).json() == {"isOn": False, "minShare": 15, "maxStep": 20}
    assert (split.weights, split.due()) == ([30, 70], None)
    assert split.undo(3, isOn=True).json()["isOn"] is True
    assert split.weights == [1, 1]
    assert split.looks(days=2) == 1 and split.weights == [1, 1], "the day was decided"
    assert (split.looks(days=3), split.weights) == (1, [30, 70])


def test_without_evidence_nothing_shifts_and_the_log_says_so_once(split: Split) -> None:
    split.sells(days=3)
    assert split.put().status_code == 200
    for days in (0, 1, 2):
        assert split.looks(days) == 1
    assert split.weights == [1, 1]
    noted = split.state.shift
    assert noted is not None and noted.outcome is ShiftOutcome.COLLECTING
    assert split.state.version == 3, "one event for all the days"


def test_a_day_that_is_not_counted_whole_is_looked_at_later(split: Split) -> None:
    split.sells()
    assert split.put().status_code == 200
    split.looks(is_counted=False)
    assert (split.weights, split.state.version) == ([1, 1], 2)
    assert split.looks() == 1 and split.weights == [40, 60]


def test_a_variant_of_an_inactive_partner_is_not_judged(split: Split) -> None:
    split.sells()
    path = f"/api/admin/partners/{split.other['id']}"
    assert split.world.call("PATCH", path, split.world.admin, json={"isActive": 0}).status_code == 200
    assert split.put().status_code == 200
    assert split.looks() == 1 and split.weights == [1, 1]


def test_what_ends_the_shifting_also_ends_the_looks(split: Split) -> None:
    def patch(**body: Any) -> None:
        answer = split.world.call("PATCH", f"/api/platform/links/{split.id}", split.world.owner, json=body)
        assert answer.status_code == 200, answer.text

    assert split.put().status_code == 200 and split.due() is not None
    patch(isActive=False)
    assert split.due() is None
    patch(isActive=True)
    assert split.due() is not None
    winner = f"/api/platform/links/{split.id}/split/winner"
    assert split.world.call("PUT", winner, split.world.owner, json={"variant": 2}).status_code == 200
    assert split.due() is None
    assert split.world.call("PUT", winner, split.world.owner, json={"variant": None}).status_code == 200
    assert split.due() is not None
    first, second = split.state.routing.variants
    by_hand = [
        {"destination": first.destination, "weight": 1, "number": 1},
        {"destination": second.destination, "weight": 3, "number": 2, "partnerId": split.other["id"]},
    ]
    patch(variants=by_hand)
    assert (split.due(), split.state.shifting.is_on, split.weights) == (None, False, [1, 3])
    assert split.world.count("SELECT count(*) FROM lookup.shifting_link WHERE link_id = %s", split.id) == 0


@pytest.mark.parametrize(
    ("body", "status"),
    [({"minShare": 0}, 400), ({"minShare": 51}, 400), ({"maxStep": 0}, 400), ({"maxStep": "x"}, 400), ({}, 200)],
)
def test_bounds_are_checked(split: Split, body: dict[str, Any], status: int) -> None:
    assert split.put(**body).status_code == status


def test_another_account_learns_nothing_and_changes_nothing(split: Split) -> None:
    stranger = split.world.person()
    assert split.put(stranger).status_code == 404
    path = f"/api/platform/links/{split.id}/split/shifts/1/undo"
    assert split.world.call("POST", path, stranger, json={}).status_code == 404
    assert split.undo(1).json()["code"] == "not_found"
    missing = f"/api/platform/links/{uuid4()}/split/shifting"
    assert split.world.call("PUT", missing, stranger, json={"isOn": True}).status_code == 404


def test_a_website_has_so_many_shifting_links_at_most(split: Split, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handlers, "MAX_SHIFTING", 0)
    answer = split.put()
    assert (answer.status_code, answer.json()["code"]) == (409, "too_many_shifting")
    assert not split.state.shifting.is_on
