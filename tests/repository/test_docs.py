"""The documentation points to what exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from infra.kernel.config.paths import ROOT
from infra.ops import docs

GENERATED = docs.documents()
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "decisions").glob("*.md")])
LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_inside_the_project_leads_somewhere(page: Path) -> None:
    inside = [target for target in LINK.findall(page.read_text()) if "://" not in target and target[0] != "#"]
    missing = [target for target in inside if not (page.parent / target.partition("#")[0]).exists()]
    assert not missing, f"{page.name} links to what is not there"


def test_decisions_are_numbered_without_gaps() -> None:
    numbers = [int(path.name[:4]) for path in sorted((ROOT / "docs" / "decisions").glob("*.md"))]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("page", GENERATED, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_is_generated_from_code_is_up_to_date(page: Path) -> None:
    assert page.read_text() == GENERATED[page], "run: make docs"


def test_every_page_that_lists_what_the_code_has_is_generated() -> None:
    names = {page.name for page in GENERATED}
    assert names >= {"analysts.md", "audit.md", "events.md", "projections.md", "settings.md", ".env.example"}
    assert "architecture.svg" in names


def test_a_part_is_replaced_between_its_markers() -> None:
    page = "a <!-- generated: one -->old<!-- end --> b\n\n<!-- generated: one -->\nold\n<!-- end -->\nc\n"
    written = docs.with_parts(page, {"one": lambda: "new"})
    block = "<!-- generated: one -->\n\nnew\n\n<!-- end -->"
    assert written == f"a <!-- generated: one -->new<!-- end --> b\n\n{block}\nc\n"
    with pytest.raises(KeyError):
        docs.with_parts(page, {})
