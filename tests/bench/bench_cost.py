"""What an event costs: processor time of all processes of the stack, read from the kernel, for each acknowledged event.

Batches and single events at a fixed rate, a stack that has nothing to do, and the drain of a backlog. The sender is not
counted. The baseline is the engine's: the same events through a bare HTTP server, and as one large insert of rows that
are ready, with every rollup, which is what remains if nothing else cost anything.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import orjson

from infra.kernel.clickhouse.client import client
from infra.kernel.config.loading import load
from infra.ops.demo import plan
from tests.bench import Figure, figure, percentile_of
from tests.bench.bench_ingest import bare_echo
from tests.bench.bench_stack import memory_by_process
from tests.bench.paced_sender import request, send
from tests.bench.processor_time import Seconds, between, sample
from tests.bench.stack_client import EMAIL, PASSWORD, Owner, Site, bearer, pour
from tests.support.stack import Stack, stack, wait_for
from tests.support.user_agents import BROWSER

Event = Mapping[str, Any]

COMMAND = "python -m tests.bench cost"
SETTINGS = {"ALTHING_ADMIN_EMAIL": EMAIL, "ALTHING_ADMIN_PASSWORD": PASSWORD, "ALTHING_SITE_RATE": "10000000"}
BATCH, BATCHES_PER_S, BATCH_S = 1_000, 5.0, 40
SINGLES_PER_S, SINGLES_S = 1_000.0, 30
SETTLE_S, IDLE_S = 15.0, 60.0
BACKLOG = 600_000
MARGIN_S = 5.0
PATIENCE_S = 300.0


def run() -> list[Figure]:
    with stack(SETTINGS) as made:
        owner = Owner(made)
        site = owner.website("cost.example")
        events = some_events(owner, site)
        figures = [*_idle(made)]
        figures += _batches(made, site, map(_without_id, events), "without ids", "≤ 60")
        figures += _batches(made, site, events, "with ids of the sender", "")
        figures += _singles(made, site, map(_without_id, events))
        figures += _drain(made, site, map(_without_id, events))
    return figures


def _idle(made: Stack) -> Iterator[Figure]:
    time.sleep(SETTLE_S)
    first = sample(made)
    time.sleep(IDLE_S)
    last = sample(made)
    used = between(first, last)
    share = 100 / (last.at - first.at)
    yield figure(
        COMMAND,
        "idle, share of one core",
        sum(used.values()) * share,
        "%",
        aim="≤ 3",
        note=parts_of({name: seconds * share for name, seconds in used.items()}, "%"),
    )
    memory = memory_by_process(made)
    yield figure(
        COMMAND, "idle, memory (PSS)", sum(memory.values()), "MiB", aim="≤ 600", note=parts_of(memory, "MiB", least=20)
    )


def _batches(made: Stack, site: Site, events: Iterator[Event], kind: str, aim: str) -> Iterator[Figure]:
    """With ids, each event goes to the partition of its id, so that every insert has a quarter of the rows."""
    bodies = [batch_of(events) for _ in range(int(BATCH_S * BATCHES_PER_S))]
    yield from _cost(made, site, f"batches of {BATCH:,} at 5,000/s, {kind}", bodies, BATCHES_PER_S, BATCH, 4, aim)


def _singles(made: Stack, site: Site, events: Iterator[Event]) -> Iterator[Figure]:
    bodies = [orjson.dumps(event) for event in itertools.islice(events, int(SINGLES_S * SINGLES_PER_S))]
    yield from _cost(made, site, "single events at 1,000/s", bodies, SINGLES_PER_S, 1, 64, "≤ 250")


def _cost(
    made: Stack, site: Site, name: str, bodies: Sequence[bytes], rate: float, size: int, connections: int, aim: str
) -> Iterator[Figure]:
    """Until every event can be read in ClickHouse, and a moment longer: merges belong to the cost."""
    url = f"{made.tracking}/track"
    bare = _bare(bodies, rate, connections) / size
    requests = [_request(url, site, body) for body in bodies]
    wanted = rows_in(made) + len(bodies) * size
    first = sample(made)
    took = asyncio.run(send(url, requests, rate, connections))
    wait_for(lambda: rows_in(made) >= wanted, "every event in ClickHouse", PATIENCE_S, every_s=1.0)
    time.sleep(MARGIN_S)
    used = {part: 1e6 * seconds / (len(bodies) * size) for part, seconds in between(first, sample(made)).items()}
    yield figure(
        COMMAND,
        f"{name}, processor time of all processes",
        sum(used.values()),
        "µs an event",
        baseline=bare,
        against="a bare ASGI echo of the same requests",
        aim=aim,
        note=parts_of(used, "µs"),
    )
    for part in ("kafka", "ingest", "projectors", "clickhouse"):
        yield figure(COMMAND, f"{name}: {part}", used[part], "µs an event")
    yield figure(COMMAND, f"{name}, acknowledged, p99", percentile_of(took, 99), "ms")


def _bare(bodies: Sequence[bytes], rate: float, connections: int) -> float:
    """Microseconds of a bare echo for each request."""
    some = bodies[: max(20, len(bodies) // 4)]
    with bare_echo() as (url, echo):
        requests = [request(url, {"User-Agent": BROWSER}, body) for body in some]
        before = echo.cpu_times()
        asyncio.run(send(url, requests, rate, connections))
        after = echo.cpu_times()
    return 1e6 * (after.user + after.system - before.user - before.system) / len(some)


def _drain(made: Stack, site: Site, events: Iterator[Event]) -> Iterator[Figure]:
    """The projections are paused while a backlog is sent; from the moment they go on until the last event is there."""
    bodies = [batch_of(events) for _ in range(BACKLOG // BATCH)]
    wanted = rows_in(made) + BACKLOG
    _projections(made, "pause")
    asyncio.run(pour(made, [(site, body) for body in bodies], 4))
    first = sample(made)
    _projections(made, "resume")
    began = time.monotonic()
    wait_for(lambda: rows_in(made) >= wanted, "the drained backlog", PATIENCE_S, every_s=0.2)
    took = time.monotonic() - began
    used = {name: 1e6 * seconds / BACKLOG for name, seconds in between(first, sample(made)).items()}
    yield figure(
        COMMAND,
        f"drain of {BACKLOG:,} events, first one read -> last one in ClickHouse",
        BACKLOG / took,
        "events/s",
        aim="≥ 60,000",
        note=f"{sum(used.values()):.0f} µs an event: {parts_of(used, 'µs')}",
    )
    yield figure(COMMAND, "drain: clickhouse", used["clickhouse"], "µs an event")
    yield figure(COMMAND, "drain: projectors", used["projectors"], "µs an event")
    stored = sum(path.stat().st_size for path in made.data_dir.glob("kafka/clicks-*/*.log"))
    yield figure(COMMAND, "bytes of an event in Kafka's log", stored / rows_in(made), "bytes")


def _projections(made: Stack, action: str) -> None:
    done = made.run("projections", action, "events")
    assert done.returncode == 0, done.stdout + done.stderr


def some_events(owner: Owner, site: Site) -> Iterator[Event]:
    """The events of the demonstration's visits to one website, as if they happened now."""
    website = plan.WEBSITES[0]
    for slug in website.partners:
        owner.link(site, owner.partner(slug), plan.link_slug(website, slug))
    for visit in plan.visits(website, today=datetime.now(UTC), events=5_000_000, seed=1):
        for event in visit.events:
            yield {name: value for name, value in event.items() if name != "occurred_at"}


def _without_id(event: Event) -> Event:
    return {name: value for name, value in event.items() if name != "id"}


def batch_of(events: Iterator[Event]) -> bytes:
    return orjson.dumps(list(itertools.islice(events, BATCH)))


def _request(url: str, site: Site, body: bytes) -> bytes:
    return request(url, {**bearer(site), "User-Agent": BROWSER}, body)


def rows_in(made: Stack) -> int:
    house = client(load(made.environment, None), read_timeout_s=120)
    try:
        return int(str(house.command("SELECT count() FROM events")))
    finally:
        house.close()


def parts_of(used: Mapping[str, float] | Seconds, unit: str, least: float = 0.05) -> str:
    """The parts that matter, largest first."""
    shown = sorted(((value, name) for name, value in used.items() if value >= least), reverse=True)
    return ", ".join(f"{name} {value:.3g} {unit}" for value, name in shown)


if __name__ == "__main__":
    for each in run():
        print(each)
