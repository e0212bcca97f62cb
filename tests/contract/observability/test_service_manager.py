"""What a service reports to systemd, received by a real datagram socket."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from threading import Event

import pytest

from infra.kernel.config.paths import ROOT
from infra.kernel.observability.service_manager import ServiceManager, withheld
from tests.support.ports import free_port

PATIENCE_S = 30
SERVICE = """
import sys
from infra.kernel.http.server import serve

async def app(scope, receive, send): ...

sys.exit(serve(app, host="127.0.0.1", port=int(sys.argv[1]), lifespan=False))
"""


def test_states_arrive_as_datagrams(systemd: socket.socket) -> None:
    manager = ServiceManager(systemd.getsockname())
    manager.ready()
    manager.alive()
    manager.stopping()
    assert [systemd.recv(100), systemd.recv(100)] == [b"READY=1", b"STOPPING=1"], "no watchdog, no report of life"


def test_an_address_of_the_abstract_namespace() -> None:
    name = f"althing-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.bind("\0" + name)
        channel.settimeout(PATIENCE_S)
        ServiceManager("@" + name).ready()
        assert channel.recv(100) == b"READY=1"


def test_life_is_reported_at_half_of_the_period(systemd: socket.socket) -> None:
    manager = ServiceManager(systemd.getsockname(), watchdog_s=3600)
    for _ in range(3):
        manager.alive()
    manager.stopping()
    assert [systemd.recv(100), systemd.recv(100)] == [b"WATCHDOG=1", b"STOPPING=1"]


def test_a_process_that_hangs_stops_reporting(systemd: socket.socket) -> None:
    states, hangs_for_long = iter([True, True, False, False]), Event()

    def is_alive() -> bool:
        if (state := next(states, None)) is None:
            hangs_for_long.set()
        return bool(state)

    ServiceManager(systemd.getsockname(), watchdog_s=0.02).watch(is_alive)
    assert hangs_for_long.wait(PATIENCE_S)
    assert [systemd.recv(100), systemd.recv(100)] == [b"WATCHDOG=1", b"WATCHDOG=1"]
    systemd.setblocking(False)
    with pytest.raises(BlockingIOError):
        systemd.recv(100)


def test_the_variables_are_taken_out_of_the_environment() -> None:
    environ = {"NOTIFY_SOCKET": "/x", "WATCHDOG_USEC": "10", "WATCHDOG_PID": "1", "PATH": "/bin"}
    assert withheld(environ) == {"PATH": "/bin"}
    ServiceManager.of(environ)
    assert environ == {"PATH": "/bin"}


def test_no_systemd_and_a_lost_one_disturb_nobody(tmp_path: Path) -> None:
    ServiceManager.of({}).ready()
    ServiceManager(str(tmp_path / "gone")).ready()


def test_a_service_reports_its_whole_life(systemd: socket.socket) -> None:
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "NOTIFY_SOCKET": systemd.getsockname(), "WATCHDOG_USEC": "400000"}
    process = subprocess.Popen([sys.executable, "-c", SERVICE, str(free_port())], cwd=ROOT, env=environ)
    try:
        assert systemd.recv(100) == b"READY=1"
        assert [systemd.recv(100), systemd.recv(100)] == [b"WATCHDOG=1"] * 2
        process.terminate()
        while (state := systemd.recv(100)) == b"WATCHDOG=1":
            continue
        assert state == b"STOPPING=1"
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        process.wait()
