"""Ingest and web as systemd starts them: on a socket that exists before them, with secrets as credentials, without
writable and executable memory, and with reports of their state."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path

import pytest

from infra.kernel.config.paths import ROOT
from infra.kernel.config.settings import Settings
from tests.support.stack import Stack, wait_for

PATIENCE_S = 60
LAUNCHER = """
import ctypes, os, sys
DENY_WRITE_EXECUTE = 65, 1  # PR_SET_MDWE of prctl(2): what MemoryDenyWriteExecute= does, as far as the kernel knows it
ctypes.CDLL(None).prctl(*DENY_WRITE_EXECUTE, 0, 0, 0)
os.dup2(int(sys.argv[1]), 3)
os.environ |= {"LISTEN_FDS": "1", "LISTEN_FDNAMES": "public", "LISTEN_PID": str(os.getpid())}
os.execv(sys.executable, [sys.executable, "-m", "infra.ops.cli", "serve", sys.argv[2]])
"""


@pytest.fixture
def credentials(small_stack: Stack, tmp_path: Path) -> Path:
    """The folder of the service's secrets."""
    folder = tmp_path / "credentials"
    folder.mkdir(0o700)
    master_key = json.loads((small_stack.data_dir / "secrets.json").read_text())["master_key"]
    for name in secret_names():
        value = {**small_stack.environment, "ALTHING_MASTER_KEY": master_key}.get(name)
        if value:
            (folder / name).write_text(value + "\n")
    return folder


def secret_names() -> list[str]:
    return [row.metadata["name"] for row in fields(Settings) if row.metadata["secret"]]


@contextmanager
def activated(
    name: str, listener: socket.socket, running: Stack, systemd: socket.socket, credentials: Path, *without: str
) -> Iterator[subprocess.Popen[bytes]]:
    """The service in the environment of its unit, `without` these settings."""
    open_settings = {
        name: value
        for name, value in running.environment.items()
        if name not in secret_names() and name not in ("ALTHING_PORT", "ALTHING_TRACKING_PORT", *without)
    }
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        **open_settings,
        "ALTHING_DATA_DIR": str(credentials.parent / "state"),
        "CREDENTIALS_DIRECTORY": str(credentials),
        "NOTIFY_SOCKET": systemd.getsockname(),
        "WATCHDOG_USEC": "2000000",
    }
    Path(environment["ALTHING_DATA_DIR"]).mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-c", LAUNCHER, str(listener.fileno()), name],
        pass_fds=(listener.fileno(),),
        cwd=credentials.parent,
        env=environment,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def get(connection: socket.socket, path: str) -> tuple[int, bytes]:
    """Status and body of `GET path`, with which the connection ends."""
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    received = b""
    while part := connection.recv(65_536):
        received += part
    head, _, body = received.partition(b"\r\n\r\n")
    return int(head.split()[1]), body


def is_ready(listener: socket.socket) -> bool:
    with socket.create_connection(listener.getsockname(), PATIENCE_S) as connection:
        return get(connection, "/readyz")[0] == 200


@pytest.mark.parametrize(
    ("name", "path", "status"),
    [("ingest", "/go/no-such-link", 404), ("web", "/api/platform/links", 401)],
    ids=["ingest", "web"],
)
def test_a_request_that_comes_before_the_service_starts_it_and_is_answered(
    small_stack: Stack, systemd: socket.socket, credentials: Path, name: str, path: str, status: int
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        early, other = (socket.create_connection(listener.getsockname(), PATIENCE_S) for _ in range(2))
        with early, other, activated(name, listener, small_stack, systemd, credentials) as process:
            assert systemd.recv(100) == b"READY=1"
            assert get(early, "/livez")[0] == 200
            code, body = get(other, path)
            assert code == status, body
            wait_for(lambda: is_ready(listener), f"{name} to be ready")  # the log has 0.2 s to answer each time
            while systemd.recv(100) != b"WATCHDOG=1":
                continue
            process.send_signal(signal.SIGTERM)
            while systemd.recv(100) != b"STOPPING=1":
                continue
            assert process.wait(PATIENCE_S) == 0
        with socket.create_connection(listener.getsockname(), PATIENCE_S):
            pass  # the socket outlives the service


def test_services_without_a_socket_report_their_life_too(
    small_stack: Stack, systemd: socket.socket, credentials: Path
) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as unused,
        activated("projectors", unused, small_stack, systemd, credentials, "ALTHING_PROJECTORS_PORT") as process,
    ):
        states = [systemd.recv(100), systemd.recv(100)]
        assert sorted(states) == [b"READY=1", b"WATCHDOG=1"]
        process.send_signal(signal.SIGTERM)
        while systemd.recv(100) != b"STOPPING=1":
            continue
        assert process.wait(PATIENCE_S) == 0


@pytest.mark.usefixtures("small_stack")
def test_the_supervisor_reports_when_everything_runs(reports_of_stack: socket.socket) -> None:
    """And its children, which could report as well, do not."""
    assert reports_of_stack.recv(100) == b"READY=1"
    with pytest.raises(BlockingIOError):
        reports_of_stack.recv(100)


def test_a_secret_in_two_places_stops_the_start(
    small_stack: Stack, systemd: socket.socket, credentials: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (credentials / "ALTHING_HOST").write_text("127.0.0.1")
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        activated("ingest", listener, small_stack, systemd, credentials) as process,
    ):
        assert process.wait(PATIENCE_S) == 2
    assert "ALTHING_HOST is set twice" in capfd.readouterr().err
