"""Pushes live updates: one read per website, shared by all of its subscriptions.

A notification of projection `events` wakes the hub; it reads the watched websites that have news, at most every
200 ms, and hands the result to their subscriptions. A watcher that is slow sees only the newest state: nothing queues
up. Every 5 s all are read again, because time alone moves the minutes and ends visits.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeVar
from uuid import UUID

import structlog

from infra.kernel.http.problems import Problem
from infra.kernel.observability import logging
from query_api.analytics.live.snapshot import LiveData

A = TypeVar("A")
R = TypeVar("R")

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

COALESCE_S: Final = 0.2
TICK_S: Final = 5.0
MAX_SUBSCRIPTIONS: Final = 256
MAX_OF_ONE_ACCOUNT: Final = 24
THREADS: Final = 4


class LiveReader(Protocol):
    """Reads for the hub; called in threads."""

    def read(self, website_id: UUID) -> LiveData: ...

    def fingerprints(self, website_ids: list[UUID]) -> Mapping[UUID, int]: ...


@dataclass(eq=False)
class LiveSubscription:
    """One watcher of one website. `changed` is set as well when it is over. `counts`: it has a place."""

    website_id: UUID
    account_id: UUID
    session_id: UUID
    counts: bool = True
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    _ended: bool = False

    def end(self) -> None:
        self._ended = True
        self.changed.set()

    def is_over(self) -> bool:
        return self._ended


@dataclass(eq=False)
class _Watched:
    latest: LiveData
    fingerprint: int = -1
    subscriptions: set[LiveSubscription] = field(default_factory=set)


class LiveHub:
    """Lives in one event loop; `nudge` may be called from any thread."""

    def __init__(self, reader: LiveReader, *, coalesce_s: float = COALESCE_S, tick_s: float = TICK_S) -> None:
        self._reader = reader
        self._coalesce_s = coalesce_s
        self._tick_s = tick_s
        self._watched: dict[UUID, _Watched] = {}
        self._count: dict[UUID, int] = {}
        self._by_age: dict[LiveSubscription, None] = {}
        self._threads = ThreadPoolExecutor(THREADS, "live")
        self._nudged = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    async def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.create_task(self._run(), name="live")

    async def stop(self) -> None:
        self.end_streams()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._threads.shutdown(wait=False, cancel_futures=True)

    def end_streams(self) -> None:
        """Lets every stream end, so that they do not delay a stopping server. Call it in the loop."""
        self._closed = True
        for subscription in self._subscriptions():
            subscription.end()

    def end_session(self, session_id: UUID) -> None:
        """Ends the streams of a session that signed out. May be called from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._end_session, session_id)

    def nudge(self) -> None:
        """There may be news."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._nudged.set)

    async def subscribe(self, website_id: UUID, account_id: UUID, session_id: UUID) -> LiveSubscription:
        """Begins to watch; `latest` is there when this returns. Raises `Problem` 429 or 503."""
        self._admit(account_id)
        self._count[account_id] = self._count.get(account_id, 0) + 1
        subscription = LiveSubscription(website_id, account_id, session_id)
        try:
            if website_id not in self._watched:
                first = await self._in_thread(self._reader.read, website_id)
                self._watched.setdefault(website_id, _Watched(first))
                self._nudged.set()  # what came while it was read
        except BaseException:
            self._release(account_id)
            raise
        self._watched[website_id].subscriptions.add(subscription)
        self._by_age[subscription] = None
        if self._closed:
            subscription.end()
        return subscription

    def unsubscribe(self, subscription: LiveSubscription) -> None:
        """Ends the subscription; a website without subscriptions is no longer read."""
        watched = self._watched.get(subscription.website_id)
        if watched is not None:
            watched.subscriptions.discard(subscription)
            if not watched.subscriptions:
                del self._watched[subscription.website_id]
        self._by_age.pop(subscription, None)
        self._free(subscription)

    def latest(self, subscription: LiveSubscription) -> LiveData:
        """The newest state of the subscription's website."""
        return self._watched[subscription.website_id].latest

    def _end_session(self, session_id: UUID) -> None:
        for subscription in self._subscriptions():
            if subscription.session_id == session_id:
                subscription.end()

    def _subscriptions(self) -> list[LiveSubscription]:
        return [one for watched in self._watched.values() for one in watched.subscriptions]

    def _admit(self, account_id: UUID) -> None:
        """Admits the subscription, or raises `Problem` when there is no place. When all are taken, the account with the
        most gives its oldest to one that has at least two less: so shares become equal."""
        own = self._count.get(account_id, 0)
        if own >= MAX_OF_ONE_ACCOUNT:
            message = f"At most {MAX_OF_ONE_ACCOUNT} live views can be open at once; close one first."
            raise Problem(429, "too_many_streams", message, headers={"Retry-After": "5"})
        if self._closed or (sum(self._count.values()) >= MAX_SUBSCRIPTIONS and not self._make_room(own)):
            message = "Too many live views are open. Please try again in a moment."
            raise Problem(503, "too_many_streams", message, headers={"Retry-After": "5"})

    def _make_room(self, own: int) -> bool:
        """Ends the oldest subscription of the account with the most, if it has at least two more than `own`."""
        greatest = max(self._count, key=lambda account_id: self._count[account_id])
        if self._count[greatest] < own + 2:
            return False
        oldest = next((one for one in self._by_age if one.account_id == greatest and one.counts), None)
        if oldest is None:  # all of them are just being opened
            return False
        oldest.end()
        self._free(oldest)
        return True

    def _free(self, subscription: LiveSubscription) -> None:
        if subscription.counts:
            subscription.counts = False
            self._release(subscription.account_id)

    def _release(self, account_id: UUID) -> None:
        self._count[account_id] -= 1
        if not self._count[account_id]:
            del self._count[account_id]

    async def _run(self) -> None:
        logging.begin_context(component="live")
        ticked = time.monotonic()
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._nudged.wait(), self._tick_s)
            self._nudged.clear()
            began = time.monotonic()
            every = began - ticked >= self._tick_s
            ticked = began if every else ticked
            try:
                await self._refresh(every)
            except Problem as problem:
                log.info("live_view_unavailable", error=problem)
            except Exception:
                log.exception("unexpected_error")
            await asyncio.sleep(max(0.0, self._coalesce_s - (time.monotonic() - began)))

    async def _refresh(self, every: bool) -> None:
        websites = list(self._watched)
        if not every and len(websites) > 1:
            prints = await self._in_thread(self._reader.fingerprints, websites)
            websites = [one for one in websites if self._has_news(one, prints.get(one, 0))]
        await asyncio.gather(*(self._read(one) for one in websites))

    def _has_news(self, website_id: UUID, fingerprint: int) -> bool:
        watched = self._watched.get(website_id)
        if watched is None or watched.fingerprint == fingerprint:
            return False
        watched.fingerprint = fingerprint
        return True

    async def _read(self, website_id: UUID) -> None:
        snapshot = await self._in_thread(self._reader.read, website_id)
        watched = self._watched.get(website_id)
        if watched is not None and not snapshot.same_as(watched.latest):
            watched.latest = snapshot
            for subscription in watched.subscriptions:
                subscription.changed.set()

    async def _in_thread(self, call: Callable[[A], R], argument: A) -> R:
        return await asyncio.get_running_loop().run_in_executor(self._threads, copy_context().run, call, argument)
