"""What the product draws and ships for published pages: its font, its drawings and the mark beside a site's name."""

from __future__ import annotations

from typing import get_args

import pytest

from infra.domain.publishing.blocks import Art
from infra.domain.publishing.document import PageDocument, SiteDocument
from infra.domain.publishing.fonts import font_files
from infra.domain.publishing.render import SiteFile, Surroundings, render_page
from infra.domain.publishing.render.text_mark import initial
from tests.support.published_pages import TENTS, page, site, surroundings
from tests.support.strict_html import read

HERO = {"type": "hero", "title": "Tents"}


def rendered(document: PageDocument, of: SiteDocument | None = None, around: Surroundings | None = None) -> SiteFile:
    return render_page(of or site(), TENTS, document, around or surroundings())


@pytest.mark.parametrize("art", [name for name in get_args(Art) if name != "none"])
def test_a_drawing_is_part_of_the_page_and_says_nothing_to_screen_readers(art: str) -> None:
    document = read(rendered(page({**HERO, "art": art})).body)
    [drawn] = document.all("svg")
    assert drawn.attributes["aria-hidden"] == "true" and ".art .a" in document.one("style").text
    assert all(path.attributes["class"] in set("acdghlmsw") for path in document.all("path"))


def test_a_hero_with_an_image_or_without_a_drawing_has_none() -> None:
    document = read(rendered(page(HERO)).body)
    assert not document.all("svg") and ".art" not in document.one("style").text


def test_the_font_is_declared_where_its_files_are_served_and_the_policy_allows_it() -> None:
    document = page(HERO)
    theme = {"preset": "studio"}
    file = rendered(document, site(theme=theme), around=surroundings(has_fonts=True))
    latin = font_files()[0].path
    html = read(file.body)
    assert f"url(../../{latin})" in html.one("style").text and "font-src 'self'" in file.security_policy
    [preload] = [link.attributes for link in html.all("link") if link.attributes["rel"] == "preload"]
    assert preload["href"] == f"../../{latin}"
    for other in (
        rendered(document, site(theme=theme), around=surroundings()),
        rendered(document, site(theme={"preset": "paper"}), around=surroundings(has_fonts=True)),
    ):
        assert b"@font-face" not in other.body and "font-src" not in other.security_policy


def test_a_font_file_is_named_by_its_content_and_small() -> None:
    files = font_files()
    assert len({file.path for file in files}) == len(files) == 4
    assert all(file.body.startswith(b"wOF2") and len(file.body) < 90_000 for file in files)
    assert len(files[0].body) < 50_000


@pytest.mark.parametrize(
    ("name", "mark"),
    [
        ("tunnel report", "T"),
        ("  (beta) x", "B"),
        ("ß", "ß"),
        ("مراجعة", "م"),
        ("é\u0301tude", "É\u0301"),
        ("👩🏽\u200d🚀 Trips", "👩🏽\u200d🚀"),
        ("🇮🇸 Iceland", "🇮🇸"),
        ("7 tents", "7"),
        ("---", "-"),
        ("x" * 200, "X"),
    ],
)
def test_the_mark_is_the_first_character_as_people_see_it(name: str, mark: str) -> None:
    assert initial(name) == mark


def test_the_mark_stands_in_the_link_to_the_home_page() -> None:
    html = read(rendered(page(HERO), site(name="tents")).body)
    [mark] = [span for span in html.all("span") if span.attributes.get("class") == "mark"]
    assert (mark.text, mark.attributes["aria-hidden"]) == ("T", "true")
