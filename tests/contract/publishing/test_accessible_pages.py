"""Published pages have no violation of axe-core: each page of the starters and all kinds of blocks in each theme, light
on a phone and dark on a desktop. No page is wider than its window, also while its images are missing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from infra.ops.bootstrap import browser
from tests.support.stack import ROOT

AXE: Final = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
LOOKS: Final[tuple[tuple[Literal["light", "dark"], int], ...]] = (("light", 390), ("dark", 1440))
RUN: Final = """async (isDark) => {
  const contrast = { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } };
  const { violations } = await axe.run(document, { resultTypes: ['violations'], ...(isDark ? contrast : {}) });
  return violations.map(({ id, nodes }) => [id, nodes[0].html.slice(0, 200), nodes[0].failureSummary]);
}"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=browser(), args=["--no-sandbox", "--disable-gpu"])
        yield launched
        launched.close()


@pytest.fixture
def shown(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(reduced_motion="reduce")
    context.add_init_script(AXE.read_text("utf-8"))
    yield context.new_page()
    context.close()


def test_the_pages_of_starters_and_themes_have_no_violations(pages: Path, shown: Page) -> None:
    files = [*pages.glob("starter-*/**/*.html"), *pages.glob("theme-*/reviews/tents/index.html")]
    assert len(files) > 50
    assert [fault for file in sorted(files) for fault in faults(shown, file)] == []


def test_the_look_finds_faults(tmp_path: Path, shown: Page) -> None:
    (tmp_path / "x.html").write_text("<html><title>x</title><img src=x><p style='width:3000px;color:#999'>Grey</p>")
    found = {rule for _, _, rule, *_ in faults(shown, tmp_path / "x.html")}
    assert found >= {"image-alt", "color-contrast", "html-has-lang", "too wide"}


def faults(shown: Page, file: Path) -> Iterator[tuple[Any, ...]]:
    """What is wrong with the page: file, look, rule and place."""
    shown.goto(file.as_uri())
    name = "/".join(file.parts[-3:])
    for scheme, width in LOOKS:
        shown.set_viewport_size({"width": width, "height": 900})
        shown.emulate_media(color_scheme=scheme)
        for rule, *place in shown.evaluate(RUN, scheme == "dark"):
            yield name, scheme, rule, *place
        extra = shown.evaluate("document.documentElement.scrollWidth - innerWidth")
        if extra > 0:
            yield name, scheme, "too wide", extra
