"""How a service ends and the next one takes over: on a listening socket that outlives both, nobody is refused."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from infra.kernel.config.paths import ROOT
from infra.kernel.http.server import inherited
from infra.ops.stack import ports
from infra.ops.stack.tools import launched
from tests.support.stack import free_ports

PATIENCE_S = 60
SERVICE = """
import os, sys
from infra.kernel.http.server import serve

async def app(scope, receive, send):
    body = str(os.getpid()).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})

sys.exit(serve(app, host="127.0.0.1", port=1, lifespan=False, on_stop=lambda: print("ending", flush=True)))
"""
REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with ports.listener("127.0.0.1", 0) as opened:
        yield opened


@contextmanager
def service(listener: socket.socket) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        launched([sys.executable, "-c", SERVICE], listener=listener.fileno()),
        pass_fds=(listener.fileno(),),
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def connected(listener: socket.socket) -> socket.socket:
    return socket.create_connection(listener.getsockname(), timeout=PATIENCE_S)


def ask(connection: socket.socket) -> tuple[bytes, bytes]:
    """Head and body of one answer."""
    connection.sendall(REQUEST)
    received = b""
    while not received.partition(b"\r\n\r\n")[2]:
        part = connection.recv(4096)
        assert part, "the connection was closed without an answer"
        received += part
    head, _, body = received.partition(b"\r\n\r\n")
    return head, body


def test_at_its_end_a_service_answers_who_is_connected_and_who_comes_then_waits(listener: socket.socket) -> None:
    with connected(listener) as early, connected(listener) as idle, service(listener) as first:
        assert ask(early)[1] == str(first.pid).encode(), "it came before the service and was kept"
        head, _ = ask(idle)
        assert b"connection: close" not in head.lower()
        with connected(listener) as silent:
            first.terminate()
            assert first.stdout is not None and first.stdout.readline() == "ending\n"
            for connection in (idle, silent):
                head, body = ask(connection)
                assert body == str(first.pid).encode() and b"connection: close" in head.lower()
                assert connection.recv(1) == b""
        with connected(listener) as late:
            assert first.wait(PATIENCE_S) == 0
            assert early.recv(1) == b"", "who stays silent is closed after a moment"
            with service(listener) as second:
                assert ask(late)[1] == str(second.pid).encode()


def test_sockets_meant_for_another_process_are_left_alone() -> None:
    """`LISTEN_PID` names another process: the service opens its own socket."""
    (port,) = free_ports(1)
    process = subprocess.Popen(
        [sys.executable, "-c", SERVICE.replace("port=1,", f"port={port},")],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "LISTEN_FDS": "1", "LISTEN_PID": "1"},
        stdout=subprocess.DEVNULL,
    )
    try:
        answered = None
        while answered is None and process.poll() is None:
            try:
                with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as connection:
                    answered = ask(connection)[1]
            except ConnectionRefusedError:
                continue
        assert answered == str(process.pid).encode()
    finally:
        process.kill()
        process.wait()


def test_a_descriptor_that_does_not_listen_stops_the_start() -> None:
    """A socket unit without `Accept=no`, or a file: the service must not open a socket of its own instead."""
    with socket.socket() as unbound:
        process = subprocess.run(
            launched([sys.executable, "-c", SERVICE], listener=unbound.fileno()),
            pass_fds=(unbound.fileno(),),
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            timeout=PATIENCE_S,
            check=False,
        )
    assert process.returncode == 1


def test_the_variables_of_the_protocol_are_taken_out_of_the_environment() -> None:
    environ = {"LISTEN_PID": "1", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "a", "LISTEN_PIDFDID": "7", "PATH": "/bin"}
    assert inherited(environ) == []
    assert environ == {"PATH": "/bin"}
