"""Every page that a site can have is valid HTML, and its feed and sitemap are what their readers expect.

One run of the checker over all pages: the starters, the themes, and odd texts (`tests.contract.publishing.sites`).
"""

from __future__ import annotations

from pathlib import Path

from tests.support.html_checker import html_faults, machine_file_faults


def test_pages_are_valid_html(pages: Path) -> None:
    assert html_faults(pages) == []


def test_feeds_and_sitemaps_are_valid(pages: Path) -> None:
    files = sorted(pages.glob("*/feed.xml")) + sorted(pages.glob("*/sitemap.xml"))
    assert len(files) > 50 and machine_file_faults(files) == []


def test_the_checker_finds_faults(tmp_path: Path) -> None:
    (tmp_path / "x.html").write_text("<!doctype html><html lang=en><title>x</title><ul><p>x</ul><img src=x>")
    assert len(html_faults(tmp_path)) == 2
    feed = tmp_path / "feed.xml"
    feed.write_text('<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en"><title>x</title></feed>')
    assert machine_file_faults([feed])
