"""How the embedded Kafka starts: its data directory, and the archive of its classes that `make` has made."""

from __future__ import annotations

import os
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from infra.kernel.config.paths import KAFKA_JARS, kafka_archive
from infra.ops.stack.engines import kafka
from infra.ops.stack.engines.kafka_archive import main
from infra.ops.stack.secret_file import made

ARCHIVE = kafka_archive(Path())


def test_a_cluster_id_may_begin_like_an_option(tmp_path: Path) -> None:
    """Every 64th does."""
    cluster_id = "-LnbN2ijT2Sx_zdToSvl2A"
    spec = kafka.spec(tmp_path, 9, 10, replace(made(), kafka_cluster_id=cluster_id), flush_each=False)
    spec.prepare()
    assert f"cluster.id={cluster_id}\n" in (tmp_path / "kafka" / "meta.properties").read_text()


def test_most_classes_come_from_the_archive() -> None:
    assert ARCHIVE.exists(), "make the archive first: make test does"
    assert _classes(f"{KAFKA_JARS}/*").count("source: shared objects file (top)") > 1000


def test_an_archive_that_does_not_fit_is_left_alone(tmp_path: Path) -> None:
    """As after an update of Java or of the jars, until the next `make`."""
    assert _classes(f"{tmp_path}:{KAFKA_JARS}/*").count("source: shared objects file (top)") == 0


def test_without_an_archive_none_is_named(tmp_path: Path) -> None:
    assert kafka.archive(tmp_path / "none.jsa") == []


def test_what_cannot_be_made_is_said_and_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kafka, "java", lambda: None)
    monkeypatch.setattr(os, "nice", lambda _: 0)
    ends = signal.getsignal(signal.SIGTERM)
    try:
        assert main([str(tmp_path / "kafka.jsa")]) == 0
    finally:
        signal.signal(signal.SIGTERM, ends)
    assert "Kafka starts more slowly" in capsys.readouterr().out
    assert not (tmp_path / "kafka.jsa").exists()


def _classes(classpath: str) -> str:
    """What Java says of each class that a start loads, and from where."""
    command = [kafka._java(), *kafka._MACHINE, *kafka.archive(ARCHIVE), "-Xlog:class+load", "-cp", classpath]
    done = subprocess.run(
        [*command, "kafka.Kafka", "--version"], capture_output=True, text=True, timeout=120, check=True
    )
    return done.stdout
