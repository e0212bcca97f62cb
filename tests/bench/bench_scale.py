"""What an event costs at one, two and three processes of ingest and of projectors, on the same engines.

Processor time is read from the kernel: on two cores more processes cannot take more events, but an event must not cost
more because several share the work. Topic `clicks` has two partitions for each process of projectors. The sender and
the balancer in front of ingest are not counted.
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from schemas.topics import CLICKS
from tests.bench import Figure, figure
from tests.bench.bench_cost import BATCH, SETTINGS, Event, batch_of, parts_of, rows_in, some_events
from tests.bench.paced_sender import request, send
from tests.bench.processor_time import Sample, between, of_family, sample
from tests.bench.stack_client import Owner, Site, bearer
from tests.support.service_process import Balancer, ServiceProcess, ended
from tests.support.stack import Stack, stack, wait_for
from tests.support.user_agents import BROWSER

COMMAND = "python -m tests.bench scale"
MAX_PROCESSES = 3
RATE, SECONDS, CONNECTIONS = 3.0, 20, 12
PATIENCE_S = 120.0


def run() -> list[Figure]:
    settings = {**SETTINGS, "ALTHING_MASTER_KEY": secrets.token_hex(32)}
    with stack(settings, only=("command", "query", "web")) as made, ExitStack() as at_end:
        owner = Owner(made)
        site = owner.website("scale.example")
        done = made.run("partitions", "raise", CLICKS.name, str(MAX_PROCESSES * CLICKS.partitions))
        assert done.returncode == 0, done.stderr
        shared = {**made.environment, **settings}
        kinds = ("ingest", "projectors")
        services = {
            kind: [_service(made.folder, shared, kind, n) for n in range(1, MAX_PROCESSES + 1)] for kind in kinds
        }
        at_end.enter_context(ended([each for those in services.values() for each in those]))
        for each in itertools.chain.from_iterable(services.values()):
            each.start()
        events = some_events(owner, site)
        # From the most to the fewest: partitions move when their owner ends.
        found = [
            figure for count in range(MAX_PROCESSES, 0, -1) for figure in _measured(made, site, services, count, events)
        ]
    return sorted(found, key=lambda each: each["name"])


def _service(folder: Path, settings: Mapping[str, str], kind: str, number: int) -> ServiceProcess:
    return ServiceProcess(kind, f"{kind}-{number}", folder, settings)


def _measured(
    made: Stack, site: Site, services: Mapping[str, Sequence[ServiceProcess]], count: int, events: Iterator[Event]
) -> Iterator[Figure]:
    for those in services.values():
        for each in those[count:]:
            if each.process is not None and each.process.poll() is None:
                each.stop()
    running = [each for those in services.values() for each in those[:count]]
    bodies = [batch_of(events) for _ in range(int(RATE * SECONDS))]
    number = len(bodies) * BATCH
    wanted = rows_in(made) + number
    with Balancer(services["ingest"][:count]) as balancer:
        url = f"{balancer.url}/track"
        requests = [request(url, {**bearer(site), "User-Agent": BROWSER}, body) for body in bodies]
        first = _sample(made, running)
        asyncio.run(send(url, requests, RATE, CONNECTIONS))
        wait_for(lambda: rows_in(made) >= wanted, "every event in ClickHouse", PATIENCE_S, every_s=1.0)
        used = {part: 1e6 * seconds / number for part, seconds in between(first, _sample(made, running)).items()}
    by_kind = {kind: sum(value for part, value in used.items() if part.startswith(f"{kind}-")) for kind in services}
    for kind, value in by_kind.items():
        yield figure(COMMAND, f"{kind}, processes: {count}", value, "µs an event", note=parts_of(used, "µs"))
    yield figure(COMMAND, f"all parts, processes of each: {count}", sum(used.values()), "µs an event")


def _sample(made: Stack, running: Sequence[ServiceProcess]) -> Sample:
    """The stack's processes, and those beside it by their names."""
    own = {each.name: of_family(each.process.pid) for each in running if each.process is not None}
    return Sample(time.monotonic(), {**sample(made).used, **own})
