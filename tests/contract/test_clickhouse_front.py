"""The ClickHouse front, held to real clients: clickhouse-connect, curl, the official Node client, raw sockets."""

from __future__ import annotations

import gzip
import json
import shutil
import socket
import subprocess
import uuid
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import clickhouse_connect
import httpx
import lz4.frame
import pytest
import zstandard
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import DatabaseError
from clickhouse_connect.driver.external import ExternalData

from infra.clickhouse import ClientPool, client
from infra.clickhouse_front import blocks
from tests.support.clickhouse import PASSWORD, READER, READER_PASSWORD, USER, ClickHouse, start_clickhouse
from tests.support.engines import engine_folder, wait_until

NODE = Path(__file__).parent / "clickhouse_node"


@pytest.fixture(scope="module")
def server() -> Iterator[ClickHouse]:
    with engine_folder("clickhouse") as folder:
        running = start_clickhouse(folder)
        yield running
        running.stop()


@pytest.fixture(scope="module")
def http(server: ClickHouse) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.address, auth=(USER, PASSWORD), timeout=30) as opened:
        yield opened


@pytest.fixture(scope="module")
def reader(server: ClickHouse) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.address, auth=(READER, READER_PASSWORD), timeout=30) as opened:
        yield opened


def ask(opened: httpx.Client, sql: str, **parameters: Any) -> httpx.Response:
    return opened.post("/", params=parameters, content=sql)


def connect(server: ClickHouse, **more: Any) -> Client:
    options: dict[str, Any] = {"username": USER, "password": PASSWORD, "database": "althing", **more}
    return clickhouse_connect.get_client(host="127.0.0.1", port=server.port, **options)


class TestClickHouseConnect:
    @pytest.mark.parametrize("compress", [False, "lz4", "zstd", "gzip"])
    def test_queries_and_inserts_natively(self, server: ClickHouse, compress: str | bool) -> None:
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

    def test_raw_insert_raw_stream_and_summary(self, server: ClickHouse) -> None:
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

    def test_sessions_keep_temporary_tables_and_settings(self, server: ClickHouse) -> None:
        with connect(server, session_id="kept") as opened, connect(server, session_id="other") as other:
            opened.command("CREATE TEMPORARY TABLE mine AS SELECT 41 AS x")
            opened.command("SET max_threads = 1")
            assert opened.command("SELECT x + 1 FROM mine") == 42
            assert opened.query("SELECT getSetting('max_threads')", settings={"max_threads": 2}).first_row == (2,)
            assert opened.command("SELECT getSetting('max_threads')") == 1, "a query's setting must not stay"
            with pytest.raises(DatabaseError, match="UNKNOWN_TABLE"):
                other.command("SELECT x FROM mine")

    def test_large_parameters_come_as_a_form(self, server: ClickHouse) -> None:
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

    def test_external_data_is_seen_by_its_query_only(self, server: ClickHouse) -> None:
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

    def test_errors_before_and_in_the_middle_of_a_result(self, server: ClickHouse) -> None:
        with connect(server) as opened:
            with pytest.raises(DatabaseError, match="UNKNOWN_TABLE"):
                opened.query("SELECT * FROM missing")
            with pytest.raises(DatabaseError, match="too late"):
                opened.query("SELECT throwIf(number = 900000, 'too late') FROM numbers(1000000)")
            assert opened.command("SELECT 1") == 1

    def test_ten_selects_run_at_the_same_time(self, server: ClickHouse) -> None:
        opened = client(server.settings)
        meet = "SELECT count() >= 10 FROM system.processes WHERE query LIKE '%sleepEachRow(0.05)%'"
        with ThreadPoolExecutor(10) as threads:
            slow = [
                threads.submit(opened.query, "SELECT sleepEachRow(0.05) FROM numbers(60) SETTINGS max_block_size = 1")
                for _ in range(10)
            ]
            wait_until(lambda: opened.query(meet).first_row == (1,), 20, "ten queries to run together")
            assert all(len(each.result().result_rows) == 60 for each in slow)
        opened.close()

    def test_pool_lends_a_bounded_number_of_clients(self, server: ClickHouse) -> None:
        pool = ClientPool(server.settings, 2)
        with pool.use() as first:
            assert first.command("SELECT currentDatabase()") == "althing"
            with pool.use() as second:
                assert second is not first
        with pool.use() as again:
            assert again in (first, second)
        pool.close()

    def test_a_reader_connects_with_the_clients_own_opening_statements(self, server: ClickHouse) -> None:
        with connect(server, username=READER, password=READER_PASSWORD) as opened:
            assert opened.query("SELECT 1 + {x:UInt8}", {"x": 2}).result_rows == [(3,)]
            with pytest.raises(DatabaseError, match="READONLY"):
                opened.command("CREATE TABLE never (x UInt8) ENGINE = Memory")


class TestHttpInterface:
    def test_probes(self, server: ClickHouse, http: httpx.Client) -> None:
        for path in ("/ping", "/replicas_status", "/livez", "/readyz", "/"):
            answer = httpx.get(server.address + path)
            assert (answer.status_code, answer.text) == (200, "Ok.\n")
        head = httpx.head(f"{server.address}/ping")
        assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", "4")
        assert http.get("/nothing").status_code == 404

    @pytest.mark.parametrize(
        ("headers", "params", "status", "code"),
        [
            ({}, {}, 401, "516"),
            ({"X-ClickHouse-User": USER, "X-ClickHouse-Key": "wrong"}, {}, 403, "516"),
            ({"X-ClickHouse-User": "nobody", "X-ClickHouse-Key": PASSWORD}, {}, 403, "516"),
            ({}, {"user": USER, "password": ""}, 403, "516"),
            ({"X-ClickHouse-User": USER, "X-ClickHouse-Key": PASSWORD}, {}, 200, None),
            ({}, {"user": USER, "password": PASSWORD}, 200, None),
            ({"Authorization": "Basic !!!"}, {}, 400, "36"),
        ],
    )
    def test_users(
        self, server: ClickHouse, headers: dict[str, str], params: dict[str, str], status: int, code: str | None
    ) -> None:
        answer = httpx.get(server.address, headers=headers, params={"query": "SELECT 1", **params})
        assert (answer.status_code, answer.headers.get("x-clickhouse-exception-code")) == (status, code)
        assert ("www-authenticate" in answer.headers) == (status == 401)

    @pytest.mark.parametrize(
        ("sql", "status", "code"),
        [
            ("SELECT * FROM missing", 404, 60),
            ("SELEC 1", 400, 62),
            ("SELECT nosuch(1)", 404, 46),
            ("SELECT 1; SELECT 2", 400, 62),
            ("", 400, 62),
            ("SELECT toUInt8('a')", 400, 6),
            ("SELECT 1 FORMAT Nosuch", 404, 73),
            ("SELECT throwIf(1)", 500, 395),
            ("SELECT 1 INTO OUTFILE '/tmp/althing-outfile'", 403, 497),
            ("INSERT INTO missing VALUES (1)", 404, 60),
            ("INSERT INTO picky VALUES (80)", 500, 469),
            ("INSERT INTO watched VALUES (80)", 500, 469),
            ("INSERT INTO x SELECT a FROM input('a UInt8') FORMAT CSV\n1", 501, 48),
        ],
    )
    def test_errors_have_clickhouses_codes(self, http: httpx.Client, sql: str, status: int, code: int) -> None:
        for table in (
            "TABLE IF NOT EXISTS picky (n UInt8, CONSTRAINT small CHECK n < 30) ENGINE = MergeTree ORDER BY n",
            "TABLE IF NOT EXISTS watched (n UInt8) ENGINE = MergeTree ORDER BY n",
            "MATERIALIZED VIEW IF NOT EXISTS watched_to_picky TO picky AS SELECT n FROM watched",
        ):
            ask(http, f"CREATE {table}").raise_for_status()
        answer = ask(http, sql)
        assert (answer.status_code, answer.headers["x-clickhouse-exception-code"]) == (status, str(code))
        assert answer.text.startswith(f"Code: {code}. DB::Exception: ")

    def test_settings_parameters_and_headers(self, http: httpx.Client) -> None:
        answer = ask(
            http, "SELECT getSetting('max_block_size'), {s:String}", max_block_size=77, param_s="a\\tb", query_id="q-1"
        )
        assert answer.text == "77\ta\\tb\n"
        assert answer.headers["x-clickhouse-query-id"] == "q-1"
        assert answer.headers["x-clickhouse-timezone"]
        assert answer.headers["content-type"].startswith("text/tab-separated-values")
        assert answer.headers["x-clickhouse-format"] == "TabSeparated"
        assert json.loads(answer.headers["x-clickhouse-summary"])["result_rows"] == "1"
        assert ask(http, "SELECT 1", nosuch_setting=1).headers["x-clickhouse-exception-code"] == "115"
        assert ask(http, "SELECT 1", **{"max_threads=1, readonly": 1}).headers["x-clickhouse-exception-code"] == "115"
        assert ask(http, "SELECT 1 AS x", default_format="JSONEachRow").json() == {"x": 1}
        assert ask(http, "SELECT currentDatabase()").text == "althing\n"
        assert ask(http, "SELECT currentDatabase()", database="system").text == "system\n"
        assert ask(http, "SELECT 1", database="no`such").headers["x-clickhouse-exception-code"] == "81"

    def test_get_only_reads(self, http: httpx.Client) -> None:
        assert http.get("/", params={"query": "SELECT 2"}).text == "2\n"
        for sql in ("CREATE TABLE never (x UInt8) ENGINE = Memory", "INSERT INTO never VALUES (1)", "DROP TABLE never"):
            answer = http.get("/", params={"query": sql})
            assert (answer.status_code, answer.headers["x-clickhouse-exception-code"]) == (500, "164")

    @pytest.mark.parametrize(
        ("query", "body"),
        [
            ("INSERT INTO ins FORMAT CSV", b'1,"a"\n2,"b"\n'),
            (
                "INSERT INTO ins (id, v) FORMAT JSONEachRow SETTINGS max_threads = 1",
                b'{"id":1,"v":"a"}{"id":2,"v":"b"}',
            ),
            ("INSERT INTO ins VALUES", b"(1,'a'),(2,'b')"),
            ("INSERT INTO ins", b"(1,'a'),(2,'b')"),
            ("INSERT INTO ins VALUES (1,'a'), (2, lower('B'))", b""),
            (None, b"INSERT INTO ins FORMAT TSV\n1\ta\n2\tb\n"),
            (None, b"/* FORMAT CSV */ insert into `ins` (id, v) -- values\n VALUES (1, 'a;'), (2, 'b');"),
            (None, b"INSERT INTO ins SELECT number + 1, char(97 + number) FROM numbers(2)"),
        ],
    )
    def test_inserts_in_every_shape(self, http: httpx.Client, query: str | None, body: bytes) -> None:
        ask(http, "CREATE OR REPLACE TABLE ins (id UInt32, v String) ENGINE = MergeTree ORDER BY id").raise_for_status()
        answer = http.post("/", params={"query": query} if query else {}, content=body)
        assert answer.status_code == 200, answer.text
        assert json.loads(answer.headers["x-clickhouse-summary"])["written_rows"] == "2"
        assert ask(http, "SELECT sum(id), min(substring(v, 1, 1)), max(v) FROM ins").text == "3\ta\tb\n"

    @pytest.mark.parametrize("name", ["gzip", "zstd", "lz4", "deflate"])
    def test_bodies_are_compressed_both_ways(self, http: httpx.Client, name: str) -> None:
        ask(http, "CREATE OR REPLACE TABLE coded (id UInt32) ENGINE = MergeTree ORDER BY id").raise_for_status()
        data = "".join(f"{i}\n" for i in range(100_000)).encode()
        packed = {
            "gzip": gzip.compress(data),
            "zstd": zstandard.compress(data),
            "lz4": lz4.frame.compress(data),
            "deflate": zlib.compress(data),
        }[name]
        headers = {"Content-Encoding": name}
        inserted = http.post("/", params={"query": "INSERT INTO coded FORMAT TSV"}, content=packed, headers=headers)
        assert inserted.status_code == 200, inserted.text
        broken = http.post("/", params={"query": "INSERT INTO coded FORMAT TSV"}, content=packed[:-9], headers=headers)
        assert broken.headers["x-clickhouse-exception-code"] == "271", "a cut body must not be taken for a whole one"
        request = http.build_request(
            "POST", "/", params={"enable_http_compression": 1}, content="SELECT id FROM coded ORDER BY id",
            headers={"Accept-Encoding": name},
        )  # fmt: skip
        answer = http.send(request, stream=True)
        raw = b"".join(answer.iter_raw())
        unpack = {"gzip": gzip.decompress, "lz4": lz4.frame.decompress, "deflate": zlib.decompress}
        assert answer.headers["content-encoding"] == name
        found = zstandard.ZstdDecompressor().decompressobj().decompress(raw) if name == "zstd" else unpack[name](raw)
        assert found == data

    def test_native_block_compression_both_ways(self, http: httpx.Client) -> None:
        ask(http, "CREATE OR REPLACE TABLE native_c (id UInt32) ENGINE = MergeTree ORDER BY id").raise_for_status()
        body = blocks.encode(b"1\n2\n", blocks.LZ4) + blocks.encode(b"3\n", blocks.ZSTD)
        url = {"query": "INSERT INTO native_c FORMAT TSV", "decompress": "1"}
        assert http.post("/", params=url, content=body).status_code == 200
        damaged = body[:-1] + bytes([body[-1] ^ 1])
        assert http.post("/", params=url, content=damaged).headers["x-clickhouse-exception-code"] == "40"
        answer = ask(http, "SELECT id FROM native_c ORDER BY id", compress=1)
        assert blocks.Decoder().decompress(answer.content) == b"1\n2\n3\n"

    @pytest.mark.parametrize(
        "name", ["CSVWithNames", "RowBinaryWithNamesAndTypes", "JSON", "TSVWithNamesAndTypes", "Native"]
    )
    def test_a_streamed_result_is_the_whole_result(self, http: httpx.Client, name: str) -> None:
        sql = f'SELECT number AS "a\n""b", toString(number) AS s FROM numbers(200000) FORMAT {name}'
        streamed, whole = ask(http, sql), ask(http, sql, wait_end_of_query=1)
        assert "content-length" in whole.headers
        if name == "JSON":
            assert streamed.json()["data"] == whole.json()["data"]
        else:
            assert streamed.content == whole.content
        if name == "CSVWithNames":
            assert streamed.content.count(b'"s"') == 1

    def test_a_result_that_cannot_be_streamed_is_bounded(self, http: httpx.Client, reader: httpx.Client) -> None:
        sql = "SELECT number FROM numbers(600000) FORMAT JSON"
        for opened in (http, reader):
            assert ask(opened, sql).headers["x-clickhouse-exception-code"] == "396"
        assert ask(reader, sql, max_result_rows=700_000).headers["x-clickhouse-exception-code"] == "396"
        assert len(ask(http, sql, max_result_rows=700_000).json()["data"]) == 600_000
        assert ask(reader, "SELECT number FROM numbers(600000)").text.count("\n") == 600_000

    def test_curl(self, server: ClickHouse, tmp_path: Path) -> None:
        curl = shutil.which("curl")
        assert curl, "curl is needed"
        big = tmp_path / "rows.ndjson"
        big.write_text("".join(f'{{"id": {i}}}\n' for i in range(400_000)))
        run = [curl, "-sS", "--max-time", "30", "--user", f"{USER}:{PASSWORD}"]

        def do(*more: str) -> subprocess.CompletedProcess[bytes]:
            return subprocess.run([*run, *more], capture_output=True, timeout=40)

        assert (
            do(server.address, "-d", "CREATE OR REPLACE TABLE curl_t (id UInt32) ENGINE = MergeTree ORDER BY id").stdout
            == b""
        )
        into = f"{server.address}/?query=INSERT+INTO+curl_t+FORMAT+JSONEachRow"
        assert do(into, "--data-binary", f"@{big}").stdout == b""
        assert do(into, "-H", "Transfer-Encoding: chunked", "--data-binary", f"@{big}").stdout == b""
        answer = do(
            "-G", server.address, "--data-urlencode", "query=SELECT count(), sum(id) FROM curl_t FORMAT JSONCompact"
        )
        assert json.loads(answer.stdout)["data"] == [[800_000, 2 * sum(range(400_000))]]
        assert do("--compressed", f"{server.address}/?enable_http_compression=1", "-d", "SELECT 1").stdout == b"1\n"
        late = do(server.address, "-d", "SELECT throwIf(number = 900000) FROM numbers(1000000)")
        assert late.returncode == 18, "a result that fails half-way must not look whole"
        assert b"__exception__" in late.stdout

    def test_curl_sends_forms(self, server: ClickHouse, tmp_path: Path) -> None:
        rows = tmp_path / "rows"
        rows.write_text("".join(f"{i}\n" for i in range(300_000)))
        run = ["curl", "-sS", "--max-time", "30", "--user", f"{READER}:{READER_PASSWORD}", server.address]

        def do(*more: str) -> str:
            return subprocess.run([*run, *more], capture_output=True, timeout=40, check=True).stdout.decode()

        query = "query=SELECT count(), sum(n), {x:UInt8} FROM t"
        assert (
            do("-F", query, "-F", f"t=@{rows}", "-F", "t_structure=n UInt32", "-F", "param_x=7")
            == f"300000\t{sum(range(300_000))}\t7\n"
        )
        assert "READONLY" in do("-F", "query=DROP TABLE t", "-F", f"t=@{rows}", "-F", "t_types=UInt32")
        for refused in (
            ["t_structure=n UInt32) ENGINE = File(CSV, '/etc/hostname'"],
            ["t_format=CSV"],
            ["t_types=UInt32", "-F", "t_format=CSV SETTINGS max_threads=1"],
            ["t_types=UInt32", "-F", "query=SELECT 1"],
            ["t_types=UInt32", "-F", f"`t`=@{rows}"],
        ):
            answer = do("-F", query, "-F", f"t=@{rows}", "-F", "param_x=7", "-F", *refused)
            assert answer.startswith(("Code: 36.", "Code: 62.")), answer
        incoming = server.log_file.parent / "clickhouse" / "incoming"
        wait_until(lambda: not any(incoming.iterdir()), 10, "the forms' files to be removed")

    @pytest.mark.parametrize(
        "body",
        [b"", b"nothing", b"--b\r\n\r\nx", b'--b\r\nContent-Disposition: form-data; name="query"\r\n\r\nSELECT 1'],
    )
    def test_a_broken_form_is_refused(self, http: httpx.Client, body: bytes) -> None:
        answer = http.post("/", content=body, headers={"Content-Type": "multipart/form-data; boundary=b"})
        assert (answer.status_code, answer.headers["x-clickhouse-exception-code"]) == (400, "36")

    def test_queries_are_killed_by_their_clients_ids(self, server: ClickHouse, http: httpx.Client) -> None:
        endless = "SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(number + 988)"

        def kill(condition: str, user: str = READER, password: str = READER_PASSWORD) -> httpx.Response:
            return httpx.post(
                server.address, auth=(user, password), content=f"KILL QUERY WHERE {condition} FORMAT JSONCompact"
            )

        with ThreadPoolExecutor(2) as threads:
            running = [
                threads.submit(
                    httpx.post, server.address, auth=auth, params={"query_id": name}, content=endless, timeout=60
                )
                for auth, name in (((USER, PASSWORD), "it's-mine"), ((READER, READER_PASSWORD), "read-1"))
            ]
            seen = "SELECT count() FROM system.processes WHERE query LIKE '%+ 988)%' AND query NOT LIKE '%processes%'"
            wait_until(lambda: ask(http, seen).text == "2\n", 20, "both queries to run")
            assert kill("query_id IN ('it''s-mine', 'read-1') TEST", USER, PASSWORD).json()["rows"] == 2
            assert kill("query_id IN ('it\\'s-mine', 'read-1') TEST").json()["rows"] == 1, "a reader sees its own only"
            assert kill("query_id = 'nosuch'").json()["data"] == []
            assert kill("query_id = 'nosuch' OR 1", USER, PASSWORD).headers["x-clickhouse-exception-code"] == "48"
            found = kill("query_id = 'read-1' SYNC").json()["data"]
            assert found == [["finished", "read-1", READER, endless]]
            assert running[1].result().headers["x-clickhouse-exception-code"] == "394"
            own = running[0]
            mark = "startsWith(query, 'SELECT count() FROM numbers(1000000000000)')"
            assert kill(mark, READER, READER_PASSWORD).headers["x-clickhouse-exception-code"] == "164"
            assert kill(mark, USER, PASSWORD).status_code == 200
            assert own.result().headers["x-clickhouse-exception-code"] == "394"

    def test_the_official_node_client(self, server: ClickHouse) -> None:
        npm, node = shutil.which("npm"), shutil.which("node")
        assert npm and node, "Node and npm are needed"
        if not (NODE / "node_modules").is_dir():
            subprocess.run(
                [npm, "ci", "--no-audit", "--no-fund"], cwd=NODE, check=True, capture_output=True, timeout=120
            )
        done = subprocess.run(
            [node, "check.mjs", server.address, USER, PASSWORD], cwd=NODE, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == {
            "ping": True,
            "writtenRows": "20000",
            "bound": [{"name": "one 'quoted' ✓", "list": [1, 2]}],
            "json": [{"n": 20_001, "at": "2026-01-01 10:00:00.123"}],
            "streamed": 300_000,
            "withHeader": 150_002,
            "setting": 1,
            "session": [{"x": 7}],
            "error": {"code": "60", "type": "UNKNOWN_TABLE"},
            "late": True,
            "aborted": True,
        }

    def test_a_query_ends_when_its_client_goes_away(self, server: ClickHouse, http: httpx.Client) -> None:
        running = "SELECT count() FROM system.processes WHERE query LIKE '%+ 987)%' AND query NOT LIKE '%processes%'"
        endless = "SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(number + 987)"
        with socket.create_connection(("127.0.0.1", server.port)) as raw:
            head = f"POST /?user={USER}&password=service+secret HTTP/1.1\r\nHost: x\r\nContent-Length: {len(endless)}"
            raw.sendall(f"{head}\r\n\r\n{endless}".encode())
            wait_until(lambda: ask(http, running).text == "1\n", 10, "the query to run")
        wait_until(lambda: ask(http, running).text == "0\n", 10, "the query to be cancelled")

    def test_an_insert_whose_client_goes_away_leaves_nothing(self, server: ClickHouse, http: httpx.Client) -> None:
        ask(http, "CREATE OR REPLACE TABLE half (id UInt32) ENGINE = MergeTree ORDER BY id").raise_for_status()
        with socket.create_connection(("127.0.0.1", server.port)) as raw:
            url = f"/?user={USER}&password=service+secret&query=INSERT+INTO+half+FORMAT+TSV"
            rows = "".join(f"{i}\n" for i in range(500_000))
            raw.sendall(f"POST {url} HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n{rows}".encode())
            incoming = server.log_file.parent / "clickhouse" / "incoming"
            wait_until(lambda: any(incoming.iterdir()), 10, "the insert to be under way")
        wait_until(lambda: not any(incoming.iterdir()), 10, "the insert to be dropped")
        assert ask(http, "SELECT count() FROM half").text == "0\n"


class TestReaders:
    """What a readonly user must not get past; every line was tried against the engine without the gate."""

    @pytest.mark.parametrize(
        "sql",
        [
            "SELECT file('/etc/hostname')",
            "SELECT `fi\\x6ce`('/etc/hostname')",
            "SELECT FILE /* */ ('/etc/hostname')",
            "SELECT * APPLY(file) FROM (SELECT '/etc/hostname')",
            "SELECT * APPLY(`fi\\x6ce`) FROM (SELECT '/etc/hostname')",
            "SELECT arrayMap(file, ['/etc/hostname'])",
            "SELECT arrayMap(x -> file(x), ['/etc/hostname'])",
            "WITH f AS (SELECT file('/etc/hostname')) SELECT * FROM f",
            "SELECT 1 UNION ALL SELECT length(file('/etc/hostname'))",
            "SHOW TABLES WHERE file('/etc/hostname') != ''",
            "EXPLAIN SELECT file('/etc/hostname')",
            "SELECT * FROM file('/etc/hostname', 'LineAsString')",
            "SELECT * FROM `/etc/hostname`",
            "SELECT 1 WHERE 'x' IN `/etc/hostname`",
            "SELECT * FROM {t:Identifier}",
            "DESCRIBE TABLE file('/etc/hostname')",
            "DESCRIBE TABLE `/etc/hostname`",
            "SELECT * FROM url('http://127.0.0.1:1/', 'CSV', 'a String')",
            "SELECT * FROM view(SELECT file('/etc/hostname'))",
            "SELECT * FROM merge('althing', '.*')",
            "SELECT * FROM remote('127.0.0.1', 'system', 'one')",
            "SELECT 1 INTO OUTFILE '/tmp/althing-outfile'",
            "SELECT 1 SETTINGS max_execution_time = 0",
            "SELECT 1 SETTINGS readonly = 0",
            "KILL QUERY WHERE 1",
            "SET readonly = 0",
            "SYSTEM RELOAD CONFIG",
            "INSERT INTO readers VALUES (1)",
            "CREATE TEMPORARY TABLE t (x UInt8)",
            "DROP TABLE readers",
            "ALTER TABLE readers DELETE WHERE 1",
            "OPTIMIZE TABLE readers",
            "BACKUP DATABASE althing TO File('/tmp/x')",
            "SELECT 1; DROP TABLE readers",
            "EXPLAIN TABLE OVERRIDE mysql('127.0.0.1:1', 'a', 'b', 'c', 'd') COLUMNS (a Int)",
        ],
    )
    def test_are_refused(self, http: httpx.Client, reader: httpx.Client, sql: str) -> None:
        ask(http, "CREATE TABLE IF NOT EXISTS readers (x UInt8) ENGINE = MergeTree ORDER BY x").raise_for_status()
        answer = ask(reader, sql, param_t="/etc/hostname")
        assert answer.status_code in (400, 403, 500), answer.text
        assert answer.headers["x-clickhouse-exception-code"] in ("62", "164", "497"), answer.text
        assert ask(http, "EXISTS TABLE readers").text == "1\n"

    @pytest.mark.parametrize(
        "sql",
        [
            "SELECT count() FROM readers",
            "WITH x AS (SELECT 1 AS a) SELECT sum(a) FROM x WHERE a IN (SELECT number FROM numbers(3))",
            "(SELECT 1) UNION ALL (SELECT 2)",
            "SELECT 'file(''/etc/hostname'')' AS url, splitByChar('/', 'a/b')[1]",
            "SHOW TABLES",
            "DESCRIBE TABLE readers",
            "SHOW CREATE TABLE readers",
            "EXISTS TABLE readers",
            "EXPLAIN SELECT count() FROM readers",
            "SELECT name FROM system.columns WHERE table = 'readers' FORMAT JSON",
            "-- a comment\nSELECT 1;",
        ],
    )
    def test_may_read(self, http: httpx.Client, reader: httpx.Client, sql: str) -> None:
        ask(http, "CREATE TABLE IF NOT EXISTS readers (x UInt8) ENGINE = MergeTree ORDER BY x").raise_for_status()
        answer = ask(reader, sql)
        assert answer.status_code == 200, answer.text

    def test_have_limits_that_they_cannot_raise(self, reader: httpx.Client) -> None:
        assert ask(reader, "SELECT getSetting('max_execution_time'), getSetting('readonly')").text == "60\t1\n"
        for name, value in (("max_execution_time", "61"), ("max_execution_time", "0"), ("allow_ddl", "1")):
            refused = ask(reader, "SELECT 1", **{name: value})
            assert (refused.status_code, refused.headers["x-clickhouse-exception-code"]) == (500, "164")
        lowered = ask(reader, "SELECT count() FROM numbers(1000000000000)", max_execution_time="0.2")
        assert (lowered.status_code, lowered.headers["x-clickhouse-exception-code"]) == (408, "159")


class TestLimits:
    def test_too_many_queries_are_refused_and_too_large_statements_too(self) -> None:
        with engine_folder("clickhouse-small") as folder:
            small = start_clickhouse(folder, "--max-running", "2", "--max-waiting", "1")
            try:
                with httpx.Client(base_url=small.address, auth=(USER, PASSWORD), timeout=30) as opened:
                    with ThreadPoolExecutor(5) as threads:
                        answers = list(threads.map(lambda _: ask(opened, "SELECT sleep(1.5)"), range(5)))
                    assert sorted(each.status_code for each in answers) == [200, 200, 200, 503, 503]
                    refusal = next(each for each in answers if each.status_code == 503)
                    assert refusal.headers["x-clickhouse-exception-code"] == "202"
                    assert refusal.headers["retry-after"]
                    huge = ask(opened, "SELECT '" + "x" * 5_000_000 + "'")
                    assert (huge.status_code, huge.headers["x-clickhouse-exception-code"]) == (413, "425")
            finally:
                small.stop()
