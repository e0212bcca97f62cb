"""One system under load: what an acknowledged event costs, how long it takes, and what a `kill -9` loses or doubles."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Final
from urllib.parse import urlsplit

import psutil

from tests.bench import percentile_of
from tests.bench.paced_sender import response, send
from tests.bench.peers.events import page_view
from tests.bench.peers.systems import System
from tests.support.stack import wait_for

CONNECTIONS: Final = 32
BATCH, BATCH_CONNECTIONS = 1_000, 4
WARM_UP: Final = 500
TRIAL, BATCH_TRIAL = 1_000, 40
FULL_S, COMMON_S = 10.0, 15.0
COMMON_RATE: Final = 150.0
"""Events a second that the slowest carries on two cores beside the sender."""
UNLIMITED: Final = 1e9
KILLS: Final = 2
"""Of each part."""
BETWEEN_KILLS_S, RETRY_S = 1.5, 0.05
PATIENCE_S, RESPONSE_S, SEEN_S = 300.0, 30.0, 120.0
_CRASH: Final = "/crash/"


@dataclass(frozen=True)
class Cost:
    """Events a second, and for each processor second of all processes of the system."""

    rate: float
    per_core_second: float


@dataclass(frozen=True)
class Crash:
    """Acknowledged events, and how many of them are not there, or there more than once."""

    kills: int
    acknowledged: int
    lost: int
    doubled: int


@dataclass(frozen=True)
class Load:
    """Everything that is measured of one system; milliseconds, and bytes of an event in a log beside the tables."""

    singles: Cost
    batches: Cost | None
    common: Cost
    p99: float
    log_bytes: float
    others: float
    """Cores that programs beside system and sender took meanwhile."""
    crash: Crash


def load(system: System) -> Load:
    """Measures it, and then kills parts of it."""
    began, before = time.monotonic(), _of_others(system)
    sender = Sender(system)
    # First what all carry: a visit of today costs Althing more where the full rates have filled the day.
    (common, p99), singles, batches = sender.common(), sender.singles(), sender.batches()
    others = (_of_others(system) - before) / (time.monotonic() - began)
    log_bytes = system.log_bytes() / system.stored()
    return Load(singles, batches, common, p99, log_bytes, others, crash(system))


def _of_others(system: System) -> float:
    """Processor seconds of everything but the system and this process."""
    machine, own = psutil.cpu_times(), psutil.Process().cpu_times()
    return float(machine.user + machine.nice + machine.system - own.user - own.system - system.used())


class Sender:
    """Sends a system events that it does not know. What it puts off until they can be read is part of their cost."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._numbers = count()
        self._made = 0
        self._send(self._singles(WARM_UP), UNLIMITED, CONNECTIONS)

    def singles(self) -> Cost:
        """As fast as it takes them: each connection sends the next event once the last one is acknowledged."""
        return self._at_full_rate(self._singles, TRIAL, CONNECTIONS)

    def batches(self) -> Cost | None:
        """The same with batches; none if it takes none."""
        if self._system.batch is None:
            return None
        return self._at_full_rate(self._batches, BATCH_TRIAL, BATCH_CONNECTIONS)

    def common(self) -> tuple[Cost, float]:
        """Single events at a rate that every system carries, and the 99th percentile in milliseconds."""
        used, requests = self._used(), self._singles(int(COMMON_RATE * COMMON_S))
        times = self._send(requests, COMMON_RATE, CONNECTIONS)
        return Cost(COMMON_RATE, len(requests) / (self._used() - used)), percentile_of(times, 99)

    def _at_full_rate(self, requests: Callable[[int], list[bytes]], trial: int, connections: int) -> Cost:
        """A trial tells how many requests take the time; they are ready before the first one is sent."""
        rate = trial / self._seconds(requests(trial), connections)
        used, before = self._used(), self._made
        some = requests(max(trial, int(rate * FULL_S)))
        took, sent = self._seconds(some, connections), self._made - before
        return Cost(sent / took, sent / (self._used() - used))

    def _seconds(self, requests: Sequence[bytes], connections: int) -> float:
        began = time.monotonic()
        self._send(requests, UNLIMITED, connections)
        return time.monotonic() - began

    def _singles(self, number: int) -> list[bytes]:
        self._made += number
        return [self._system.single(page_view(next(self._numbers))) for _ in range(number)]

    def _batches(self, number: int) -> list[bytes]:
        assert self._system.batch is not None
        self._made += number * BATCH
        views = [[page_view(next(self._numbers)) for _ in range(BATCH)] for _ in range(number)]
        return [self._system.batch(some) for some in views]

    def _send(self, requests: Sequence[bytes], rate: float, connections: int) -> list[float]:
        return asyncio.run(send(self._system.url, requests, rate, connections, self._system.accepted))

    def _used(self) -> float:
        """Processor seconds so far, once every event can be read and nothing is put off."""
        wait_for(lambda: self._system.stored() >= self._made, "every event to be readable", PATIENCE_S, every_s=1.0)
        self._system.settle()
        return self._system.used()


def crash(system: System) -> Crash:
    """Events at full rate while each part is killed in turn. The sender repeats what was not acknowledged."""
    ended = threading.Event()
    with ThreadPoolExecutor(1) as beside:
        sending = beside.submit(lambda: asyncio.run(_sent_until(ended, system)))
        try:
            for kill in [*system.kills.values()] * KILLS:
                time.sleep(BETWEEN_KILLS_S)
                kill()  # in this thread: a child process ends with the thread that starts it
            time.sleep(BETWEEN_KILLS_S)
        finally:
            ended.set()
        acknowledged = sending.result()
    with suppress(AssertionError):  # what is lost never comes
        wait_for(lambda: len(_crashed(system.pages())) >= acknowledged, "what was acknowledged", SEEN_S, every_s=1.0)
    return counted(KILLS * len(system.kills), acknowledged, _crashed(system.pages()))


def counted(kills: int, acknowledged: int, pages: Mapping[str, int]) -> Crash:
    """`pages`: the views of each event's own page."""
    doubled = sum(views - 1 for views in pages.values())
    return Crash(kills, acknowledged, acknowledged - len(pages), doubled)


def _crashed(pages: Mapping[str, int]) -> dict[str, int]:
    return {path: views for path, views in pages.items() if path.startswith(_CRASH)}


async def _sent_until(ended: threading.Event, system: System) -> int:
    """Returns how many events were acknowledged: all that were sent."""
    numbers = count()

    async def one_connection() -> None:
        connection = _Connection(system)
        while not ended.is_set():
            number = next(numbers)
            await connection.deliver(system.single(page_view(number, f"{_CRASH}{number}")))
        connection.close()

    await asyncio.gather(*(one_connection() for _ in range(CONNECTIONS)))
    return next(numbers)


class _Connection:
    """A connection that is opened again when it ends."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def deliver(self, raw: bytes) -> None:
        """Sends the request until it is acknowledged."""
        deadline = time.monotonic() + PATIENCE_S
        while not await self._is_acknowledged(raw):
            assert time.monotonic() < deadline, f"{self._system.name} does not take an event"
            await asyncio.sleep(RETRY_S)

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    async def _is_acknowledged(self, raw: bytes) -> bool:
        try:
            if self._streams is None:
                address = urlsplit(self._system.url)
                self._streams = await asyncio.open_connection(address.hostname, address.port)
            reader, writer = self._streams
            writer.write(raw)
            status, _ = await asyncio.wait_for(response(reader), RESPONSE_S)
        except (OSError, asyncio.IncompleteReadError):  # a timeout is an OSError
            self.close()
            return False
        return status == self._system.accepted
