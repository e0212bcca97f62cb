"""What the projectors rely on, through HTTP: exact inserts, durable answers, clean stops, views that switch at once."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import ClickHouseError

from infra.kernel.clickhouse.client import client, insert_rows
from tests.support.clickhouse import USER, ClickHouse, own_clickhouse
from tests.support.engines import wait_until
from tests.support.rounds import first_of

WINDOW = "SETTINGS non_replicated_deduplication_window = 1000"
TABLES = [
    f"CREATE TABLE raw (at DateTime, site UInt32, visitor UInt64) ENGINE = MergeTree ORDER BY at"
    f" PARTITION BY toYYYYMM(at) {WINDOW}",
    f"CREATE TABLE hourly (slot DateTime, n UInt64) ENGINE = SummingMergeTree ORDER BY slot {WINDOW}",
    f"CREATE TABLE daily (slot Date, n UInt64) ENGINE = SummingMergeTree ORDER BY slot {WINDOW}",
    "CREATE TABLE visitors (site UInt32, u AggregateFunction(uniqCombined(12), UInt64),"
    f" n SimpleAggregateFunction(sum, UInt64)) ENGINE = AggregatingMergeTree ORDER BY site {WINDOW}",
    "CREATE MATERIALIZED VIEW raw_to_hourly TO hourly AS"
    " SELECT toStartOfHour(at) AS slot, count() AS n FROM raw GROUP BY slot",
    "CREATE MATERIALIZED VIEW hourly_to_daily TO daily AS"
    " SELECT toDate(slot) AS slot, sum(n) AS n FROM hourly GROUP BY slot",
    "CREATE MATERIALIZED VIEW raw_to_visitors TO visitors AS"
    " SELECT site, uniqCombinedState(12)(visitor) AS u, count() AS n FROM raw GROUP BY site",
]
TOTALS = (
    "SELECT (SELECT count() FROM raw), (SELECT sum(n) FROM hourly), (SELECT sum(n) FROM daily),"
    " (SELECT sum(n) FROM visitors), (SELECT uniqCombinedMerge(12)(u) FROM visitors)"
)


@pytest.fixture
def doomed() -> Iterator[ClickHouse]:
    """For a test that ends it."""
    with own_clickhouse() as running:
        yield running


@pytest.fixture
def to(server: ClickHouse) -> Client:
    """A client in an empty database."""
    name = f"of_{uuid4().hex}"
    client(server.settings).command(f"CREATE DATABASE {name}")
    url = str(server.settings.clickhouse_url)
    return client(replace(server.settings, clickhouse_url=f"{url.rpartition('/')[0]}/{name}"))


def rows(first: int, count: int) -> bytes:
    """Rows spread over six months, so that one insert makes several blocks."""
    return b"\n".join(
        json.dumps({"at": 1_767_225_600 + i % 6 * 2_592_000 + i, "site": i % 3, "visitor": i}).encode()
        for i in range(first, first + count)
    )


def make_tables(to: Client) -> None:
    for statement in TABLES:
        to.command(statement)


def incoming(doomed: ClickHouse) -> Path:
    """Where the server keeps the data of inserts that are still arriving."""
    return doomed.log_file.parent / "clickhouse" / "incoming"


def totals(of: Client) -> tuple[int, ...]:
    return tuple(int(value) for value in of.query(TOTALS).first_row or ())


def test_a_retried_insert_adds_nothing_anywhere_even_after_a_kill(doomed: ClickHouse) -> None:
    to = client(doomed.settings)
    make_tables(to)
    body = rows(0, 600)
    insert_rows(to, "raw", body, "clicks:0:0-599")
    expected = totals(to)
    assert expected[:4] == (600, 600, 600, 600)
    for _ in range(3):
        insert_rows(to, "raw", body, "clicks:0:0-599")
    assert totals(to) == expected
    doomed.kill()
    doomed.start()
    to = client(doomed.settings)
    insert_rows(to, "althing.raw", body, "clicks:0:0-599")
    assert totals(to) == expected, "tokens must outlive the process"
    insert_rows(to, "raw", rows(600, 400), "clicks:0:600-999")
    assert totals(to)[:4] == (1000, 1000, 1000, 1000)


@pytest.mark.parametrize("table", ["raw", *first_of("daily", "hourly", "visitors")])
def test_a_kill_between_a_block_s_record_and_its_part_loses_nothing(doomed: ClickHouse, table: str) -> None:
    """The engine writes the record, then renames the part. Here the part has its name before that again, whose numbers
    each process of the engine begins at one."""
    to = client(doomed.settings)
    make_tables(to)
    insert_rows(to, "raw", rows(0, 60), "clicks:0:0-59")
    for batch, name in ((1, "{0}_{1}_{1}_0"), (2, "{0}_1_1_0")):
        token = f"clicks:0:{60 * batch}-{60 * batch + 59}"
        insert_rows(to, "raw", rows(60 * batch, 60), token)
        newest = "SELECT path FROM system.parts WHERE active AND table = {table:String} ORDER BY max_block_number DESC"
        part = Path(str(to.command(f"{newest} LIMIT 1", parameters={"table": table})))
        partition, number, *_ = part.name.split("_")
        doomed.kill()
        part.rename(part.with_name(f"tmp_insert_{name.format(partition, number)}"))
        doomed.start()
        to = client(doomed.settings)
        total = 60 + 60 * batch
        insert_rows(to, "raw", rows(60 * batch, 60), token)
        assert totals(to)[:4] == (total, total, total, total)
        insert_rows(to, "raw", rows(0, 60), "clicks:0:0-59")
        assert totals(to)[:4] == (total, total, total, total), "what was finished is known"


def test_a_view_that_fails_half_way_is_made_whole_by_the_retry(to: Client) -> None:
    make_tables(to)
    to.command(f"CREATE TABLE picky (n UInt64, CONSTRAINT small CHECK n < 30) ENGINE = MergeTree ORDER BY n {WINDOW}")
    to.command("CREATE MATERIALIZED VIEW raw_to_picky TO picky AS SELECT visitor AS n FROM raw")
    with pytest.raises(ClickHouseError, match="VIOLATED_CONSTRAINT"):
        insert_rows(to, "raw", rows(0, 60), "clicks:0:0-59")
    to.command("ALTER TABLE picky DROP CONSTRAINT small")
    insert_rows(to, "raw", rows(0, 60), "clicks:0:0-59")
    assert totals(to)[:4] == (60, 60, 60, 60)
    assert to.command("SELECT count() FROM picky") == 60


def test_a_bad_row_inserts_nothing(to: Client) -> None:
    make_tables(to)
    for bad in (
        b'{"at": "yesterday?", "site": 1, "visitor": 2}',
        b'{"at": 1, "nosuch": 1}',
        b"{",
        b'{"visitor": -1.5e}',
    ):
        with pytest.raises(ClickHouseError):
            insert_rows(to, "raw", rows(0, 50) + b"\n" + bad, f"bad:{bad!r}")
    assert totals(to)[0] == 0
    with pytest.raises(ValueError, match="not a table"):
        insert_rows(to, "raw FORMAT CSV", b"", "t")
    with pytest.raises(ValueError, match="token"):
        insert_rows(to, "raw", b"", "")


def test_kill_9_under_inserts_loses_nothing_acknowledged(doomed: ClickHouse) -> None:
    make_tables(client(doomed.settings))
    acknowledged: list[int] = []
    stop = threading.Event()

    def write() -> None:
        batch = 0
        while not stop.is_set():
            try:
                to = client(doomed.settings)
                while not stop.is_set():
                    insert_rows(to, "raw", rows(batch * 100, 100), f"b:{batch}")
                    acknowledged.append(batch)
                    batch += 1
            except (ClickHouseError, OSError):
                stop.wait(0.05)  # the server is away: the same batch again, under the same token

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(3):
            goal = len(acknowledged) + 15
            wait_until(partial(_has, acknowledged, goal), 60, "acknowledged inserts")
            doomed.kill()
            doomed.start()
        goal = len(acknowledged) + 5
        wait_until(lambda: len(acknowledged) >= goal, 60, "inserts to go on")
    finally:
        stop.set()
        writer.join(60)
    of = client(doomed.settings)
    count = totals(of)[0]
    assert of.command("SELECT uniqExact(visitor) FROM raw") == count, "nothing twice"
    missing = set(acknowledged) - {row[0] for row in of.query("SELECT intDiv(visitor, 100) FROM raw").result_rows}
    assert not missing
    assert totals(of)[1:4] == (count, count, count)


def test_sigterm_finishes_the_insert_in_flight_cancels_reads_and_exits_0(doomed: ClickHouse) -> None:
    to = client(doomed.settings)
    to.command("CREATE TABLE late (id UInt32) ENGINE = MergeTree ORDER BY id")
    read_failed = threading.Event()

    def endless() -> None:
        try:
            client(doomed.settings).query("SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(number)")
        except (ClickHouseError, OSError):
            read_failed.set()

    reader = threading.Thread(target=endless)
    reader.start()
    wait_until(lambda: int(str(to.command("SELECT count() FROM system.processes"))) >= 2, 60, "the read to run")
    with socket.create_connection(("127.0.0.1", doomed.port)) as raw:
        url = f"/?user={USER}&password=service+secret&query=INSERT+INTO+late+FORMAT+TSV"
        raw.sendall(f"POST {url} HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n1\n".encode())
        wait_until(lambda: any(incoming(doomed).iterdir()), 60, "the insert to be under way")
        doomed.send_signal(signal.SIGTERM)
        assert read_failed.wait(60)
        raw.sendall(b"2\n")
        assert raw.recv(15, socket.MSG_WAITALL) == b"HTTP/1.1 200 OK"
    reader.join(60)
    assert doomed.process is not None
    assert doomed.process.wait(60) == 0
    doomed.start()
    assert client(doomed.settings).query("SELECT id FROM late ORDER BY id").result_rows == [(1,), (2,)]


def test_a_second_process_on_the_same_directory_is_refused(server: ClickHouse) -> None:
    waiting = incoming(server) / "insert-under-way"
    waiting.write_bytes(b"1\n")
    command = [*server.command, "--port", "0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env={**server.environment})
    assert done.returncode == 1
    assert "another process" in done.stderr
    assert waiting.exists(), "the refused one must touch nothing"
    assert client(server.settings).command("SELECT 1") == 1
    waiting.unlink()


def test_generations_switch_behind_a_stable_view(to: Client) -> None:
    for generation in (1, 2):
        to.command(f"CREATE TABLE clicks_g{generation} (n UInt8) ENGINE = MergeTree ORDER BY n")
        to.command(f"INSERT INTO clicks_g{generation} VALUES ({generation})")
    for generation in (1, 2, 1):
        to.command(f"CREATE OR REPLACE VIEW clicks AS SELECT * FROM clicks_g{generation}")
        assert to.command("SELECT n FROM clicks") == generation
    to.command("EXCHANGE TABLES clicks_g1 AND clicks_g2")
    assert to.command("SELECT n FROM clicks") == 2


def test_a_few_small_inserts_do_not_write_a_large_part_again(to: Client) -> None:
    to.command("CREATE TABLE months (n UInt64) ENGINE = MergeTree ORDER BY n")
    to.command("INSERT INTO months SELECT number FROM numbers(100000)")
    for number in range(12):
        to.command(f"INSERT INTO months VALUES ({number})")
    levels = "SELECT max(level) FROM system.parts WHERE active AND database = currentDatabase() AND table = 'months'"
    assert to.command(levels) == 0


def test_the_server_is_set_up_for_durability_and_little_memory(server: ClickHouse) -> None:
    of = client(server.settings)
    rows = of.query("SELECT name, value FROM system.merge_tree_settings").result_rows
    settings = {str(name): str(value) for name, value in rows}
    assert (settings["fsync_after_insert"], settings["fsync_part_directory"]) == ("1", "1")
    assert of.query("SELECT getSetting('async_insert')").first_row == (False,)
    assert (
        of.query("SELECT name FROM system.tables WHERE database = 'system' AND engine = 'MergeTree'").result_rows == []
    )
    assert ("althing",) in of.query("SHOW DATABASES").result_rows


def _has(acknowledged: list[int], goal: int) -> bool:
    return len(acknowledged) >= goal
