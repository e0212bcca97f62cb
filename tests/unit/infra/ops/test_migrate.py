"""`althing migrate --wait`: it waits for engines that start at the same time, but not without end."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from infra.kernel.config.settings import Settings
from infra.kernel.log import LogUnavailable
from infra.ops import cli
from infra.ops.migrations import migrate
from projectors.engine.clickhouse import Unavailable
from tests.support.ports import free_port


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> list[Exception]:
    """What the next runs of the migrations raise; then they succeed."""
    failures: list[Exception] = []

    def run(_settings: Settings) -> None:
        if failures:
            raise failures.pop(0)

    monkeypatch.setattr(migrate, "migrate", run)
    return failures


def test_engines_that_start_are_awaited(attempts: list[Exception]) -> None:
    attempts += [psycopg.OperationalError("refused"), LogUnavailable("no broker"), Unavailable("no answer")]
    migrate.migrate_patiently(Settings(), wait_s=60, pause_s=0)
    assert attempts == []


def test_the_wait_is_bounded(attempts: list[Exception]) -> None:
    attempts += [LogUnavailable("no broker")] * 3
    with pytest.raises(LogUnavailable):
        migrate.migrate_patiently(Settings(), wait_s=0)
    assert len(attempts) == 2, "without --wait there is one attempt"


def test_a_fault_of_a_migration_is_not_repeated(attempts: list[Exception]) -> None:
    attempts += [migrate.MigrationError("0001_a.sql was changed")] * 2
    with pytest.raises(migrate.MigrationError):
        migrate.migrate_patiently(Settings(), wait_s=60, pause_s=0)
    assert len(attempts) == 1


def test_an_engine_that_does_not_answer_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("POSTGRES_URL", f"postgresql://me@127.0.0.1:{free_port()}/x")
    assert cli.main(["migrate"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("althing: ") and error.count("\n") == 1 and "refused" in error


@pytest.mark.parametrize("arguments", [["--wait"], ["--wait", "soon"], ["now"]])
def test_wrong_use_shows_the_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(["migrate", *arguments])
    assert end.value.code == 2 and "usage: althing migrate" in capsys.readouterr().err
