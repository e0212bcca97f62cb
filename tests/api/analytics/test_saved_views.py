"""Saved views through both services: who sees them, who changes them, how many there may be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from psycopg.types.json import Jsonb

from command_api.analytics.views import lookups
from schemas.events.analytics import ViewState
from tests.support.full_api import Api, register
from tests.support.query import Person, QueryService, this_moment

PATH = "/api/platform/views"
STATE: Mapping[str, Any] = {
    "filters": ["country:is:DE"],
    "timeRange": "custom",
    "fromDate": "2026-11-01",
    "toDate": "2026-11-14",
    "compare": "none",
    "tabs": {"pages": "entry_page"},
}


class Caller:
    """One person with a website."""

    def __init__(self, api: Api, *roles: str) -> None:
        self.api = api
        self.person: Person = api.query.person("member", *roles)
        register(api, self.person)
        site = {"domain": f"{uuid4().hex}.example"}
        self.website = str(self.call("POST", "/api/platform/websites", json=site).json()["id"])

    def call(self, method: str, path: str, **options: Any) -> httpx.Response:
        return self.api.call(method, path, self.person, **options)

    def save(self, name: str, **more: Any) -> httpx.Response:
        return self.call("POST", PATH, json={"name": name, "state": STATE, **more})

    def saved(self, name: str, **more: Any) -> str:
        answer = self.save(name, **more)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])


def test_a_view_is_saved_changed_removed_and_restored(full_api: Api) -> None:
    ada = Caller(full_api)
    made = ada.save("Germany").json()
    assert {**made["state"], **STATE} == made["state"]
    assert (made["kind"], made["name"], made["websiteId"]) == ("view", "Germany", None)
    view = f"{PATH}/{made['id']}"
    wider = {**STATE, "filters": ["country:is:DE|AT"]}
    changed = ada.call("PATCH", view, json={"name": "DACH", "websiteId": ada.website, "state": wider})
    assert (changed.status_code, changed.json()["websiteId"]) == (200, ada.website)
    assert changed.json()["state"]["filters"] == ["country:is:DE|AT"]
    for method in ("PUT", "DELETE"):
        assert ada.call(method, f"{view}/default?websiteId={ada.website}").status_code == 204
    assert ada.call("DELETE", view).status_code == 204
    assert ada.call("DELETE", view).status_code == 404
    restored = ada.call("POST", f"{view}/restore")
    assert (restored.status_code, restored.json()["name"]) == (200, "DACH")


def test_nobody_changes_a_view_of_others(full_api: Api) -> None:
    ada, eve, admin = Caller(full_api), Caller(full_api), Caller(full_api, "admin")
    own, shared = ada.saved("Mine"), ada.saved("Ours", websiteId=ada.website)
    body = {"name": "Taken", "websiteId": None, "state": STATE}
    for caller, view in ((eve, own), (eve, shared), (admin, own), (admin, shared)):
        default = f"{PATH}/{view}/default?websiteId={caller.website}"
        assert caller.call("PATCH", f"{PATH}/{view}", json=body).status_code == 404
        assert caller.call("DELETE", f"{PATH}/{view}").status_code == 404
        assert caller.call("POST", f"{PATH}/{view}/restore").status_code == 404
        assert caller.call("PUT", default).status_code == 404
        assert caller.call("DELETE", default).status_code == 404
    assert eve.save("For Ada", websiteId=ada.website).status_code == 404
    hers = eve.saved("Hers")
    assert eve.call("PUT", f"{PATH}/{hers}/default?websiteId={ada.website}").status_code == 404
    moved = {**body, "websiteId": ada.website}
    assert eve.call("PATCH", f"{PATH}/{hers}", json=moved).status_code == 404


def test_names_are_unique_and_views_are_few(full_api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = Caller(full_api)
    ada.saved("Germany")
    taken = ada.save("germany")
    assert (taken.status_code, taken.json()["code"]) == (409, "name_taken")
    ada.saved("Germany", websiteId=ada.website)
    monkeypatch.setattr(lookups, "MAX_VIEWS", 2)
    gone = ada.saved("France")
    full = ada.save("Italy")
    assert (full.status_code, full.json()["code"]) == (409, "too_many_views")
    assert "Delete one first." in full.json()["message"]
    ada.call("DELETE", f"{PATH}/{gone}")
    ada.saved("Italy")
    assert ada.call("POST", f"{PATH}/{gone}/restore").json()["code"] == "too_many_views"


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"filters": ["planet:is:Mars"]}, "is not a dimension"),
        ({"bots": "maybe"}, "exclude"),
        ({"timeRange": "1 y"}, "timeRange"),
        ({"filters": ["page:is:a"] * 21}, "filters"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_bad_input_is_named(full_api: Api, state: Mapping[str, Any], said: str) -> None:
    answer = Caller(full_api).save("Bad", state=state)
    assert answer.status_code == 400 and said in answer.text, answer.text


def test_personal_views_are_read_by_their_owner_alone_and_shared_ones_with_the_website(
    query_service: QueryService,
) -> None:
    ada, eve, admin = query_service.person(), query_service.person(), query_service.person("member", "admin")
    site, other, hers = query_service.website(ada), query_service.website(ada), query_service.website(eve)

    def saved(name: str, person: Person, website: UUID | None = None, *, removed: bool = False) -> UUID:
        view, now = uuid4(), this_moment()
        query_service.insert("saved_views", {
            "id": view, "account_id": person.account_id, "website_id": website, "kind": "view", "name": name,
            "state": Jsonb(ViewState(tabs={"pages": "page"}).model_dump(mode="json")), "saved_at": now,
            "removed_at": now if removed else None,
        })  # fmt: skip
        return view

    mine, ours = saved("Mine", ada), saved("Ours", ada, site)
    saved("Elsewhere", ada, other)
    saved("Gone", ada, removed=True)
    saved("Hers", eve)
    query_service.insert("default_views", {"account_id": ada.account_id, "website_id": site, "view_id": mine})

    def listed(person: Person, website: UUID) -> list[tuple[str, bool]]:
        answer = query_service.get(f"{PATH}?websiteId={website}", person)
        return [(view["name"], view["isDefault"]) for view in answer.json()]

    assert listed(ada, site) == [("Mine", True), ("Ours", False)]
    assert listed(ada, other) == [("Mine", False), ("Elsewhere", False)]
    assert listed(eve, hers) == [("Hers", False)]
    for person in (eve, admin):
        assert query_service.get(f"{PATH}?websiteId={site}", person).status_code == 404
    [view] = [one for one in query_service.get(f"{PATH}?websiteId={site}", ada).json() if one["name"] == "Ours"]
    assert (view["id"], view["websiteId"], view["state"]["tabs"]) == (str(ours), str(site), {"pages": "page"})
