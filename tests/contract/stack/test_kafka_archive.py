"""When an installed product makes the archive of Kafka's classes: once for its Java and its jars, beside the stack."""

from __future__ import annotations

import os
from pathlib import Path

import psutil
import pytest

from infra.ops.stack.engines import kafka_archive
from tests.support.stack import wait_for


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data directory of an installed product with a Java and a jar."""
    (tmp_path / "java").touch()
    (tmp_path / "a-1.jar").touch()
    monkeypatch.setattr(kafka_archive, "IS_INSTALLED", True)
    monkeypatch.setattr(kafka_archive, "KAFKA_JARS", tmp_path)
    monkeypatch.setattr(kafka_archive, "java", lambda: str(tmp_path / "java"))
    monkeypatch.setattr(kafka_archive, "kafka_archive", lambda folder: folder / "kafka.jsa")
    return tmp_path / "data"


def begins(data_dir: Path) -> bool:
    """Whether a process was begun; it is ended before it does anything."""
    process = kafka_archive.begin(data_dir)
    if process is None:
        return False
    command = wait_for(psutil.Process(process.pid).cmdline, "the program to be loaded")
    process.terminate()
    process.wait(10)
    assert command[-2:] == [str(data_dir / "kafka.jsa"), str(kafka_archive.DELAY_S)]
    return True


def test_the_first_start_makes_it_and_the_next_does_not(installed: Path) -> None:
    assert begins(installed)
    (installed / "kafka.jsa").touch()
    (installed / "kafka.origin").write_text(kafka_archive._origin())
    assert not begins(installed)


@pytest.mark.parametrize("changed", ["java", "jar", "archive"])
def test_it_is_made_again_for_another_java_or_other_jars(installed: Path, changed: str) -> None:
    installed.mkdir()
    (installed / "kafka.jsa").touch()
    (installed / "kafka.origin").write_text(kafka_archive._origin())
    match changed:
        case "java":
            os.utime(installed.parent / "java", (1, 1))
        case "jar":
            (installed.parent / "b-2.jar").touch()
        case _:
            (installed / "kafka.jsa").unlink()
    assert begins(installed)


def test_in_a_checkout_make_has_made_it(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kafka_archive, "IS_INSTALLED", False)
    assert not begins(installed)
