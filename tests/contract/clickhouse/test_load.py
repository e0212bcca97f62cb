"""The ClickHouse front under load: limits, kills, clients that go away."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Event

import httpx
import psutil

from tests.support.clickhouse import PASSWORD, READER, READER_PASSWORD, USER, ClickHouse, ask, start_clickhouse
from tests.support.engines import engine_folder, wait_until


def test_queries_are_killed_by_their_clients_ids(server: ClickHouse, http: httpx.Client) -> None:
    endless = "SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(number + 988)"

    def kill(condition: str, user: str = READER, password: str = READER_PASSWORD) -> httpx.Response:
        return httpx.post(
            server.address,
            auth=(user, password),
            content=f"KILL QUERY WHERE {condition} FORMAT JSONCompact",
            timeout=60,
        )

    with ThreadPoolExecutor(2) as threads:
        running = [
            threads.submit(
                httpx.post, server.address, auth=auth, params={"query_id": name}, content=endless, timeout=150
            )
            for auth, name in (((USER, PASSWORD), "it's-mine"), ((READER, READER_PASSWORD), "read-1"))
        ]
        seen = "SELECT count() FROM system.processes WHERE query LIKE '%+ 988)%' AND query NOT LIKE '%processes%'"
        wait_until(lambda: ask(http, seen).text == "2\n", 60, "both queries to run")
        for quoted in ("'it''s-mine'", "'it\\'s-mine'"):
            assert kill(f"query_id = {quoted}").json()["data"] == [], "a reader sees its own only"
        assert kill("query_id = 'nosuch'").json()["data"] == []
        for other in ("query_id = 'nosuch' OR 1", "query_id IN ('read-1')", "query_id = 'read-1' TEST"):
            assert kill(other, USER, PASSWORD).headers["x-clickhouse-exception-code"] == "48"
        found = kill("query_id = 'read-1' SYNC").json()["data"]
        assert found == [["finished", "read-1", READER, endless]]
        assert running[1].result().headers["x-clickhouse-exception-code"] == "394"
        own = running[0]
        mark = "startsWith(query, 'SELECT count() FROM numbers(1000000000000)')"
        assert kill(mark, READER, READER_PASSWORD).headers["x-clickhouse-exception-code"] == "164"
        assert kill(mark, USER, PASSWORD).status_code == 200
        assert own.result().headers["x-clickhouse-exception-code"] == "394"


def test_a_query_ends_when_its_client_goes_away(server: ClickHouse, http: httpx.Client) -> None:
    running = "SELECT count() FROM system.processes WHERE query LIKE '%+ 987)%' AND query NOT LIKE '%processes%'"
    endless = "SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(number + 987)"
    with socket.create_connection(("127.0.0.1", server.port)) as raw:
        head = f"POST /?user={USER}&password=service+secret HTTP/1.1\r\nHost: x\r\nContent-Length: {len(endless)}"
        raw.sendall(f"{head}\r\n\r\n{endless}".encode())
        wait_until(lambda: ask(http, running).text == "1\n", 60, "the query to run")
    wait_until(lambda: ask(http, running).text == "0\n", 60, "the query to be cancelled")


def test_an_insert_whose_client_goes_away_leaves_nothing(server: ClickHouse, http: httpx.Client) -> None:
    ask(http, "CREATE OR REPLACE TABLE half (id UInt32) ENGINE = MergeTree ORDER BY id").raise_for_status()
    with socket.create_connection(("127.0.0.1", server.port)) as raw:
        url = f"/?user={USER}&password=service+secret&query=INSERT+INTO+half+FORMAT+TSV"
        rows = "".join(f"{i}\n" for i in range(500_000))
        raw.sendall(f"POST {url} HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n{rows}".encode())
        incoming = server.log_file.parent / "clickhouse" / "incoming"
        wait_until(lambda: any(incoming.iterdir()), 60, "the insert to be under way")
    wait_until(lambda: not any(incoming.iterdir()), 60, "the insert to be dropped")
    assert ask(http, "SELECT count() FROM half").text == "0\n"


def test_too_many_queries_are_refused_and_too_large_statements_too() -> None:
    with engine_folder("clickhouse-small") as folder:
        small = start_clickhouse(folder, "--max-running", "2", "--max-waiting", "1")
        try:
            with httpx.Client(base_url=small.address, auth=(USER, PASSWORD), timeout=60) as opened:
                ask(opened, "CREATE TABLE kept (id UInt32) ENGINE = MergeTree ORDER BY id").raise_for_status()
                _fill_and_overfill(small, opened)
                huge = ask(opened, "SELECT '" + "x" * 5_000_000 + "'")
                assert (huge.status_code, huge.headers["x-clickhouse-exception-code"]) == (413, "425")
        finally:
            small.stop()


def _fill_and_overfill(small: ClickHouse, opened: httpx.Client) -> None:
    """Two results that are not read to their end hold both places; of three more statements one may wait. An insert
    whose data does not end holds none."""
    may_end = Event()

    def data() -> Iterator[bytes]:
        yield b"1\n"
        may_end.wait(60)
        yield b"2\n"

    def insert(_: int) -> httpx.Response:
        return opened.post("/", params={"query": "INSERT INTO kept FORMAT TSV"}, content=data())

    incoming = small.log_file.parent / "clickhouse" / "incoming"
    with ThreadPoolExecutor(6) as threads:
        try:
            unfinished = [threads.submit(insert, number) for number in range(3)]
            wait_until(lambda: len(list(incoming.iterdir())) == 3, 60, "the inserts to be under way")
            with ExitStack() as results:
                for _ in range(2):
                    endless = opened.stream("POST", "/", content="SELECT number FROM numbers(1000000000000)")
                    results.enter_context(endless).raise_for_status()
                more = [threads.submit(ask, opened, "SELECT 1") for _ in range(3)]
                wait_until(lambda: sum(each.done() for each in more) == 2, 60, "two to be refused")
        finally:
            may_end.set()
        refused = [each.result() for each in more if each.done() and each.result().status_code == 503]
        assert sorted(each.result().status_code for each in more) == [200, 503, 503]
        assert {each.result().status_code for each in unfinished} <= {200, 503}
    for refusal in refused:
        assert refusal.headers["x-clickhouse-exception-code"] == "202"
        assert refusal.headers["retry-after"]


def test_two_hundred_clients_at_once_are_all_answered(server: ClickHouse) -> None:
    limits = httpx.Limits(max_connections=200)
    with (
        httpx.Client(base_url=server.address, auth=(USER, PASSWORD), timeout=60, limits=limits) as opened,
        ThreadPoolExecutor(200) as threads,
    ):
        answers = threads.map(lambda n: ask(opened, f"SELECT {n}, count() FROM numbers(1000000)").text, range(200))
        assert list(answers) == [f"{number}\t1000000\n" for number in range(200)]


def test_clients_that_do_not_read_results_do_not_block_the_services() -> None:
    endless = b"SELECT number, toString(number) FROM numbers(1000000000)"
    head = f"POST / HTTP/1.1\r\nHost: x\r\nX-ClickHouse-User: {READER}\r\nX-ClickHouse-Key: {READER_PASSWORD}\r\n"
    request = f"{head}Content-Length: {len(endless)}\r\n\r\n".encode() + endless
    with engine_folder("clickhouse-slow") as folder, ExitStack() as open_now:
        small = start_clickhouse(folder, "--max-running", "4")
        open_now.callback(small.stop)
        opened = open_now.enter_context(httpx.Client(base_url=small.address, auth=(USER, PASSWORD), timeout=60))
        for _ in range(6):
            raw = open_now.enter_context(socket.create_connection(("127.0.0.1", small.port)))
            raw.sendall(request)
        running = "SELECT count() FROM system.processes WHERE query LIKE 'SELECT number, toString%'"
        wait_until(lambda: ask(opened, running).text == "2\n", 60, "the readers' half to be taken")
        assert ask(opened, "SELECT 1").text == "1\n"
        assert ask(opened, running).text == "2\n", "the other half is not theirs"


def test_a_huge_result_is_passed_on_in_little_memory(server: ClickHouse) -> None:
    assert server.process is not None
    process, size, most = psutil.Process(server.process.pid), 0, 0
    with httpx.Client(base_url=server.address, auth=(USER, PASSWORD), timeout=60) as opened:
        ask(opened, "SELECT number, toString(number) FROM numbers(1000000)").raise_for_status()
        before = process.memory_info().rss
        with opened.stream("POST", "/", content="SELECT number, toString(number) FROM numbers(20000000)") as answer:
            for part in answer.iter_raw(1 << 20):
                size += len(part)
                most = max(most, process.memory_info().rss)
    assert size > 300 << 20
    assert most - before < 128 << 20


IMPATIENT = """
import sys
from infra.services.clickhouse_server import __main__, reply
reply.SEND_S = 0.5
sys.exit(__main__.main())
"""


def test_who_reads_nothing_at_all_loses_the_connection() -> None:
    endless = b"SELECT number, toString(number) FROM numbers(1000000000)"
    head = f"POST /?user={USER}&password=service+secret HTTP/1.1\r\nHost: x\r\nContent-Length: {len(endless)}\r\n\r\n"
    with engine_folder("clickhouse-impatient") as folder, ExitStack() as open_now:
        impatient = start_clickhouse(folder, program=("-c", IMPATIENT))
        open_now.callback(impatient.stop)
        assert impatient.process is not None
        process = psutil.Process(impatient.process.pid)
        raw = open_now.enter_context(socket.create_connection(("127.0.0.1", impatient.port)))
        raw.sendall(head.encode() + endless)
        mine = raw.getsockname()[1]

        def holds_mine() -> bool:
            return any(found.raddr and found.raddr.port == mine for found in process.net_connections("tcp"))

        wait_until(holds_mine, 60, "the connection to be taken up")
        wait_until(lambda: not holds_mine(), 60, "the connection to be cut")
