"""The five analytics calls together through HTTP, over five million events of one website in thirty days.

The baseline is the same five calls answered from the raw table (a filter that keeps every row forces that). `run()`
returns the figures; the events are made by SQL in the raw table, in the order of time as the log brings them, so that
the rollups follow as they do in production. Before each load the projection moves on: nothing that was kept helps it.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from itertools import count
from uuid import UUID

import psutil

from tests.bench import Figure, figure
from tests.bench.query_world import query_world
from tests.support.engines import wait_until
from tests.support.query import Person, QueryService, event

COMMAND = "python -m tests.bench analytics"
_figure = partial(figure, COMMAND)
EVENTS, CHUNK = 5_000_000, 500_000
GAP_MS = 2_591_000_000 // EVENTS
REPEATS, BASELINE_REPEATS, PUSHES = 40, 5, 40
MERGED_WITHIN_S = 60
CALLS = ("overview", "clicks", "conversions", "partners", "geographic")
RAW = "&device=-none%20such"

# 400,000 visitors, 8 partners, 40 countries; 60 % clicks, 38 % page views, 2 % conversions; 3 % bots.
_INSERT = """
INSERT INTO events__g1 (website_id, event_id, type, occurred_at, received_at, visitor, path, source, country, device,
  browser, os, is_bot, partner_id, link_id, sub1, conversion_id, event_name, d_pending, c_pending, currency,
  _topic, _partition, _offset)
SELECT toUUID('{website}'), generateUUIDv7(), multiIf(k < 60, 'click', k < 98, 'pageview', 'conversion') AS type,
  now64(3, 'UTC') - toIntervalMillisecond(({events} - number) * {gap_ms}) AS at, at,
  cityHash64(h % 400000), concat('/p/', toString(h % 400)),
  ['google', 'newsletter', 'bing', 'facebook', ''][1 + h % 5], ['DE','FR','US','GB','ES','IT','NL','PL','SE','CH','AT',
  'BE','DK','NO','FI','IE','PT','CZ','HU','RO','BG','GR','HR','SK','SI','EE','LV','LT','CA','BR','MX','JP','KR','IN',
  'AU','NZ','ZA','TR','IL','ZZ'][1 + intDiv(h, 7) % 40], ['desktop', 'mobile', 'tablet'][1 + intDiv(h, 11) % 3],
  'Chrome', 'Linux', type <> 'conversion' AND intDiv(h, 13) % 100 < 3,
  if(type = 'pageview', toUUID('00000000-0000-0000-0000-000000000000'),
    [{partners}][1 + intDiv(h, 17) % 8]) AS partner, partner, toString(h % 50),
  if(type = 'conversion', generateUUIDv7(), toUUID('00000000-0000-0000-0000-000000000000')),
  if(type = 'conversion', 'sale', ''), type = 'conversion', if(type = 'conversion', h % 5000, 0), 'USD',
  'clicks', number % 4, number
FROM (SELECT number, cityHash64(number) AS h, intDiv(h, 19) % 100 AS k FROM numbers({first}, {count}))
"""


def run() -> list[Figure]:
    """Percentiles in milliseconds, everything on this machine."""
    with query_world() as world:
        service = world.service
        owner = service.person()
        website = service.website(owner, "Europe/Berlin")
        engines = world.servers(world.clickhouse)
        load_rate = _fill(service, website)
        return [load_rate, *_calls(service, owner, website, engines), *_pushes(service, owner)]


def _fill(service: QueryService, website: UUID) -> Figure:
    partners = ", ".join(f"toUUID('{service.partner(f'Partner {number}')}')" for number in range(8))
    started = time.perf_counter()
    for first in range(0, EVENTS, CHUNK):
        values = {"first": first, "count": CHUNK, "events": EVENTS, "gap_ms": GAP_MS}
        service.command(_INSERT.format(website=website, partners=partners, **values))
    took = time.perf_counter() - started
    # What is merged right after a load of millions is work of the load, not of the calls.
    wait_until(lambda: service.rows("SELECT count() FROM system.merges") == [(0,)], MERGED_WITHIN_S, "the merges")
    return _figure("events made by SQL, rollups included", EVENTS / took, "events/s")


def _calls(service: QueryService, owner: Person, website: UUID, engines: list[psutil.Process]) -> list[Figure]:
    figures = []
    with ThreadPoolExecutor(len(CALLS)) as together:

        def five(time_range: str, more: str = "") -> None:
            paths = [
                f"/api/platform/analytics/{call}?websiteId={website}&timeRange={time_range}{more}" for call in CALLS
            ]
            list(together.map(lambda path: _get(service, owner, path), paths))

        offsets = count(1)

        def move_on() -> None:
            service.advance("events", "clicks", 1, next(offsets), 0)

        p50, p95, cpu = _measured(lambda: five("7d"), REPEATS, engines, move_on)
        raw50, raw95, raw_cpu = _measured(lambda: five("7d", RAW), BASELINE_REPEATS, engines, move_on)
        against = "from the raw table"
        figures.append(_figure("five calls together, 7d, p50", p50, "ms", baseline=raw50, against=against))
        figures.append(_figure("five calls together, 7d, p95", p95, "ms", baseline=raw95, against=against, aim="≤ 100"))
        figures.append(
            _figure("five calls together, 7d, CPU time of both servers", cpu, "ms", baseline=raw_cpu, against=against)
        )
        for time_range in ("24h", "30d", "90d"):
            p50, p95, cpu = _measured(partial(five, time_range), REPEATS, engines, move_on)
            figures.append(_figure(f"five calls together, {time_range}, p50", p50, "ms"))
            figures.append(_figure(f"five calls together, {time_range}, p95", p95, "ms"))
            figures.append(_figure(f"five calls together, {time_range}, CPU time of both servers", cpu, "ms"))
    bare, _, _ = _measured(lambda: _get(service, owner, "/api/platform/user"), REPEATS, engines)
    for call in CALLS:
        path = f"/api/platform/analytics/{call}?websiteId={website}&timeRange=7d"
        p50, _, _ = _measured(partial(_get, service, owner, path), REPEATS, engines)
        name = f"{call} alone, 7d, p50"
        figures.append(_figure(name, p50, "ms", baseline=bare, against="a read of Postgres alone"))
    return figures


def _get(service: QueryService, owner: Person, path: str) -> None:
    answer = service.get(path, owner)
    if answer.status_code != 200:
        raise RuntimeError(f"{path}: {answer.status_code} {answer.text}")


def _pushes(service: QueryService, owner: Person) -> list[Figure]:
    """From rows that are readable and notified to the same event on the stream."""
    website = service.website(owner)
    times = []
    with service.stream(f"/api/platform/analytics/live?websiteId={website}", owner) as answer:
        lines = answer.iter_lines()
        for number in range(PUSHES):
            row = event(website, datetime.now(UTC), visitor=number + 1)
            service.events([row])
            started = time.perf_counter()
            service.advance("events", "clicks", 0, number + 1, 0)
            for line in lines:
                recent = json.loads(line[6:])["recent"] if line.startswith("data: ") else []
                if recent and recent[0]["id"] == row["event_id"]:
                    break
            times.append((time.perf_counter() - started) * 1000)
    p50, p95 = statistics.median(times), statistics.quantiles(times, n=20)[18]
    return [
        _figure("readable row → on the live stream, p50", p50, "ms"),
        _figure("readable row → on the live stream, p95", p95, "ms", aim="≤ 1000 from the click"),
    ]


def _measured(
    call: Callable[[], None], repeats: int, engines: list[psutil.Process], before_each: Callable[[], None] | None = None
) -> tuple[float, float, float]:
    """Median and 95th percentile of the time, and mean CPU time of the servers, all in milliseconds.

    CPU time tells more than the clock does when other programs share the machine.
    """
    call()
    times = []
    before = _cpu(engines)
    for _ in range(repeats):
        if before_each is not None:
            before_each()
        started = time.perf_counter()
        call()
        times.append((time.perf_counter() - started) * 1000)
    cpu = (_cpu(engines) - before) * 1000 / repeats
    return statistics.median(times), statistics.quantiles(times, n=20)[18], cpu


def _cpu(engines: list[psutil.Process]) -> float:
    return sum(engine.cpu_times().user + engine.cpu_times().system for engine in engines)


if __name__ == "__main__":
    for one in run():
        print(one)
