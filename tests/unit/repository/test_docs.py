"""The documentation points to what exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "infra" / "decisions").glob("*.md")])
LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_inside_the_project_leads_somewhere(page: Path) -> None:
    inside = [target for target in LINK.findall(page.read_text()) if "://" not in target and target[0] != "#"]
    missing = [target for target in inside if not (page.parent / target.partition("#")[0]).exists()]
    assert not missing, f"{page.name} links to what is not there"


def test_decisions_are_numbered_without_gaps() -> None:
    numbers = [int(path.name[:4]) for path in sorted((ROOT / "infra" / "decisions").glob("*.md"))]
    assert numbers == list(range(1, len(numbers) + 1))
