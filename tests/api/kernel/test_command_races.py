"""Many at once: exactly as many win as may, every round (slug, coupon, idempotency key, first admin, keys).

`RACE_ROUNDS` (2) says how often.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from time import monotonic
from typing import Any
from uuid import uuid4

import httpx2
import psycopg
import pytest

from command_api.accounts.passwords import Passwords
from command_api.accounts.sign_in import SignInService
from command_api.kernel.event_store import UNAVAILABLE
from command_api.links import lookups as link_lookups
from command_api.websites import lookups as website_lookups
from infra.kernel.config.settings import Settings
from tests.support.command import World, command_world, world

__all__ = ["command_world"]
THREADS = 64
PATIENCE_S = 120.0
ROUNDS = int(os.environ.get("RACE_ROUNDS", "2"))


def at_once(call: Callable[[int], Any], threads: int = THREADS) -> list[Any]:
    """The results of `call` in threads that start together. A thread whose call gets a 503, because all of the
    service's connections are in use for too long, as on a busy machine, tries again."""
    barrier = Barrier(threads)

    def one(number: int) -> Any:
        barrier.wait(PATIENCE_S)
        deadline = monotonic() + PATIENCE_S
        while True:
            try:
                found = call(number)
            except (psycopg.OperationalError, *UNAVAILABLE):
                if monotonic() > deadline:
                    raise
                continue
            if getattr(found, "status_code", found) != 503 or monotonic() > deadline:
                return found

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(one, range(threads)))


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_one_gets_the_slug(command_world: World, _round: int) -> None:
    slug = f"race-{uuid4().hex[:8]}"

    def reserve(number: int) -> int:
        body = {"name": f"P {number}", "baseUrl": "https://p.example", "commission": 1, "slug": slug}
        return command_world.call("POST", "/api/admin/partners", command_world.admin, json=body).status_code

    statuses = Counter(at_once(reserve))
    assert statuses[201] == 1, statuses
    assert set(statuses) <= {201, 409, 503}
    won = (
        "SELECT count(*) FROM events.stored_events WHERE topic = 'partner.registered.v2'"
        " AND convert_from(state, 'UTF8') LIKE %s"
    )
    assert command_world.count(won, f"%{slug}%") == 1


def test_one_gets_the_coupon(command_world: World) -> None:
    site, partner = command_world.website(), command_world.partner()
    body = {"websiteId": site["id"], "partnerId": partner["id"], "coupon": "RACE"}

    def reserve(_: int) -> int:
        return command_world.call("POST", "/api/platform/links", command_world.owner, json=body).status_code

    statuses = Counter(at_once(reserve, 32))
    assert statuses[201] == 1, statuses
    links = "SELECT count(*) FROM lookup.link WHERE website_id = %s"
    assert command_world.count(links, site["id"]) == 1


def test_an_account_has_so_many_websites_and_no_more(command_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(website_lookups, "MAX_PER_ACCOUNT", 3)
    person = command_world.person()

    def connect(number: int) -> int:
        body = {"domain": f"shop{number}.example"}
        return command_world.call("POST", "/api/platform/websites", person, json=body).status_code

    statuses = Counter(at_once(connect, 16))
    assert statuses[201] == 3 and set(statuses) <= {201, 409, 503}, statuses
    assert command_world.count("SELECT count(*) FROM lookup.website WHERE account_id = %s", person.account_id) == 3


def test_an_account_has_so_many_links_and_no_more(command_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over its websites; a deleted link and the links of a removed website do not count."""
    monkeypatch.setattr(link_lookups, "MAX_LINKS", 5)
    sites, partner = [command_world.website() for _ in range(2)], command_world.partner()
    with command_world.postgres.transaction():
        command_world.postgres.execute(
            "UPDATE lookup.website SET account_id = %s WHERE website_id = ANY(%s)",
            (uuid4(), [site["id"] for site in sites]),
        )

    def make(number: int) -> httpx2.Response:
        body = {"websiteId": sites[number % 2]["id"], "partnerId": partner["id"]}
        return command_world.call("POST", "/api/platform/links", command_world.owner, json=body)

    answers = at_once(make)
    statuses = Counter(answer.status_code for answer in answers)
    assert statuses[201] == 5 and set(statuses) <= {201, 409, 503}, statuses
    assert {answer.json()["code"] for answer in answers if answer.status_code == 409} <= {"too_many_links", "busy"}
    bulk = {"links": [{"websiteId": sites[0]["id"], "partnerId": partner["id"]}]}
    refused = command_world.call("POST", "/api/platform/links/bulk", command_world.owner, json=bulk)
    assert (refused.status_code, refused.json()["code"]) == (409, "too_many_links")
    one = next(answer.json()["id"] for answer in answers if answer.status_code == 201)
    assert command_world.call("DELETE", f"/api/platform/links/{one}", command_world.owner).status_code == 204
    assert [make(0).status_code for _ in range(2)] == [201, 409]


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_one_request_under_an_idempotency_key(command_world: World, _round: int) -> None:
    headers, body = {"Idempotency-Key": uuid4().hex}, {"domain": "race.example"}
    person = command_world.person()

    def connect(_: int) -> tuple[int, str]:
        answer = command_world.call("POST", "/api/platform/websites", person, json=body, headers=headers)
        return answer.status_code, answer.json().get("id", answer.json().get("code"))

    answers = set(at_once(connect))
    made = {found for status, found in answers if status == 201}
    assert len(made) == 1, answers
    assert {found for status, found in answers if status == 409} <= {"idempotency_in_flight"}
    count = (
        "SELECT count(*) FROM events.stored_events WHERE topic = 'website.connected.v1'"
        " AND convert_from(state, 'UTF8') LIKE %s"
    )
    assert command_world.count(count, f"%{person.account_id}%") == 1


def test_two_secrets_at_most(command_world: World) -> None:
    path = f"/api/platform/websites/{command_world.website()['id']}/keys"

    def issue(_: int) -> int:
        return command_world.call("POST", path, command_world.owner, json={"kind": "secret"}).status_code

    statuses = Counter(at_once(issue, 32))
    assert statuses[201] == 1, statuses


def test_one_first_admin(embedded_postgres: Settings) -> None:
    with world(embedded_postgres) as made:
        accounts = SignInService(made.core, Passwords())
        link = accounts.setup_link()
        assert link is not None

        def set_up(number: int) -> int:
            body = {
                "token": link.partition("=")[2],
                "email": f"a{number}@example.com",
                "password": "a rare password",
                "name": "Ada",
            }
            return made.call("POST", "/api/platform/setup", json=body).status_code

        statuses = Counter(at_once(set_up, 16))
        assert statuses[200] == 1, statuses
        assert made.count("SELECT count(*) FROM accounts.credential") == 1
        assert made.count("SELECT count(*) FROM events.stored_events WHERE topic = 'account.registered.v1'") == 1
