"""`make fuzz` (`python -m tests.bench.fuzz_functions [SECONDS] [SEED]`): each function of the engine as a bomb.

Each function of `system.functions` gets long strings, large arrays and lambdas within lambdas, as an analyst whose
statement may take one second. Dashboards read meanwhile. It fails if a statement was answered later than two seconds
after its limit, if one took the engine down, or if dashboards waited.
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Final

import httpx

from tests.bench.hostile_front import Front, hostile_front

LIMIT_S: Final = 1.0
GRACE_S: Final = 2.0
AT_ONCE: Final = 3
SLOW_DASHBOARD_MS: Final = 2000.0
WORDS: Final = {
    "text": "repeat('aB1 ', 16000)",
    "more": "concat(repeat('ab', 30000), 'c')",
    "array": "range(200000)",
    "texts": "arrayMap(i -> repeat(toString(i), 50), range(5000))",
    "number": "1000000",
    "pattern": "'(a{0,500}b|a{0,501}c)'",
}


def statements(names: list[str], seed: int) -> Iterator[tuple[str, str]]:
    """Name and statement: shapes in turn over all functions, so that a short run has tried each function once."""
    shapes = [tuple(shape) for count in (1, 2, 3) for shape in product(WORDS.values(), repeat=count)]
    chosen = random.Random(seed)
    chosen.shuffle(shapes)
    for number in range(len(shapes)):
        for at, name in enumerate(names):
            arguments = ", ".join(shapes[(number + at) % len(shapes)])
            call = f"`{name}`({arguments})"
            yield name, f"SELECT ignore({call})"
            yield name, f"SELECT ignore(arrayMap(x -> arrayMap(y -> `{name}`({arguments}), range(100)), range(100)))"
            yield name, f"SELECT ignore(`{name}`(x -> length(toString(x)), {arguments}))"


def main(arguments: list[str]) -> int:
    seconds, seed = float(arguments[0]) if arguments else 600.0, int(arguments[1]) if len(arguments) > 1 else 1
    with hostile_front() as front:
        rows = front.http.post(
            "/", content="SELECT DISTINCT name FROM system.functions ORDER BY name FORMAT JSONEachRow"
        )
        names = [str(json.loads(line)["name"]) for line in rows.text.splitlines()]
        fuzz = _Fuzz(front)
        fuzz.run(statements(names, seed), seconds)
    print(f"seed {seed}, {len(names)} functions, {fuzz.tried} statements; codes {fuzz.codes.most_common(8)}")
    print(f"slowest {fuzz.slowest}; dashboards: {fuzz.reads} reads, slowest {fuzz.slowest_read:.0f} ms")
    for line in fuzz.found:
        print(f"FOUND {line}")
    return 1 if fuzz.found else 0


class _Fuzz:
    def __init__(self, front: Front) -> None:
        self._front = front
        self._lock = threading.Lock()
        self._over = threading.Event()
        self.found: list[str] = []
        self.codes: Counter[str] = Counter()
        self.slowest: tuple[float, str] = (0.0, "")
        self.tried = self.reads = 0
        self.slowest_read = 0.0

    def run(self, tries: Iterator[tuple[str, str]], seconds: float) -> None:
        dashboards = threading.Thread(target=self._dashboards)
        dashboards.start()
        deadline = time.monotonic() + seconds
        with ThreadPoolExecutor(AT_ONCE) as threads:
            list(threads.map(lambda number: self._analyst(number, tries, deadline), range(AT_ONCE)))
        self._over.set()
        dashboards.join()

    def _analyst(self, number: int, tries: Iterator[tuple[str, str]], deadline: float) -> None:
        while time.monotonic() < deadline:
            with self._lock:
                found = next(tries, None)
            if found is None:
                return
            self._try(f"fuzz-{number}", *found)

    def _try(self, account: str, name: str, sql: str) -> None:
        started = time.monotonic()
        try:
            answer = self._front.analyst(account, sql, {"max_execution_time": str(LIMIT_S)})
            code = answer.headers.get("x-clickhouse-exception-code", str(answer.status_code))
        except httpx.HTTPError as failure:
            code = type(failure).__name__
        took = time.monotonic() - started
        with self._lock:
            self.tried += 1
            self.codes[code] += 1
            self.slowest = max(self.slowest, (round(took, 2), sql))
            if took > LIMIT_S + GRACE_S:
                self.found.append(f"{name}: {took:.1f} s, code {code}: {sql}")
            if code.endswith(("Error", "Timeout")):
                self.found.append(f"{name}: the front did not answer ({code}): {sql}")

    def _dashboards(self) -> None:
        while not self._over.wait(0.05):
            try:
                took = self._front.dashboard()
            except httpx.HTTPError as failure:
                self.found.append(f"a dashboard was not answered: {failure!r}")
                continue
            self.reads += 1
            self.slowest_read = max(self.slowest_read, took)
            if took > SLOW_DASHBOARD_MS:
                self.found.append(f"a dashboard waited {took:.0f} ms")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
