"""Partners that members add for themselves, over HTTP on a real Postgres: theirs to use, nobody else's to find."""

from __future__ import annotations

import re
from typing import Any

import pytest

from command_api.partners import lookups
from tests.support.command import Person, World, command_world
from tests.support.people import member

__all__ = ["command_world"]

PATH, REQUESTS, DECISIONS = "/api/platform/partners", "/api/platform/partner-requests", "/api/admin/partner-requests"
OWN = {"name": "Fjord Outdoor", "baseUrl": "fjord-outdoor.example/shop", "commission": 8}


def add(world: World, person: Person, **body: Any) -> dict[str, Any]:
    answer = world.call("POST", PATH, person, json={**OWN, **body})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def ask(world: World, person: Person, website: str, **body: Any) -> dict[str, Any]:
    answer = world.call("POST", REQUESTS, person, json={"name": "Wanted", "website": website, **body})
    assert answer.status_code == 200, answer.text
    made: dict[str, Any] = answer.json()
    return made


def test_a_member_adds_changes_and_removes_a_partner(command_world: World) -> None:
    ada = command_world.person()
    made = add(command_world, ada)
    assert (made["isPrivate"], made["baseUrl"]) == (True, "https://fjord-outdoor.example/shop")
    path = f"{PATH}/{made['id']}"
    changed = command_world.call("PATCH", path, ada, json={"commission": 9, "isActive": False})
    assert (changed.json()["commission"], changed.json()["isActive"]) == (9, False)
    assert command_world.call("DELETE", path, ada).status_code == 204
    assert command_world.call("PATCH", path, ada, json={"commission": 1}).status_code == 404
    assert command_world.events(made["id"]) == [
        *("partner.registered.v2", "partner.commission_changed.v1", "partner.deactivated.v1", "partner.removed.v1")
    ]


def test_its_network_is_recognized_and_its_links_pass_the_click_id(command_world: World) -> None:
    ada = command_world.person()
    made = add(command_world, ada, baseUrl="https://www.awin1.com/cread.php?awinmid=1")
    assert (made["postbackPreset"], made["clickIdParameter"]) == ("awin", "clickref")
    body = {"websiteId": command_world.website(ada)["id"], "partnerId": made["id"]}
    link = command_world.call("POST", "/api/platform/links", ada, json=body).json()
    assert (link["partnerName"], link["passesClickId"]) == ("Fjord Outdoor", True)


def test_its_slug_does_not_tell_of_others(command_world: World) -> None:
    ada, eve = command_world.person(), command_world.person()
    command_world.partner(name="Slug Test", slug="slug-test")
    slugs = [add(command_world, person, name="Slug Test")["slug"] for person in (ada, eve, eve)]
    assert all(re.fullmatch(r"slug-test-[2-9a-z]{8}", slug) for slug in slugs) and len(set(slugs)) == 3
    for name in ("A/B <c>", "***", "x" * 100, "Þórður"):
        add(command_world, ada, name=name)


def test_what_is_wrong_is_named(command_world: World) -> None:
    for change, field in (
        ({"name": " "}, "name"),
        ({"baseUrl": "https://10.0.0.1/"}, "baseUrl"),
        ({"baseUrl": "javascript:alert(1)"}, "baseUrl"),
        ({"commission": 101}, "commission"),
        ({"slug": "mine"}, "slug"),
        ({"accountId": str(command_world.admin.account_id)}, "accountId"),
    ):
        answer = command_world.call("POST", PATH, command_world.owner, json={**OWN, **change})
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, field)


def test_another_members_partner_does_not_exist(command_world: World) -> None:
    ada, eve = command_world.person(), command_world.person()
    made = add(command_world, ada)
    hers = command_world.website(eve)
    link = {"websiteId": hers["id"], "partnerId": made["id"]}
    paid = {**link, "amount": {"amount": 100, "currency": "USD"}, "paidOn": "2026-11-20"}
    for method, path, body in (
        ("PATCH", f"{PATH}/{made['id']}", {"commission": 1}),
        ("DELETE", f"{PATH}/{made['id']}", None),
        ("POST", "/api/platform/links", link),
        ("POST", "/api/platform/payouts", paid),
        ("POST", REQUESTS, {"name": "Wanted", "website": "wanted.example", "partnerId": made["id"]}),
        ("PATCH", f"/api/admin/partners/{made['id']}", {"commission": 1}),
    ):
        answer = command_world.call(method, path, eve, **({"json": body} if body else {}))
        assert answer.status_code == (403 if "/admin/" in path else 404), path
    bulk = command_world.call("POST", "/api/platform/links/bulk", eve, json={"links": [link]})
    assert (bulk.status_code, bulk.json()["errors"][0]["message"]) == (400, "Partner not found.")
    by_admin = command_world.call("POST", "/api/platform/links", command_world.admin, json=link)
    assert by_admin.status_code == 404, "nor may an admin use it for her website"
    assert command_world.events(made["id"]) == ["partner.registered.v2"]


def test_the_directory_is_not_the_members_to_change(command_world: World) -> None:
    path = f"{PATH}/{command_world.partner()['id']}"
    for person in (command_world.owner, command_world.admin):
        assert command_world.call("PATCH", path, person, json={"commission": 1}).status_code == 404
        assert command_world.call("DELETE", path, person).status_code == 404


def test_an_admin_may_change_a_private_partner(command_world: World) -> None:
    made = add(command_world, command_world.person())
    path = f"/api/admin/partners/{made['id']}"
    changed = command_world.call("PATCH", path, command_world.admin, json={"isActive": 0})
    assert (changed.status_code, changed.json()["isPrivate"]) == (200, True)


def test_an_account_has_so_many_of_its_own(command_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookups, "MAX_PRIVATE", 2)
    ada = command_world.person()
    first, _ = add(command_world, ada), add(command_world, ada)
    answer = command_world.call("POST", PATH, ada, json=OWN)
    assert (answer.status_code, answer.json()["code"]) == (409, "too_many_partners")
    command_world.call("DELETE", f"{PATH}/{first['id']}", ada)
    add(command_world, ada)


def test_the_audit_trail_names_no_private_partner(command_world: World) -> None:
    ada = command_world.person()
    made = add(command_world, ada, name="Quizzbogi")
    command_world.call("PATCH", f"{PATH}/{made['id']}", ada, json={"name": "Quizzbogi 2"})
    rows = command_world.postgres.execute(
        "SELECT action, details::text FROM kernel.audit WHERE subject_id = %s ORDER BY seq", (made["id"],)
    ).fetchall()
    assert [action for action, _ in rows] == ["partner.registered", "partner.updated"]
    assert "quizzbogi" not in str(rows).lower()


def test_an_erased_account_takes_its_partners_and_requests_along(command_world: World) -> None:
    ada = member(command_world)
    made = ada.call("POST", PATH, json=OWN).json()
    request = ada.call("POST", REQUESTS, json={"name": "Wanted", "website": "erased.example"}).json()
    erased = ada.call("POST", "/api/platform/erase", json={"password": ada.password})
    assert erased.status_code == 204, erased.text
    assert command_world.events(made["id"])[-1] == "partner.removed.v1"
    assert command_world.events(request["id"])[-1] == "partner_request.withdrawn.v1"


def test_a_request_is_accepted_with_a_partner_of_the_directory(command_world: World) -> None:
    ada, eve, admin = command_world.person(), command_world.person(), command_world.admin
    own = add(command_world, ada, baseUrl="https://proposed.example")
    made = ask(command_world, ada, "proposed.example", note="Awin", partnerId=own["id"])
    assert made["id"] and made["partnerId"] is None, "a private partner is not the directory's"
    accept, body = f"{DECISIONS}/{made['id']}/accept", {**OWN, "name": "Proposed", "baseUrl": "proposed.example"}
    assert command_world.call("POST", accept, eve, json=body).status_code == 403
    answer = command_world.call("POST", accept, admin, json=body)
    assert (answer.status_code, answer.json()["isPrivate"]) == (201, False)
    again = command_world.call("POST", accept, admin, json={**body, "slug": "proposed-2"})
    assert (again.status_code, again.json()["code"]) == (409, "not_open")
    assert command_world.events(made["id"]) == ["partner_request.made.v1", "partner_request.accepted.v1"]
    known = ask(command_world, eve, "https://www.proposed.example/deal")
    assert known == {"id": None, "partnerId": answer.json()["id"], "partnerName": "Proposed"}


def test_a_request_is_declined_with_a_reason_or_withdrawn_by_its_member(command_world: World) -> None:
    ada, eve, admin = command_world.person(), command_world.person(), command_world.admin
    first, second = (ask(command_world, ada, f"wanted-{number}.example")["id"] for number in range(2))
    decline = f"{DECISIONS}/{first}/decline"
    assert command_world.call("POST", decline, ada, json={"reason": "No"}).status_code == 403
    assert command_world.call("POST", decline, admin, json={"reason": " "}).status_code == 400
    assert command_world.call("POST", decline, admin, json={"reason": "It has closed."}).status_code == 204
    assert command_world.call("DELETE", f"{REQUESTS}/{first}", ada).status_code == 409
    assert command_world.call("DELETE", f"{REQUESTS}/{second}", eve).status_code == 404
    assert command_world.call("DELETE", f"{REQUESTS}/{second}", ada).status_code == 204
    assert command_world.events(second) == ["partner_request.made.v1", "partner_request.withdrawn.v1"]


def test_an_account_has_so_many_open_requests(command_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookups, "MAX_OPEN", 1)
    ada = command_world.person()
    ask(command_world, ada, "one.example")
    answer = command_world.call("POST", REQUESTS, ada, json={"name": "Two", "website": "two.example"})
    assert (answer.status_code, answer.json()["code"]) == (409, "too_many_requests")
