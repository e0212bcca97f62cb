"""What the ClickHouse front bounds from outside: memory of analysts' processes, and bodies that come too slowly."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress

import httpx
import psutil
import pytest

from infra.domain.sql_access import limits
from tests.support.clickhouse import PASSWORD, READER, READER_PASSWORD, USER, ClickHouse, start_clickhouse
from tests.support.engines import engine_folder, wait_until
from tests.support.hostile_statements import LEVENSHTEIN

ENDED_S = 20.0
"""From the moment at which a statement takes too much to its answer."""

SMALL = """
import sys
from infra.services.clickhouse_server import __main__, workers
workers.MEMORY_BYTES = 0  # the processes keep their own limit of 1 GiB; the watch sees 384 MiB as too much
sys.exit(__main__.main())
"""
IMPATIENT = """
import sys
from infra.services.clickhouse_server import __main__, app
app.STATEMENT_S = app.FORM_S = app.INSERT_S = 1.0
sys.exit(__main__.main())
"""
DRIP_S = 0.1
INCOMPLETE_OF_READER = 32


def holds(mebibytes: int) -> str:
    """Takes so much memory, and then computes for minutes without a look at the engine's cancel flag."""
    slow = LEVENSHTEIN.replace("range(100)", "range(100 + length(a) * 0)")
    return f"{slow} FROM (SELECT range(toUInt64({mebibytes << 17} + number)) AS a FROM numbers(1))"


@contextmanager
def front(*options: str, program: tuple[str, ...] = ("-m", "infra.services.clickhouse_server")) -> Iterator[ClickHouse]:
    with engine_folder("clickhouse-bounds") as folder:
        running = start_clickhouse(folder, *options, program=program)
        try:
            yield running
        finally:
            running.stop()


class Analysts:
    """Statements of accounts, each in a process of its own."""

    def __init__(self, server: ClickHouse, threads: ThreadPoolExecutor) -> None:
        self._server, self._threads = server, threads
        self.answered_at: dict[str, float] = {}

    def start(self, account: str, sql: str) -> Future[httpx.Response]:
        return self._threads.submit(self._ask, account, sql)

    def _ask(self, account: str, sql: str) -> httpx.Response:
        answer = httpx.post(
            self._server.address,
            auth=(USER, PASSWORD),
            content=sql,
            params={**limits.settings(), "readonly": "1"},
            headers={"X-Althing-Analyst": account},
            timeout=60,
        )
        self.answered_at[account] = time.monotonic()
        return answer

    def private_mebibytes(self) -> list[int]:
        """Of each process, the largest first."""
        assert self._server.process is not None
        found = []
        for process in psutil.Process(self._server.process.pid).children(recursive=True):
            try:
                memory = process.memory_info()
            except psutil.NoSuchProcess:
                continue
            found.append((memory.rss - memory.shared) >> 20)
        return sorted(found, reverse=True)


def is_ended_from_outside(answer: httpx.Response) -> bool:
    return answer.headers.get("x-clickhouse-exception-code") == "241" and "ended from outside" in answer.text


def test_a_process_that_takes_too_much_memory_is_ended_alone() -> None:
    with front(program=("-c", SMALL)) as server, ThreadPoolExecutor(2) as threads:
        analysts = Analysts(server, threads)
        other = analysts.start("other", holds(64))
        wait_until(lambda: max(analysts.private_mebibytes(), default=0) > 64, 30, "the other analyst's to run")
        greedy = analysts.start("greedy", holds(512))
        wait_until(lambda: greedy.done() or analysts.private_mebibytes()[0] > 384, 30, "it to take too much")
        too_much_at = time.monotonic()
        assert is_ended_from_outside(greedy.result()), greedy.result().text[:300]
        assert analysts.answered_at["greedy"] - too_much_at < ENDED_S
        assert not other.done() and len(analysts.private_mebibytes()) == 1, "its process is gone, the other's is not"
        server.kill()
        assert isinstance(other.exception(), httpx.HTTPError), "it went on until the front ended"


def test_if_all_take_too_much_together_the_largest_is_ended() -> None:
    """512 and 128 MiB. Each may have 1 GiB; both together 512 MiB, and 96 for each engine. When they pass that, the
    one that still grows is the larger by far: with 256 MiB, both would be equal at that moment."""
    with front("--memory-mb", "512") as server, ThreadPoolExecutor(2) as threads:
        analysts = Analysts(server, threads)
        smaller = analysts.start("smaller", holds(128))
        wait_until(lambda: max(analysts.private_mebibytes(), default=0) > 128, 30, "the smaller one to run")
        larger = analysts.start("larger", holds(512))
        wait_until(lambda: larger.done() or sum(analysts.private_mebibytes()) > 704, 30, "both to take too much")
        too_much_at = time.monotonic()
        assert is_ended_from_outside(larger.result()), larger.result().text[:300]
        assert analysts.answered_at["larger"] - too_much_at < ENDED_S
        assert not smaller.done() and len(analysts.private_mebibytes()) == 1, "the smaller one goes on"
        server.kill()
        assert isinstance(smaller.exception(), httpx.HTTPError), "it went on until the front ended"


class Dripping:
    """A request whose body comes a byte at a time and never ends."""

    def __init__(self, server: ClickHouse, user: str, password: str, head: str, body: bytes) -> None:
        self._raw = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        keys = f"X-ClickHouse-User: {user}\r\nX-ClickHouse-Key: {password}\r\nContent-Length: 100000\r\n"
        self._raw.sendall(f"POST /{head} HTTP/1.1\r\nHost: x\r\n{keys}".encode() + body)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._drip)
        self._thread.start()

    def _drip(self) -> None:
        while not self._over.wait(DRIP_S):
            try:
                self._raw.sendall(b" ")
            except OSError:
                return

    def answer(self) -> str:
        """All of it: the connection is closed after it, by a reset if a byte comes between answer and close."""
        found = b""
        with suppress(ConnectionResetError):
            while part := self._raw.recv(65536):
                found += part
        return found.decode()

    def close(self) -> None:
        self._over.set()
        self._thread.join()
        self._raw.close()


FORM = (
    b'Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\nContent-Disposition: form-data; name="query"\r\n\r\n1'
)
BODIES = {
    "statement": ("", b"\r\nSELECT 1"),
    "form": ("", FORM),
    "insert": ("?query=INSERT+INTO+slow+FORMAT+TSV", b"\r\n1"),
}


@pytest.fixture(scope="module")
def impatient() -> Iterator[ClickHouse]:
    with front("--max-running", "8", program=("-c", IMPATIENT)) as server:
        httpx.post(
            server.address,
            auth=(USER, PASSWORD),
            content="CREATE TABLE slow (id UInt32) ENGINE = MergeTree ORDER BY id",
        ).raise_for_status()
        yield server


@pytest.mark.parametrize("kind", BODIES)
def test_a_body_that_drips_is_cut_at_its_deadline_and_holds_no_place(impatient: ClickHouse, kind: str) -> None:
    """Eight at once, of a user who may have eight places. No gap between two of their bytes is long."""
    started = time.monotonic()
    with ExitStack() as dripping:
        slow = []
        for _ in range(8):
            slow.append(Dripping(impatient, USER, PASSWORD, *BODIES[kind]))
            dripping.callback(slow[-1].close)
        for auth in ((USER, PASSWORD), (READER, READER_PASSWORD)):
            assert httpx.post(impatient.address, auth=auth, content="SELECT 1", timeout=60).text == "1\n"
        for each in slow:
            answer = each.answer()
            assert answer.startswith("HTTP/1.1 503") and "x-clickhouse-exception-code: 209" in answer, answer
            assert "The request's body did not come in time" in answer and "connection: close" in answer
    assert time.monotonic() - started > 1, "not cut before the deadline"
    counted = httpx.post(impatient.address, auth=(USER, PASSWORD), content="SELECT count() FROM slow", timeout=60)
    assert counted.text == "0\n"


def test_a_user_has_so_many_incomplete_requests_and_no_more(server: ClickHouse) -> None:
    with ExitStack() as dripping:
        for _ in range(INCOMPLETE_OF_READER):
            one = Dripping(server, READER, READER_PASSWORD, *BODIES["statement"])
            dripping.callback(one.close)
        wait_until(lambda: _is_refused(server), 30, "all to have arrived")
        assert httpx.post(server.address, auth=(USER, PASSWORD), content="SELECT 1").text == "1\n"


def _is_refused(server: ClickHouse) -> bool:
    answer = httpx.post(server.address, auth=(READER, READER_PASSWORD), content="SELECT 1")
    if answer.status_code == 200:
        return False
    assert answer.status_code == 503 and answer.headers["x-clickhouse-exception-code"] == "202"
    assert f"Too many incomplete requests. Maximum: {INCOMPLETE_OF_READER}" in answer.text
    return True
