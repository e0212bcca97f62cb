"""The ClickHouse front, held to curl and the official Node client."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from tests.support.clickhouse import PASSWORD, READER, READER_PASSWORD, USER, ClickHouse
from tests.support.engines import wait_until

NODE = Path(__file__).parent / "clickhouse_node"


def test_curl_writes_and_reads_rows(server: ClickHouse, tmp_path: Path) -> None:
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


def test_curl_sends_forms(server: ClickHouse, tmp_path: Path) -> None:
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
    wait_until(lambda: not any(incoming.iterdir()), 60, "the forms' files to be removed")


def test_the_official_node_client(server: ClickHouse) -> None:
    npm, node = shutil.which("npm"), shutil.which("node")
    assert npm and node, "Node and npm are needed"
    if not (NODE / "node_modules").is_dir():
        subprocess.run(
            [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
            cwd=NODE,
            check=True,
            capture_output=True,
            timeout=120,
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
