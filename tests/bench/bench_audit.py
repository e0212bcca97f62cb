"""What the audit of built visits costs on a large installation: its time, and the memory of ClickHouse and of itself.

`AUDIT_EVENTS=10000000 python -m tests.bench audit` (a million if it is not set) measures one size; the figures of other
sizes stay. The events come from `large_history`, over thirteen months; the running projectors build their visits.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from threading import Event

import psutil

from infra.kernel.clickhouse.client import client
from infra.kernel.clickhouse.reader import Reader
from infra.kernel.config.loading import load
from infra.ops.audit.built_visits import audit_built_visits, count_builds
from tests.bench import Figure, figure, kept_figures, large_history
from tests.bench.stack_client import EMAIL, PASSWORD, Owner
from tests.support.stack import stack, wait_for

EVENTS = int(os.environ.get("AUDIT_EVENTS", "1000000"))
COMMAND = f"AUDIT_EVENTS={EVENTS} python -m tests.bench audit"
SETTINGS = {"ALTHING_ADMIN_EMAIL": EMAIL, "ALTHING_ADMIN_PASSWORD": PASSWORD}
WEBSITES, PARTNERS = 4, 8
"""Few websites: every day of each has enough events to be built."""
RECORDS = 1_000_000
"""Places in the log that the rows have; no record is read."""
PATIENCE_S = 3600.0
MIB = 1 << 20

_figure = partial(figure, COMMAND)


def run() -> list[Figure]:
    """The figures of this size, and those of other sizes from earlier runs."""
    label = f"{EVENTS / 1_000_000:g} M events:"
    measured: list[Figure] = [{**each, "name": f"{label} {each['name']}"} for each in _measure()]
    return [each for each in kept_figures("audit") if not each["name"].startswith(label)] + measured


def _measure() -> Iterator[Figure]:
    with stack(SETTINGS) as made, closing(client(load(made.environment, None), read_timeout_s=600)) as clickhouse:
        owner = Owner(made)
        websites = [owner.website(f"shop{number}.example").id for number in range(WEBSITES)]
        partners = [owner.partner(f"partner-{number}") for number in range(PARTNERS)]
        for done in large_history.fill(clickhouse, EVENTS, websites, partners, [RECORDS, RECORDS], RECORDS):
            print(f"  {done:,} events", flush=True)
        wait_for(lambda: large_history.unbuilt(clickhouse) <= 0, "the visits of every day", PATIENCE_S, every_s=2.0)
        server = psutil.Process(made.pid("clickhouse"))
        with Reader(load(made.environment, None)) as reader, _growth(server) as of_server, _growth() as own:
            builds, began, used = count_builds(reader), time.perf_counter(), server.cpu_times()
            report = audit_built_visits(reader)
            took, cpu = time.perf_counter() - began, server.cpu_times()
    if not report.is_clean:
        raise RuntimeError(report.as_text())
    rows = report.checked["rows of visit_events"]
    note = f"{builds:,} builds, {rows:,} rows, {report.checked['cells of breakdown']:,} cells"
    yield _figure("audit of built visits", took, "s", note=note)
    yield _figure("rows of built visits that are compared in a second", rows / took, "rows/s")
    spent = sum(cpu[:2]) - sum(used[:2])
    yield _figure("processor time of ClickHouse for a million rows", 1e6 * spent / rows, "s", note="merges included")
    yield _figure("memory that ClickHouse takes more, at most", of_server[0] / MIB, "MiB")
    yield _figure("memory that the audit takes more, at most", own[0] / MIB, "MiB")


@contextmanager
def _growth(process: psutil.Process | None = None) -> Iterator[list[int]]:
    """By how many bytes the resident memory of the process, by default this one, grows at most within the block."""
    process, ended, largest = process or psutil.Process(), Event(), [0]
    before = process.memory_info().rss

    def watch() -> None:
        while not ended.wait(0.05):
            largest[0] = max(largest[0], process.memory_info().rss - before)

    with ThreadPoolExecutor(1) as thread:
        watching = thread.submit(watch)
        try:
            yield largest
        finally:
            ended.set()
            watching.result()
