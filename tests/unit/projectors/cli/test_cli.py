"""Wrong use of the projection commands ends with code 2 and the usage, without touching an engine."""

from __future__ import annotations

import pytest

from projectors.cli import main


@pytest.mark.parametrize(
    "arguments",
    [
        ["projections"],
        ["projections", "rebuild"],
        ["projections", "explode", "events"],
        ["dlq", "show"],
        ["dlq", "show", "not-an-id"],
        ["events", "tail", "--topic", "nothing"],
        ["lag", "--max-events", "many"],
    ],
)
def test_wrong_use_shows_the_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(arguments) == 2
    assert "usage: althing" in capsys.readouterr().err


def test_help_is_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["projections", "--help"]) == 0
    assert "rebuild" in capsys.readouterr().out
