"""The command service as a process, while an attacker guesses the password of an account: its owner signs in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import httpx
import pytest

from infra.kernel.config.settings import Settings
from tests.support.child_process import child_process
from tests.support.command import World, world
from tests.support.engines import free_port
from tests.support.forwarded_headers import forwarded_for
from tests.support.password_guessing import LOGIN, Owner, attacked
from tests.support.people import PASSWORD, Member, member
from tests.support.readiness import answers
from tests.support.stack import wait_for

ATTACKERS = [f"198.51.100.{number}" for number in range(1, 21)]
LASTS_S = 10.0
WITHIN_S = 2.0
"""The bound that the owner's sign-in is held to."""


@dataclass(frozen=True)
class Served:
    world: World
    url: str
    ada: Member


@pytest.fixture
def served(embedded_postgres: Settings) -> Iterator[Served]:
    with world(embedded_postgres) as made:
        made.log.end_offset("domain", 0)
        ada, port = member(made), free_port()
        url = f"http://127.0.0.1:{port}"
        with child_process(made.settings, "infra.ops.cli", "serve", "command", ALTHING_COMMAND_PORT=str(port)):
            wait_for(lambda: answers(f"{url}/livez"), "the service to answer")
            yield Served(made, url, ada)


@pytest.mark.crash
def test_the_owner_signs_in_while_twenty_addresses_guess_fifty_times_a_second(served: Served) -> None:
    """As a program of a network that never signed in, and in a browser at an address that guesses, too."""
    email = served.ada.email
    browser = {"Origin": served.url, "Sec-Fetch-Site": "same-origin"}
    first = httpx.post(f"{served.url}{LOGIN}", json={"email": email, "password": PASSWORD}, headers=browser)
    assert first.status_code == 200, first.text
    owners = (
        Owner("program", email, PASSWORD, "203.0.113.9", solves=False),
        Owner("browser", email, PASSWORD, ATTACKERS[0], browser, dict(first.cookies)),
    )
    forward = partial(forwarded_for, served.world.settings)
    attack = attacked(served.url, forward, email, ATTACKERS, 50, LASTS_S, *owners)
    print(attack, {owner.name: [round(taken, 2) for taken in owner.taken] for owner in owners})
    assert attack.sent >= LASTS_S * 40
    for owner in owners:
        assert owner.refused == [], owner.name
        assert len(owner.taken) >= 3 and max(owner.taken) < WITHIN_S, owner.name
