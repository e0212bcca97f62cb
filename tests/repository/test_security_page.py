"""docs/security.md names a test for everything that it says: each of them must exist."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from infra.kernel.config.paths import ROOT

PAGE = (ROOT / "docs" / "security.md").read_text()
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)((?:::\w+)+)`", PAGE)))


@cache
def names_in(path: str) -> frozenset[str]:
    found = set()
    for node in ast.parse((ROOT / path).read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(f"::{node.name}")
        elif isinstance(node, ast.ClassDef):
            found |= {
                f"::{node.name}::{inner.name}"
                for inner in node.body
                if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef)
            }
    return frozenset(found)


def test_the_page_names_tests() -> None:
    assert len(NAMED) > 50


@pytest.mark.parametrize(("path", "name"), NAMED)
def test_the_named_test_exists(path: str, name: str) -> None:
    assert (ROOT / path).is_file(), path
    assert name in names_in(path), f"{path}{name}"


def test_every_sentence_has_one() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| item |")]
    assert rows and all("tests/" in row.split("|")[-2] for row in rows), [row for row in rows if "tests/" not in row]
