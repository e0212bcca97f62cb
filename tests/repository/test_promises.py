"""docs/promises.md names a test for each property that the README promises, and nothing else."""

from __future__ import annotations

import re

import pytest

from infra.kernel.config.paths import ROOT
from tests.repository.test_security_page import names_in

_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
_TEST = re.compile(r"`(tests/[\w/]+\.py)((?:::\w+)+)`")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "docs" / "promises.md").read_text().splitlines()
    if line.startswith("| ") and not line.startswith("| promise ")
]


def promises() -> list[str]:
    """The sentences of the README's first list, without its bold words and its links."""
    items = re.findall(r"^- \*\*[^*]+\*\* (.+)$", (ROOT / "README.md").read_text(), re.MULTILINE)
    text = [_LINK.sub(r"\1", item) for item in items]
    return [sentence for item in text for sentence in re.split(r"(?<=\.) (?=[A-Z])", item)]


def test_every_promise_of_the_readme_has_its_row() -> None:
    assert len(promises()) >= 9
    assert [row[0] for row in ROWS] == promises()


@pytest.mark.parametrize("row", ROWS, ids=[row[0][:40] for row in ROWS])
def test_the_tests_of_a_promise_exist(row: list[str]) -> None:
    named = _TEST.findall(row[1])
    assert named and all(name in names_in(path) for path, name in named), named
