"""docs/specification.md names a test for every statement of the specification: each exists, and names its section."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache

import pytest

from infra.kernel.config.paths import ROOT

PAGE = (ROOT / "docs" / "specification.md").read_text()
SECTIONS = re.findall(r"^## §(\d) .*?\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)
PYTHON = re.compile(r"`(tests/[\w/]+\.py)((?:::\w+)+)`")
WEB = re.compile(r"`(web/src/[\w./-]+\.test\.tsx?)` “(.+?)”(?=,| \|)")
TITLE = re.compile(
    r"""^\s*(?:(describe|test)(?:\.each\(.*\))?\(|\]\)\()\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")""", re.M
)


@dataclass(frozen=True)
class Named:
    path: str
    name: str

    @property
    def texts(self) -> list[str]:
        """What the tests of this name say of themselves; empty: there is no such test."""
        if self.path.endswith(".py"):
            return [text for name, text in python_tests(self.path) if name == self.name]
        return [text for title, text in web_tests(self.path) if title.startswith(self.name)]


@cache
def python_tests(path: str) -> list[tuple[str, str]]:
    """Name, and the words around it: its own and its module's."""
    tree = ast.parse((ROOT / path).read_text())
    about = ast.get_docstring(tree) or ""
    found = []
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        before = f"::{node.name}" if isinstance(node, ast.ClassDef) else ""
        found += [
            (f"{before}::{one.name}", f"{about} {ast.get_docstring(one) or ''}")
            for one in inner
            if isinstance(one, ast.FunctionDef)
        ]
    return found


@cache
def web_tests(path: str) -> list[tuple[str, str]]:
    """Title, and the words around it: its own and those of what it stands in."""
    found, around = [], ""  # a describe precedes its tests
    for kind, *titles in TITLE.findall((ROOT / path).read_text()):
        title = "".join(titles).replace("\\'", "'")
        if kind == "describe":
            around = title
            found.append((title, title))
        else:
            found.append((title, f"{around} {title}"))
    return found


@cache
def rows() -> list[tuple[str, str, tuple[Named, ...]]]:
    """Section, statement, tests."""
    found = []
    for section, text in SECTIONS:
        for line in text.splitlines():
            if line.startswith("| ") and not line.startswith("| statement |"):
                statement, _, shown = line.removeprefix("| ").partition(" | ")
                named = [Named(*one) for pattern in (PYTHON, WEB) for one in pattern.findall(shown)]
                assert len(named) == shown.count("`") // 2, line
                found.append((section, statement, tuple(named)))
    return found


def test_every_section_has_its_statements() -> None:
    counted = {section: sum(one == section for one, *_ in rows()) for section, _ in SECTIONS}
    assert list(counted) == list("123456789")
    assert all(count >= 6 for count in counted.values()), counted
    assert sum(counted.values()) > 150


@pytest.mark.parametrize("path", sorted({named.path for *_, tests in rows() for named in tests}))
def test_the_named_tests_exist(path: str) -> None:
    assert (ROOT / path).is_file()
    wanted = {named for *_, tests in rows() for named in tests if named.path == path}
    assert [named.name for named in wanted if not named.texts] == []


def test_each_statement_has_a_test_that_names_its_section() -> None:
    lost = [
        f"§{section} {statement}"
        for section, statement, tests in rows()
        if not any(f"§{section}" in text for named in tests for text in named.texts)
    ]
    assert lost == []
