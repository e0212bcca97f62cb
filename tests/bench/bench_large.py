"""One, ten and a hundred million events over thirteen months for 200 websites, in a whole stack under light live load.

`LARGE_EVENTS=100000000 python -m tests.bench large` (a million if it is not set) measures one size; the figures of
other sizes stay. The events come from `large_history`. Half a million more, or a fiftieth, are sent through `/track`
to a website of their own, so that backup and restore have something to do: those cost the same for each record of the
log, however many there are. The stack is on the disk of `TMPDIR`: 100 million events need 20 GB there.

`LARGE_ONLY=calls` measures the dashboard alone, which reads no visits: with 100 million events a quarter of an hour in
place of more than an hour. The other figures stay.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import statistics
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from uuid import uuid4

import orjson
import psutil
import psycopg
from clickhouse_connect.driver.client import Client

from infra.kernel.clickhouse.client import client
from infra.kernel.config.loading import load
from projectors.registry import EVENTS_PROJECTION
from tests.bench import Figure, figure, kept_figures, large_history
from tests.bench.bench_stack import memory_by_process
from tests.bench.processor_time import between, sample
from tests.bench.stack_client import EMAIL, PASSWORD, Owner, Site, background, pour
from tests.support.stack import Stack, stack, wait_for
from tests.support.user_agents import BROWSER

EVENTS = int(os.environ.get("LARGE_EVENTS", "1000000"))
CALLS_ONLY = os.environ.get("LARGE_ONLY") == "calls"
COMMAND = "python -m tests.bench large"
SETTINGS = {"ALTHING_ADMIN_EMAIL": EMAIL, "ALTHING_ADMIN_PASSWORD": PASSWORD, "ALTHING_SITE_RATE": "10000000"}
CALLS = ("overview", "clicks", "conversions", "partners", "geographic")
RANGES = ("30d", "90d")
MIDDLE = 100
"""Rank of the website that stands for most."""
PARTNERS = 8
SENT_FIRST, SENT, BATCH = 100_000, max(500_000, EVENTS // 50), 1_000
"""Records that the log has before the history is made, and before the backup."""
REPEATS = 150
LIVE_BATCH, LIVE_RATE = 20, 5.0
ALONE = "traffic_15m"
ROLLUPS = tuple(rollup.name for rollup in EVENTS_PROJECTION.rollups)
PATIENCE_S = 7200.0
GIB = 1 << 30
_SIZES = """
SELECT replaceRegexpOne(table, '__g\\d+$', '') AS name, sum(bytes_on_disk), sum(rows) FROM system.parts
WHERE active AND database = currentDatabase() GROUP BY name ORDER BY 2 DESC"""


def size_of(events: int) -> str:
    """How figures name a size."""
    return f"{events / 1_000_000:g} M events"


def run() -> list[Figure]:
    """The figures of this size, and those of other sizes from earlier runs."""
    label, measured = size_of(EVENTS), list[Figure]()
    for each in _measure():
        measured.append(_labelled(label, each))
        print(f"  {each['name']}: {each['value']:,} {each['unit']}", flush=True)  # a run may take hours
    names = {each["name"] for each in measured}
    kept = [
        each
        for each in kept_figures("large")
        if each["name"] not in names and (CALLS_ONLY or not each["name"].startswith(f"{label}:"))
    ]
    return kept + measured


def _labelled(label: str, one: Figure) -> Figure:
    return {**one, "name": f"{label}: {one['name']}", "command": f"LARGE_EVENTS={EVENTS} {COMMAND}"}


_figure = partial(figure, COMMAND)


def _measure() -> Iterator[Figure]:
    folder = Path(mkdtemp(prefix="althing-large-"))
    try:
        with stack(SETTINGS) as made, closing(_clickhouse(made)) as clickhouse:
            owner = Owner(made)
            sites = [owner.website(f"shop{number}.example") for number in range(large_history.WEBSITES)]
            partners = [owner.partner(f"partner-{number}") for number in range(PARTNERS)]
            other = owner.website("sent.example")
            del owner.http.headers["X-Wait-For"]
            _send(made, clickhouse, other, SENT_FIRST)
            if CALLS_ONLY:
                with _visits_unbuilt(made):
                    yield from _fill(made, clickhouse, sites, partners)
                    with _live(made, other):
                        yield from _all_calls(made, owner, sites)
                return
            yield from _fill(made, clickhouse, sites, partners)
            yield from _sizes(clickhouse)
            with _live(made, other):
                yield from _all_calls(made, owner, sites)
                yield _memory(made)
                yield from _rebuilds(made, owner, sites[0])
            _send(made, clickhouse, other, SENT - SENT_FIRST)
            yield from _backup(made, folder)
            yield _warm_start(made)
            made.stop()
            yield from _restore(made, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _send(made: Stack, clickhouse: Client, site: Site, events: int) -> None:
    """Through `/track`, until they can be read."""
    wanted = _rows(clickhouse) + events
    asyncio.run(pour(made, [(site, _batch(BATCH)) for _ in range(events // BATCH)], 4))
    wait_for(lambda: _rows(clickhouse) >= wanted, "the sent events", PATIENCE_S, every_s=1.0)


def _fill(made: Stack, clickhouse: Client, sites: Sequence[Site], partners: Sequence[str]) -> Iterator[Figure]:
    with _postgres(made) as postgres:
        ends = wait_for(lambda: _positions(postgres), "the projection to read both topics")
    ids = [site.id for site in sites]
    began = time.perf_counter()
    for done in large_history.fill(clickhouse, EVENTS, ids, partners, ends["clicks"], ends["domain"][0]):
        print(f"  {done:,} events after {time.perf_counter() - began:.0f} s", flush=True)
    took = time.perf_counter() - began
    yield _figure("made in the raw table, rollups included", EVENTS / took, "events/s", aim="≥ 150,000")
    if not CALLS_ONLY:
        wait_for(lambda: large_history.unbuilt(clickhouse) <= 0, "the visits of every day", PATIENCE_S, every_s=2.0)
    wait_for(lambda: _merges(clickhouse) == 0, "the merges", PATIENCE_S, every_s=2.0)
    if not CALLS_ONLY:
        yield _figure("and until visits are built and parts merged", EVENTS / (time.perf_counter() - began), "events/s")
    first = sample(made)
    large_history.merge_at_rest(clickhouse)
    spent = between(first, sample(made))["clickhouse"]
    what = "each month of the rollups made one part, processor time of ClickHouse"
    yield _figure(what, spent, "s", note=f"{1e6 * spent / EVENTS:.2f} µs an event, once the month is at rest")


def _sizes(clickhouse: Client) -> Iterator[Figure]:
    found = {name: int(size) for name, size, _ in clickhouse.query(_SIZES).result_rows}
    events = _rows(clickhouse)
    yield _figure("bytes of an event in table events", found["events"] / events, "bytes", aim="≤ 60")
    for name in ROLLUPS:
        yield _figure(f"bytes of an event in {name}", found.get(name, 0) / events, "bytes")
    visits = sum(found.get(name, 0) for name in ("visit_events", "breakdown", "visit_builds"))
    yield _figure("bytes of an event in the built visits", visits / events, "bytes")
    yield _figure("bytes of an event in ClickHouse, all tables", sum(found.values()) / events, "bytes")


@contextmanager
def _visits_unbuilt(made: Stack) -> Iterator[None]:
    """Within it the lock of the visit builder is held here: the session of the projectors that has it is ended until
    this one is the first to request it again."""
    with _postgres(made) as postgres:
        while not _rows_of(postgres, "select pg_try_advisory_lock(hashtextextended('projector:visits', 0))")[0][0]:
            _rows_of(
                postgres,
                "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted"
                " and (classid::bigint << 32) | objid::bigint = hashtextextended('projector:visits', 0)",
            )
        yield


def _all_calls(made: Stack, owner: Owner, sites: Sequence[Site]) -> Iterator[Figure]:
    for name, site in (("largest website", sites[0]), ("middle website", sites[MIDDLE])):
        yield from _calls(made, owner, site, name)


def _calls(made: Stack, owner: Owner, site: Site, name: str) -> Iterator[Figure]:
    """Beside the times, the processor time of the two servers that answer: other programs change it less."""
    for time_range in RANGES:
        first = sample(made)
        times = _together(owner, site, time_range, lambda done: done >= REPEATS)
        what = f"five dashboard calls together, {name}, {time_range}"
        yield _figure(f"{what}, p50", statistics.median(times), "ms")
        yield _figure(f"{what}, p95", _p95(times), "ms", aim="≤ 150")
        used = between(first, sample(made))
        spent = 1000 * (used["query"] + used["clickhouse"]) / (len(times) + 1)
        yield _figure(f"{what}, processor time of query and ClickHouse", spent, "ms", note="live inserts included")
    for call in CALLS:
        times = _times(lambda call=call: _get(owner, site, call, "90d"), lambda done: done >= REPEATS)  # type: ignore[misc]
        yield _figure(f"{call} alone, {name}, 90d, p95", _p95(times), "ms")


def _together(owner: Owner, site: Site, time_range: str, is_enough: Callable[[int], bool]) -> list[float]:
    with ThreadPoolExecutor(len(CALLS)) as threads:
        return _times(lambda: list(threads.map(lambda call: _get(owner, site, call, time_range), CALLS)), is_enough)


def _times(work: Callable[[], object], is_enough: Callable[[int], bool]) -> list[float]:
    work()
    times: list[float] = []
    while not is_enough(len(times)):
        began = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - began))
    return times


def _get(owner: Owner, site: Site, call: str, time_range: str) -> None:
    path = f"/api/platform/analytics/{call}?websiteId={site.id}&timeRange={time_range}"
    owner.http.get(path).raise_for_status()


def _rebuilds(made: Stack, owner: Owner, site: Site) -> Iterator[Figure]:
    """Each build is dropped when it is ready: a rebuild is measured, not a switch."""
    with _postgres(made) as postgres:
        took = _rebuild(made, postgres, ALONE)
        yield _figure(f"rebuild of {ALONE}, beside live events", took, "s", note=_rate(took))
        ended = threading.Event()
        with ThreadPoolExecutor(2) as thread:
            peak = thread.submit(_peak, psutil.Process(made.pid("clickhouse")), ended)
            calls = thread.submit(_together, owner, site, "90d", lambda done: done >= REPEATS and ended.is_set())
            try:
                each = {name: _rebuild(made, postgres, name) for name in ROLLUPS}
            finally:
                ended.set()
            during = calls.result()
    whole = sum(each.values())
    slowest = max(each, key=lambda name: each[name])
    note = f"{_rate(whole)}; slowest {slowest} {each[slowest]:.1f} s; beside live events and dashboard calls"
    yield _figure(f"rebuild of all {len(each)} rollups, one by one", whole, "s", note=note)
    yield _figure("memory of ClickHouse during the rebuilds, at most", peak.result(), "GiB")
    quiet = _p95(_together(owner, site, "90d", lambda done: done >= REPEATS))
    what = "five dashboard calls together during the rebuilds, largest website, 90d, p95"
    yield _figure(what, _p95(during), "ms", baseline=quiet, against="without a rebuild", note=f"{len(during)} times")


def _rebuild(made: Stack, postgres: psycopg.Connection[Any], name: str) -> float:
    began = time.perf_counter()
    _althing(made, "projections", "rebuild", name, "--detach")
    newest = "select state, error from engine.build where name = %s order by generation desc limit 1"

    def is_ready() -> bool:
        [(state, error)] = _rows_of(postgres, newest, name)
        if state in ("failed", "cancelled"):
            raise RuntimeError(f"the rebuild of {name} {state}: {error}")
        return bool(state == "ready")

    wait_for(is_ready, f"the rebuild of {name}", PATIENCE_S)
    took = time.perf_counter() - began
    _althing(made, "projections", "cancel", name)
    return took


def _peak(process: psutil.Process, ended: threading.Event) -> float:
    """The largest resident memory in GiB until the event."""
    largest = process.memory_info().rss
    while not ended.wait(0.25):
        largest = max(largest, process.memory_info().rss)
    return largest / GIB


def _backup(made: Stack, folder: Path) -> Iterator[Figure]:
    began = time.perf_counter()
    _althing(made, "backup", "--to", str(folder))
    took = time.perf_counter() - began
    yield _figure("backup of the log, read back", SENT / took, "records/s", note=f"{SENT:,} in {took:.0f} s")
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    yield _figure("bytes of a record in a backup, everything else included", size / SENT, "bytes")


def _restore(made: Stack, folder: Path) -> Iterator[Figure]:
    """Into a data directory of its own; the tables are rebuilt from the log."""
    [backup] = (path for path in folder.iterdir() if path.is_dir())
    other = Stack(folder / "restored", SETTINGS)
    other.folder.mkdir()
    began = time.perf_counter()
    _althing(other, "restore", str(backup), "--master-key-file", str(made.data_dir / "secrets.json"))
    took = time.perf_counter() - began
    yield _figure(
        "restore, every table rebuilt from the log", SENT / took, "records/s", note=f"{SENT:,} in {took:.0f} s"
    )


def _warm_start(made: Stack) -> Figure:
    made.stop()
    began = time.perf_counter()
    made.start()
    return _figure("warm start, `althing up` until everything is ready", time.perf_counter() - began, "s", aim="≤ 10")


def _memory(made: Stack) -> Figure:
    found = memory_by_process(made)
    parts = ", ".join(f"{name} {found[name]:.0f}" for name in sorted(found, key=lambda name: -found[name])[:4])
    return _figure("memory (PSS) of all processes after the calls", sum(found.values()) / 1024, "GiB", note=parts)


@contextmanager
def _live(made: Stack, site: Site) -> Iterator[None]:
    """The projections move on all the time, as in production: no answer is kept for long."""
    with background(made, site, lambda: [_event() for _ in range(LIVE_BATCH)], LIVE_RATE):
        yield


def _batch(size: int) -> bytes:
    return orjson.dumps([_event() for _ in range(size)])


def _event() -> dict[str, Any]:
    """With an id, so that every partition of the topic gets some."""
    event_id = uuid4()
    number = event_id.int
    return {
        "id": str(event_id),
        "type": "pageview" if number % 3 else "click",
        "url": f"https://shop0.example/p/{number % 2000}",
        "title": f"Page {number % 2000}",
        "referrer": "https://www.google.com/",
        "visitor_id": f"visitor-{number % 100_000}",
        "user_agent": BROWSER,
    }


def _althing(made: Stack, *arguments: str) -> None:
    done = made.run(*arguments, timeout_s=PATIENCE_S)
    if done.returncode:
        raise RuntimeError(
            f"{' '.join(arguments)} ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
        )


def _clickhouse(made: Stack) -> Client:
    return client(load(made.environment, None), read_timeout_s=600)


@contextmanager
def _postgres(made: Stack) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(made.environment["POSTGRES_URL"], autocommit=True) as connection:
        yield connection


def _rows_of(postgres: psycopg.Connection[Any], statement: str, *parameters: object) -> list[tuple[Any, ...]]:
    return postgres.execute(statement.encode(), parameters).fetchall()


def _positions(postgres: psycopg.Connection[Any]) -> dict[str, list[int]] | None:
    """How far the raw table has read the partitions of each topic; none before all are read."""
    found = dict(
        _rows_of(
            postgres,
            "select topic, array_agg(next_offset order by partition) from engine.position"
            " where projection = 'events' and generation = 1 group by topic",
        )
    )
    return found if len(found) == 2 and all(map(all, found.values())) else None


def _rows(clickhouse: Client) -> int:
    return int(str(clickhouse.command("SELECT count() FROM events")))


def _merges(clickhouse: Client) -> int:
    return int(str(clickhouse.command("SELECT count() FROM system.merges")))


def _rate(took: float) -> str:
    return f"{EVENTS / took:,.0f} events/s"


def _p95(times: Sequence[float]) -> float:
    return statistics.quantiles(times, n=20)[18]


if __name__ == "__main__":
    print(json.dumps(run(), indent=1))
