"""`althing doctor`: order, colours, JSON, exit codes, its deadline, and that no secret is printed."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.kernel.config.settings import Settings
from infra.ops import cli
from infra.ops.doctor import command, report
from infra.ops.doctor.finding import Finding, Severity, error, ok, warning
from infra.ops.doctor.subject import Subject, subject_of

GOOD = ok("disk", "There is space.")
BAD = warning("disk", "There is little space.", "Free some.")
WORSE = error("ports", "Port 1 is held.", "End that program.")


def subject(secrets: frozenset[str] = frozenset()) -> Subject:
    return Subject(Settings(), Settings(), Path("/nowhere"), secrets=secrets)


@pytest.fixture
def finds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Finding]:
    """The doctor's only check returns these."""
    found: list[Finding] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command.examine, "__defaults__", ({"one": lambda _: found}, 5.0))
    return found


def test_problems_come_first_and_each_is_one_line(finds: list[Finding], capsys: pytest.CaptureFixture[str]) -> None:
    finds += [GOOD, BAD, WORSE]
    assert cli.main(["doctor"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["ERROR", "WARNING", "OK", "1"]
    assert lines[0].endswith("Port 1 is held. → End that program.")
    assert lines[3] == "1 error, 1 warning, 1 ok"
    assert "\x1b" not in "".join(lines), "no colours in a pipe"


def test_colours_on_a_terminal() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    report.print_text([WORSE], terminal)
    assert "\x1b[" in terminal.getvalue()


@pytest.mark.parametrize(("found", "code"), [([], 0), ([GOOD], 0), ([BAD], 0), ([WORSE], 1)])
def test_the_exit_code_is_of_the_worst_finding(finds: list[Finding], found: list[Finding], code: int) -> None:
    finds += found
    assert cli.main(["doctor"]) == code


def test_wrong_use_shows_the_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(["doctor", "--nonsense"])
    assert end.value.code == 2 and "usage: althing doctor" in capsys.readouterr().err


def test_json_is_stable(finds: list[Finding], capsys: pytest.CaptureFixture[str]) -> None:
    finds += [GOOD, BAD]
    assert cli.main(["doctor", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "ok": True,
        "counts": {"error": 0, "warning": 1, "ok": 1},
        "findings": [
            {"check": "disk", "severity": "warning", "found": "There is little space.", "remedy": "Free some."},
            {"check": "disk", "severity": "ok", "found": "There is space.", "remedy": None},
        ],
    }


def test_a_setting_that_stops_every_other_command_is_a_finding_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ALTHING_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("ALTHING_PROT", "8000")
    assert cli.main(["doctor", "--json"]) == 1
    findings = json.loads(capsys.readouterr().out)["findings"]
    assert findings[0]["check"] == "settings" and "ALTHING_PORT" in findings[0]["remedy"]


def test_a_check_that_hangs_or_fails_hides_nothing() -> None:
    released = threading.Event()

    def hanging(_: Subject) -> Iterator[Finding]:
        yield GOOD
        released.wait(60)

    def failing(_: Subject) -> Iterator[Finding]:
        yield BAD
        raise RuntimeError("a fault")

    found = command.examine(subject(), {"disk": hanging, "ports": failing}, deadline_s=0.2)
    released.set()
    assert [(each.check, each.severity) for each in found] == [
        ("disk", Severity.OK),
        ("disk", Severity.WARNING),
        ("disk", Severity.WARNING),
        ("ports", Severity.ERROR),
    ]
    assert "did not end" in found[1].found and "RuntimeError" in found[3].found


def test_no_secret_is_printed() -> None:
    environ = {
        "POSTGRES_URL": "postgresql://me:hush%2Dhush@db/x",
        "ALTHING_MASTER_KEY": "ab" * 32,
        "KAFKA_BOOTSTRAP_SERVERS": "kafka:9092",
        "KAFKA_SECURITY_PROTOCOL": "SASL_SSL",
        "KAFKA_SASL_USERNAME": "me",
        "KAFKA_SASL_PASSWORD": "whisper",
    }
    secrets = subject_of(environ, None).secrets
    told = "postgresql://me:hush%2Dhush@db/x hush-hush whisper " + "ab" * 32
    [found] = command.examine(subject(secrets), {"one": lambda _: [ok("one", told)]})
    assert found.found == "*** *** *** ***"
