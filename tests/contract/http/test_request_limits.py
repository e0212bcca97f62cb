"""The HTTP guards against slow and oversized requests, on a real socket."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn
from uvicorn.server import ServerState

from infra.kernel.http.request_limits import (
    PIECE_BYTES,
    BodyGuard,
    Guarded,
    Message,
    Receive,
    Scope,
    Send,
    guarded_protocol,
)

HASTE_S = 0.4
"""Of a server that has to cut what is slow."""
IDLE_S = 2.0
"""Of one that has to answer what is not, and bear with a pause that is longer."""
PATIENCE_S = 60.0
CAP = 1000


async def echo_size(_scope: Scope, receive: Receive, send: Send) -> None:
    message: Message = await receive()
    assert not message.get("more_body", False), "the guard hands over whole bodies"
    body = str(len(message.get("body", b""))).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture(scope="module")
def address() -> Iterator[tuple[str, int]]:
    with guarded(PATIENCE_S) as made:
        yield made


@pytest.fixture(scope="module")
def hasty() -> Iterator[tuple[str, int]]:
    with guarded(HASTE_S) as made:
        yield made


@contextlib.contextmanager
def guarded(deadline_s: float) -> Iterator[tuple[str, int]]:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    guard = BodyGuard(
        echo_size, max_bytes=CAP, deadline_s=deadline_s, headers=((b"access-control-allow-origin", b"*"),)
    )
    config = uvicorn.Config(
        guard, http=guarded_protocol(deadline_s, 4096), lifespan="off", log_config=None, access_log=False, ws="none"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield listener.getsockname()
    server.should_exit = True
    thread.join(PATIENCE_S)


@contextlib.contextmanager
def connection(address: tuple[str, int]) -> Iterator[socket.socket]:
    with socket.create_connection(address, timeout=PATIENCE_S) as sock:
        yield sock


def answer(sock: socket.socket, *chunks: bytes) -> bytes:
    """What the server sends until it closes the connection."""
    for chunk in chunks:
        sock.sendall(chunk)
    received = b""
    with contextlib.suppress(ConnectionResetError):
        while part := sock.recv(65536):
            received += part
    return received


def read_response(sock: socket.socket) -> bytes:
    received = b""
    while b"\r\n\r\n" not in received or not received.split(b"\r\n\r\n", 1)[1]:
        part = sock.recv(65536)
        if not part:
            break
        received += part
    return received


def test_a_silent_connection_is_cut(hasty: tuple[str, int]) -> None:
    with connection(hasty) as sock:
        assert answer(sock) == b""


def test_a_head_that_stops_is_cut(hasty: tuple[str, int]) -> None:
    with connection(hasty) as sock:
        assert answer(sock, b"POST / HTTP/1.1\r\nHost: x\r\nX-A: ") == b""


def test_a_dripping_body_is_cut_however_regular_the_drops(hasty: tuple[str, int]) -> None:
    ended = threading.Event()
    with connection(hasty) as sock:
        sock.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % CAP)

        def drip() -> None:
            with contextlib.suppress(OSError):
                while not ended.wait(0.05):
                    sock.sendall(b"x")

        dripper = threading.Thread(target=drip)
        dripper.start()
        got = answer(sock)
        ended.set()
        dripper.join()
    assert b" 200 " not in got


def test_keep_alive_survives_idling_longer_than_the_deadline() -> None:
    request = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
    with guarded(IDLE_S) as address, connection(address) as sock:
        sock.sendall(request)
        assert read_response(sock).endswith(b"3")
        sock.settimeout(IDLE_S * 1.5)
        with pytest.raises(TimeoutError):
            sock.recv(1)
        sock.settimeout(PATIENCE_S)
        sock.sendall(request)
        assert read_response(sock).endswith(b"3")


def test_a_declared_body_above_the_cap_is_refused_unread(address: tuple[str, int]) -> None:
    with connection(address) as sock:
        got = answer(sock, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n", b"x" * 1001)
    assert got.startswith(b"HTTP/1.1 413") and b'"code": "too_large"' in got
    assert b"access-control-allow-origin: *" in got and b"connection: close" in got


def test_a_chunked_body_is_counted(address: tuple[str, int]) -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    with connection(address) as sock:
        got = answer(sock, head, b"200\r\n" + b"x" * 512 + b"\r\n", b"200\r\n" + b"x" * 512 + b"\r\n0\r\n\r\n")
    assert got.startswith(b"HTTP/1.1 413")
    with connection(address) as sock:
        sock.sendall(head + b"5\r\nabcde\r\n" + b"3\r\nfgh\r\n0\r\n\r\n")
        assert read_response(sock).endswith(b"8")


def test_a_huge_head_is_refused(address: tuple[str, int]) -> None:
    with connection(address) as sock:
        got = answer(sock, b"GET / HTTP/1.1\r\nHost: x\r\n", b"X-A: " + b"a" * 8192)
    assert got.startswith(b"HTTP/1.1 431")


@pytest.mark.parametrize(
    "framing",
    [
        b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
        b"Content-Length: 3\r\nContent-Length: 4\r\n",
        b"Content-Length: -3\r\n",
        b"Content-Length: abc\r\n",
    ],
)
def test_ambiguous_framing_is_refused(address: tuple[str, int], framing: bytes) -> None:
    with connection(address) as sock:
        got = answer(sock, b"POST / HTTP/1.1\r\nHost: x\r\n" + framing + b"\r\nabc")
    assert got.startswith(b"HTTP/1.1 400")


def test_a_body_that_never_comes_is_cut(hasty: tuple[str, int]) -> None:
    with connection(hasty) as sock:
        assert answer(sock, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n") == b""


def test_each_request_of_a_connection_has_the_whole_deadline() -> None:
    """The timer of an earlier request is used again: it must cut the later one neither early nor never."""
    head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n"
    with guarded(IDLE_S) as address, connection(address) as sock:
        sock.sendall(head + b"abc")
        assert read_response(sock).endswith(b"3")
        sock.settimeout(IDLE_S * 0.7)
        with pytest.raises(TimeoutError):
            sock.recv(1)
        sock.settimeout(PATIENCE_S)
        late = time.monotonic()
        sock.sendall(head)
        assert answer(sock) == b"" and time.monotonic() - late >= IDLE_S * 0.9


async def test_a_body_whose_rest_never_comes_is_answered_408() -> None:
    sent: list[Message] = []
    parts = [b"ab"]

    async def receive() -> Message:
        if parts:
            return {"type": "http.request", "body": parts.pop(), "more_body": True}
        never: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        return await never

    async def send(message: Message) -> None:
        sent.append(message)

    guard = BodyGuard(echo_size, deadline_s=0.01)
    await guard({"type": "http", "headers": [(b"content-length", b"5")]}, receive, send)
    assert sent[0]["status"] == 408


async def test_a_request_without_body_keeps_the_real_receive() -> None:
    seen: list[Receive] = []

    async def app(_scope: Scope, receive: Receive, _send: Send) -> None:
        seen.append(receive)

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None: ...

    await BodyGuard(app)({"type": "http", "headers": []}, receive, send)
    assert seen == [receive]


def test_many_small_headers_are_431(address: tuple[str, int]) -> None:
    with connection(address) as sock:
        assert answer(sock, b"GET / HTTP/1.1\r\n" + b"a:\r\n" * 300 + b"\r\n").startswith(b"HTTP/1.1 431")


def test_requests_that_are_sent_at_once_are_answered_one_after_the_other(address: tuple[str, int]) -> None:
    one = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\nabc"
    chunked = b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n4\r\n\n\r\n\n\r\n0\r\n\r\n"
    last = b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
    with connection(address) as sock:
        bodies = [part[-1:] for part in answer(sock, (one + chunked) * 1_000 + last).split(b"HTTP/1.1 200")[1:]]
    assert bodies == [b"3", b"4"] * 1_000 + [b"0"]


def test_a_bare_line_feed_ends_no_head(address: tuple[str, int]) -> None:
    """Blank lines separate requests: these would pass for one request."""
    with connection(address) as sock:
        assert answer(sock, b"GET / HTTP/1.1\nhost: x\n\n" * 3).startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize(
    "one",
    [
        b"GET / HTTP/1.1\r\nhost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"POST / HTTP/1.1\r\ncontent-length: 1\r\n\r\na",
        b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
)
def test_a_request_before_the_last_ones_answer_is_not_parsed(one: bytes) -> None:
    """Else a connection that sends thousands and goes away costs their parsing, again and again."""
    protocol, _ = fed(one * 20_000)
    assert len(protocol.pipeline) <= 16


def test_a_body_in_chunks_of_one_byte_is_cut(address: tuple[str, int]) -> None:
    head = b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
    with connection(address) as sock:
        assert answer(sock, head + b"1\r\na\r\n" * 900 + b"0\r\n\r\n").endswith(b"900")
    with connection(address) as sock:
        assert b"HTTP/1.1 200" not in answer(sock, head + b"1\r\na\r\n" * 100_000 + b"0\r\n\r\n")


def test_what_arrives_at_once_is_parsed_in_pieces() -> None:
    """A plain body goes through as a whole; a head, chunks and further requests piece by piece."""
    protocol, rounds = fed(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 200000\r\n\r\n" + bytes(200_000))
    assert len(protocol.cycle.body) == 200_000 and rounds <= 1
    chunk = b"400\r\n" + bytes(1024) + b"\r\n"
    head = b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
    protocol, rounds = fed(head + chunk * 100 + b"0\r\n\r\n")
    assert len(protocol.cycle.body) == 100 * 1024 and rounds >= 100 * 1024 // PIECE_BYTES


async def never_answered(_scope: Scope, _receive: Receive, _send: Send) -> None:
    await asyncio.Event().wait()


def fed(data: bytes) -> tuple[Guarded, int]:
    """A protocol that was given `data` by one read, and after how many further rounds of the loop it had taken it."""
    loop = asyncio.new_event_loop()
    config = uvicorn.Config(never_answered, http=guarded_protocol(60.0), lifespan="off", log_config=None, ws="none")
    config.load()
    state = ServerState()
    protocol = guarded_protocol(60.0)(config, state, {}, loop)
    transport = Transport()
    protocol.connection_made(transport)
    protocol.data_received(data)
    rounds = 0
    while protocol._rest and not protocol._is_answering():
        rounds += 1
        loop.call_soon(loop.stop)
        loop.run_forever()
    protocol.connection_lost(None)
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        loop.run_until_complete(asyncio.gather(*tasks))
    loop.close()
    return protocol, rounds


class Transport(asyncio.Transport):
    """Takes everything and never closes."""

    def is_closing(self) -> bool:
        return False

    def pause_reading(self) -> None:
        return

    def resume_reading(self) -> None:
        return

    def write(self, _data: object) -> None:
        return

    def close(self) -> None:
        return
