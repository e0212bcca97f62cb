"""Costs through both services: entered, listed, changed, removed and restored, by the owner of the website alone."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import httpx
from psycopg.types.json import Jsonb

from tests.support.full_api import Api, register
from tests.support.query import Person, QueryService, query_service, this_moment

__all__ = ["query_service"]
PATH = "/api/platform/costs"
USD = {"amount": 31_000, "currency": "USD"}


class Spender:
    """One person with a website, who enters costs."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.person: Person = api.query.person()
        register(api, self.person)
        self.website = str(
            self.call("POST", "/api/platform/websites", json={"domain": f"{uuid4().hex}.example"}).json()["id"]
        )

    def call(self, method: str, path: str, **options: Any) -> httpx.Response:
        return self.api.call(method, path, self.person, **options)

    def enter(self, **more: Any) -> httpx.Response:
        days = {"from": "2026-11-01", "to": "2026-11-30"}
        return self.call("POST", PATH, json={"websiteId": self.website, **days, "amount": USD, **more})


def test_a_cost_is_entered_changed_removed_and_restored(full_api: Api) -> None:
    ada = Spender(full_api)
    answer = ada.enter(source="google", campaign="spring")
    assert answer.status_code == 201, answer.text
    made = answer.json()
    assert (made["from"], made["to"], made["amount"], made["worth"]) == ("2026-11-01", "2026-11-30", USD, USD)
    assert (made["source"], made["campaign"], made["link"], made["rate"], made["note"]) == (
        *("google", "spring"),
        *(None, None, None),
    )
    cost = f"{PATH}/{made['id']}"
    changed = ada.call("PATCH", cost, json={"to": "2026-11-10", "campaign": None, "note": "Ends early"})
    assert changed.status_code == 200, changed.text
    assert {**made, "to": "2026-11-10", "campaign": None, "note": "Ends early"} == changed.json()
    assert ada.call("DELETE", cost).status_code == 204
    assert ada.call("DELETE", cost).status_code == 404
    assert ada.call("POST", f"{cost}/restore").json() == changed.json()


def test_nobody_enters_or_changes_costs_of_others(full_api: Api) -> None:
    ada, eve = Spender(full_api), Spender(full_api)
    cost = f"{PATH}/{ada.enter().json()['id']}"
    assert eve.enter(websiteId=ada.website).status_code == 404
    assert eve.call("PATCH", cost, json={"note": "Mine"}).status_code == 404
    assert eve.call("DELETE", cost).status_code == 404
    assert eve.call("POST", f"{cost}/restore").status_code == 404


def test_bad_input_is_named_by_its_field(full_api: Api) -> None:
    ada = Spender(full_api)
    for body, code in (
        ({"link": str(uuid4())}, "unknown_link"),
        ({"amount": {"amount": 1, "currency": "JPY"}}, "currency_unknown"),
        ({"amount": {"amount": 1, "currency": "???"}}, "unknown_currency"),
        ({"amount": {"amount": -1, "currency": "USD"}}, "needs_note"),
        ({"amount": {"amount": 0, "currency": "USD"}}, "no_amount"),
        ({"to": "2026-10-31"}, "bad_period"),
        ({"to": "2028-01-01"}, "bad_period"),
        ({"amount": {"amount": 1.5, "currency": "USD"}}, "invalid"),
        ({"from": "01.11.2026"}, "invalid"),
    ):
        refused = ada.enter(**body)
        assert (refused.status_code, refused.json()["code"]) == (400, code), (body, refused.text)


def test_the_owner_lists_the_costs_of_a_website_page_by_page(query_service: QueryService) -> None:
    ada, eve = query_service.person(), query_service.person()
    website, now = query_service.website(ada), this_moment()
    days = [("2026-10-01", "2026-10-31"), ("2026-11-01", "2026-11-30"), ("2026-11-05", "2026-11-05")]
    ids = [UUID(int=uuid4().int) for _ in range(4)]
    for number, (first, last) in enumerate((*days, ("2026-11-06", "2026-11-06"))):
        entry = {"first": first, "last": last, "amount": USD, "worth": USD, "source": "google"}
        query_service.insert("costs", {
            "id": ids[number], "website_id": website, "first": first, "last": last, "entry": Jsonb(entry),
            "added_at": now.replace(microsecond=number), "removed_at": now if number == 3 else None,
        })  # fmt: skip

    def listed(more: str = "") -> list[str]:
        return [one["id"] for one in query_service.get(f"{PATH}?websiteId={website}{more}", ada).json()]

    newest_first = [str(id) for id in reversed(ids[:3])]
    assert listed() == newest_first
    assert listed("&from=2026-11-02&to=2026-11-04") == [str(ids[1])]
    page = query_service.get(f"{PATH}?websiteId={website}&limit=2", ada)
    assert [one["id"] for one in page.json()] == newest_first[:2]
    assert [one["id"] for one in query_service.get(page.links["next"]["url"], ada).json()] == newest_first[2:]
    assert query_service.get(f"{PATH}?websiteId={website}", eve).status_code == 404
