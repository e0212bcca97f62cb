"""Whatever happens in whichever order: every public number is what independent books say.

`ORACLE_SEEDS` (1) says how many histories are played, `ORACLE_SEED` (417) which is the first, `ORACLE_SALES` (25) how
many transactions a website has. A failure names its seed. `make oracle` begins with another one each time; with several
histories the log is also killed, which takes seconds. `make test` plays a short history, `make test-slow` the others.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from datetime import timedelta
from uuid import uuid4

import pytest

from tests.oracle import chance, history
from tests.oracle.comparing import conversions_differ, costs_differ, figures_differ, tables_differ
from tests.oracle.world import SETTINGS, Place, World
from tests.support.rounds import first_of
from tests.support.stack import stack, wait_for

COUNT = int(os.environ.get("ORACLE_SEEDS", "1"))
SALES = int(os.environ.get("ORACLE_SALES", "25"))
SHORT = 10
"""Transactions of a website in the short history."""
FIRST = int(os.environ.get("ORACLE_SEED", "417"))
RANGES = 5 if COUNT > 1 else 3
"""Random ranges for which the figures of a website are compared, each with random filters."""
SEEDS = range(FIRST, FIRST + COUNT)
OUTAGES = chance.OUTAGES if COUNT > 1 else chance.SHORT_OUTAGES

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with stack(SETTINGS) as made:
        found = World(made)
        try:
            yield found
        finally:
            found.close()


@pytest.mark.parametrize(
    ("seed", "sales"),
    [(FIRST - 1, SHORT), *(pytest.param(seed, SALES, marks=pytest.mark.slow) for seed in SEEDS)],
)
def test_every_public_number_is_what_the_books_say(world: World, seed: int, sales: int) -> None:
    print(f"ORACLE_SEED={seed} ORACLE_SALES={sales}")
    now = history.now()
    played = chance.make(seed, now, sales, OUTAGES)
    places = world.set_up(played)
    for place in places:
        world.play(place)
    agree(world, places, "after everything was sent")
    world.decide(places, played.decisions)
    agree(world, places, "after the decisions")
    rng = random.Random(seed)
    for place in places:
        for _ in range(RANGES):
            first = now.date() - timedelta(days=rng.randrange(0, 25))
            last = first + timedelta(days=rng.randrange(0, 25))
            assert figures_differ(world, place, first, last, chance.filters(rng)) == []
            assert costs_differ(world, place, first, last) == []


@pytest.mark.parametrize("times", first_of(4, 12))
def test_a_fresh_last_click_earns_the_sale_that_follows_at_once(world: World, times: int) -> None:
    """Click on one partner yesterday, on another now, and the sale by visitor id right after it."""
    played = chance.make(FIRST + 2 * 10**6 + times, history.now(), 0)
    played.sites[0].first_click = False
    place = world.set_up(played)[0]
    for number in range(times):
        txid, visitor, now = f"F{number}", f"fresh-{number}", history.now()
        yesterday = history.Event(uuid4(), visitor, now - timedelta(days=1), link=0)
        fresh = history.Event(uuid4(), visitor, now, link=1)
        place.site.moments[txid] = now
        sale = history.Report(txid, "shop", 1000, place.site.currency, visitor=visitor)
        place.site.events += [yesterday, fresh]
        place.site.calls += [yesterday, fresh, sale]
    world.play(place)
    agree(world, [place], "after fresh clicks")


@pytest.mark.slow
def test_everything_sent_again_and_rebuilt_changes_nothing(world: World) -> None:
    played = chance.make(FIRST + 10**6, history.now(), max(5, SALES // 3))
    places = world.set_up(played)
    for place in places:
        world.play(place)
    agree(world, places, "after everything was sent")
    for place in places:
        for call in place.site.calls:
            if not getattr(call, "status", ""):
                world.send(place, call)
    agree(world, places, "after everything was sent again")
    for name in ("events", "conversions", "conversion_steps", "statement_months", "cost_changes"):
        told = world.stack.run("projections", "rebuild", name)
        assert told.returncode == 0, told.stdout + told.stderr
    agree(world, places, "after rebuilds")
    found = world.audit()
    assert [found[kind] for kind in ("missing", "duplicate", "wrong")] == [0, 0, 0], found["examples"]


def agree(world: World, places: list[Place], when: str) -> None:
    """Waits until list, figures and tables are what the books say: late clicks are looked for within seconds."""
    today = history.now().date()
    ranges = (today - timedelta(days=30), today + timedelta(days=1))
    left: list[str] = []

    def differences() -> Iterator[list[str]]:
        """Cheap ones first: what comes behind is compared when those before agree."""
        yield [line for place in places for line in conversions_differ(world, place)]
        yield [line for place in places for line in figures_differ(world, place, *ranges)]
        yield [line for place in places for line in costs_differ(world, place, *ranges)]
        yield tables_differ(world, places)

    def is_quiet() -> bool:
        left[:] = next((lines for lines in differences() if lines), [])
        if left:
            for place in places:
                world.accept_adjustments(place)
        return not left

    try:
        wait_for(is_quiet, f"the books {when}", 90, every_s=1.0)
    except AssertionError as error:
        raise AssertionError("\n".join([f"{when}: {error}", *left[:40]])) from error
