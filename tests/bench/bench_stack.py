"""The whole stack as `althing up` starts it: click to live view, command to read, drain, memory, disk, start.

Everything goes through the public addresses (gateway and tracking). All of it shares this machine's cores with the
bench itself, so times contain the wait for a core.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count, islice
from typing import Any
from uuid import uuid4

import httpx
import orjson
import psutil
from clickhouse_connect.driver.client import Client

from infra.kernel.clickhouse.client import client
from infra.kernel.config.loading import load
from infra.kernel.observability.stack_state import read
from infra.ops.demo import plan
from tests.bench import Figure, percentile_of
from tests.bench.stack_client import EMAIL, PASSWORD, Owner, Site, background, bearer, pour, watching
from tests.support.stack import Stack, stack, wait_for
from tests.support.user_agents import BROWSER

COMMAND = "python -m tests.bench stack"
CLICKS = 200
COMMANDS = 200
EDITED = 20
LOAD_BATCH, LOAD_RATE = 20, 10.0
LOAD_S = 60.0
EVENTS = 330_000
BATCH = 1_500
CONCURRENCY = 4
SETTLE_S = 10.0
PATIENCE_S = 300.0
MIB = 1 << 20

_SETTINGS = {"ALTHING_ADMIN_EMAIL": EMAIL, "ALTHING_ADMIN_PASSWORD": PASSWORD, "ALTHING_SITE_RATE": "1000000"}
_SIZES = """
SELECT table LIKE 'events\\_\\_%' AS raw, sum(bytes_on_disk), sum(rows) FROM system.parts
WHERE active AND database = currentDatabase() GROUP BY raw"""


def run() -> list[Figure]:
    with stack(_SETTINGS) as made:
        time.sleep(SETTLE_S)
        idle = memory_by_process(made)
        owner = Owner(made)
        site, other = owner.website("bench.example"), owner.website("crowd.example")
        began = time.monotonic()
        with background(made, other, lambda: [_event() for _ in range(LOAD_BATCH)], LOAD_RATE):
            figures = [*_clicks(made, owner, site)]
            time.sleep(max(0.0, LOAD_S - (time.monotonic() - began)))
            loaded = memory_by_process(made)
        figures += _commands(owner, site)
        figures += [_total("idle", idle), _total(f"after {LOAD_S:.0f} s of load", loaded)]
        figures += _each(idle, loaded)
        figures += _drain(made, owner)
        figures += _disk(made)
        figures.append(_warm_start(made))
    return figures


def _clicks(made: Stack, owner: Owner, site: Site) -> Iterator[Figure]:
    visible, answered = [], []
    with (
        watching(owner, site) as seen,
        httpx.Client(base_url=made.tracking, headers={**bearer(site), "User-Agent": BROWSER}) as edge,
    ):
        for number in range(CLICKS):
            event = {**_event(), "id": str(uuid4()), "type": "click"}
            began = time.perf_counter()
            edge.post("/track", json=event).raise_for_status()
            answered.append(1000 * (time.perf_counter() - began))
            visible.append(1000 * (seen(event["id"], 20.0) - began))
            time.sleep(random.Random(number).uniform(0.0, 0.2))  # not in step with the live view's rhythm
    for percentile in (50, 95):
        figure = _ms("click sent -> pushed in the live view", visible, percentile)
        figure["baseline"] = percentile_of(answered, percentile)
        figure["baseline_name"] = "until the click is acknowledged"
        figure["note"] = f"{CLICKS} clicks beside {LOAD_BATCH * LOAD_RATE:.0f} events/s of another website"
        if percentile == 95:
            figure["aim"] = "≤ 1000"
        yield figure


def _commands(owner: Owner, site: Site) -> Iterator[Figure]:
    """Over several partners and links in turn: each edit makes a history longer, and no one has 200."""
    partners = [owner.partner(f"bench-partner-{number}") for number in range(EDITED)]
    links = [owner.link(site, partners[0], f"bench-link-{number}") for number in range(EDITED)]
    owner.http.headers.pop("X-Wait-For")
    yield from _seen(
        owner,
        "PATCH a partner, GET the partners: a read model in Postgres",
        lambda n: (f"/api/admin/partners/{partners[n % EDITED]}", {"name": f"Partner {n}"}),
        "/api/platform/partners",
    )
    yield from _seen(
        owner,
        "PATCH a link, GET the website's links with their clicks: Postgres and ClickHouse",
        lambda n: (f"/api/platform/links/{links[n % EDITED]}", {"sub1": f"value {n}"}),
        f"/api/platform/links?websiteId={site.id}",
    )


def _seen(
    owner: Owner, what: str, change: Callable[[int], tuple[str, dict[str, Any]]], read_path: str
) -> Iterator[Figure]:
    both, commands, reads, bare = [], [], [], []
    for number in range(COMMANDS):
        path, body = change(number)
        began = time.perf_counter()
        done = owner.command("PATCH", path, body)
        middle = time.perf_counter()
        found = owner.http.get(read_path, headers={"X-Wait-For": done.headers["X-Position"]}).raise_for_status()
        ended = time.perf_counter()
        shown = next(row for row in found.json() if row["id"] == path.rpartition("/")[2])
        assert body.items() <= shown.items(), "the read does not show the command"
        both.append(1000 * (ended - began))
        commands.append(1000 * (middle - began))
        reads.append(1000 * (ended - middle))
        began = time.perf_counter()
        owner.http.get(read_path).raise_for_status()
        bare.append(1000 * (time.perf_counter() - began))
    for percentile in (50, 95):
        figure = _ms(f"command sent -> its effect read ({what})", both, percentile)
        figure["baseline"] = percentile_of(bare, percentile)
        figure["baseline_name"] = "the bare GET"
        figure["note"] = (
            f"of it the command {percentile_of(commands, percentile):.3g} ms, "
            f"the waiting read {percentile_of(reads, percentile):.3g} ms"
        )
        if percentile == 95:
            figure["aim"] = "≤ 50"
        yield figure


def memory_by_process(made: Stack) -> dict[str, float]:
    """MiB (PSS: shared pages counted by share) of each process of the stack with its children."""
    state = read(made.data_dir)
    assert state is not None and made.process is not None
    named = {row.pid: row.name for row in state.processes if row.pid is not None}
    found = {"supervisor": _pss(psutil.Process(made.process.pid))}
    for pid, name in named.items():
        family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
        found[name] = sum(_pss(process) for process in family)
    return found


def _pss(process: psutil.Process) -> float:
    try:
        return float(process.memory_full_info().pss) / MIB
    except psutil.NoSuchProcess:
        return 0.0


def _total(when: str, found: dict[str, float]) -> Figure:
    return {
        "name": f"memory (PSS) of all {len(found)} processes, {when}",
        "value": round(sum(found.values())),
        "unit": "MiB",
        "aim": "≤ 1536",
        "command": COMMAND,
    }


def _each(idle: dict[str, float], loaded: dict[str, float]) -> Iterator[Figure]:
    for name in sorted(loaded, key=lambda name: -loaded[name]):
        yield {
            "name": f"memory (PSS) of {name}, after {LOAD_S:.0f} s of load",
            "value": round(loaded[name]),
            "unit": "MiB",
            "baseline": round(idle.get(name, 0.0)),
            "baseline_name": "idle",
            "command": COMMAND,
        }


def _drain(made: Stack, owner: Owner) -> Iterator[Figure]:
    bodies = _bodies(owner)
    events = sum(size for _, _, size in bodies)
    with _clickhouse(made) as house:
        before = _rows(house)
        began = time.perf_counter()
        asyncio.run(pour(made, [(site, body) for site, body, _ in bodies], CONCURRENCY))
        accepted = time.perf_counter() - began
        wait_for(lambda: _rows(house) >= before + events, "every event in ClickHouse", PATIENCE_S)
        took = time.perf_counter() - began
    yield {
        "name": f"drain: {events:,} events in batches of {BATCH:,}, first one sent -> last one visible in ClickHouse",
        "value": round(events / took),
        "unit": "events/s",
        "baseline": round(events / accepted),
        "baseline_name": "acknowledged by /track in the same run",
        "note": f"{took:.0f} s in all, sender included",
        "command": COMMAND,
    }


def _bodies(owner: Owner) -> list[tuple[Site, bytes, int]]:
    """The demonstration's visits of the last 29 days, ready to be sent, with their number of events."""
    partners = {partner.slug: owner.partner(partner.slug) for partner in plan.PARTNERS}
    now = datetime.now(UTC)
    since = (now - timedelta(days=29)).isoformat()
    found = []
    for website in plan.WEBSITES:
        site = owner.website(website.domain)
        for slug in website.partners:
            owner.link(site, partners[slug], plan.link_slug(website, slug))
        visits = plan.visits(website, today=now, events=EVENTS * 3, seed=1)
        events = (event for visit in visits for event in visit.events if event["occurred_at"] >= since)
        wanted = round(EVENTS * website.share)
        for start in range(0, wanted, BATCH):
            batch = list(islice(events, min(BATCH, wanted - start)))
            if batch:
                found.append((site, orjson.dumps(batch), len(batch)))
    random.Random(1).shuffle(found)  # websites send side by side
    return found


def _disk(made: Stack) -> Iterator[Figure]:
    with _clickhouse(made) as house:
        tables = house.query(
            "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%Tree'"
        )
        for (table,) in tables.result_rows:
            house.command(f"OPTIMIZE TABLE `{table}` FINAL")
        sizes = {bool(raw): (int(size), int(rows)) for raw, size, rows in house.query(_SIZES).result_rows}
    size, rows = sizes[True]
    for name, value, aim in (
        ("bytes on disk for each event in table events, merged", size / rows, "≤ 60"),
        ("bytes on disk for each event in all rollups and other tables", sizes[False][0] / rows, ""),
    ):
        figure: Figure = {"name": name, "value": round(value, 1), "unit": "bytes", "command": COMMAND}
        figure["note"] = f"{rows:,} events"
        if aim:
            figure["aim"] = aim
        yield figure


def _warm_start(made: Stack) -> Figure:
    made.stop()
    began = time.perf_counter()
    made.start()
    return {
        "name": f"warm start with {EVENTS:,} events: `althing up` -> everything ready",
        "value": round(time.perf_counter() - began, 1),
        "unit": "s",
        "aim": "≤ 10",
        "command": COMMAND,
    }


def _clickhouse(made: Stack) -> Client:
    return client(load(made.environment, None), read_timeout_s=120)


def _rows(house: Client) -> int:
    return int(str(house.command("SELECT count() FROM events")))


_numbers = count()


def _event() -> dict[str, Any]:
    number = next(_numbers)
    return {
        "type": "pageview" if number % 3 else "click",
        "url": f"https://bench.example/page-{number % 40}",
        "referrer": "https://www.google.com/",
        "visitor_id": f"visitor-{number % 500}",
        "user_agent": BROWSER,
    }


def _ms(name: str, milliseconds: list[float], percentile: int) -> Figure:
    value = percentile_of(milliseconds, percentile)
    return {"name": f"{name}, p{percentile}", "value": value, "unit": "ms", "command": COMMAND}
