"""What many tests say is written once, one word means one thing, and the names of tests are sentences."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from infra.kernel.config.paths import ROOT

TESTS: Final = ROOT / "tests"
SHARED: Final = frozenset({
    "names", "usd", "eur", "event_at", "step", "row", "world", "given", "when", "then", "rejected",
})  # fmt: skip
"""Functions that stand in `tests/support`, or nowhere. A fixture may have one of these names where tests want it."""

LONG: Final = 3
"""From this number of statements on, a function that another module has, too, is a copy."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def test_shared_helpers_are_defined_once() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for path, tree in _modules():
        for function in _functions(tree):
            if function.name in SHARED and not _is_fixture(function):
                found[function.name].append(_place(path, function))
    again = [places for places in found.values() if len(places) > 1 or not places[0].startswith("tests/support/")]
    assert again == []


def test_no_function_is_a_copy_of_another_modules() -> None:
    found: dict[str, dict[Path, str]] = defaultdict(dict)
    for path, tree in _modules():
        for function in _functions(tree):
            if sum(isinstance(node, ast.stmt) for each in _body(function) for node in ast.walk(each)) >= LONG:
                content = "\n".join(ast.unparse(each) for each in [function.args, *_body(function)])
                found[content][path] = _place(path, function)
    assert [list(places.values()) for places in found.values() if len(places) > 1] == []


def test_a_tests_name_says_its_subject_and_its_outcome() -> None:
    tests = {name for _, tree in _modules() for name in _names(tree) if name.startswith("test_")}
    assert [name for name in sorted(tests) if len(name.split("_")) < 4] == []


@cache
def _modules() -> list[tuple[Path, ast.Module]]:
    return [(path, ast.parse(path.read_text())) for path in sorted(TESTS.rglob("*.py"))]


def _functions(tree: ast.Module) -> Iterator[Function]:
    """All but the methods."""
    methods = {id(each) for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for each in node.body}
    for node in ast.walk(tree):
        if isinstance(node, Function) and id(node) not in methods:
            yield node


def _names(tree: ast.Module) -> Iterator[str]:
    """Of functions and methods."""
    return (node.name for node in ast.walk(tree) if isinstance(node, Function))


def _is_fixture(function: Function) -> bool:
    return any("fixture" in ast.unparse(decorator) for decorator in function.decorator_list)


def _body(function: Function) -> list[ast.stmt]:
    """Without the docstring."""
    return function.body[1:] if ast.get_docstring(function) is not None else function.body


def _place(path: Path, function: Function) -> str:
    return f"{path.relative_to(ROOT)}:{function.lineno} {function.name}"
