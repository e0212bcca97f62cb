"""The command `althing`: its table, its answers to wrong use, and what reaches a command."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from infra import PRODUCT_NAME
from infra.kernel.config.paths import ROOT
from infra.kernel.config.settings import SettingsError
from infra.ops import cli


@pytest.fixture
def calls(
    monkeypatch: pytest.MonkeyPatch,
    elsewhere: Path,  # noqa: ARG001 - for its effect
) -> list[list[str]]:
    """A command `probe` that only notes its arguments."""
    noted: list[list[str]] = []
    module = ModuleType("probe_for_cli")

    def note(arguments: list[str]) -> int:
        noted.append(arguments)
        return 7

    module.main = note  # type: ignore[attr-defined]  # the module is made here
    monkeypatch.setitem(sys.modules, "probe_for_cli", module)
    monkeypatch.setitem(cli.COMMANDS, "probe", cli.CliCommand("probe_for_cli:main", "test"))
    return noted


@pytest.mark.parametrize("target", sorted({c.target for c in cli.COMMANDS.values()} | set(cli.SERVICES.values())))
def test_every_name_in_the_tables_leads_to_a_function(target: str) -> None:
    module, _, name = target.partition(":")
    assert callable(getattr(import_module(module), name))


@pytest.mark.parametrize("module", ["infra.ops.stack.up", "infra.services.gateway.service"])
def test_the_stack_loads_no_renderer_for_terminals(module: str) -> None:
    """Each process would: structlog and httpx load `rich` where they find it."""
    program = f"import sys, {module}; print('rich' in sys.modules); import rich.table, httpx; httpx.Client()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "False\n"


def test_arguments_and_exit_code_pass_through(calls: list[list[str]]) -> None:
    assert cli.main(["probe", "a", "--json"]) == 7
    assert calls == [["a", "--json"]]


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in cli.COMMANDS)


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert capsys.readouterr().out == f"{PRODUCT_NAME} {project['version']}\n"


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["serve"], ["serve", "nonsense"]])
def test_wrong_use_exits_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(arguments) == 2
    captured = capsys.readouterr()
    assert "althing" in (captured.err + captured.out).lower()


def test_a_refused_setting_is_one_sentence_and_exits_2(
    calls: list[list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ALTHING_NONSENSE", "1")
    assert cli.main(["probe"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert calls == []


@pytest.mark.usefixtures("elsewhere")
def test_a_setting_refused_later_is_shown_the_same_way(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = ModuleType("refusing_for_cli")

    def refuse(_arguments: list[str]) -> int:
        raise SettingsError("POSTGRES_URL is not set.")

    module.main = refuse  # type: ignore[attr-defined]  # the module is made here
    monkeypatch.setitem(sys.modules, "refusing_for_cli", module)
    monkeypatch.setitem(cli.COMMANDS, "refusing", cli.CliCommand("refusing_for_cli:main", "test"))
    assert cli.main(["refusing"]) == 2
    assert capsys.readouterr().err == "althing: POSTGRES_URL is not set.\n"


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize("name", ["ps", "info"])
def test_without_a_stack_ps_and_info_say_so(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([name]) == 1
    assert "No stack runs" in capsys.readouterr().err


@pytest.mark.usefixtures("elsewhere")
def test_ps_json_without_a_stack_is_still_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["ps", "--json"]) == 1
    assert capsys.readouterr().out == "[]\n"
