"""Every route is sent the most expensive requests of its class, by everybody who may call it, and measured: processor
time of the services, memory and bytes written to Postgres stay within the bounds of the class
(`infra.kernel.http.route_costs`).

Processor time is compared with reference work of the same run, which took `REFERENCE_MS` where the bounds were set.
"""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psutil
import pytest

from infra.kernel.http.json_bounds import MAX_DEPTH
from infra.kernel.http.route_costs import CLASSES, EXTENSION, CostClass
from tests.api.kernel.test_access_matrix import Call, Walk
from tests.support.full_api import Api, SampleData

REFERENCE_MS: Final = 100.0
MIN_ROUTES: Final = 440
NOISE_KIB: Final = 4 * 1024
"""Memory that the process takes for itself while a request runs."""
STATUS: Final = Path("/proc/self/status")


@dataclass(frozen=True)
class Cost:
    """What one request used."""

    processor_ms: float
    memory_kib: float
    stored_kib: float

    def above(self, bounds: CostClass) -> list[str]:
        found = {
            "processor_ms": (self.processor_ms, bounds.processor_ms),
            "memory_kib": (self.memory_kib, bounds.memory_kib + NOISE_KIB),
            "stored_kib": (self.stored_kib, bounds.stored_kib),
        }
        return [f"{name} {used:,.0f} > {most:,}" for name, (used, most) in found.items() if used > most]


class Meter:
    """Measures requests to the services of this process."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._speed = REFERENCE_MS / reference_ms()

    def measure(self, method: str, path: str, headers: Mapping[str, str], content: bytes) -> tuple[int, Cost]:
        before, stored = resident_kib(peak=False), self._written()
        Path("/proc/self/clear_refs").write_text("5")
        began = self._processor_s()
        status, _ = self._api.status(method, path, headers, content=content)
        spent_ms = (self._processor_s() - began) * 1000 * self._speed
        peak = resident_kib(peak=True)
        return status, Cost(spent_ms, peak - before, (self._written() - stored) / 1024)

    def _processor_s(self) -> float:
        """Of the gateway and the command service, which run here, and of the query service."""
        service = self._api.query.process
        assert service is not None and service.process is not None
        return time.process_time() + sum(psutil.Process(service.process.pid).cpu_times()[:2])

    def _written(self) -> int:
        """The end of Postgres's journal."""
        row = self._api.query.postgres.execute("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn").fetchone()
        assert row is not None
        return int(row[0])


def reference_ms() -> float:
    """The best of five: what writing and reading 100,000 small objects takes here."""
    objects = [{"index": index, "code": "invalid_type"} for index in range(100_000)]

    def once() -> float:
        began = time.process_time()
        json.loads(json.dumps(objects))
        return (time.process_time() - began) * 1000

    return min(once() for _ in range(5))


def resident_kib(*, peak: bool) -> int:
    name = "VmHWM:" if peak else "VmRSS:"
    return next(int(line.split()[1]) for line in STATUS.read_text().splitlines() if line.startswith(name))


def worst_bodies(call: Call, cost: CostClass) -> Iterator[bytes]:
    """Within the bounds of the class: as many unknown members, as deep, as large as they may be; and a little above."""
    known = json.dumps(call.body)[1:-1] if isinstance(call.body, dict) else ""
    members = ", ".join(f'"u{index}": 1' for index in range(max(0, cost.json_values - 60)))
    depth = MAX_DEPTH - 2
    for text in (
        f"{{{', '.join(part for part in (known, members) if part)}}}",
        f'{{"u": {"[" * depth}{", ".join("1" * max(1, cost.json_values - 100))}{"]" * depth}}}',
        "{" + ", ".join(f'"u{index}": 1' for index in range(110_000)) + "}",
    ):
        yield text[: 1024 * 1024].encode()
    texts = [name for name, value in (call.body or {}).items() if isinstance(value, str)] if known else []
    for name in texts[:1]:
        longest = max(0, cost.body_bytes - len(known) - 100)
        yield json.dumps({**call.body, name: "# *x* [y](z) `w` " * (longest // 17)}).encode()


def callers(api: Api, of: SampleData, call: Call) -> Iterator[tuple[str, Mapping[str, str]]]:
    yield "nobody", {}
    if call.is_websites:
        yield "website", of.website_headers(api)
    else:
        yield "member", (of.admin if call.is_admins or call.is_analysts else of.owner).headers


@pytest.fixture(scope="module")
def of(full_api: Api) -> SampleData:
    return SampleData(full_api)


def test_every_route_declares_a_class(full_api: Api) -> None:
    operations = [one for of_path in full_api.document["paths"].values() for one in of_path.values()]
    assert len(operations) >= MIN_ROUTES
    assert {one[EXTENSION] for one in operations} == set(CLASSES)


def test_no_request_costs_more_than_its_class(full_api: Api, of: SampleData) -> None:
    calls = [call for call in Walk(full_api.document, of).calls if not call.template.endswith("/live")]
    assert len(calls) >= MIN_ROUTES - 10
    meter, wrong = Meter(full_api), list[tuple[Any, ...]]()
    for call in calls:
        cost = CLASSES[full_api.document["paths"][call.template][call.method][EXTENSION]]
        for who, headers in callers(full_api, of, call):
            gc.collect(0)
            sent = {**headers, "content-type": "application/json"}
            for body in worst_bodies(call, cost) if call.method != "get" else (b"",):
                status, used = meter.measure(call.method, call.path, sent, body)
                if status >= 500 and status != 503:
                    wrong.append((call.key, who, f"{len(body):,} bytes", f"status {status}"))
                print("COST", cost.name, call.key, who, len(body), status, used)  # TEMP
                if above := used.above(cost):
                    wrong.append((call.key, who, f"{len(body):,} bytes", f"status {status}", *above))
    assert not wrong, "\n".join(str(one) for one in wrong)
