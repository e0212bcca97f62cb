"""Docstrings say what something does, as a colleague would: subject, verb, object; not "What it …", "Whether it …"."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from infra.kernel.config.paths import ROOT

PACKAGES = ("command_api", "infra", "ingest", "projectors", "query_api", "schemas")
RIDDLES = ("What", "Whether", "Those", "Nobody")
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def test_a_docstring_begins_with_what_is_done_or_returned() -> None:
    files = [file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py"))]
    assert len(files) > 1000
    found = [
        f"{file.relative_to(ROOT)}:{line}: {text}"
        for file in files
        for line, text in riddles_in(ast.parse(file.read_text()))
    ]
    assert found == []


def test_a_riddle_is_found() -> None:
    text = 'def rest():\n    """What counts."""\nclass Answer(Model):\n    """What is published."""\n'
    assert list(riddles_in(ast.parse(text))) == [(2, "What counts.")]


def riddles_in(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and text of each. Texts of models and routes are left out: they are published, with the words of the API."""
    for node in ast.walk(tree):
        if isinstance(node, Documented) and not is_published(node):
            text = ast.get_docstring(node) or ""
            if text.partition(" ")[0] in RIDDLES:
                yield node.body[0].lineno, text.partition("\n")[0]


def is_published(node: Documented) -> bool:
    if isinstance(node, ast.ClassDef):
        return bool(node.bases)
    if isinstance(node, ast.Module):
        return False
    return any("router." in ast.unparse(each) for each in node.decorator_list)
