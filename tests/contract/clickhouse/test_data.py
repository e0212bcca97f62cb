"""What goes into the ClickHouse front and comes out: inserts, results, formats, compression."""

from __future__ import annotations

import gzip
import json
import zlib
from io import BytesIO

import httpx
import lz4.frame
import pyarrow.ipc
import pyarrow.parquet
import pytest
import zstandard

from infra.services.clickhouse_server import blocks
from tests.support.clickhouse import PASSWORD, USER, ClickHouse, ask


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
def test_inserts_in_every_shape(http: httpx.Client, query: str | None, body: bytes) -> None:
    ask(http, "CREATE OR REPLACE TABLE ins (id UInt32, v String) ENGINE = MergeTree ORDER BY id").raise_for_status()
    answer = http.post("/", params={"query": query} if query else {}, content=body)
    assert answer.status_code == 200, answer.text
    assert json.loads(answer.headers["x-clickhouse-summary"])["written_rows"] == "2"
    assert ask(http, "SELECT sum(id), min(substring(v, 1, 1)), max(v) FROM ins").text == "3\ta\tb\n"


@pytest.mark.parametrize("name", ["gzip", "zstd", "lz4", "deflate"])
def test_bodies_are_compressed_both_ways(http: httpx.Client, name: str) -> None:
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


def test_native_block_compression_both_ways(http: httpx.Client) -> None:
    ask(http, "CREATE OR REPLACE TABLE native_c (id UInt32) ENGINE = MergeTree ORDER BY id").raise_for_status()
    body = blocks.encode(b"1\n2\n") + blocks.frame(blocks.ZSTD, zstandard.ZstdCompressor(level=1).compress(b"3\n"), 2)
    url = {"query": "INSERT INTO native_c FORMAT TSV", "decompress": "1"}
    assert http.post("/", params=url, content=body).status_code == 200
    damaged = body[:-1] + bytes([body[-1] ^ 1])
    assert http.post("/", params=url, content=damaged).headers["x-clickhouse-exception-code"] == "40"
    answer = ask(http, "SELECT id FROM native_c ORDER BY id", compress=1)
    assert blocks.Decoder().decompress(answer.content) == b"1\n2\n3\n"


@pytest.mark.parametrize(
    "name", ["CSVWithNames", "RowBinaryWithNamesAndTypes", "JSON", "TSVWithNamesAndTypes", "Native"]
)
def test_a_streamed_result_is_the_whole_result(http: httpx.Client, name: str) -> None:
    sql = f'SELECT number AS "a\n""b", toString(number) AS s FROM numbers(200000) FORMAT {name}'
    streamed, whole = ask(http, sql), ask(http, sql, wait_end_of_query=1)
    assert "content-length" in whole.headers
    if name == "JSON":
        assert streamed.json()["data"] == whole.json()["data"]
    else:
        assert streamed.content == whole.content
    if name == "CSVWithNames":
        assert streamed.content.count(b'"s"') == 1


def test_a_result_that_cannot_be_streamed_is_bounded(http: httpx.Client, reader: httpx.Client) -> None:
    sql = "SELECT number FROM numbers(600000) FORMAT JSON"
    for opened in (http, reader):
        assert ask(opened, sql).headers["x-clickhouse-exception-code"] == "396"
    assert ask(reader, sql, max_result_rows=700_000).headers["x-clickhouse-exception-code"] == "396"
    assert len(ask(http, sql, max_result_rows=700_000).json()["data"]) == 600_000
    assert ask(reader, "SELECT number FROM numbers(600000)").text.count("\n") == 600_000


def test_columnar_files_hold_the_result(http: httpx.Client) -> None:
    sql = "SELECT number AS n, toString(number) AS s FROM numbers(1000) ORDER BY n FORMAT "
    wanted = {"n": list(range(1000)), "s": [str(number) for number in range(1000)]}
    parquet = pyarrow.parquet.read_table(BytesIO(ask(http, sql + "Parquet").content))
    arrow = pyarrow.ipc.open_file(BytesIO(ask(http, sql + "Arrow").content)).read_all()
    stream = pyarrow.ipc.open_stream(BytesIO(ask(http, sql + "ArrowStream").content)).read_all()
    for found in (parquet, arrow, stream):
        columns = found.to_pydict()
        texts = [value.decode() if isinstance(value, bytes) else value for value in columns["s"]]
        assert {"n": columns["n"], "s": texts} == wanted


def test_a_result_that_fails_half_way_says_so_behind_it_and_has_no_end(server: ClickHouse) -> None:
    late = "SELECT number, throwIf(number = 900000, 'too late') FROM numbers(1000000)"
    tag, received = "", b""

    def receive() -> None:
        nonlocal tag, received
        with (
            httpx.Client(base_url=server.address, auth=(USER, PASSWORD), timeout=60) as opened,
            opened.stream("POST", "/", content=late) as answer,
        ):
            assert answer.status_code == 200
            tag = answer.headers["x-clickhouse-exception-tag"]
            for part in answer.iter_raw():
                received += part

    with pytest.raises(httpx.RemoteProtocolError):
        receive()
    assert received.startswith(b"0\t0\n") and b"too late" in received
    assert received.rstrip().endswith(b"__exception__") and f"\r\n{tag}\r\n".encode() in received
    whole = httpx.post(server.address, auth=(USER, PASSWORD), params={"wait_end_of_query": 1}, content=late, timeout=60)
    assert (whole.status_code, whole.headers["x-clickhouse-exception-code"]) == (500, "395")
