"""Many links that change at once, over HTTP, with the process that decides them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from command_api.links.bulk import model
from command_api.links.bulk.model import MAX_LINKS
from infra.kernel.config.settings import Settings
from schemas.http.links import LinkBulkProgress
from tests.support.command import Person, World
from tests.support.policies import Policies, policies, project
from tests.support.stack import PATIENCE_S, wait_for

CHANGES = "/api/platform/links/changes"


@pytest.fixture(scope="module")
def led(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[Policies]:
    with policies(embedded_postgres, embedded_clickhouse) as made:
        yield made


class Shelf:
    """A website with links to one partner, and another partner."""

    def __init__(self, led: Policies, *slugs: str) -> None:
        self.led, self.world = led, led.world
        self.site, self.partner = self.world.website(), self.world.partner()
        self.other = self.world.partner(baseUrl="https://other-program.example/start?aff=7")
        home = self.partner["baseUrl"].rstrip("/")
        named = {"websiteId": self.site["id"], "partnerId": self.partner["id"]}
        made = [{**named, "slug": slug, "destination": f"{home}/{slug}"} for slug in slugs]
        self.links: list[dict[str, Any]] = []
        for begin in range(0, len(made), 200):
            answer = self.post("/api/platform/links/bulk", {"links": made[begin : begin + 200]})
            assert answer.status_code == 201, answer.text
            self.links += answer.json()["links"]
        self.project()

    def project(self) -> None:
        self.led.relayed()
        project(self.world, "links", "link_bulks", "link_bulk_outcomes", "link_changes", "partners")

    def post(self, path: str, body: dict[str, Any] | None = None, person: Person | None = None) -> httpx2.Response:
        return self.world.call("POST", path, person or self.world.owner, json=body or {})

    def body(self, **change: Any) -> dict[str, Any]:
        return {"websiteId": self.site["id"], "filter": {}, **change}

    def ended(self, answer: httpx2.Response, within_s: float = PATIENCE_S) -> model.BulkAggregate:
        assert answer.status_code == 201, answer.text

        def found() -> model.BulkAggregate | None:
            bulk = self.world.core.store.load(answer.json()["id"], model.evolve)
            return bulk if bulk is not None and bulk.state is not LinkBulkProgress.RUNNING else None

        bulk: model.BulkAggregate = wait_for(found, "the end of the change", within_s)
        self.project()
        return bulk

    def destinations(self) -> list[tuple[str, str]]:
        rows = self.world.postgres.execute(
            "SELECT partner_id::text, destination FROM read.links WHERE website_id = %s ORDER BY slug",
            (self.site["id"],),
        ).fetchall()
        return [(partner, destination) for partner, destination in rows]


def test_links_move_to_another_partner_after_a_plan_that_names_each_and_back(led: Policies) -> None:
    mark = uuid4().hex[:6]
    slugs = [f"{mark}-{number}" for number in range(450)]
    shelf = Shelf(led, *slugs)
    before = shelf.destinations()
    body = shelf.body(move={"partnerId": shelf.other["id"], "keepsPath": True})
    plan = shelf.post(f"{CHANGES}/plan", body)
    assert plan.status_code == 200, plan.text
    assert (plan.json()["links"], plan.json()["changed"], plan.json()["refused"]) == (450, 450, 0)
    assert len(plan.json()["shown"]) == 200
    shown = {one["slug"]: one["after"] for one in plan.json()["shown"]}
    assert shown[slugs[449]] == f"https://other-program.example/{slugs[449]}?aff=7"
    assert shelf.destinations() == before, "a plan changes nothing"

    bulk = shelf.ended(shelf.post(CHANGES, body))
    assert (bulk.state, bulk.done, len(bulk.changed)) == (LinkBulkProgress.FINISHED, 450, 450)
    moved = [(shelf.other["id"], f"https://other-program.example/{slug}?aff=7") for slug in sorted(slugs)]
    assert shelf.destinations() == moved
    events = shelf.world.events(bulk.id)
    assert events == ["link_bulk.started.v1", *["link_bulk.advanced.v1"] * 3]
    row = shelf.world.postgres.execute(
        "SELECT links, done, changed, failed, state FROM read.link_bulks WHERE id = %s", (bulk.id,)
    ).fetchone()
    assert row == (450, 450, 450, 0, "finished")
    outcomes = shelf.world.count("SELECT count(*) FROM read.link_bulk_outcomes WHERE bulk_id = %s", bulk.id)
    noted = shelf.world.count(
        "SELECT count(*) FROM read.link_changes WHERE bulk_id = %s AND partner_id = %s", bulk.id, shelf.other["id"]
    )
    assert (outcomes, noted) == (450, 450)

    undone = shelf.ended(shelf.post(f"{CHANGES}/{bulk.id}/undo"))
    assert (undone.change.undoes, len(undone.changed)) == (bulk.id, 450)
    assert shelf.destinations() == before


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_ten_thousand_links_move_and_come_back(led: Policies) -> None:
    mark = uuid4().hex[:6]
    shelf = Shelf(led, *(f"{mark}-{number}" for number in range(MAX_LINKS)))
    before = shelf.destinations()
    body = shelf.body(move={"partnerId": shelf.other["id"], "keepsPath": True})
    plan = shelf.post(f"{CHANGES}/plan", body).json()
    assert (plan["links"], plan["changed"], plan["refused"]) == (MAX_LINKS, MAX_LINKS, 0)
    bulk = shelf.ended(shelf.post(CHANGES, body), 240)
    assert (bulk.done, len(bulk.changed)) == (MAX_LINKS, MAX_LINKS)
    assert {partner for partner, _ in shelf.destinations()} == {shelf.other["id"]}
    undone = shelf.ended(shelf.post(f"{CHANGES}/{bulk.id}/undo"), 240)
    assert len(undone.changed) == MAX_LINKS
    assert shelf.destinations() == before
    home = shelf.partner["baseUrl"].rstrip("/")
    more = {"websiteId": shelf.site["id"], "partnerId": shelf.partner["id"], "destination": f"{home}/more"}
    assert shelf.post("/api/platform/links/bulk", {"links": [{**more, "slug": f"{mark}-more"}]}).status_code == 201
    shelf.project()
    refused = shelf.post(CHANGES, body)
    assert refused.status_code in (400, 409, 422) and "10,000" in refused.text, refused.text


def test_links_that_cannot_move_are_named_and_stay(led: Policies) -> None:
    mark = uuid4().hex[:6]
    shelf = Shelf(led, f"{mark}-a", f"{mark}-b")
    home = shelf.partner["baseUrl"].rstrip("/")
    rules = [{"countries": ["IS"], "destination": f"{home}/is"}]
    path = f"/api/platform/links/{shelf.links[0]['id']}"
    assert shelf.world.call("PATCH", path, shelf.world.owner, json={"rules": rules}).status_code == 200
    shelf.project()
    body = shelf.body(move={"partnerId": shelf.other["id"]})
    plan = shelf.post(f"{CHANGES}/plan", body).json()
    assert (plan["changed"], plan["refused"]) == (1, 1)
    refused, planned = plan["shown"]
    assert (refused["slug"], refused["code"]) == (f"{mark}-a", "has_routing")
    assert f"{home}/is" in refused["message"]
    assert planned["after"] == shelf.other["baseUrl"]
    bulk = shelf.ended(shelf.post(CHANGES, body))
    assert [str(one.link_id) for one in bulk.changed] == [shelf.links[1]["id"]]
    found = shelf.world.postgres.execute(
        "SELECT link_id::text, code FROM read.link_bulk_outcomes WHERE bulk_id = %s ORDER BY code", (bulk.id,)
    ).fetchall()
    assert found == [(shelf.links[1]["id"], ""), (shelf.links[0]["id"], "has_routing")]


def test_destinations_are_replaced_and_links_arranged_by_filter(led: Policies) -> None:
    mark = uuid4().hex[:6]
    shelf = Shelf(led, f"{mark}-a", f"{mark}-b")
    one = {"search": f"{mark}-a"}
    shelf.ended(shelf.post(CHANGES, {**shelf.body(replace={"find": mark, "replacement": "deal"}), "filter": one}))
    assert [destination.rpartition("/")[2] for _, destination in shelf.destinations()] == ["deal-a", f"{mark}-b"]
    arranged = {"addTags": ["Autumn"], "isArchived": True}
    ids = {"websiteId": shelf.site["id"], "ids": [link["id"] for link in shelf.links], "arrange": arranged}
    assert len(shelf.ended(shelf.post(CHANGES, ids)).changed) == 2
    kept = shelf.world.count(
        "SELECT count(*) FROM read.links WHERE website_id = %s AND is_archived AND tags = ARRAY['Autumn']",
        shelf.site["id"],
    )
    assert kept == 2
    none = shelf.post(CHANGES, shelf.body(arrange={"addTags": ["x"]}))
    assert (none.status_code, none.json()["code"]) == (409, "no_links"), "archived links are in no list"


def test_only_ones_own_links_change_and_only_to_partners_that_take_links(led: Policies) -> None:
    shelf, stranger = Shelf(led, uuid4().hex[:8]), led.world.person()
    move = {"move": {"partnerId": shelf.other["id"]}}
    for path in (f"{CHANGES}/plan", CHANGES):
        assert shelf.post(path, shelf.body(**move), stranger).status_code == 404
        ids = {"websiteId": led.world.website(stranger)["id"], "ids": [shelf.links[0]["id"]], **move}
        answer = shelf.post(path, ids, stranger)
        assert answer.status_code == 409 or answer.json()["links"] == 0, answer.text
    inactive = led.world.partner(isActive=False)
    foreign = {"name": "Theirs", "baseUrl": "https://theirs.example/", "commission": 10}
    private = led.world.call("POST", "/api/platform/partners", stranger, json=foreign).json()
    for partner, status in ((inactive, 409), (private, 404)):
        assert shelf.post(CHANGES, shelf.body(move={"partnerId": partner["id"]})).status_code == status
    started = shelf.post(CHANGES, shelf.body(**move))
    bulk = shelf.ended(started)
    for act in ("cancel", "undo"):
        assert shelf.post(f"{CHANGES}/{bulk.id}/{act}", person=stranger).status_code == 404
    assert shelf.post(f"{CHANGES}/{bulk.id}/cancel").json()["state"] == "finished", "it has ended"


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"filter": None},
        {"arrange": {}},
        {"replace": {"find": "", "replacement": "x"}},
        {"replace": {"find": "x", "replacement": "x"}},
        {"arrange": {"addTags": ["x"]}, "replace": {"find": "x", "replacement": "y"}},
    ],
)
def test_a_change_names_its_links_and_one_thing_to_do(led: Policies, change: dict[str, Any]) -> None:
    world: World = led.world
    body = {"websiteId": world.website()["id"], "filter": {}, **change}
    for path in (f"{CHANGES}/plan", CHANGES):
        assert world.call("POST", path, world.owner, json=body).status_code == 400
