"""Commands: how many a second over HTTP, how soon they are in topic `domain`, and how many reports are decided.

One process of the service on real Postgres (fsync on) and ClickHouse, the log on Postgres. The baseline of commands is
a bare commit of one row by as many clients; the event store's table lock lets one commit at a time.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import timedelta
from statistics import quantiles
from threading import Event, Thread
from uuid import UUID

import httpx
import psycopg

from infra.kernel.config.settings import Settings
from infra.ops.migrations import migrate
from infra.ops.stack import secret_file
from infra.ops.stack.engines import clickhouse, postgres
from schemas.envelope import position_of
from tests.bench import Figure
from tests.support.child_process import child_process
from tests.support.engines import free_port
from tests.support.policies import Policies, policies
from tests.support.stack import engine, wait_for

COMMAND = "make bench (python -m tests.bench commands)"
CLIENTS = 8
SECONDS = 5.0
WEBSITES = 8
LATENCIES = 150
REPORTS = 2_000


def run() -> list[Figure]:
    with ExitStack() as opened:
        made = opened.enter_context(_engines())
        port = free_port()
        opened.enter_context(
            child_process(made.world.settings, "infra.ops.cli", "serve", "command", ALTHING_COMMAND_PORT=str(port))
        )
        address = f"http://127.0.0.1:{port}"
        wait_for(lambda: _is_ready(address), "the service")
        return [_commands(made, address), *_latencies(made, address), _reports(made)]


def _commands(made: Policies, address: str) -> Figure:
    def command(_number: int) -> Callable[[], None]:
        sites = [made.world.website()["id"] for _ in range(WEBSITES)]
        http = httpx.Client(headers=made.world.owner.headers, timeout=20)
        turns = itertools.count()

        def once() -> None:
            turn = next(turns)
            body = {"timezone": ("Europe/Paris", "UTC")[turn // WEBSITES % 2]}
            http.patch(f"{address}/api/platform/websites/{sites[turn % WEBSITES]}", json=body).raise_for_status()

        return once

    def commit(_number: int) -> Callable[[], None]:
        connection = psycopg.connect(made.world.settings.postgres_url or "", autocommit=True)

        def once() -> None:
            connection.execute("INSERT INTO bench (value) VALUES (%s)", (b"x" * 300,))

        return once

    made.world.postgres.execute("CREATE TABLE bench (id bigserial PRIMARY KEY, value bytea)")
    return {
        "name": f"commands over HTTP, {CLIENTS} clients (each signs in by token, loads a website, decides, stores)",
        "value": round(_rate(command)),
        "unit": "commands/s",
        "baseline": round(_rate(commit)),
        "baseline_name": f"bare commits of one row, {CLIENTS} connections",
        "command": COMMAND,
    }


def _latencies(made: Policies, address: str) -> list[Figure]:
    seen: dict[int, float] = {}
    done = Event()
    made.relayed()
    wanted = made.world.log.end_offset("domain", 0)

    def tail() -> None:
        source = made.world.log.source("domain", 0, wanted)
        while not done.is_set():
            for record in source.read(100, 1.0):
                seen[position_of(record.headers)] = time.perf_counter()
        source.close()

    reader = Thread(target=tail, daemon=True)
    reader.start()
    site = made.world.website()
    sent: dict[int, tuple[float, float]] = {}
    with httpx.Client(headers=made.world.owner.headers, timeout=20) as http:
        for number in range(LATENCIES):
            began = time.perf_counter()
            body = {"timezone": ("Europe/Paris", "UTC")[number % 2]}
            answer = http.patch(f"{address}/api/platform/websites/{site['id']}", json=body)
            sent[int(answer.headers["X-Position"].removeprefix("domain@"))] = (began, time.perf_counter())
    wait_for(lambda: set(sent) <= set(seen), "the relay")
    done.set()
    reader.join()
    answered = [1000 * (end - began) for began, end in sent.values()]
    relayed = [1000 * (seen[position] - began) for position, (began, _) in sent.items()]
    return [
        _figure("command answered, one client", answered, 50, "p50"),
        _figure("command answered, one client", answered, 95, "p95"),
        _figure("command sent -> readable in topic domain", relayed, 50, "p50"),
        _figure("command sent -> readable in topic domain", relayed, 95, "p95"),
    ]


def _reports(made: Policies) -> Figure:
    shop = made.shop()
    click = made.click(shop, timedelta(hours=1))
    reports = [made.report_of(shop, txid=f"T-{number}", click_id=click) for number in range(REPORTS)]
    began = time.perf_counter()
    for start in range(0, REPORTS, 500):
        made.publish(reports[start : start + 500])
    made.caught_up()
    took = time.perf_counter() - began
    assert made.state(UUID(reports[-1]["conversion_id"])) is not None
    return {
        "name": f"{REPORTS} reports of sales, published -> decided and stored",
        "value": round(REPORTS / took),
        "unit": "reports/s",
        "command": COMMAND,
    }


def _rate(make: Callable[[int], Callable[[], None]]) -> float:
    calls = [make(number) for number in range(CLIENTS)]
    end = time.perf_counter() + SECONDS

    def loop(call: Callable[[], None]) -> int:
        count = 0
        while time.perf_counter() < end:
            call()
            count += 1
        return count

    with ThreadPoolExecutor(CLIENTS) as threads:
        return sum(threads.map(loop, calls)) / SECONDS


def _figure(name: str, milliseconds: list[float], percentile: int, shown: str) -> Figure:
    return {
        "name": f"{name}, {shown}",
        "value": round(quantiles(milliseconds, n=100)[percentile - 1], 1),
        "unit": "ms",
        "command": COMMAND,
    }


@contextmanager
def _engines() -> Iterator[Policies]:
    with (
        engine(lambda folder, chosen, made: postgres.spec(folder, chosen.postgres, made)) as (pg, pg_ports),
        engine(lambda folder, chosen, made: clickhouse.spec(folder, chosen.clickhouse, made)) as (ch, ch_ports),
    ):
        pg_secrets = secret_file.load_or_create(pg.data_dir)
        postgres.set_up(pg_ports.postgres, pg_secrets)
        url = postgres.url(pg_ports.postgres, pg_secrets)
        migrate.apply(url, migrate.read_folder(migrate.FOLDER))
        found: Settings = replace(pg, postgres_url=url, log="postgres")
        reached = replace(
            ch, clickhouse_url=clickhouse.url(ch_ports.clickhouse, secret_file.load_or_create(ch.data_dir))
        )
        with policies(found, reached, leading=False) as made:
            made.world.log.end_offset("domain", 0)
            yield made


def _is_ready(address: str) -> bool:
    try:
        return httpx.get(f"{address}/readyz", timeout=2).status_code == 200
    except httpx.HTTPError:
        return False
