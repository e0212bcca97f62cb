"""Every route is sent the most expensive requests of its class, by everybody who may call it, and measured: processor
time of the services, memory and bytes written to Postgres stay within the bounds of the class
(`infra.kernel.http.route_costs`).

What runs in processes of its own (pages, images) has limits of its own: `test_rendering.py`, `test_image_uploads.py`.
Processor time is compared with reference work of the same run, which took `REFERENCE_MS` where the bounds were set.
"""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any, Final

import psutil
import pytest

from infra.kernel.http.json_bounds import MAX_DEPTH
from infra.kernel.http.route_costs import CLASSES, EXTENSION, CostClass
from tests.api.kernel.test_access_matrix import Call, Walk, is_stream
from tests.support.full_api import Api, SampleData
from tests.support.reference_work import REFERENCE_MS, reference_ms
from tests.support.worst_requests import JSON, worst_requests

MIN_ROUTES: Final = 440
MORE_TRIES: Final = 2
TEXT: Final = "# *x* [y](z) `w` <b> &c "
"""What is not free to parse as Markdown or HTML."""
TEXTS: Final = {"text", "message", "description", "note", "reason", "title", "name", "sql", "answer", "idea"}
MAX_TEXT: Final = 2_000
"""What every free text takes."""
MANY_MEMBERS: Final = json.dumps({f"u{index}": 1 for index in range(110_000)}).encode()[: 1024 * 1024]
NOISE_KIB: Final = 4 * 1024
"""Memory that the process takes for itself while a request runs."""


@dataclass(frozen=True)
class Cost:
    """What one request used."""

    processor_ms: float
    memory_kib: float
    stored_kib: float

    def least(self, other: Cost) -> Cost:
        return Cost(*(min(one, another) for one, another in zip(astuple(self), astuple(other), strict=True)))

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
        service = api.query.process
        assert service is not None and service.process is not None
        self._api = api
        self._processes = (psutil.Process(), psutil.Process(service.process.pid))
        """The gateway and the command service, which run here, and the query service."""
        self._speed = REFERENCE_MS / reference_ms()

    def measure(self, method: str, path: str, headers: Mapping[str, str], content: bytes) -> tuple[int, Cost]:
        for each in self._processes:
            Path(f"/proc/{each.pid}/clear_refs").write_text("5")  # resets the peak
        before, stored, began = self._resident_kib("VmRSS:"), self._written(), self._processor_s()
        with self._api.http.stream(method, self._api.address + path, headers=headers, content=content) as answer:
            status = answer.status_code
            for _ in answer.iter_raw():
                pass  # what this client keeps would be measured as well
        spent_ms = (self._processor_s() - began) * 1000 * self._speed
        grown = [peak - was for peak, was in zip(self._resident_kib("VmHWM:"), before, strict=True)]
        return status, Cost(spent_ms, max(grown), (self._written() - stored) / 1024)

    def _processor_s(self) -> float:
        return time.process_time() + sum(self._processes[1].cpu_times()[:2])

    def _resident_kib(self, name: str) -> list[int]:
        return [
            next(int(line.split()[1]) for line in status.splitlines() if line.startswith(name))
            for status in (Path(f"/proc/{each.pid}/status").read_text() for each in self._processes)
        ]

    def _written(self) -> int:
        """The end of Postgres's journal."""
        row = self._api.query.postgres.execute("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn").fetchone()
        assert row is not None
        return int(row[0])


def bodies(call: Call, cost: CostClass, largest: bytes) -> Iterator[bytes]:
    """As many unknown members as there may be, and the largest body that the schema permits; then what is done: what
    the call needs, with short and with long texts."""
    known = json.dumps(call.body)[1:-1] if isinstance(call.body, dict) else ""
    members = ", ".join(f'"u{index}": 1' for index in range(max(0, cost.json_values - 60)))
    yield f"{{{', '.join(part for part in (known, members) if part)}}}".encode()
    if isinstance(call.body, dict):
        yield largest
        yield json.dumps(call.body).encode()
        texts = dict.fromkeys(TEXTS & call.body.keys(), (TEXT * 100)[:MAX_TEXT])
        if texts:
            yield json.dumps({**call.body, **texts}).encode()


def body_of_anybody(cost: CostClass, number: int) -> bytes:
    """In turn: as many members as a body of the usual size has, and as deep as one may be."""
    if number % 2 == 0:
        return MANY_MEMBERS
    depth = MAX_DEPTH - 2
    return f'{{"u": {"[" * depth}{", ".join("1" * max(1, cost.json_values - 100))}{"]" * depth}}}'.encode()


class Largest:
    """The largest body that a schema permits, within the bounds of a class."""

    def __init__(self, document: Mapping[str, Any], walk: Walk) -> None:
        self._document = document
        self._walk = walk

    def of(self, call: Call, cost: CostClass) -> bytes:
        operation = self._document["paths"][call.template][call.method]
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if content is None:
            return b""
        bytes_left, values_left = cost.body_bytes * 3 // 4, cost.json_values * 3 // 4
        return json.dumps(self._value("body", content["schema"], bytes_left, values_left), ensure_ascii=False).encode()

    def _value(self, name: str, schema: Mapping[str, Any], size: int, values: int) -> Any:
        schema = self._resolved(schema)
        if "properties" in schema:
            properties = schema["properties"]
            share = max(1, len(properties))
            return {one: self._value(one, of, size // share, values // share) for one, of in properties.items()}
        if schema.get("type") == "array":
            item = self._value(name, schema.get("items", {}), size, max(1, values // 4))
            one = max(2, len(json.dumps(item)))
            count = min(schema.get("maxItems", size), size // one, values // max(1, values_in(item)))
            return [item] * max(schema.get("minItems", 0), count)
        if schema.get("type") == "string" and not {"pattern", "format", "enum", "const"} & schema.keys():
            length = min(schema.get("maxLength", size), size)
            return (TEXT * (length // len(TEXT) + 1))[: max(length, schema.get("minLength", 0))]
        return self._walk._value(name, schema)

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        while True:
            if "$ref" in schema:
                found: Any = self._document
                for part in schema["$ref"].removeprefix("#/").split("/"):
                    found = found[part]
                schema = found
            elif kind := next((one for one in ("anyOf", "oneOf", "allOf") if one in schema), None):
                schema = schema[kind][0]
            else:
                return schema


def values_in(value: Any) -> int:
    """As the bounds count them."""
    if isinstance(value, dict):
        return len(value) + sum(map(values_in, value.values()))
    return len(value) + sum(map(values_in, value)) if isinstance(value, list) else 0


def order(call: Call) -> tuple[bool, bool, bool]:
    """What ends a session or an object comes after what needs it."""
    ends_sessions = call.template.endswith(("/logout", "/erase", "/sessions", "/sessions/{id}", "/password/change"))
    return ends_sessions, call.is_admins, call.method == "delete"


@pytest.fixture(scope="module")
def of(full_api: Api) -> SampleData:
    return SampleData(full_api)


def test_every_route_declares_a_class(full_api: Api) -> None:
    operations = [one for of_path in full_api.document["paths"].values() for one in of_path.values()]
    assert len(operations) >= MIN_ROUTES
    assert {one[EXTENSION] for one in operations} == set(CLASSES)


@pytest.mark.timeout(600)
def test_no_request_costs_more_than_its_class(full_api: Api, of: SampleData) -> None:
    walk = Walk(full_api.document, of)
    calls = sorted((call for call in walk.calls if not is_stream(call)), key=order)
    assert len(calls) >= MIN_ROUTES - 10
    meter, largest, wrong = Meter(full_api), Largest(full_api.document, walk), list[tuple[Any, ...]]()
    worst = dict(worst_requests(of.site_page, of.website, f"P {of.partner.hex[:8]}"))
    for number, call in enumerate(calls):
        cost = CLASSES[full_api.document["paths"][call.template][call.method][EXTENSION]]
        sent = [("worst of a member", kind, body) for kind, body in worst.pop(call.key, [])]
        if call.body is not None:
            sent += [("member", JSON, body) for body in bodies(call, cost, largest.of(call, cost))]
        if call.method != "get":
            sent.append(("nobody", JSON, body_of_anybody(cost, number)))
        for who, kind, body in sent or [("member", JSON, b"")]:
            gc.collect(0)
            headers = {**headers_of(full_api, of, call, who), "content-type": kind}
            status, used = meter.measure(call.method, call.path, headers, body)
            for _ in range(MORE_TRIES):
                # The bound is on what the request itself uses, which is the same each time: what Postgres (autovacuum,
                # checkpoints) and Python (collection, growth of pools) do for themselves only adds to it.
                if used.above(cost):
                    used = used.least(meter.measure(call.method, call.path, headers, body)[1])
            if above := used.above(cost):
                wrong.append((call.key, who, f"{len(body):,} bytes", f"status {status}", *above))
            if status >= (400 if who.startswith("worst") else 500) and status != 503:
                wrong.append((call.key, who, f"{len(body):,} bytes", f"status {status}"))
    assert not worst, f"no such routes: {sorted(worst)}"
    assert not wrong, "\n".join(str(one) for one in wrong)


def headers_of(api: Api, of: SampleData, call: Call, who: str) -> Mapping[str, str]:
    if who == "nobody":
        return {}
    if call.is_websites:
        return of.website_headers(api)
    return (of.admin if call.is_admins or call.is_analysts else of.owner).headers
