"""Saved queries and pinned charts through both services: who sees, changes and runs them, and how many there may be."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from psycopg.types.json import Jsonb

from command_api.sql import lookups
from command_api.sql.adoption import adopt_saved_queries
from tests.support.analysts import AnalystWorld, Asker
from tests.support.full_api import Api, register
from tests.support.query import Person, QueryService, this_moment

PATH = "/api/platform/sql/queries"
PINS = "/api/platform/sql/pins"


class Caller:
    """One analyst."""

    def __init__(self, api: Api, *roles: str) -> None:
        self.api, self.person = api, api.query.person(*(roles or ("analyst",)))
        register(api, self.person)

    def call(self, method: str, path: str, **options: Any) -> httpx.Response:
        return self.api.call(method, path, self.person, **options)

    def save(self, title: str, sql: str = "SELECT 1", **more: Any) -> httpx.Response:
        return self.call("POST", PATH, json={"title": title, "sql": sql, **more})

    def saved(self, title: str, **more: Any) -> str:
        answer = self.save(title, **more)
        assert answer.status_code == 201, answer.text
        return f"{PATH}/{answer.json()['id']}"


def test_a_taken_title_is_replaced_kept_beside_or_rejected(full_api: Api) -> None:
    ada = Caller(full_api)
    first = ada.save("Sales").json()
    assert (first["version"], first["isShared"]) == (1, False)
    rejected = ada.save("sales", "SELECT 2", ifTitleExists="reject")
    assert (rejected.status_code, rejected.json()["code"]) == (409, "title_taken")
    replaced = ada.save("Sales", "SELECT 2", ifTitleExists="replace").json()
    assert (replaced["id"], replaced["version"], replaced["sql"]) == (first["id"], 2, "SELECT 2")
    both = ada.save("Sales", "SELECT 3", ifTitleExists="keep_both").json()
    assert (both["title"], both["version"]) == ("Sales (2)", 1) and both["id"] != first["id"]
    assert ada.save("Sales", ifTitleExists="keep_both").json()["title"] == "Sales (3)"
    renamed = ada.call("PATCH", f"{PATH}/{both['id']}", json={"title": "SALES"})
    assert (renamed.status_code, renamed.json()["code"]) == (409, "title_taken")
    assert Caller(full_api).save("Sales").json()["version"] == 1, "titles are each analyst's own"


def test_a_version_is_restored_and_a_deletion_undone(full_api: Api) -> None:
    ada = Caller(full_api)
    query = ada.saved("Sales")
    ada.call("PATCH", query, json={"sql": "SELECT 2", "title": "Sales by day"})
    restored = ada.call("POST", f"{query}/versions/1/restore").json()
    assert (restored["version"], restored["title"], restored["sql"]) == (3, "Sales", "SELECT 1")
    assert ada.call("POST", f"{query}/versions/9/restore").status_code == 404
    assert ada.call("DELETE", query).status_code == 204
    assert ada.call("DELETE", query).status_code == 404
    other = ada.saved("Sales")
    assert ada.call("POST", f"{query}/restore").json()["code"] == "title_taken"
    ada.call("DELETE", other)
    assert ada.call("POST", f"{query}/restore").json()["version"] == 3


def test_nobody_changes_a_query_of_others(full_api: Api) -> None:
    ada, eve, member, admin = (Caller(full_api, role) for role in ("analyst", "analyst", "member", "admin"))
    query = ada.saved("Mine")
    calls = [
        ("PATCH", query, {"sql": "SELECT 2"}),
        ("PATCH", query, {"isShared": True}),
        ("POST", f"{query}/versions/1/restore", None),
        ("DELETE", query, None),
        ("POST", f"{query}/restore", None),
        ("POST", PINS, {"queryId": query.rpartition("/")[2]}),
    ]
    for method, path, body in calls:
        assert member.call(method, path, json=body).status_code == 403, path
        for stranger in (eve, admin):
            assert stranger.call(method, path, json=body).status_code == 404, path
    assert ada.call("PATCH", query, json={"isShared": True}).json()["isShared"] is True
    for method, path, body in calls[:4]:
        answer = eve.call(method, path, json=body)
        assert (answer.status_code, answer.json()["code"]) == (403, "not_yours"), path
    assert admin.call("PATCH", query, json={"sql": "SELECT 3"}).json()["sql"] == "SELECT 3"
    pin = eve.call("POST", PINS, json={"queryId": query.rpartition("/")[2], "kind": "bar", "y": ["clicks"]})
    assert (pin.status_code, pin.json()["y"]) == (201, ["clicks"])
    for stranger in (ada, admin):
        assert stranger.call("DELETE", f"{PINS}/{pin.json()['id']}").status_code == 404
    assert eve.call("DELETE", f"{PINS}/{pin.json()['id']}").status_code == 204


def test_queries_and_charts_are_few(full_api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = Caller(full_api)
    monkeypatch.setattr(lookups, "MAX_QUERIES", 2)
    monkeypatch.setattr(lookups, "MAX_PINS", 1)
    query, gone = ada.saved("One"), ada.saved("Two")
    assert ada.save("Three").json()["code"] == "too_many_queries"
    ada.call("DELETE", gone)
    ada.saved("Three")
    assert ada.call("POST", f"{gone}/restore").json()["code"] == "too_many_queries"
    body = {"queryId": query.rpartition("/")[2]}
    assert ada.call("POST", PINS, json=body).status_code == 201
    full = ada.call("POST", PINS, json=body)
    assert (full.status_code, full.json()["code"]) == (409, "too_many_charts")
    bad = ada.call("POST", PINS, json={**body, "parameters": {"a b": "1"}})
    assert (bad.status_code, bad.json()["code"]) == (400, "invalid")


def test_queries_of_older_versions_become_events_once(full_api: Api) -> None:
    ada, query_id = Caller(full_api), uuid4()
    full_api.query.postgres.execute(
        "INSERT INTO sql.saved_query (id, account_id, title, text) VALUES (%s, %s, 'Old', 'SELECT 7')",
        (query_id, ada.person.account_id),
    )
    assert (adopt_saved_queries(full_api.core), adopt_saved_queries(full_api.core)) == (1, 0)
    assert ada.call("PATCH", f"{PATH}/{query_id}", json={"title": "Older"}).json()["sql"] == "SELECT 7"
    assert ada.save("Old").json()["version"] == 1


def test_shared_queries_are_read_by_analysts_and_others_by_their_author_alone(query_service: QueryService) -> None:
    ada, eve, admin = (query_service.person(role) for role in ("analyst", "analyst", "admin"))
    private, shared = _query(query_service, ada, "Mine"), _query(query_service, ada, "Ours", is_shared=True)
    _query(query_service, ada, "Gone", is_shared=True, removed=True)

    def mine(person: Person) -> dict[str, tuple[bool, bool]]:
        found = query_service.get(PATH, person).json()
        return {
            one["id"]: (one["isOwn"], one["mayChange"]) for one in found if one["id"] in (str(private), str(shared))
        }

    assert mine(ada) == {str(private): (True, True), str(shared): (True, True)}
    assert mine(eve) == {str(shared): (False, False)}
    assert mine(admin) == {str(shared): (False, True)}
    for part in ("", "/versions"):
        assert query_service.get(f"{PATH}/{private}{part}", ada).status_code == 200
        assert query_service.get(f"{PATH}/{shared}{part}", eve).status_code == 200
        for stranger in (eve, admin):
            assert query_service.get(f"{PATH}/{private}{part}", stranger).status_code == 404
    assert query_service.get(f"{PATH}/{shared}", eve).json()["authorName"] == "Ida"
    [version] = query_service.get(f"{PATH}/{shared}/versions", eve).json()
    assert (version["number"], version["sql"], version["byAuthor"]) == (1, "SELECT 1", True)


def test_a_pinned_chart_runs_as_the_person_whose_dashboard_it_is(world: AnalystWorld) -> None:
    service = world.service
    counted = "SELECT count() AS clicks FROM clicks WHERE website_id = {site:UUID}"
    query = _query(service, world.eve.person, "Clicks", is_shared=True, sql=counted)
    pins = {}
    for who in (world.ada, world.eve):
        pins[who.email] = _pin(service, who, query, site=str(world.eve_site))
    hers = service.get(f"{PINS}/{pins[world.eve.email]}/result", world.eve.person)
    assert (hers.json()["rows"], "X-As-Of" in hers.headers) == ([["3"]], True)
    own = service.get(f"{PINS}/{pins[world.ada.email]}/result", world.ada.person)
    assert own.json()["rows"] == [["0"]], "Ada may not see the website of the author"
    for who in (world.ada, world.admin):
        assert service.get(f"{PINS}/{pins[world.eve.email]}/result", who.person).status_code == 404
    [listed] = service.get(PINS, world.ada.person).json()
    assert (listed["title"], listed["parameters"]) == ("Clicks", {"site": str(world.eve_site)})
    service.postgres.execute("UPDATE read.saved_queries__g1 SET is_shared = false WHERE id = %s", (query,))
    [listed] = service.get(PINS, world.ada.person).json()
    assert listed["title"] is None
    assert service.get(f"{PINS}/{pins[world.ada.email]}/result", world.ada.person).status_code == 404


def test_a_stored_result_is_given_until_the_query_changes(world: AnalystWorld) -> None:
    service, zoe = world.service, world.asker("analyst")
    query = _query(service, zoe.person, "Random", sql="SELECT rand64() AS n")
    path = f"{PINS}/{_pin(service, zoe, query)}/result"
    first = service.get(path, zoe.person).json()["rows"]
    for again in (path, f"{path}?refresh=true"):
        assert service.get(again, zoe.person).json()["rows"] == first, "it is seconds old"
    service.postgres.execute("UPDATE read.saved_queries__g1 SET text = 'SELECT 1 AS n' WHERE id = %s", (query,))
    assert service.get(path, zoe.person).json()["rows"] == [[1]]
    assert [(door, outcome) for door, outcome, *_ in world.audited(zoe)] == [("dashboard", "done")] * 2


def test_a_chart_that_fails_says_what_is_wrong_with_the_query(world: AnalystWorld) -> None:
    service, zoe = world.service, world.asker("analyst")
    wide = "SELECT repeat('x', 4000) AS x FROM (SELECT arrayJoin(range(400))) AS a"
    for sql, message in (
        ("SELECT domein FROM websites", "Line 1, column 8: There is no column domein. Did you mean domain?"),
        (wide, "The result has more than 1,048,576 bytes. Select fewer columns or rows."),
    ):
        pin = _pin(service, zoe, _query(service, zoe.person, "Bad", sql=sql))
        failed = service.get(f"{PINS}/{pin}/result", zoe.person)
        assert (failed.status_code, failed.json()["message"]) == (400, message)
    assert [outcome for _, outcome, *_ in world.audited(zoe)] == ["failed", "failed"]


def _query(
    service: QueryService,
    author: Person,
    title: str,
    *,
    sql: str = "SELECT 1",
    is_shared: bool = False,
    removed: bool = False,
) -> UUID:
    query, now = uuid4(), this_moment()
    content = {"title": title, "text": sql, "number": 1, "is_shared": is_shared, "account_id": author.account_id}
    service.insert("saved_queries", {
        "id": query, **content, "author_name": "Ida", "created_at": now, "changed_at": now,
        "removed_at": now if removed else None,
    })  # fmt: skip
    row = {"query_id": query, **content, "saved_by": author.account_id, "saved_at": now, "position": 1}
    service.insert("query_versions", row)
    return query


def _pin(service: QueryService, who: Asker, query: UUID, **parameters: str) -> UUID:
    pin = uuid4()
    service.insert("pinned_charts", {
        "id": pin, "account_id": who.person.account_id, "query_id": query, "kind": "line", "x": "", "y": [],
        "parameters": Jsonb(parameters), "pinned_at": this_moment(),
    })  # fmt: skip
    return pin
