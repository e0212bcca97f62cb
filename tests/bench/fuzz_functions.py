"""`make fuzz` (`python -m tests.bench.fuzz_functions [SECONDS] [SEED]`): each function of the engine as a bomb.

For each function of `system.functions` it looks for arguments that the engine accepts (`fuzz_arguments`), and then
sends large ones of the same types, as an analyst whose statement may take one second. Dashboards read meanwhile. It
fails if a statement was answered later than two seconds after its limit, if one took the engine down, or if dashboards
waited. Small arguments are tried in the engine of the dashboards, which answers sooner than a process does.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final, TypeVar

import httpx

from tests.bench.fuzz_arguments import Arguments, Function, grown, statements
from tests.bench.hostile_server import HostileServer, hostile_server

T = TypeVar("T")
LIMIT_S: Final = 1.0
GRACE_S: Final = 2.0
CONCURRENCY: Final = 3
SLOW_DASHBOARD_MS: Final = 2000.0
LEARN_S: Final = 3.0
"""For finding arguments of one function that the engine accepts."""

RAN: Final = ("200", "159", "241")
"""Done, or ended at its limit of time or memory: the engine had accepted the arguments."""


@dataclass
class Tried:
    """Results for a function: `accepted` are its parameters and small arguments, `codes` the answers to large ones."""

    function: Function
    accepted: tuple[str, Arguments] | None = None
    codes: Counter[str] = field(default_factory=Counter)
    is_ended_from_outside: bool = False
    rest: Iterator[str] = field(default_factory=lambda: iter(()))

    @property
    def ran(self) -> bool:
        return any(code in self.codes for code in RAN)


def main(arguments: list[str]) -> int:
    seconds, seed = float(arguments[0]) if arguments else 600.0, int(arguments[1]) if len(arguments) > 1 else 1
    with hostile_server() as server:
        rows = server.http.post(
            "/",
            content="SELECT DISTINCT name, is_aggregate, arguments, examples FROM system.functions"
            " WHERE alias_to = '' ORDER BY cityHash64(name) FORMAT JSONEachRow",
        )
        found = [json.loads(line) for line in rows.text.splitlines()]
        functions = [
            Function(one["name"], bool(one["is_aggregate"]), one["arguments"], one["examples"]) for one in found
        ]
        fuzz = _Fuzz(server, seed)
        fuzz.run(functions, seconds)
    print(f"seed {seed}, {len(functions)} functions, {fuzz.sent} statements; codes {fuzz.codes.most_common(8)}")
    tried = fuzz.tried
    print(
        f"{len(tried)} functions tried, {sum(one.accepted is not None for one in tried)} accepted small arguments and"
        f" {sum(bool(one.codes) for one in tried)} got large ones: {sum(one.ran for one in tried)} ran,"
        f" {sum(one.is_ended_from_outside for one in tried)} of them ended from outside;"
        f" {sum(bool(one.codes) and not one.ran for one in tried)} refused them"
    )
    print(f"slowest start of a process {fuzz.slowest_start:.1f} s")
    print(f"slowest {fuzz.slowest}; dashboards: {fuzz.reads} reads, slowest {fuzz.slowest_read:.0f} ms")
    for line in fuzz.found:
        print(f"FOUND {line}")
    return 1 if fuzz.found else 0


class _Fuzz:
    def __init__(self, server: HostileServer, seed: int) -> None:
        self._server = server
        self._seed = seed
        self._lock = threading.Lock()
        self._over = threading.Event()
        self.tried: list[Tried] = []
        self.found: list[str] = []
        self.codes: Counter[str] = Counter()
        self.slowest: tuple[float, str] = (0.0, "")
        self.slowest_start = 0.0
        self.sent = self.reads = 0
        self.slowest_read = 0.0

    def run(self, functions: list[Function], seconds: float) -> None:
        """Small arguments first, for a third of the time at most: they take the processors that statements wait for."""
        started = time.monotonic()
        self._in_threads(self._learn_all, iter(functions), started + seconds / 3)
        dashboards = threading.Thread(target=self._dashboards)
        dashboards.start()
        self._in_threads(self._send_all, self._turns(), started + seconds)
        self._over.set()
        dashboards.join()

    def _in_threads(self, work: Callable[[str, Iterator[T], float], None], given: Iterator[T], until: float) -> None:
        with ThreadPoolExecutor(CONCURRENCY) as threads:
            list(threads.map(lambda number: work(f"fuzz-{number}", given, until), range(CONCURRENCY)))

    def _learn_all(self, _account: str, functions: Iterator[Function], until: float) -> None:
        while time.monotonic() < until:
            with self._lock:
                function = next(functions, None)
            if function is None:
                return
            tried = Tried(function)
            self._learn(tried)
            self.tried.append(tried)

    def _send_all(self, account: str, turns: Iterator[tuple[Tried, str]], until: float) -> None:
        while time.monotonic() < until:
            with self._lock:
                turn = next(turns, None)
            if turn is None:
                return
            self._try(account, *turn)

    def _turns(self) -> Iterator[tuple[Tried, str]]:
        """One statement of each function, then another of each, and so on."""
        left = [tried for tried in self.tried if tried.accepted is not None]
        while left:
            for tried in tuple(left):
                sql = next(tried.rest, None)
                if sql is None:
                    left.remove(tried)
                else:
                    yield tried, sql

    def _learn(self, tried: Tried) -> None:
        """Finds small arguments that the engine accepts, and makes large ones of their types."""
        rows, given_up_at = " FROM numbers(3)" if tried.function.is_aggregate else "", time.monotonic() + LEARN_S
        for parameters, arguments in tried.function.calls():
            if time.monotonic() > given_up_at:
                return
            if self._engine(f"SELECT ignore({tried.function.call(arguments, parameters)}){rows}") is not None:
                tried.accepted = parameters, arguments
                break
        else:
            return
        kinds = [
            "" if "->" in one else self._engine(f"SELECT toTypeName({one}){rows} LIMIT 1") or "" for one in arguments
        ]
        choices = [grown(one, kind) for one, kind in zip(arguments, kinds, strict=True)]
        tried.rest = statements(tried.function, parameters, choices, self._seed)

    def _engine(self, sql: str) -> str | None:
        """The answer; None if the engine refuses it."""
        try:
            answer = self._server.http.post(
                "/", content=sql.encode(), params={"max_execution_time": "1", "readonly": "1"}
            )
        except httpx.HTTPError as failure:
            self.found.append(f"the server did not answer ({failure!r}): {sql}")
            return None
        return answer.text.strip() if answer.status_code == 200 else None

    def _try(self, account: str, tried: Tried, sql: str) -> None:
        """Counts its time from when a process waits for it: after one that was killed, another has to start first."""
        began = time.monotonic()
        started, text = began, ""
        try:
            self._server.analyst(account, "SELECT 1")
            started = time.monotonic()
            answer = self._server.analyst(account, sql, {"max_execution_time": str(LIMIT_S)})
            code, text = answer.headers.get("x-clickhouse-exception-code", str(answer.status_code)), answer.text
        except httpx.HTTPError as failure:
            code = type(failure).__name__
        took = time.monotonic() - started
        with self._lock:
            self.sent += 1
            self.codes[code] += 1
            tried.codes[code] += 1
            tried.is_ended_from_outside |= "the statement was ended" in text
            self.slowest_start = max(self.slowest_start, started - began)
            self.slowest = max(self.slowest, (round(took, 2), sql))
            if took > LIMIT_S + GRACE_S:
                self.found.append(f"{tried.function.name}: {took:.1f} s, code {code}: {sql}")
            if code.endswith(("Error", "Timeout")):
                self.found.append(f"{tried.function.name}: the server did not answer ({code}): {sql}")

    def _dashboards(self) -> None:
        while not self._over.wait(0.05):
            try:
                took = self._server.dashboard()
            except httpx.HTTPError as failure:
                self.found.append(f"a dashboard was not answered: {failure!r}")
                continue
            self.reads += 1
            self.slowest_read = max(self.slowest_read, took)
            if took > SLOW_DASHBOARD_MS:
                self.found.append(f"a dashboard waited {took:.0f} ms")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
