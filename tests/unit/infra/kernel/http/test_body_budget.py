"""Bodies of requests under way share a bounded memory, across all clients; small ones never wait for large."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import Callable, Sequence

from infra.domain.uploads import UPLOADS
from infra.kernel.http.body_budget import FREE_BYTES, BodyBudget
from infra.kernel.http.request_limits import BodyGuard, Message, Receive, Scope, Send

MB = 1024 * 1024
IMAGES = "/api/marketplace/listings/0190a1b2-0000-7000-8000-0000000000d1/images"
PATIENCE_S = 60


class Holding:
    """An app that holds each body until it may answer; counts what it holds."""

    def __init__(self) -> None:
        self.bytes = self.most = self.answered = 0
        self.go_on = asyncio.Event()

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        body = (await receive())["body"]
        self.bytes += len(body)
        self.most = max(self.most, self.bytes)
        await self.go_on.wait()
        self.bytes -= len(body)
        self.answered += 1
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})


async def request(guard: BodyGuard, size: int, path: str = "/api/public/contact", *, chunked: bool = False) -> int:
    """Sends a body in pieces of 16 KiB; the status of the answer."""
    sent, status = 0, 0

    async def receive() -> Message:
        nonlocal sent
        await asyncio.sleep(0)
        piece = bytes(min(16_384, size - sent))
        sent += len(piece)
        return {"type": "http.request", "body": piece, "more_body": sent < size}

    async def send(message: Message) -> None:
        nonlocal status
        status = message.get("status", status)

    length = (b"transfer-encoding", b"chunked") if chunked else (b"content-length", b"%d" % size)
    await guard({"type": "http", "path": path, "headers": [length]}, receive, send)
    return status


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not holds():  # noqa: ASYNC110 - each turn lets the requests go on
            await asyncio.sleep(0)


async def statuses(tasks: Sequence[asyncio.Task[int]]) -> list[int]:
    return await asyncio.wait_for(asyncio.gather(*tasks), PATIENCE_S)


async def test_two_hundred_large_bodies_of_anybody_stay_within_the_budget() -> None:
    app = Holding()
    guard = BodyGuard(app, budget=BodyBudget(8 * MB, wait_s=0.2))
    tracemalloc.start()
    try:
        large = [asyncio.create_task(request(guard, MB, chunked=n % 2 == 0)) for n in range(200)]
        small = [asyncio.create_task(request(guard, 1_000)) for _ in range(50)]
        refused = asyncio.create_task(statuses(large[8:]))
        assert set(await asyncio.wait_for(refused, PATIENCE_S)) == {503}
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert app.most <= 8 * MB + 50 * 1_000
    # Each is in pieces and whole for a moment, and has its first 64 KiB before it waits; together they are 200 MB.
    assert peak < 8 * MB * 3 + 200 * (FREE_BYTES + 2 * 16_384)
    app.go_on.set()
    assert await statuses([*large[:8], *small]) == [200] * 58
    again = [asyncio.create_task(request(guard, MB)) for _ in range(8)]
    assert await statuses(again) == [200] * 8, "the memory was released"


async def test_small_bodies_do_not_wait_for_large_ones() -> None:
    app = Holding()
    guard = BodyGuard(app, budget=BodyBudget(MB, wait_s=PATIENCE_S))
    large = [asyncio.create_task(request(guard, MB)) for _ in range(5)]
    await until(lambda: app.bytes >= MB)
    small = [asyncio.create_task(request(guard, FREE_BYTES)) for _ in range(10)]
    await until(lambda: app.bytes >= MB + 10 * FREE_BYTES)
    app.go_on.set()
    assert await statuses([*large, *small]) == [200] * 15


async def test_thirty_images_at_once_wait_for_their_turn() -> None:
    app = Holding()
    guard = BodyGuard(app, uploads=UPLOADS, budget=BodyBudget(20 * MB, wait_s=PATIENCE_S))
    images = [asyncio.create_task(request(guard, 5 * MB, IMAGES)) for _ in range(30)]
    await until(lambda: app.bytes >= 20 * MB)
    app.go_on.set()
    assert await statuses(images) == [200] * 30
    assert app.most <= 20 * MB


async def test_a_waiting_client_that_disconnects_releases_its_memory() -> None:
    app = Holding()
    budget = BodyBudget(MB, wait_s=PATIENCE_S)
    guard = BodyGuard(app, budget=budget)
    first = asyncio.create_task(request(guard, MB))
    await until(lambda: app.bytes >= MB)
    gone, next_one = (asyncio.create_task(request(guard, MB)) for _ in range(2))
    for _ in range(20):
        await asyncio.sleep(0)
    gone.cancel()
    app.go_on.set()
    assert await statuses([first, next_one]) == [200, 200]
    assert await asyncio.wait_for(budget.reserve(MB), PATIENCE_S), "nothing is held any more"
