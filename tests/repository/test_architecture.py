"""`docs/architecture.md` names files and definitions that exist, and its picture has no upward arrow."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from xml.etree import ElementTree

import grimp
import pytest

from infra.kernel.config.paths import ROOT
from infra.ops import import_diagram

PAGE = (ROOT / "docs" / "architecture.md").read_text()
REFERENCE = re.compile(r"\[`([^`]+)`\]\(\.\./([^)]+)\)((?:,? `[\w.]+`)*)")
REFERENCES = [(shown, path, re.findall(r"`([\w.]+)`", names)) for shown, path, names in REFERENCE.findall(PAGE)]
LINTER = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
LAYERS = import_diagram.layers_of(LINTER)
PICTURE = ElementTree.fromstring(import_diagram.PATH.read_text())  # noqa: S314 - a file of this repository
SVG = "{http://www.w3.org/2000/svg}"


def test_every_step_names_a_file() -> None:
    steps = re.findall(r"(?m)^\| (?!step \||---).*\| (.+) \|$", PAGE.partition("## Data flow of a click")[2])
    assert len(steps) > 30
    assert [step for step in steps if not REFERENCE.match(step)] == []


@pytest.mark.parametrize(("shown", "path", "names"), REFERENCES, ids=[path for _, path, _ in REFERENCES])
def test_a_file_contains_what_it_is_named_for(shown: str, path: str, names: list[str]) -> None:
    assert shown == path
    file = ROOT / path
    assert file.exists()
    if names:
        assert set(names) <= set(definitions(file))


def test_folders_and_contexts_are_complete() -> None:
    folders = re.findall(r"(?m)^\| `(\w+)/` \|", PAGE)
    assert [name for name in folders if not (ROOT / name).is_dir()] == []
    assert set(LINTER["root_packages"]) <= set(folders)
    named = PAGE.partition("## Contexts")[2].partition("`")[2].partition("`")[0].split()
    packages = [path.parent for service in import_diagram.SERVICES for path in (ROOT / service).glob("*/__init__.py")]
    assert set(named) == {package.name for package in packages} - {"kernel", "search", "site"}


def test_every_import_between_packages_is_an_arrow_that_points_down() -> None:
    layer_of = {package: number for number, layer in enumerate(LAYERS) for package in layer}
    graph = grimp.build_graph(*LINTER["root_packages"], cache_dir=None)
    arrows = [arrow for arrow in PICTURE.iter(f"{SVG}g") if "data-from" in arrow.attrib]
    pairs = [(arrow.attrib["data-from"], arrow.attrib["data-to"]) for arrow in arrows]
    assert sorted(pairs) == sorted(import_diagram.imports_between(graph, list(layer_of)))
    assert [pair for pair in pairs if layer_of[pair[0]] >= layer_of[pair[1]]] == []
    for arrow in arrows:
        [(start, end)] = re.findall(r"^M\d+ (\d+)V(\d+)$", arrow[0].attrib["d"])
        assert int(start) < int(end)


def test_nothing_is_drawn_outside_of_the_picture() -> None:
    _, _, width, height = map(int, PICTURE.attrib["viewBox"].split())
    for box in PICTURE.iter(f"{SVG}rect"):
        x, y, wide, high = (int(box.attrib[name]) for name in ("x", "y", "width", "height"))
        assert 0 <= x < x + wide <= width and 0 <= y < y + high <= height


def definitions(file: Path) -> Iterator[str]:
    """Names of the functions, classes, methods and variables that the file defines."""
    if file.suffix != ".py":
        yield from re.findall(r"(?m)^(?:export )?(?:async )?(?:function|const|class) (\w+)", file.read_text())
        return
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
            for inner in node.body if isinstance(node, ast.ClassDef) else []:
                if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield f"{node.name}.{inner.name}"


@pytest.mark.parametrize("service", ["command_api", "query_api"])
def test_the_imports_between_contexts_have_no_circle(service: str) -> None:
    arrow = re.compile(rf'"{service}\.(\w+)\.\*\* -> {service}\.(\w+)\.\*\*"')
    imports: dict[str, set[str]] = {}
    for importer, imported in arrow.findall((ROOT / "pyproject.toml").read_text()):
        imports.setdefault(importer, set()).add(imported)
    assert imports
    TopologicalSorter(imports).prepare()  # raises `CycleError`
