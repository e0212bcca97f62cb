"""Measures ingest on a real Kafka: single acknowledged events and batches, beside a bare ASGI echo in the same run.

`python -m tests.bench.bench_ingest [--seconds N] [--json]`. Load by wrk. Figures per core: events by CPU second of the
measured process (its threads included), so that a busy machine does not change them much; `others` = CPU of everything
else meanwhile.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
import psutil

from tests.bench import Figure
from tests.support.engines import ROOT, engine_folder, free_port, start_kafka, wait_until
from tests.support.ingest_service import IngestService, running_ingest
from tests.support.user_agents import BROWSER

BATCH = 1000
PAGES = 400


@dataclass(frozen=True)
class Case:
    """One measured case."""

    name: str
    events_per_s: float
    events_per_core_s: float
    p50_ms: float
    p99_ms: float
    errors: int
    rss_mb: float
    others_cores: float


COMMAND = "python -m tests.bench.bench_ingest"
AIMS = {"single events": ">= 10,000 a core", f"batches of {BATCH}": ">= 50,000 a core"}


def run(seconds: int = 10, connections: int = 64) -> list[Figure]:
    """For `python -m tests.bench`: the rate by CPU second of one core, and the slowest hundredth of the answers."""
    measured = list(measure(seconds, connections))
    bare = measured[0]
    figures: list[Figure] = []
    for case in measured[1:]:
        figures.append(
            Figure(
                name=f"{case.name}, acknowledged by Kafka",
                value=case.events_per_core_s,
                unit="events per core-second",
                baseline=bare.events_per_core_s,
                baseline_name="bare ASGI echo, requests per core-second",
                aim=AIMS.get(case.name, ""),
                command=COMMAND,
                note=f"{case.events_per_s:,.0f}/s, others took {case.others_cores:.1f} cores, {case.rss_mb:.0f} MB",
            )
        )
        figures.append(
            Figure(
                name=f"{case.name}, p99",
                value=case.p99_ms,
                unit="ms",
                baseline=bare.p99_ms,
                baseline_name="bare ASGI echo",
                aim="<= 50 ms" if case.name == "single events" else "",
                command=COMMAND,
            )
        )
    return figures


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(argv)
    figures = list(measure(options.seconds, options.connections))
    if options.json:
        print(json.dumps([asdict(figure) for figure in figures], indent=1))
    else:
        print(table(figures))
    return 0


def measure(seconds: int, connections: int) -> Iterator[Case]:
    """Every case, the baseline first."""
    with TemporaryDirectory() as scratch, bare_echo() as (echo_url, echo):
        body = json.dumps(event(1)).encode()
        script = lua(Path(scratch) / "echo.lua", [body], "")
        yield load("bare ASGI echo (baseline)", echo_url, echo, script, seconds, connections, 1)
        with ingest_on_kafka() as ingest_service:
            assert ingest_service.process is not None
            process = psutil.Process(ingest_service.process.pid)
            site = ingest_service.add_site()
            target = f"{ingest_service.url}/track?site={site.site_key}"
            singles = [json.dumps(event(number)).encode() for number in range(PAGES)]
            script = lua(Path(scratch) / "single.lua", singles, "")
            load("warm-up", target, process, script, 2, connections, 1)
            yield load("single events", target, process, script, seconds, connections, 1)
            batch = json.dumps([event(number) for number in range(BATCH)]).encode()
            script = lua(Path(scratch) / "batch.lua", [batch], "")
            yield load(f"batches of {BATCH}", target, process, script, seconds, 8, BATCH)
            packed = gzip.compress(batch)
            script = lua(Path(scratch) / "gzip.lua", [packed], 'wrk.headers["Content-Encoding"] = "gzip"')
            yield load(f"batches of {BATCH}, gzip", target, process, script, seconds, 8, BATCH)
            named = [
                json.dumps([{**event(n), "visitor_id": f"v{n}", "session_id": f"s{n}"} for n in range(BATCH)]).encode()
            ]
            script = lua(Path(scratch) / "named.lua", named, "")
            yield load(f"batches of {BATCH}, named visitors", target, process, script, seconds, 8, BATCH)


def event(number: int) -> dict[str, object]:
    """A page view as the script sends it, about 200 bytes."""
    return {
        "type": "pageview",
        "url": f"https://shop.example.com/products/{number % PAGES}?utm_source=news&utm_medium=email",
        "referrer": "https://www.google.com/",
        "title": f"Product {number % PAGES}",
    }


@contextmanager
def ingest_on_kafka() -> Iterator[IngestService]:
    with engine_folder("bench-kafka") as folder:
        kafka = start_kafka(folder)
        try:
            with running_ingest(
                ALTHING_LOG="kafka", KAFKA_BOOTSTRAP_SERVERS=kafka.address, ALTHING_SITE_RATE="10000000"
            ) as ingest_service:
                yield ingest_service
        finally:
            kafka.stop()


@contextmanager
def bare_echo() -> Iterator[tuple[str, psutil.Process]]:
    """uvicorn with the same loop, parser and guards, and an application that does nothing."""
    port = free_port()
    process = subprocess.Popen([sys.executable, "-m", "tests.bench.bare_echo", str(port)], cwd=ROOT)
    url = f"http://127.0.0.1:{port}/track"
    try:
        wait_until(lambda: _answers(url), 20, "the bare echo")
        yield url, psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait()


def load(
    name: str, url: str, process: psutil.Process, script: Path, seconds: int, connections: int, events: int
) -> Case:
    """One run of wrk against `url`, with the CPU time that `process` took for it."""
    before, all_before, started = process.cpu_times(), _machine(), time.monotonic()
    output = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", str(script), url],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    after, wall = process.cpu_times(), time.monotonic() - started
    busy = after.user + after.system - before.user - before.system
    found = re.search(r"(\d+) requests in ([\d.]+)(m?s|m)", output)
    assert found is not None, output
    requests, took = int(found.group(1)), float(found.group(2)) * {"s": 1, "ms": 0.001, "m": 60}[found.group(3)]
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", output)
    errors = int(bad.group(1)) if bad else 0
    good = (requests - errors) * events
    return Case(
        name,
        round(good / took),
        round(good / busy) if busy else 0,
        _latency(output, "50%"),
        _latency(output, "99%"),
        errors,
        round(process.memory_info().rss / 2**20),
        round((_machine() - all_before - busy) / wall, 2),
    )


def lua(path: Path, bodies: list[bytes], more: str) -> Path:
    """A wrk script that posts the bodies in turn."""
    quoted = ",\n".join('"' + "".join(f"\\{byte:03d}" for byte in body) + '"' for body in bodies)
    path.write_text(
        'wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\n'
        f'wrk.headers["User-Agent"] = "{BROWSER}"\n'
        f"{more}\nlocal bodies = {{\n{quoted}\n}}\nlocal made, turn = {{}}, 0\n"
        "init = function(args)\n  for i, body in ipairs(bodies) do made[i] = wrk.format(nil, nil, nil, body) end\nend\n"
        "request = function()\n  turn = turn % #made + 1\n  return made[turn]\nend\n"
    )
    return path


def table(figures: Sequence[Case]) -> str:
    lines = [
        "| case | events/s | events per core-second | p50 ms | p99 ms | errors | RSS MB | others, cores |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {f.name} | {f.events_per_s:,.0f} | {f.events_per_core_s:,.0f} | {f.p50_ms:.1f} | {f.p99_ms:.1f} "
        f"| {f.errors} | {f.rss_mb:.0f} | {f.others_cores:.2f} |"
        for f in figures
    ]
    return "\n".join(lines)


def _latency(output: str, percentile: str) -> float:
    found = re.search(rf"{percentile}\s+([\d.]+)(us|ms|s)", output)
    return float(found.group(1)) * {"us": 0.001, "ms": 1.0, "s": 1000.0}[found.group(2)] if found else 0.0


def _machine() -> float:
    times = psutil.cpu_times()
    return float(times.user + times.system + times.nice)


def _answers(url: str) -> bool:
    try:
        return httpx.post(url, json={}).status_code == 202
    except httpx.HTTPError:
        return False


if __name__ == "__main__":
    sys.exit(main())
