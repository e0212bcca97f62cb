"""CHANGELOG.md follows Keep a Changelog, and its newest release is the version of the program."""

from __future__ import annotations

import re
import tomllib
from datetime import date
from itertools import pairwise

import pytest

from infra.kernel.config.paths import ROOT

LINES = (ROOT / "CHANGELOG.md").read_text().splitlines()
MAX_LINE = 120
KINDS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
RELEASE = re.compile(r"## \[(\d+)\.(\d+)\.(\d+)\] - (\d{4}-\d{2}-\d{2})")
HEADINGS = [line for line in LINES if line.startswith("## ")]
RELEASES = [found.groups() for line in HEADINGS if (found := RELEASE.fullmatch(line))]


def test_the_page_begins_with_its_title_and_one_line_of_introduction() -> None:
    assert LINES[0] == "# Changelog"
    assert LINES[2] and not LINES[2].startswith("#") and LINES[1] == LINES[3] == ""
    assert LINES[4] == HEADINGS[0] == "## [Unreleased]"


def test_every_release_has_a_version_and_a_date() -> None:
    assert [line for line in HEADINGS[1:] if not RELEASE.fullmatch(line)] == []
    assert len(RELEASES) >= 2


def test_the_newest_release_comes_first() -> None:
    versions = [(int(major), int(minor), int(patch)) for major, minor, patch, _ in RELEASES]
    dates = [date.fromisoformat(day) for *_, day in RELEASES]
    assert all(newer > older for newer, older in pairwise(versions))
    assert all(newer >= older for newer, older in pairwise(dates))


def test_the_newest_release_is_the_programs_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == ".".join(RELEASES[0][:3])


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_section_has_kinds_of_entries_in_their_order_and_none_is_empty(heading: str) -> None:
    after = LINES[LINES.index(heading) + 1 :]
    section = after[: next((at for at, line in enumerate(after) if line.startswith("## ")), len(after))]
    kinds = [line.removeprefix("### ") for line in section if line.startswith("### ")]
    assert kinds == [kind for kind in KINDS if kind in kinds]
    written = [line for line in section if line]
    assert not written or written[0].startswith("### "), "an entry stands before the first kind"
    assert all(not (one.startswith("### ") and two.startswith("### ")) for one, two in pairwise([*written, "### "]))


def test_an_entry_is_one_line() -> None:
    entries = [line for line in LINES[5:] if line and not line.startswith("#")]
    assert [line for line in entries if not re.fullmatch(r"- .*[.)]", line)] == []
    assert len(entries) == len(set(entries))
    assert [line for line in LINES if len(line) > MAX_LINE] == []
