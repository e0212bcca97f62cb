"""What an account stores in a day has a bound, which leaves sign-in and decisions about money alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from command_api.kernel.account_usage import MIB
from infra.kernel.config.settings import Settings
from tests.support.command import Person, World, world

DAILY_COMMANDS = 12


@pytest.fixture(scope="module")
def small_budget(embedded_postgres: Settings) -> Iterator[World]:
    with world(replace(embedded_postgres, account_daily_commands=DAILY_COMMANDS, account_daily_mib=1)) as made:
        yield made


def used(world: World, person: Person) -> tuple[int, int, int]:
    row = world.postgres.execute(
        "SELECT commands, bytes, refused FROM kernel.account_usage WHERE account_id = %s AND day = %s",
        (person.account_id, datetime.now(UTC).date()),
    ).fetchone()
    return row or (0, 0, 0)


def save_view(world: World, person: Person, number: int, **more: object) -> int:
    body = {"name": f"View {number}", "state": {"filters": [f"page:is:/{number}"]}, **more}
    return world.call("POST", "/api/platform/views", person, json=body).status_code


def test_a_member_stores_so_many_bytes_a_day_and_no_more(small_budget: World) -> None:
    eve, honest = small_budget.person(), small_budget.person()
    state = {"filters": [f"page:is:/{number}{'x' * 4_000}" for number in range(20)]}
    statuses = [save_view(small_budget, eve, number, state=state) for number in range(DAILY_COMMANDS - 1)]
    saved = statuses.count(201)
    assert 2 <= saved < DAILY_COMMANDS - 1 and statuses == [201] * saved + [429] * (len(statuses) - saved)
    commands, stored, refused = used(small_budget, eve)
    assert (commands, refused) == (saved, len(statuses) - saved)
    assert saved * 80_000 < stored <= MIB, "what was refused was rolled back"
    assert save_view(small_budget, honest, 1) == 201


def test_a_member_makes_so_many_changes_a_day_and_no_more(small_budget: World) -> None:
    eve = small_budget.person()
    body = {"name": "0", "state": {"filters": ["page:is:/0"]}}
    made = small_budget.call("POST", "/api/platform/views", eve, json=body).json()
    path = f"/api/platform/views/{made['id']}"
    answers = [
        small_budget.call("PATCH", path, eve, json={**body, "name": str(number), "websiteId": None})
        for number in range(1, DAILY_COMMANDS + 2)
    ]
    assert [one.status_code for one in answers] == [200] * (DAILY_COMMANDS - 1) + [429] * 2
    assert answers[-1].json()["code"] == "daily_budget_spent"
    assert 0 < int(answers[-1].headers["Retry-After"]) <= 86_400
    assert used(small_budget, eve)[0] == DAILY_COMMANDS and used(small_budget, eve)[2] == 2


def test_money_and_the_session_go_on_above_the_budget(small_budget: World) -> None:
    owner = small_budget.owner
    site, partner = small_budget.website(owner), small_budget.partner()
    numbers = range(DAILY_COMMANDS + 1)
    assert [save_view(small_budget, owner, number) for number in numbers][-1] == 429
    paid = {"websiteId": site["id"], "partnerId": partner["id"], "paidOn": "2026-11-20"}
    amount = {"amount": 100, "currency": "USD"}
    payout = small_budget.call("POST", "/api/platform/payouts", owner, json={**paid, "amount": amount})
    assert payout.status_code == 201, payout.text
    assert small_budget.call("POST", "/api/platform/logout", owner).status_code == 204
