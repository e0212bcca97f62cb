"""The front's side of the processes that run analysts' statements: started when wanted, watched, and killed.

A process runs one statement at a time and is used again only after a statement that finished within its limits.
Whatever else ends one (its time, its memory, its client, KILL QUERY, the front's end) is SIGKILL: nothing in there is
worth asking for, and no function of the engine can put it off. A statement counts as running until its process is gone.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Final

import structlog

from infra.domain.sql_access.limits import MEMORY_BYTES
from infra.services.clickhouse_server import frames
from infra.services.clickhouse_server.admission import AnalystSlots
from infra.services.clickhouse_server.engine import Stats
from infra.services.clickhouse_server.errors import ClickHouseError, Code, error
from infra.services.clickhouse_server.frames import Head, StatementJob
from infra.services.clickhouse_server.process_scheduling import ProcessScheduler

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

START_S: Final = 30.0
IDLE_S: Final = 60.0
GRACE_S: Final = 1.0
"""The time that the engine may need to end a statement after its limit."""

WATCH_S: Final = 0.1
SLACK_BYTES: Final = 384 << 20
"""Private memory of a process beyond its statement's: the engine's own."""

KEPT_BYTES: Final = 256 << 20
"""A process that has grown beyond this is not used again."""

_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


@dataclass
class Run:
    """One statement from its wait for a place to the end of its process. `kill` may be called at any moment."""

    seconds: float
    failure: ClickHouseError | None = None
    _worker: WorkerProcess | None = None
    _waited_s: float = 0.0
    _killed: asyncio.Event = field(default_factory=asyncio.Event)

    def kill(self, failure: ClickHouseError | None = None) -> None:
        """Ends it now; its reader gets `failure` (by default: cancelled)."""
        if self.failure is None:
            self.failure = failure or error(Code.QUERY_WAS_CANCELLED, "Query was cancelled")
        self._killed.set()
        if self._worker is not None:
            self._worker.kill()

    async def head(self) -> Head:
        """The beginning of the result. Raises `ClickHouseError`."""
        kind, payload = await self._next()
        if kind != frames.HEAD:
            raise _broken()
        return frames.decode(payload, Head)

    async def data(self) -> tuple[bytes, Stats | None]:
        """The next part of the result, or nothing and what it cost, at the end. Raises `ClickHouseError`."""
        kind, payload = await self._next()
        if kind == frames.END:
            return b"", frames.decode(payload, Stats)
        if kind != frames.DATA:
            raise _broken()
        return payload, None

    async def _next(self) -> tuple[bytes, bytes]:
        assert self._worker is not None  # noqa: S101 - only a run that has begun is read
        started = time.monotonic()
        try:
            async with asyncio.timeout(self.seconds + GRACE_S - self._waited_s):
                kind, payload = await self._worker.receive()
        except TimeoutError:
            most = f"{self.seconds:g} seconds"
            self.kill(error(Code.TIMEOUT_EXCEEDED, f"Timeout exceeded: the statement was ended after {most}"))
            raise self._why() from None
        except (EOFError, OSError):
            raise self._why() from None
        finally:
            self._waited_s += time.monotonic() - started
        if kind == frames.ERROR:
            self._worker.is_clean = True
            raise ClickHouseError(*frames.decode(payload, tuple[int, str]))
        if kind == frames.END:
            self._worker.is_clean = True
        return kind, payload

    def _why(self) -> ClickHouseError:
        return self.failure or error(Code.NETWORK_ERROR, "The process that ran this statement ended; please try again")


class Workers:
    """Lives in the event loop's thread. At most as many processes as there are places, `memory_bytes` for all."""

    def __init__(self, folder: Path, places: AnalystSlots, memory_bytes: int) -> None:
        self._folder = folder
        self._places = places
        self._memory_bytes = memory_bytes
        self._scheduler = ProcessScheduler()
        self._numbers = count(1)
        self._idle: list[WorkerProcess] = []
        self._busy: dict[WorkerProcess, Run] = {}
        self._watching: asyncio.Task[None] | None = None
        self._ending: set[asyncio.Task[None]] = set()
        shutil.rmtree(folder, ignore_errors=True)  # left by a front that was killed

    @asynccontextmanager
    async def running(self, account: str, run: Run, job: StatementJob) -> AsyncIterator[None]:
        """The job, sent to a process; when this ends, the process has let it go. Raises `ClickHouseError`."""
        async with self._places.place(account, run._killed):
            if run.failure is not None:
                raise run.failure
            worker = await self._worker(run)
            run._worker = worker
            self._busy[worker] = run
            self._watch()
            try:
                if run.failure is not None:
                    raise run.failure
                with suppress(OSError):  # it has ended: reading its answer returns the reason
                    await worker.send(frames.encode(frames.JOB, job))
                yield
            finally:
                run._worker = None
                del self._busy[worker]
                await asyncio.shield(self._release(worker, is_clean=worker.is_clean and run.failure is None))

    def stop(self) -> None:
        """Admits no more statements and ends the running ones."""
        self._places.stop()
        for run in list(self._busy.values()):
            run.kill(error(Code.ABORTED, "The server is stopping"))

    def kill_all(self) -> None:
        """Kills all processes at the very end, outside the event loop."""
        for worker in (*self._busy, *self._idle):
            worker.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    async def _worker(self, run: Run) -> WorkerProcess:
        while self._idle:
            worker = self._idle.pop()
            if worker.wake():
                return worker
            self._end(worker)
        worker = WorkerProcess(self._folder / str(next(self._numbers)), self._scheduler)
        starting = asyncio.ensure_future(worker.start())
        killed = asyncio.ensure_future(run._killed.wait())
        try:
            await asyncio.wait({starting, killed}, return_when=asyncio.FIRST_COMPLETED)
            if not starting.done():
                raise run._why()
            starting.result()
        except BaseException as failure:
            starting.cancel()
            await asyncio.wait([starting])
            await asyncio.shield(worker.end())
            if isinstance(failure, (OSError, EOFError, TimeoutError)):
                log.exception("statement_process_start_failed")
                raise error(Code.NETWORK_ERROR, "Statements cannot run just now; please try again") from failure
            raise
        finally:
            killed.cancel()
        return worker

    async def _release(self, worker: WorkerProcess, *, is_clean: bool) -> None:
        if is_clean and worker.private_bytes() <= KEPT_BYTES and not self._places.stopping:
            self._idle.append(worker)
            worker.rest(lambda: self._forget(worker))
        else:
            await worker.end()

    def _forget(self, worker: WorkerProcess) -> None:
        if worker in self._idle:
            self._idle.remove(worker)
            self._end(worker)

    def _end(self, worker: WorkerProcess) -> None:
        ending = asyncio.ensure_future(worker.end())
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    def _watch(self) -> None:
        if self._watching is None or self._watching.done():
            self._watching = asyncio.ensure_future(self._watch_memory())

    async def _watch_memory(self) -> None:
        while self._busy:
            self._kill_over_limit()
            await asyncio.sleep(WATCH_S)

    def _kill_over_limit(self) -> None:
        """Ends a statement whose process exceeds its limit. If all together use too much, ends the largest process
        without a statement, else the largest statement."""
        used = {worker: worker.private_bytes() for worker in (*self._busy, *self._idle)}
        for worker, run in self._busy.items():
            if used[worker] > MEMORY_BYTES + SLACK_BYTES:
                run.kill(_memory_exceeded())
        if sum(used.values()) > self._memory_bytes + len(used) * (SLACK_BYTES // 4):
            largest = max(self._idle or self._busy, key=lambda worker: used[worker])
            if self._idle:
                self._forget(largest)
            else:
                self._busy[largest].kill(_memory_exceeded())


class WorkerProcess:
    """One process, and the socket that it listens to."""

    def __init__(self, folder: Path, scheduler: ProcessScheduler) -> None:
        self._folder = folder
        self._scheduler = scheduler
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._idle_timer: asyncio.TimerHandle | None = None
        self.is_clean = False

    async def start(self) -> None:
        """Raises `OSError`, `EOFError` or `TimeoutError` if it does not come up."""
        self._folder.mkdir(parents=True)
        own_socket, child_socket = socket.socketpair()
        with child_socket:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "infra.services.clickhouse_server.worker",
                str(self._folder),
                stdin=child_socket.fileno(),
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
                env={
                    "PATH": os.defpath,
                    "LANG": "C.UTF-8",
                    "TMPDIR": str(self._folder),
                    "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                    "MALLOC_ARENA_MAX": "2",
                },
            )
        self._scheduler.enter(self, is_starting=True)
        self._reader, self._writer = await asyncio.open_connection(sock=own_socket, limit=frames.DATA_BYTES)
        async with asyncio.timeout(START_S):
            kind, _ = await self.receive()
        if kind != frames.READY:
            raise EOFError
        self._scheduler.ready(self)

    async def send(self, data: bytes) -> None:
        assert self._writer is not None  # noqa: S101 - it has been started
        self.is_clean = False
        self._writer.write(data)
        await self._writer.drain()

    async def receive(self) -> tuple[bytes, bytes]:
        """The next frame. Raises `EOFError` when the process is gone, or sends something that is not a frame."""
        assert self._reader is not None  # noqa: S101 - it has been started
        kind, size = frames.HEADER.unpack(await self._reader.readexactly(frames.HEADER.size))
        if size > frames.MAX_FRAME_BYTES:
            raise EOFError
        return kind, await self._reader.readexactly(size)

    def rest(self, then: Callable[[], None]) -> None:
        """Calls `then` when nothing has woken it for `IDLE_S`."""
        self._scheduler.leave(self)
        self._idle_timer = asyncio.get_running_loop().call_later(IDLE_S, then)

    def wake(self) -> bool:
        """Returns whether the process is still there for another job."""
        if self._idle_timer is not None:
            self._idle_timer.cancel()
            self._idle_timer = None
        if self._process is None or self._process.returncode is not None:
            return False
        if self._reader is None or self._reader.at_eof():
            return False
        self._scheduler.enter(self)
        return True

    def private_bytes(self) -> int:
        """Memory of its own: what is shared with other processes is the engine's program."""
        if self._process is None:
            return 0
        try:
            fields = Path(f"/proc/{self._process.pid}/statm").read_text().split()
        except OSError:
            return 0
        return (int(fields[1]) - int(fields[2])) * _PAGE

    def pause(self) -> None:
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def kill(self) -> None:
        process = self._process
        if process is None or process.returncode is not None:
            return
        with suppress(OSError):  # a thread that may not run cannot end either
            for thread in os.listdir(f"/proc/{process.pid}/task"):
                os.sched_setscheduler(int(thread), os.SCHED_OTHER, os.sched_param(0))
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self._process.pid, number)

    async def end(self) -> None:
        """Returns once it is gone, with what it left."""
        self.kill()
        self._scheduler.leave(self)
        if self._process is not None:
            await self._process.wait()
        if self._writer is not None:
            self._writer.close()
        await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)


def _memory_exceeded() -> ClickHouseError:
    return error(Code.MEMORY_LIMIT_EXCEEDED, "Memory limit exceeded: the statement was ended from outside")


def _broken() -> ClickHouseError:
    return error(Code.NETWORK_ERROR, "The process that ran this statement answered what it should not")
