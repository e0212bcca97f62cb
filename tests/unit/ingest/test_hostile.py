"""Hostile bodies in small steps, fair turns, and what refusals cost an address."""

from __future__ import annotations

import asyncio

import pytest

from infra.kernel.http.address_costs import BURST_S, MAX_ADDRESSES
from ingest.errors import EventRejected
from ingest.limits.fair_scheduling import MAX_OF_OWNER, FairScheduler
from ingest.request_cost import RequestCosts
from ingest.steps import decode
from ingest.steps.decode import MAX_EVENTS, BodyDecoder, DecodedBody
from tests.support.hostile_requests import ATTACKS, LINES, array_of


@pytest.mark.parametrize("part", [b"{}", b"1", b"[]", b'""', b'{"a":1}', b"null"])
def test_too_many_parts_are_refused_before_any_of_them_is_decoded(part: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode, "decode_one", lambda _: pytest.fail("a part was decoded"))
    for body, kind in ((array_of(part), b""), ((part + b"\n") * (MAX_EVENTS + 1), LINES.encode())):
        with pytest.raises(EventRejected) as caught:
            list(BodyDecoder(body, kind).steps())
        assert (caught.value.status, caught.value.code) == (413, "too_large")


def test_the_start_of_a_packed_body_is_unpacked_alone() -> None:
    attack = ATTACKS["gzip of {}, no key"]
    body = DecodedBody(attack.body, b"gzip")
    assert len(body.start(1000)) == 1000
    assert body.whole() == array_of(b"{}")


def test_one_slice_a_round_and_every_owner_in_turn() -> None:
    order: list[str] = []

    async def work(scheduler: FairScheduler, owner: str, slices: int) -> None:
        turn = scheduler.begin(owner)
        for _ in range(slices):
            await turn.next()
            order.append(owner)
        turn.end()

    async def scene() -> None:
        scheduler = FairScheduler()
        await asyncio.gather(*(work(scheduler, "busy", 5) for _ in range(4)), work(scheduler, "quiet", 2))
        assert scheduler.granted == 22

    asyncio.run(scene())
    assert order.index("quiet") <= 1, "another's first slice comes after one slice of the busy one"
    assert [place for place, owner in enumerate(order) if owner == "quiet"][1] <= 4
    assert len(order) == 22


def test_batches_of_one_owner_are_bounded() -> None:
    async def scene() -> None:
        scheduler = FairScheduler()
        waiting = [asyncio.ensure_future(scheduler.begin("one").next()) for _ in range(MAX_OF_OWNER + 1)]
        await asyncio.wait(waiting)
        refused = [task for task in waiting if task.exception() is not None]
        assert len(refused) == 1 and getattr(refused[0].exception(), "status", 0) == 429

    asyncio.run(scene())


def test_refusals_cost_their_address_and_no_other() -> None:
    costs = RequestCosts(rate=10)
    for _ in range(10 * BURST_S):
        costs.charge("192.0.2.1")
    costs.check("192.0.2.1")
    costs.charge("192.0.2.1", 5.0)
    with pytest.raises(EventRejected) as caught:
        costs.check("192.0.2.1")
    assert (caught.value.status, caught.value.code) == (429, "address_throttled") and caught.value.retry_after >= 1
    costs.check("192.0.2.2")
    costs.charge("2001:db8::1", 1000.0)
    with pytest.raises(EventRejected):
        costs.check("2001:db8::2")
    costs.check("2001:db8:0:1::1")


def test_the_table_of_addresses_is_bounded_and_keeps_the_worst() -> None:
    costs = RequestCosts(rate=10)
    costs.charge("192.0.2.1", 1000.0)
    for number in range(2 * MAX_ADDRESSES):
        costs.charge(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
    assert len(costs._debts) <= MAX_ADDRESSES
    with pytest.raises(EventRejected):
        costs.check("192.0.2.1")
