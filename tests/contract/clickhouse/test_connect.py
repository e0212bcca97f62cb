"""The ClickHouse front, held to clickhouse-connect, the client that services and analysts use."""

from __future__ import annotations

import gzip
import subprocess
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest
from clickhouse_connect.driver.exceptions import DatabaseError
from clickhouse_connect.driver.external import ExternalData

from infra.kernel.clickhouse.client import ClientPool, client
from tests.support.clickhouse import READER, READER_PASSWORD, ClickHouse, connect
from tests.support.engines import ROOT, wait_until


@pytest.mark.parametrize("compress", [False, "lz4", "zstd", "gzip"])
def test_queries_and_inserts_natively(server: ClickHouse, compress: str | bool) -> None:
    with connect(server, compress=compress) as opened:
        opened.command(
            "CREATE OR REPLACE TABLE cc (id UInt64, name LowCardinality(String), at DateTime64(3),"
            " price Decimal(18, 2), tags Array(String), note Nullable(String)) ENGINE = MergeTree ORDER BY id"
        )
        at = datetime(2026, 1, 2, 3, 4, 5, 678000)  # noqa: DTZ001 - as the client returns it
        rows = [[i, f"n{i % 9}", at, Decimal("12.34"), ["a", "ü"], None if i % 2 else "x"] for i in range(30_000)]
        opened.insert("cc", rows, column_names=["id", "name", "at", "price", "tags", "note"])
        found = opened.query("SELECT * FROM cc WHERE id IN ({ids:Array(UInt64)}) ORDER BY id", {"ids": [1, 29_999]})
        assert found.column_names == ("id", "name", "at", "price", "tags", "note")
        assert found.result_rows == [
            (1, "n1", at, Decimal("12.34"), ["a", "ü"], None),
            (29_999, "n2", at, Decimal("12.34"), ["a", "ü"], None),
        ]
        with opened.query_row_block_stream("SELECT id FROM cc ORDER BY id") as stream:
            assert [row[0] for block in stream for row in block] == list(range(30_000))
        assert opened.query("SELECT * FROM cc WHERE id = -1").result_rows == []


def test_raw_insert_raw_stream_and_summary(server: ClickHouse) -> None:
    with connect(server) as opened:
        opened.command("CREATE OR REPLACE TABLE raw_t (id UInt64, v String) ENGINE = MergeTree ORDER BY id")
        body = b"\n".join(b'{"id": %d, "v": "x"}' % i for i in range(1000))
        summary = opened.raw_insert("raw_t", insert_block=body, fmt="JSONEachRow")
        assert int(summary.written_rows) == 1000
        opened.raw_insert("raw_t", insert_block=gzip.compress(b"5000,y\n"), fmt="CSV", compression="gzip")
        assert opened.command("SELECT count() FROM raw_t") == 1001
        with opened.raw_stream("SELECT id FROM raw_t ORDER BY id LIMIT 3", fmt="TSV") as stream:
            assert b"".join(stream) == b"0\n1\n2\n"
        result = opened.query("SELECT sum(id) FROM raw_t")
        assert int(result.summary["read_rows"]) == 1001
        assert result.query_id


def test_sessions_keep_temporary_tables_and_settings(server: ClickHouse) -> None:
    with connect(server, session_id="kept") as opened, connect(server, session_id="other") as other:
        opened.command("CREATE TEMPORARY TABLE mine AS SELECT 41 AS x")
        opened.command("SET max_threads = 1")
        assert opened.command("SELECT x + 1 FROM mine") == 42
        assert opened.query("SELECT getSetting('max_threads')", settings={"max_threads": 2}).first_row == (2,)
        assert opened.command("SELECT getSetting('max_threads')") == 1, "a query's setting must not stay"
        with pytest.raises(DatabaseError, match="UNKNOWN_TABLE"):
            other.command("SELECT x FROM mine")


def test_large_parameters_come_as_a_form(server: ClickHouse) -> None:
    ids = [uuid.UUID(int=number) for number in range(10_000)]
    for more in ({}, {"username": READER, "password": READER_PASSWORD}):
        with connect(server, **more) as opened:
            found = opened.query("SELECT length({ids:Array(UUID)}), {ids:Array(UUID)}[10000]", {"ids": ids})
            assert found.result_rows == [(10_000, ids[-1])]
    with connect(server, form_encode_query_params=True) as opened:
        found = opened.query("SELECT {a:String}, getSetting('max_threads')", {"a": "ü'\n"}, {"max_threads": 1})
        assert found.result_rows == [("ü'\n", 1)]
        opened.command("CREATE OR REPLACE TABLE formed (id UInt32) ENGINE = MergeTree ORDER BY id")
        opened.command("INSERT INTO formed SELECT number FROM numbers({n:UInt32})", {"n": 5})
        assert opened.command("SELECT sum(id) FROM formed") == 10


def test_external_data_is_seen_by_its_query_only(server: ClickHouse) -> None:
    brought = ExternalData(
        file_name="people.csv", data=b'1,"Ann"\n2,"B\nb"\n', fmt="CSV", structure=["id UInt8", "name String"]
    )
    brought.add_file(file_name="codes.tsv", data=b"2\tx\n3\ty\n", types="UInt8,Enum8('x' = 1, 'y' = 2)")
    sql = "SELECT name, _2, {p:String} FROM people JOIN codes ON id = _1"
    for more in ({}, {"username": READER, "password": READER_PASSWORD}, {"session_id": "brings"}):
        with connect(server, **more) as opened:
            for _ in range(2):
                assert opened.query(sql, {"p": "q" * 9000}, external_data=brought).result_rows == [
                    ("B\nb", "x", "q" * 9000)
                ]
            with pytest.raises(DatabaseError, match="UNKNOWN_TABLE"):
                opened.query("SELECT * FROM people")
            with opened.query_row_block_stream(
                "SELECT number FROM numbers(300000) WHERE number NOT IN (SELECT id FROM people)",
                external_data=brought,
            ) as stream:
                assert sum(len(block) for block in stream) == 299_998
            with pytest.raises(DatabaseError, match="UNKNOWN_TABLE"):
                opened.query("SELECT * FROM people")


def test_errors_before_and_in_the_middle_of_a_result(server: ClickHouse) -> None:
    with connect(server) as opened:
        with pytest.raises(DatabaseError, match="UNKNOWN_TABLE"):
            opened.query("SELECT * FROM missing")
        with pytest.raises(DatabaseError, match="too late"):
            opened.query("SELECT throwIf(number = 900000, 'too late') FROM numbers(1000000)")
        assert opened.command("SELECT 1") == 1


def test_ten_selects_run_at_the_same_time(server: ClickHouse, caplog: pytest.LogCaptureFixture) -> None:
    """And the connections of all are kept, none thrown away after its statement."""
    opened = client(server.settings)
    of_this_test = "query LIKE 'SELECT sleepEachRow(0.05)%'"
    meet = f"SELECT count() = 10 FROM system.processes WHERE {of_this_test}"
    with ThreadPoolExecutor(10) as threads:
        slow = [
            threads.submit(opened.query, "SELECT sleepEachRow(0.05) FROM numbers(2000) SETTINGS max_block_size = 1")
            for _ in range(10)
        ]
        wait_until(lambda: opened.query(meet).first_row == (1,), 60, "ten queries to run together")
        opened.command(f"KILL QUERY WHERE {of_this_test} ASYNC")
        for each in slow:
            with pytest.raises(DatabaseError, match="QUERY_WAS_CANCELLED"):
                each.result(60)
    opened.close()
    assert "Connection pool is full" not in caplog.text


def test_pool_lends_a_bounded_number_of_clients(server: ClickHouse) -> None:
    pool = ClientPool(server.settings, 2)
    with pool.use() as first:
        assert first.command("SELECT currentDatabase()") == "althing"
        with pool.use() as second:
            assert second is not first
    with pool.use() as again:
        assert again in (first, second)
    pool.close()


def test_a_reader_connects_with_the_clients_own_opening_statements(server: ClickHouse) -> None:
    with connect(server, username=READER, password=READER_PASSWORD) as opened:
        assert opened.query("SELECT 1 + {x:UInt8}", {"x": 2}).result_rows == [(3,)]
        with pytest.raises(DatabaseError, match="READONLY"):
            opened.command("CREATE TABLE never (x UInt8) ENGINE = Memory")


def test_a_session_is_free_for_its_next_query_before_the_answer_ends(tmp_path: Path) -> None:
    """Else a busy server, which gives the session back a moment later, refuses a client that did nothing wrong."""
    asked = [sys.executable, "-m", "tests.support.zero_latency_client", str(tmp_path)]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, timeout=100, check=True)
    told = done.stdout.splitlines()
    assert len(told) == 5 and all(line.endswith(": [200]") for line in told), told


def test_clients_of_a_process_share_what_the_server_says_of_its_settings(server: ClickHouse) -> None:
    first, second = client(server.settings), client(server.settings)
    assert len(first.server_settings) > 1_000
    assert second.server_settings is first.server_settings
