"""Places for what people wait for: nobody holds those of all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from threading import Event, Thread
from uuid import UUID, uuid4

import pytest

from command_api.kernel.bulkhead import Bulkhead
from infra.kernel.http.problems import Problem

ADA, EVE, UNA = (uuid4() for _ in range(3))


def refused(places: Bulkhead, who: UUID, wait_s: float = 0.0) -> tuple[int, str, str] | None:
    try:
        with places.acquire(who, wait_s):
            return None
    except Problem as problem:
        return problem.status, problem.code, dict(problem.headers or {})["Retry-After"]


@pytest.fixture
def held() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def test_one_account_holds_no_more_than_its_own(held: ExitStack) -> None:
    places = Bulkhead(limit=3, limit_per_account=2, subject="Ideas are")
    for _ in range(2):
        held.enter_context(places.acquire(ADA, 0))
    assert refused(places, ADA) == (429, "already_running", "5")
    assert refused(places, EVE) is None


def test_all_together_hold_no_more_than_there_are(held: ExitStack) -> None:
    places = Bulkhead(limit=2, limit_per_account=1, subject="Ideas are")
    for who in (ADA, EVE):
        held.enter_context(places.acquire(who, 0))
    assert refused(places, UNA) == (503, "busy", "5")
    held.close()
    assert refused(places, UNA) is None


def test_a_place_is_given_back_whatever_happens_in_it() -> None:
    places = Bulkhead(limit=1, limit_per_account=1, subject="Ideas are")
    with pytest.raises(ValueError, match="odd"), places.acquire(ADA, 0):
        raise ValueError("odd")
    assert refused(places, ADA) is None and places._acquired == {}


@pytest.mark.parametrize("who", [ADA, EVE])
def test_who_waits_gets_the_place_that_becomes_free(held: ExitStack, who: UUID) -> None:
    places = Bulkhead(limit=1, limit_per_account=1, subject="Ideas are")
    held.enter_context(places.acquire(ADA, 0))
    begun, found = Event(), list[object]()

    def wait() -> None:
        begun.set()
        found.append(refused(places, who, 20))

    thread = Thread(target=wait)
    thread.start()
    assert begun.wait(20)
    held.close()
    thread.join(20)
    assert found == [None]
