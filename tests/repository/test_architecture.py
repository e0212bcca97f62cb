"""`docs/architecture.md` names files and definitions that exist, and its picture has no upward arrow."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Container, Iterator
from copy import deepcopy
from graphlib import TopologicalSorter
from pathlib import Path
from xml.etree import ElementTree

import grimp
import importlinter.configuration
import pytest
from importlinter.contracts.acyclic_siblings import AcyclicSiblingsContract as Acyclic
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.independence import IndependenceContract
from importlinter.contracts.layers import LayersContract

from infra.kernel.config.paths import ROOT
from infra.ops import import_diagram

PAGE = (ROOT / "docs" / "architecture.md").read_text()
REFERENCE = re.compile(r"\[`([^`]+)`\]\(\.\./([^)]+)\)((?:,? `[\w.]+`)*)")
REFERENCES = [(shown, path, re.findall(r"`([\w.]+)`", names)) for shown, path, names in REFERENCE.findall(PAGE)]
LINTER = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
LAYERS = import_diagram.layers_of(LINTER)
PICTURE = ElementTree.fromstring(import_diagram.PATH.read_text())  # noqa: S314 - a file of this repository
TYPES = {each.type_name: each for each in (LayersContract, ForbiddenContract, IndependenceContract, Acyclic)}
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


PLANTED = {
    "a context of the read side imports another": ("query_api.publishing.routes", "query_api.links.routes"),
    "a context of the write side imports another": ("command_api.links.model", "command_api.forum.posts"),
    "the kernel of the read side imports a context": ("query_api.kernel.pagination", "query_api.links.routes"),
    "the kernel of the write side imports a context": ("command_api.kernel.command_bus", "command_api.links.model"),
    "a service imports another": ("query_api.links.routes", "command_api.links.model"),
    "the kernel knows an event": ("infra.kernel.mail.outbox", "schemas.events.links"),
    "a decision reads": ("command_api.conversions.attribution.decision", "command_api.kernel.reader"),
    "two files are a circle": ("schemas.base", "schemas.envelope"),
    "two folders of a context are a circle": (
        "command_api.analytics.views.model",
        "command_api.analytics.reports.handlers",
    ),
    "two packages are a circle": ("infra.kernel.observability.logging", "infra.kernel.http.problems"),
}


def test_every_planted_import_breaks_a_contract() -> None:
    graph = grimp.build_graph(*LINTER["root_packages"], cache_dir=None)
    assert broken(graph) == []
    kept = []
    for name, (importer, imported) in PLANTED.items():
        assert {importer, imported} <= graph.modules
        changed = deepcopy(graph)
        changed.add_import(importer=importer, imported=imported)
        if not broken(changed):
            kept.append(name)
    assert kept == []


@pytest.mark.parametrize("service", ["command_api", "query_api"])
def test_every_folder_of_a_context_is_in_the_contract_of_contexts(service: str) -> None:
    graph = grimp.build_graph(*LINTER["root_packages"], cache_dir=None)
    contexts = {path.parent.name for path in (ROOT / service).glob("*/__init__.py")} - {"kernel"}
    arrows = {(one, other) for one, others in arrows_of(service).items() for other in others}
    in_folder = {module.rpartition(".")[0]: module for module in graph.modules if module.startswith(f"{service}.")}
    kept = []
    for folder, importer in sorted(in_folder.items()):
        context = folder.partition(".")[2].partition(".")[0]
        if context in contexts:
            other = next(each for each in sorted(contexts - {context}) if (context, each) not in arrows)
            changed = deepcopy(graph)
            changed.add_import(importer=importer, imported=in_folder[f"{service}.{other}"])
            if not any(name.startswith("contexts of the ") for name in broken(changed, ["independence"])):
                kept.append(folder)
    assert len(in_folder) > len(contexts) > 10
    assert kept == []


def broken(graph: grimp.ImportGraph, kinds: Container[str] = TYPES) -> list[str]:
    """The names of the import contracts of these types that the graph breaks."""
    importlinter.configuration.configure()
    found = []
    for options in (each for each in LINTER["contracts"] if each["type"] in kinds):
        texts = {name: str(value) if isinstance(value, bool) else value for name, value in options.items()}
        contract = TYPES[options["type"]](options["name"], LINTER, texts)
        if not contract.check(deepcopy(graph), verbose=False).kept:
            found.append(options["name"])
    return found


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
    arrows = arrows_of(service)
    assert arrows
    TopologicalSorter(arrows).prepare()  # raises `CycleError`


def arrows_of(service: str) -> dict[str, set[str]]:
    """The contexts that each context of the service may import."""
    arrow = re.compile(rf'"{service}\.(\w+)\.\*\* -> {service}\.(\w+)\.\*\*"')
    imports: dict[str, set[str]] = {}
    for importer, imported in arrow.findall((ROOT / "pyproject.toml").read_text()):
        imports.setdefault(importer, set()).add(imported)
    return imports
