"""The local stack where the machine does not play along: directories, full disks, clocks, old files."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from infra.kernel.config.settings import Settings, SettingsError
from infra.kernel.observability import stack_state
from infra.ops.stack import console, secret_file, state, up
from infra.ops.stack.ports import Ports
from infra.ops.stack.spec import ProcessSpec
from infra.ops.stack.supervisor import StartFailed, StopRequested, Supervisor
from tests.support.stack import free_ports

WAITER = "import signal; print('here', flush=True); signal.pause()"


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda folder: (folder / "data").touch(), "File exists"),
        (lambda folder: (folder / "data" / "lock").mkdir(parents=True), "Is a directory"),
        (lambda folder: (folder / "data" / stack_state.FILE_NAME).mkdir(parents=True), "Is a directory"),
    ],
)
def test_a_data_directory_that_cannot_be_used_is_refused_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None], reason: str
) -> None:
    make(tmp_path)
    monkeypatch.setenv("ALTHING_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr("infra.ops.stack.ports.choose", lambda _settings: Ports(*range(1, 11)))
    with pytest.raises(SettingsError, match=f"^ALTHING_DATA_DIR: .*({reason})") as refused:
        up.main([])
    assert "\n" not in str(refused.value)


def test_an_option_names_another_data_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "taken").touch()
    monkeypatch.setenv("ALTHING_DATA_DIR", str(tmp_path / "of the settings"))
    with pytest.raises(SettingsError, match="taken cannot be used"):
        up.main(["--data-dir", str(tmp_path / "taken")])
    assert not (tmp_path / "of the settings").exists()


def test_what_could_not_be_written_leaves_the_old_file_and_no_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "secrets.json"
    secret_file.write_private(path, "old")

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        secret_file.write_private(path, "new")
    assert [(found.name, found.read_text()) for found in tmp_path.iterdir()] == [("secrets.json", "old")]


def test_a_full_disk_ends_no_process_and_is_said_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def full(_rows: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    made = Supervisor(tmp_path, dict(os.environ), full)
    specs = tuple(
        ProcessSpec(name, [sys.executable, "-c", WAITER], lambda: True, stop_timeout_s=5) for name in ("one", "two")
    )
    made.start(specs)
    assert {row.state for row in made.rows} == {"running"}
    made.stop([("one", "two")])
    assert {row.state for row in made.rows} == {"stopped"}
    assert capsys.readouterr().out.count("No space left on device") == 1


@pytest.fixture
def handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.usefixtures("handlers")
def test_a_signal_during_the_start_ends_it_and_what_was_started(tmp_path: Path, number: signal.Signals) -> None:
    def never_ready() -> bool:
        os.kill(os.getpid(), number)
        return False

    made = Supervisor(tmp_path, dict(os.environ), lambda _rows: None)
    made.handle_signals()
    with pytest.raises(StopRequested):
        made.start((ProcessSpec("one", [sys.executable, "-c", WAITER], never_ready, stop_timeout_s=5),))
    pid = made.rows[0].pid
    made.stop([("one",)])
    assert pid is not None and stack_state.birth(pid) is None


@pytest.mark.usefixtures("handlers")
def test_a_second_signal_shortens_every_patience(tmp_path: Path) -> None:
    """The child heeds no signal and would be waited for longer than a test may last."""
    mark = tmp_path / "deaf"
    deaf = f"import pathlib, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); pathlib.Path({str(mark)!r}).touch()"
    program = [sys.executable, "-c", f"{deaf}; [signal.pause() for _ in range(9)]"]
    made = Supervisor(tmp_path, dict(os.environ), lambda _rows: None)
    made.handle_signals()
    made.start((ProcessSpec("deaf", program, mark.exists, stop_timeout_s=3600),))
    pid = made.rows[0].pid
    for _ in range(2):
        os.kill(os.getpid(), signal.SIGTERM)
    made.stop([("deaf",)])
    assert pid is not None and stack_state.birth(pid) is None


def test_an_engine_that_stops_during_setup_is_reported_in_one_sentence(tmp_path: Path) -> None:
    web, tracking, postgres_port = free_ports(3)
    given = Settings(data_dir=tmp_path, port=web, tracking_port=tracking, postgres_port=postgres_port, log="postgres")
    laid = up.StackLayout(given, secret_file.load_or_create(tmp_path), tmp_path, [])
    with pytest.raises(StartFailed, match=r"Postgres could not be set up: .*postgres\.log$"):
        laid.set_up_postgres()


def test_output_is_read_on_when_its_file_cannot_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.touch()
    many = "for number in range(20000): print('a line that fills a pipe', number)"
    with subprocess.Popen([sys.executable, "-c", many], stdout=subprocess.PIPE) as child:
        reading = console.pump("child", child.stdout, folder / "child.log", quiet=True)
        reading.join(60)
        assert child.wait(60) == 0 and not reading.is_alive()


def test_a_log_file_is_written_again_once_the_disk_has_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = console.RotatingFile(tmp_path / "x.log", rotate_bytes=10)
    file.write(b"12345678\n")
    with monkeypatch.context() as patched:
        patched.setattr(console, "open", _refuse, raising=False)
        file.write(b"lost, as the disk is full\n")
        file.write(b"and this too\n")
    file.write(b"kept\n")
    file.close()
    assert (tmp_path / "x.log").read_bytes() == b"kept\n"
    assert (tmp_path / "x.log.1").read_bytes() == b"12345678\n"


def _refuse(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_step_of_the_clock_makes_nobody_another(monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen([sys.executable, "-c", WAITER], stdout=subprocess.PIPE) as child:
        try:
            born = stack_state.birth(child.pid)
            boot_time = psutil.boot_time()
            for place in ("psutil.boot_time", "psutil._psplatform.boot_time"):
                monkeypatch.setattr(place, lambda: boot_time + 3600)
            assert stack_state.is_same(child.pid, born)
            assert born is not None and -1 < stack_state.now() - born < 600
        finally:
            child.kill()


def test_a_state_from_before_the_machine_was_started_names_nobody(tmp_path: Path) -> None:
    born = stack_state.birth(os.getpid()) or 0.0
    mine = (stack_state.ProcessRow("mine", os.getpid(), born, "running", 0),)
    state.write(tmp_path, stack_state.StackState(os.getpid(), born, "kafka", {}, {}, mine))
    assert stack_state.is_running(stack_state.read(tmp_path))
    path = tmp_path / stack_state.FILE_NAME
    for changed in ({"boot": "another"}, {"boot": None}):
        path.write_text(json.dumps({**json.loads(path.read_text()), **changed}))
        assert stack_state.read(tmp_path) is None and state.end_orphans(tmp_path) == []


@pytest.mark.parametrize("text", ["", "[]", "null", '{"processes": 1}', '{"processes": [{"name": 1}]}', "\x00"])
def test_a_damaged_state_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / stack_state.FILE_NAME).write_text(text)
    assert stack_state.read(tmp_path) is None
