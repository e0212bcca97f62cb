"""The live hub: one read for all watchers of a website, coalesced, bounded, and ended on demand."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from starlette.types import Message

from infra.kernel.http.problems import Problem
from query_api.analytics.live import hub as hub_module
from query_api.analytics.live import routes
from query_api.analytics.live.hub import LiveHub
from query_api.analytics.live.snapshot import LiveData, LiveTop

PATIENCE_S = 60


class Reader:
    """Counts its reads; what it shows is a number that the test sets."""

    def __init__(self) -> None:
        self.reads: Counter[UUID] = Counter()
        self.shown: Counter[UUID] = Counter()
        self.failing = False
        self._read = threading.Condition()

    def read(self, website_id: UUID) -> LiveData:
        with self._read:
            self.reads[website_id] += 1
            self._read.notify_all()
        if self.failing:
            raise Problem(503, "analytics_unavailable", "Down.")
        top = LiveTop(page=[], source=[], country=[], event=[])
        return LiveData(
            as_of=datetime.now(UTC), active_visitors=self.shown[website_id], per_minute=[], recent=[], top=top
        )

    def wait_for_reads(self, website_id: UUID, count: int) -> None:
        with self._read:
            assert self._read.wait_for(lambda: self.reads[website_id] >= count, PATIENCE_S)

    def fingerprints(self, website_ids: list[UUID]) -> Mapping[UUID, int]:
        return {one: self.shown[one] for one in website_ids}


async def test_watchers_of_a_website_share_its_reads() -> None:
    reader, website, account = Reader(), uuid4(), uuid4()
    hub = LiveHub(reader, coalesce_s=0.01, tick_s=3600)
    await hub.start()
    watchers = [await hub.subscribe(website, account, uuid4()) for _ in range(5)]
    for step in range(1, 4):
        for watcher in watchers:
            watcher.changed.clear()
        reader.shown[website] = step
        hub.nudge()
        await asyncio.wait_for(asyncio.gather(*(watcher.changed.wait() for watcher in watchers)), PATIENCE_S)
        assert {hub.latest(watcher).active_visitors for watcher in watchers} == {step}
    assert reader.reads[website] <= 5
    await hub.stop()


async def test_only_websites_with_news_are_read_again() -> None:
    reader, busy, quiet = Reader(), uuid4(), uuid4()
    hub = LiveHub(reader, coalesce_s=0.01, tick_s=3600)
    await hub.start()
    watching = await hub.subscribe(busy, uuid4(), uuid4())
    await hub.subscribe(quiet, uuid4(), uuid4())
    for step in range(1, 6):
        watching.changed.clear()
        reader.shown[busy] = step
        hub.nudge()
        await asyncio.wait_for(watching.changed.wait(), PATIENCE_S)
    assert reader.reads[quiet] <= 3 < reader.reads[busy]
    await hub.stop()


async def test_time_alone_makes_it_read_again() -> None:
    reader, website = Reader(), uuid4()
    hub = LiveHub(reader, coalesce_s=0.01, tick_s=0.02)
    await hub.start()
    watching = await hub.subscribe(website, uuid4(), uuid4())
    reader.shown[website] = 7
    await asyncio.wait_for(watching.changed.wait(), PATIENCE_S)
    assert hub.latest(watching).active_visitors == 7
    await hub.stop()


async def test_watchers_are_bounded_and_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "MAX_SUBSCRIPTIONS", 4)
    monkeypatch.setattr(hub_module, "MAX_OF_ONE_ACCOUNT", 2)
    hub, website, ada = LiveHub(Reader()), uuid4(), uuid4()
    mine = [await hub.subscribe(website, ada, uuid4()) for _ in range(2)]
    with pytest.raises(Problem) as refused:
        await hub.subscribe(website, ada, uuid4())
    assert refused.value.status == 429
    hub.unsubscribe(mine[0])
    for _ in range(3):
        await hub.subscribe(website, uuid4(), uuid4())
    with pytest.raises(Problem) as full:  # everybody has one
        await hub.subscribe(website, uuid4(), uuid4())
    assert full.value.status == 503
    hub.unsubscribe(mine[1])
    await hub.subscribe(website, ada, uuid4())
    await hub.stop()


async def test_the_account_with_the_most_streams_loses_its_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "MAX_SUBSCRIPTIONS", 8)
    monkeypatch.setattr(hub_module, "MAX_OF_ONE_ACCOUNT", 6)
    hub, website, greedy, other = LiveHub(Reader()), uuid4(), uuid4(), uuid4()
    many = [await hub.subscribe(website, greedy, uuid4()) for _ in range(6)]
    await hub.subscribe(website, other, uuid4())
    await hub.subscribe(website, other, uuid4())
    newcomers = [await hub.subscribe(website, uuid4(), uuid4()) for _ in range(4)]
    assert [one.is_over() for one in many] == [True] * 4 + [False] * 2
    assert not any(one.is_over() for one in newcomers)
    with pytest.raises(Problem) as full:  # nor does the greedy one get them back
        await hub.subscribe(website, greedy, uuid4())
    assert full.value.status == 503
    for one in many:  # those that ended give their place back once
        hub.unsubscribe(one)
    again = [await hub.subscribe(website, uuid4(), uuid4()) for _ in range(2)]
    assert not any(one.is_over() for one in (*newcomers, *again))

    async def subscribe_three() -> None:
        for _ in range(3):
            await hub.subscribe(website, other, uuid4())

    with pytest.raises(Problem):
        await subscribe_three()
    await hub.stop()


async def test_a_failed_first_read_holds_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "MAX_OF_ONE_ACCOUNT", 1)
    reader, ada = Reader(), uuid4()
    hub = LiveHub(reader)
    reader.failing = True
    for _ in range(3):
        with pytest.raises(Problem) as down:
            await hub.subscribe(uuid4(), ada, uuid4())
        assert down.value.status == 503
    reader.failing = False
    await hub.subscribe(uuid4(), ada, uuid4())
    await hub.stop()


async def test_a_failure_while_watching_is_got_over() -> None:
    reader, website = Reader(), uuid4()
    hub = LiveHub(reader, coalesce_s=0.01, tick_s=0.02)
    await hub.start()
    watching = await hub.subscribe(website, uuid4(), uuid4())
    reader.failing = True
    before = reader.reads[website]
    await asyncio.wait_for(asyncio.to_thread(reader.wait_for_reads, website, before + 2), PATIENCE_S)
    reader.failing, reader.shown[website] = False, 3
    await asyncio.wait_for(watching.changed.wait(), PATIENCE_S)
    await hub.stop()


async def test_stopping_wakes_every_stream() -> None:
    hub = LiveHub(Reader())
    watching = await hub.subscribe(uuid4(), uuid4(), uuid4())
    hub.end_streams()
    await asyncio.wait_for(watching.changed.wait(), PATIENCE_S)
    assert watching.is_over()
    await hub.stop()


async def test_a_session_that_ended_ends_its_streams_alone() -> None:
    hub, website, ada = LiveHub(Reader(), tick_s=3600), uuid4(), uuid4()
    await hub.start()
    signed_out, elsewhere = uuid4(), uuid4()
    ended = [await hub.subscribe(one, ada, signed_out) for one in (website, website, uuid4())]
    going_on = await hub.subscribe(website, ada, elsewhere)
    hub.end_session(signed_out)
    await asyncio.wait_for(asyncio.gather(*(one.changed.wait() for one in ended)), PATIENCE_S)
    assert all(one.is_over() for one in ended)
    assert not going_on.is_over() and not going_on.changed.is_set()
    await hub.stop()


async def test_a_client_that_takes_nothing_gives_its_place_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "STALLED_S", 0.01)
    hub, ada = LiveHub(Reader()), uuid4()
    await hub.start()
    subscription = await hub.subscribe(uuid4(), ada, uuid4())

    async def snapshots() -> AsyncIterator[bytes]:
        while True:
            yield b"event: snapshot\n\n"

    async def takes_nothing(_: Message) -> None:
        await asyncio.Event().wait()

    async def stays() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    scope = {"type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}}
    stream = routes._Stream(hub, subscription, snapshots())
    await asyncio.wait_for(stream(scope, stays, takes_nothing), PATIENCE_S)
    assert hub._count == {} and hub._watched == {}
    await hub.stop()
