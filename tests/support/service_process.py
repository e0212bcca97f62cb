"""Services of the product as processes of their own, beside engines that run already: several of a kind, of any tree.

A `Balancer` stands in front of the services of a kind, as in production: a sender that repeats a request comes to
another one.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Final

import httpx

from tests.support.engines import ROOT, die_with_parent
from tests.support.ports import free_port
from tests.support.stack import OURS, wait_for

LOOPBACK: Final = "127.0.0.1"
START_S: Final = 90.0
STOP_S: Final = 40.0
CONNECT_S: Final = 1.0
_PORTS: Final = {
    "ingest": "ALTHING_TRACKING_PORT",
    "command": "ALTHING_COMMAND_PORT",
    "query": "ALTHING_QUERY_PORT",
    "projectors": "ALTHING_PROJECTORS_PORT",
}


class ServiceProcess:
    """One `althing serve KIND`, in the code of `tree`, with a data directory of its own. Its port stays the same."""

    def __init__(
        self,
        kind: str,
        name: str,
        folder: Path,
        settings: Mapping[str, str],
        *,
        tree: Path = ROOT,
        host: str = LOOPBACK,
        prefix: Sequence[str] = (),
    ) -> None:
        self.kind, self.name, self.host, self.port = kind, name, host, free_port()
        self.url = f"http://{host}:{self.port}"
        self.output = folder / f"{name}.log"
        self._command = [*prefix, sys.executable, "-m", "infra.ops.cli", "serve", kind]
        self._folder = folder / name
        self._environment = {
            **environment(tree, settings),
            "ALTHING_DATA_DIR": str(self._folder),
            "ALTHING_HOST": host,
            "ALTHING_INTERNAL_HOST": host,
            _PORTS[kind]: str(self.port),
        }
        self.process: subprocess.Popen[bytes] | None = None
        self._said = "nothing"

    def begin(self) -> ServiceProcess:
        """Starts it, without waiting."""
        self._folder.mkdir(exist_ok=True)
        with self.output.open("ab") as output:
            self.process = subprocess.Popen(
                self._command,
                cwd=self._folder,
                env=self._environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=die_with_parent,
            )
        return self

    def start(self) -> ServiceProcess:
        """Starts it, and returns when it is ready."""
        return self.begin().wait_ready()

    def wait_ready(self) -> ServiceProcess:
        try:
            wait_for(self._is_ready, f"{self.name} to be ready", START_S)
        except AssertionError as error:
            raise AssertionError(f"{error}; it says: {self._said}") from error
        return self

    def set(self, name: str, value: str) -> None:
        """Changes a setting of the next start."""
        self._environment[name] = value

    def kill(self) -> None:
        """`kill -9`."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """Asks it to end, and returns its exit code."""
        return self._end(signal.SIGTERM)

    def _end(self, number: signal.Signals) -> int:
        assert self.process is not None
        if self.process.poll() is None:
            os.killpg(self.process.pid, number)
        return self.process.wait(STOP_S)

    def _is_ready(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, f"{self.name} ended:\n{self.output.read_text(errors='replace')[-3000:]}"
        try:
            answer = httpx.get(f"{self.url}/readyz", timeout=5)
        except httpx.HTTPError as error:
            self._said = repr(error)
            return False
        self._said = answer.text
        return answer.status_code == 200


def environment(tree: Path, settings: Mapping[str, str]) -> dict[str, str]:
    """The environment of a program of `tree` with these settings, and none of this process's own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    return {**kept, "MALLOC_ARENA_MAX": "2", "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(tree), **settings}


@contextmanager
def ended(processes: Sequence[ServiceProcess]) -> Iterator[None]:
    """Whatever still runs at the end of the block is killed."""
    try:
        yield
    finally:
        for each in processes:
            if each.process is not None:
                each.kill()


class Balancer:
    """Listens on loopback and connects each client to the next of `backends` that accepts a connection."""

    def __init__(self, backends: Sequence[ServiceProcess]) -> None:
        self.backends = list(backends)
        self.port = free_port()
        self.url = f"http://{LOOPBACK}:{self.port}"
        self._turn = itertools.count()
        self.last = self.backends[0]
        """The backend of the newest connection."""
        self._loop = asyncio.new_event_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        self._thread = Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Balancer:
        self._thread.start()
        serving = asyncio.start_server(self._serve, LOOPBACK, self.port)
        self._server = asyncio.run_coroutine_threadsafe(serving, self._loop).result(10)
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _close(self) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            found = await self._connected()
            if found is None:
                return
            back_reader, back_writer = found
            try:
                ways = [
                    asyncio.ensure_future(_pump(reader, back_writer)),
                    asyncio.ensure_future(_pump(back_reader, writer)),
                ]
                # When one side ends, so does the other: a client sees the end of its server.
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
                for way in ways:
                    way.cancel()
            finally:
                back_writer.close()
        finally:
            writer.close()

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        for _ in self.backends:
            backend = self.backends[next(self._turn) % len(self.backends)]
            with suppress(OSError, TimeoutError):
                found = await asyncio.wait_for(asyncio.open_connection(backend.host, backend.port), CONNECT_S)
                self.last = backend
                return found
        return None


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
