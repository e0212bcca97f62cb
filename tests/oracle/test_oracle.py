"""Whatever happens in whichever order: every public number is what independent books say.

`ORACLE_SEEDS` (1) says how many histories are played, `ORACLE_SEED` (417) which is the first, `ORACLE_SALES` (30) how
many transactions a website has. A failure names its seed. `make oracle` begins with another one each time.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from datetime import timedelta
from uuid import uuid4

import pytest

from tests.oracle import history
from tests.oracle.books import Books
from tests.oracle.world import SETTINGS, Place, World
from tests.support.stack import stack, wait_for

COUNT = int(os.environ.get("ORACLE_SEEDS", "1"))
SALES = int(os.environ.get("ORACLE_SALES", "30"))
FIRST = int(os.environ.get("ORACLE_SEED", "417"))
SEEDS = range(FIRST, FIRST + COUNT)

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with stack(SETTINGS) as made:
        found = World(made)
        try:
            yield found
        finally:
            found.close()


@pytest.mark.parametrize("seed", SEEDS)
def test_every_public_number_is_what_the_books_say(world: World, seed: int) -> None:
    print(f"ORACLE_SEED={seed}")
    now = history.now()
    played = history.make(seed, now, SALES)
    places = world.set_up(played)
    for place in places:
        world.play(place)
    agree(world, places, "after everything was sent")
    world.decide(places, played.decisions)
    agree(world, places, "after the decisions")
    rng = random.Random(seed)
    for place in places:
        for _ in range(6):
            first = now.date() - timedelta(days=rng.randrange(0, 25))
            last = first + timedelta(days=rng.randrange(0, 25))
            assert world.differences(place, first, last) == []


def test_a_fresh_last_click_earns_the_sale_that_follows_at_once(world: World) -> None:
    """Click on one partner yesterday, on another now, and the sale by visitor id right after it."""
    played = history.make(FIRST + 2 * 10**6, history.now(), 0)
    played.sites[0].first_click = False
    place = world.set_up(played)[0]
    for number in range(12):
        now = history.now()
        yesterday = history.Click(uuid4(), 0, f"fresh-{number}", now - timedelta(days=1))
        fresh = history.Click(uuid4(), 1, f"fresh-{number}", now)
        sale = history.Report(f"F{number}", "secret", now, 1000, place.site.currency, visitor=f"fresh-{number}")
        place.site.clicks += [yesterday, fresh]
        place.site.calls = [yesterday, fresh, sale]
        world.play(place)
    place.site.calls = [
        history.Report(f"F{number}", "secret", history.now(), 1000, place.site.currency, visitor=f"fresh-{number}")
        for number in range(12)
    ]
    place.books = Books(played, place.site)
    agree(world, [place], "after fresh clicks")


def test_everything_sent_again_and_rebuilt_changes_nothing(world: World) -> None:
    played = history.make(FIRST + 10**6, history.now(), max(5, SALES // 3))
    places = world.set_up(played)
    for place in places:
        world.play(place)
    agree(world, places, "after everything was sent")
    for place in places:
        place.site.calls = [call for call in place.site.calls if not getattr(call, "status", "")]
        world.play(place)
    agree(world, places, "after everything was sent again")
    for name in ("events", "conversions", "conversion_steps", "statement_months"):
        told = world.stack.run("projections", "rebuild", name)
        assert told.returncode == 0, told.stdout + told.stderr
    agree(world, places, "after rebuilds")
    found = world.audit()
    assert [found[kind] for kind in ("missing", "duplicate", "wrong")] == [0, 0, 0], found


def agree(world: World, places: list[Place], when: str) -> None:
    """Waits until list and figures are what the books say: late clicks are looked for within seconds."""
    today = history.now().date()
    ranges = (today - timedelta(days=30), today + timedelta(days=1))
    left: list[str] = []

    def is_quiet() -> bool:
        for compare in (world.conversions_differ, lambda place: world.differences(place, *ranges)):
            left[:] = [line for place in places for line in compare(place)]
            if left:
                return False
        return True

    try:
        wait_for(is_quiet, f"the books {when}", 90)
    except AssertionError:
        raise AssertionError(f"{when}:\n" + "\n".join(left[:40])) from None
