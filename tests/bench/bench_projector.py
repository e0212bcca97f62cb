"""How fast one projector process takes topic `clicks` into ClickHouse with all rollups, and rebuilds it.

Baseline: one process that reads the same four partitions and inserts the same bytes into a table without rollups, with
no check, no position and no token.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
import uuid
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from threading import Thread

import psutil
import psycopg

from infra.kernel.config.loading import load
from infra.kernel.config.settings import Settings
from infra.kernel.log import Record, open_log
from infra.ops.migrations import migrate
from projectors.engine.clickhouse import HttpClickHouse
from schemas.topics import CLICKS
from tests.bench import Figure
from tests.support.clickhouse import start_clickhouse
from tests.support.engines import ROOT, engine_folder, start_kafka, start_postgres

EVENTS = int(os.environ.get("BENCH_PROJECTOR_EVENTS", "600000"))
AIM = "80,000 rows/s"
COMMAND = "python -m tests.bench projector"
PATIENCE_S = 600


def run() -> list[Figure]:
    """Rows a second with ids minted by the server and chosen by clients, the rebuild, and bytes per event."""
    with ExitStack() as stack:
        postgres = start_postgres(_folder(stack, "bench-postgres"))
        stack.callback(postgres.stop)
        clickhouse = start_clickhouse(_folder(stack, "bench-clickhouse"))
        stack.callback(clickhouse.stop)
        kafka = start_kafka(_folder(stack, "bench-kafka"))
        stack.callback(kafka.stop)
        environment = {
            "POSTGRES_URL": postgres.address,
            "CLICKHOUSE_URL": str(clickhouse.settings.clickhouse_url),
            "KAFKA_BOOTSTRAP_SERVERS": kafka.address,
            "ALTHING_DATA_DIR": str(_folder(stack, "bench-data")),
            "ALTHING_MASTER_KEY": "ab" * 32,
        }
        settings = load(environment, env_file=None)
        migrate.migrate(settings)
        minted = _figures(settings, environment, "ids minted by the server", with_hash=False)
        chosen = _figures(settings, environment, "ids chosen by clients, each looked up", with_hash=True)
        return [*minted, *chosen, _rebuild(environment, settings), _bytes_per_event(settings)]


def _figures(settings: Settings, environment: Mapping[str, str], name: str, *, with_hash: bool) -> list[Figure]:
    before = _ends(settings)
    fill(settings, EVENTS, with_hash=with_hash)
    baseline = _bare(environment, before)
    with _Service(environment) as service:
        started, before_work = time.monotonic(), sum(service.cpu_times()[:2])
        _wait_for_positions(settings, _ends(settings))
        took, cpu = time.monotonic() - started, sum(service.cpu_times()[:2]) - before_work
    rate = EVENTS / took
    return [
        {
            "name": f"projector with all rollups, {name}",
            "value": round(rate),
            "unit": "rows/s",
            "baseline": round(baseline),
            "baseline_name": "bare consume + insert",
            "aim": AIM,
            "command": COMMAND,
            "note": f"{EVENTS / cpu:,.0f} rows per second of the process's own processor time",
        }
    ]


def _rebuild(environment: Mapping[str, str], settings: Settings) -> Figure:
    with _Service(environment):
        started = time.monotonic()
        _althing(environment, "projections", "rebuild", "events", "--json")
        took = time.monotonic() - started
        _althing(environment, "projections", "verify", "events", "--json")
        rollup_started = time.monotonic()
        _althing(environment, "projections", "cancel", "events", "--json")
        _althing(environment, "projections", "rebuild", "traffic_15m", "--json")
        rollup_took = time.monotonic() - rollup_started
    rows = sum(_ends(settings))
    return {
        "name": "rebuild of events from the log, beside the live one, and equal to it",
        "value": round(rows / took),
        "unit": "rows/s",
        "command": COMMAND,
        "note": f"{rows:,} records; a rollup alone from the raw table: {rows / rollup_took:,.0f} rows/s with its start",
    }


def _bytes_per_event(settings: Settings) -> Figure:
    clickhouse = HttpClickHouse(settings)
    clickhouse.run("OPTIMIZE TABLE events__g1 FINAL")
    row = clickhouse.rows(
        "SELECT sumIf(data_compressed_bytes, table = 'events__g1') / sumIf(rows, table = 'events__g1'), "
        "sumIf(data_compressed_bytes, table LIKE '%__g1') / sumIf(rows, table = 'events__g1') "
        "FROM system.parts WHERE active AND database = currentDatabase()"
    )[0]
    return {
        "name": "bytes per event in ClickHouse, raw table",
        "value": round(float(row[0]), 1),
        "unit": "bytes",
        "aim": "60 bytes",
        "command": COMMAND,
        "note": f"{float(row[1]):.1f} with all rollups",
    }


def fill(settings: Settings, events: int, *, with_hash: bool) -> None:
    """Appends seeded page views and clicks of three websites over thirty days."""
    log = open_log(settings, linger_ms=5)
    chance = random.Random(events + with_hash)
    tails = [_tail(chance) for _ in range(5000)]
    under_way = []
    for start in range(0, events, 4000):
        page = []
        for number in range(start, min(start + 4000, events)):
            event_id = str(uuid.UUID(int=chance.getrandbits(128), version=4)).encode()
            value = b'{"event_id":"%b","visitor":%d%b' % (event_id, chance.getrandbits(62), chance.choice(tails))
            headers = (("h", event_id[:8]),) if with_hash else ()
            page.append(Record(CLICKS.name, event_id, value, headers, partition=number % CLICKS.partitions))
        under_way.append(log.publish(page))
        if len(under_way) > 4:
            under_way.pop(0).result(60)
    for future in under_way:
        future.result(60)
    log.close()


def _tail(chance: random.Random) -> bytes:
    day, hour, minute, second = (
        chance.randint(1, 28),
        chance.randint(0, 23),
        chance.randint(0, 59),
        chance.randint(0, 59),
    )
    at = f"2026-10-{day:02d} {hour:02d}:{minute:02d}:{second:02d}.{chance.randint(0, 999):03d}"
    website = uuid.UUID(int=1 << 96 | chance.randint(0, 2))
    partner = uuid.UUID(int=2 << 96 | chance.randint(0, 7))
    kind = chance.choices(("pageview", "click", "signup"), (70, 25, 5))[0]
    return (
        f',"website_id":"{website}","type":"{kind}","occurred_at":"{at}","received_at":"{at}",'
        f'"session":{chance.getrandbits(40)},"hostname":"blog{chance.randint(0, 2)}.example",'
        f'"path":"/posts/{chance.randint(0, 300)}","referrer_host":"www.google.com","source":"google",'
        f'"channel":"search","country":"{chance.choice(("DE", "US", "FR", "GB", "NL"))}","device":"mobile",'
        f'"browser":"Chrome","os":"Android","partner_id":"{partner}","origin":"script"}}'
    ).encode()


def _bare(environment: Mapping[str, str], offsets: list[int]) -> float:
    """Rows a second without any care, measured in a process of its own."""
    script = "from tests.bench.bench_projector import bare; import sys; bare([int(x) for x in sys.argv[1:]])"
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, offsets)],
        cwd=ROOT,
        env={**os.environ, **environment},
        check=True,
        capture_output=True,
        timeout=PATIENCE_S,
    )
    return float(done.stdout)


def bare(offsets: list[int]) -> None:
    """The baseline: four threads read and insert what they read."""
    settings = load(env_file=None)
    clickhouse, log = HttpClickHouse(settings), open_log(settings)
    clickhouse.run("DROP TABLE IF EXISTS bare")
    clickhouse.run("CREATE TABLE bare AS events__g1 ENGINE = MergeTree ORDER BY (website_id, toDate(occurred_at))")
    ends = _ends(settings)
    started = time.monotonic()

    def work(partition: int) -> None:
        at = offsets[partition]
        source = log.source(CLICKS.name, partition, at)
        while at < ends[partition]:
            rows: list[bytes] = []
            while len(rows) < 50_000 and at < ends[partition]:
                records = source.read(50_000 - len(rows), 1.0)
                if records:
                    rows += [record.value for record in records]
                    at = records[-1].offset + 1
            clickhouse.insert("bare", b"\n".join(rows), f"bare:{partition}:{at}")
        source.close()

    threads = [Thread(target=work, args=(partition,)) for partition in range(CLICKS.partitions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.monotonic() - started
    clickhouse.run("DROP TABLE bare")
    log.close()
    print(sum(end - start for end, start in zip(ends, offsets, strict=True)) / took)


class _Service:
    """`althing serve projectors`; entered when it is up, with its process."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._command = [sys.executable, "-m", "infra.ops.cli", "serve", "projectors"]
        self._environment = {**os.environ, **environment}

    def __enter__(self) -> psutil.Process:
        self._process = subprocess.Popen(
            self._command, cwd=ROOT, env=self._environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._wait_for_beat()
        return psutil.Process(self._process.pid)

    def _wait_for_beat(self) -> None:
        deadline = time.monotonic() + 60
        with psycopg.connect(self._environment["POSTGRES_URL"], autocommit=True) as connection:
            while time.monotonic() < deadline:
                beat = "select 1 from engine.runner where pid = %s and seen_at > now() - interval '5 seconds'"
                if connection.execute(beat, (self._process.pid,)).fetchone():
                    return
                time.sleep(0.02)
        raise TimeoutError("the projectors did not start")

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(30)


def _althing(environment: Mapping[str, str], *arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "infra.ops.cli", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        check=False,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    if done.returncode:
        said = done.stdout[-2000:] + done.stderr[-2000:]
        raise RuntimeError(f"{' '.join(arguments)} ended with {done.returncode}: {said}")


def _ends(settings: Settings) -> list[int]:
    log = open_log(settings)
    try:
        return [log.end_offset(CLICKS.name, partition) for partition in range(CLICKS.partitions)]
    finally:
        log.close()


def _wait_for_positions(settings: Settings, ends: list[int]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    with psycopg.connect(settings.postgres_url or "", autocommit=True) as connection:
        while time.monotonic() < deadline:
            rows = connection.execute(
                "select next_offset from engine.position where projection = 'events' and generation = 1 "
                "and topic = 'clicks' order by partition"
            ).fetchall()
            if [row[0] for row in rows] == ends:
                return
            time.sleep(0.02)
    raise TimeoutError("the projector did not catch up")


def _folder(stack: ExitStack, name: str) -> Path:
    return stack.enter_context(engine_folder(name))
