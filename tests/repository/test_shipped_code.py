"""What is installed needs no checkout, and is never installed by its name, which another program has."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

from infra.kernel.config.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
WHEEL = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
PATHS = "infra/kernel/config/paths.py"
BY_NAME = re.compile(r"\b(?:pip3?|pipx|uvx?|uv pip|uv tool)\s+install\s+(?:-{1,2}\S+\s+)*[\"']?althing(?![\w/.-])")


def tracked() -> list[str]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


TRACKED = tracked()


def is_excluded(name: str) -> bool:
    return any(fnmatch(f"/{name}", pattern) or f"/{name}".startswith(f"{pattern}/") for pattern in WHEEL["exclude"])


CODE = [name for name in TRACKED if name.split("/")[0] in WHEEL["packages"] and name.endswith(".py")]
TREES = {name: ast.parse((ROOT / name).read_text()) for name in CODE if not is_excluded(name)}


def imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Module and name of each import, the name empty for `import module`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, alias.name) for alias in node.names)


def test_the_patterns_exclude_files() -> None:
    for pattern in WHEEL["exclude"]:
        assert any(fnmatch(f"/{name}", pattern) or f"/{name}".startswith(f"{pattern}/") for name in CODE), pattern
    assert "infra/ops/release/__main__.py" not in TREES and "infra/ops/stack/up.py" in TREES


def test_no_module_looks_outside_its_package() -> None:
    """The checkout is for tools that the wheel does not have; one module knows where the parts are."""
    found = []
    for name, tree in TREES.items():
        if name == PATHS:
            continue
        of_checkout = {("infra.kernel.config.paths", which) for which in ("ROOT", "BUILD", "PARTS")}
        found += [name for each in imported(tree) if each in of_checkout]
        text = (ROOT / name).read_text()
        found += [f"{name}: {each}" for each in re.findall(r"__file__\)[\w.()]*(?:\.parents\b|\.parent\.parent)", text)]
    assert found == []


def test_no_module_needs_a_tool_that_is_not_shipped() -> None:
    without = {name.removesuffix(".py").replace("/", ".") for name in CODE if is_excluded(name)}
    found = [
        f"{name}: {module} {each}"
        for name, tree in TREES.items()
        for module, each in imported(tree)
        if module in without or f"{module}.{each}" in without
    ]
    assert found == []


def test_nothing_says_to_install_it_by_its_name() -> None:
    """An index would give another program of that name. Only a file is installed."""
    found = []
    for name in TRACKED:
        if Path(name).suffix in (".png", ".woff2", ".lock", ".webp", ".ico") or ROOT / name == Path(__file__):
            continue
        text = (ROOT / name).read_text(errors="replace")
        found += [f"{name}: {each}" for each in BY_NAME.findall(text)]
    assert found == []


@pytest.mark.parametrize(
    ("text", "is_name"),
    [
        ("pip install althing", True),
        ("pip install --upgrade althing", True),
        ("pipx install 'althing'", True),
        ("uv pip install althing", True),
        ("pip install ./althing-0.3.0-py3-none-any.whl", False),
        ("pip install althing-0.3.0-py3-none-any.whl", False),
    ],
)
def test_names_are_distinguished_from_files(text: str, is_name: bool) -> None:
    assert bool(BY_NAME.search(text)) == is_name


def test_an_index_refuses_an_upload() -> None:
    assert "Private :: Do Not Upload" in PROJECT["project"]["classifiers"]


def test_the_builder_of_the_lock_is_the_one_that_is_required() -> None:
    assert PROJECT["build-system"]["requires"] == PROJECT["dependency-groups"]["build"]
    locked = re.findall(r"^([\w-]+)==", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    named = [re.split(r"[=<>\[]", row)[0] for row in PROJECT["project"]["dependencies"]]
    assert set(named) <= set(locked) and "hatchling" in locked
