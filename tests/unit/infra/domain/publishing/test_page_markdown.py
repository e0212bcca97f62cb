"""Markdown of published pages: references, headings and tables; the rest is as in every other Markdown."""

from __future__ import annotations

import pytest

from infra.domain.publishing.page_markdown import Anchor, Picture, page_references, plain_page, render_page
from infra.kernel.text import markdown

ID = "0f0e0d0c-0b0a-4908-8706-050403020100"
PHOTO = "ab" * 32


class Site:
    """A site with one link and one image."""

    def anchor(self, address: str) -> Anchor | None:
        return (
            Anchor("/go/x", "sponsored") if address == f"link:{ID}" else Anchor(address) if "://" in address else None
        )

    def picture(self, content_hash: str) -> Picture | None:
        return Picture("x.webp", 4, 3) if content_hash == PHOTO else None


def test_references_lead_where_the_site_says() -> None:
    html = render_page(f"[a](link:{ID}) [b](page:{ID}) ![c](image:{PHOTO}) ![d](image:{'0' * 64})", Site())
    assert html == (
        '<p><a href="/go/x" rel="sponsored">a</a> b'
        ' <img alt="c" src="x.webp" width="4" height="3" loading="lazy"> d</p>\n'
    )


def test_an_image_inside_of_a_link_stays_one_and_that_of_another_site_is_text() -> None:
    assert '<a href="/go/x" rel="sponsored"><img alt="c"' in render_page(f"[![c](image:{PHOTO})](link:{ID})", Site())
    assert render_page(f"[![c](https://a.example/c)](link:{ID})", Site()) == (
        '<p><a href="/go/x" rel="sponsored">c</a></p>\n'
    )


def test_references_are_listed_in_order() -> None:
    found = page_references(f"![](image:{PHOTO}) [a](link:{ID}) `[b](link:{ID})` [c](page:{ID}) [d](https://a.example)")
    assert (found.links, found.pages, found.images, found.undescribed) == ((ID,), (ID,), (PHOTO,), 1)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("# a\n\n### b\n\n## c", ["h2", "h3", "h3"]),
        ("#### a\n\n# b\n\n###### c", ["h2", "h2", "h3"]),
        ("# a\n\n# b\n\n## c\n\n## d", ["h2", "h2", "h3", "h3"]),
        ("a\n=\n\nb\n-", ["h2", "h3"]),
    ],
)
def test_headings_begin_at_the_first_level_and_skip_none(source: str, expected: list[str]) -> None:
    html = render_page(source, Site())
    assert [html[at + 1 : at + 3] for at in range(len(html)) if html[at : at + 2] == "<h"] == expected


def test_a_heading_without_a_text_is_none_and_such_a_link_has_its_address() -> None:
    assert render_page("#\n\n## \n\n[](https://a.example)", Site()) == (
        '<p><a href="https://a.example">https://a.example</a></p>\n'
    )


@pytest.mark.parametrize("address", ["http://|", "HTTP://[::1", "http://1.2.3.4.5"])
def test_an_address_that_no_browser_reads_is_text(address: str) -> None:
    assert "<a" not in render_page(f"[a]({address}) {address} <{address}> ![b]({address})", Site())


def test_a_table_scrolls_and_its_heads_name_columns() -> None:
    html = render_page("| | b |\n|---|:--|\n| 1 | 2 |", Site(), table_label='T"')
    assert html.startswith('<div class="scroll" tabindex="0" role="region" aria-label="T&quot;">\n<table>')
    assert '<td></td>\n<th scope="col">b</th>' in html and "style" not in html


def test_text_without_references_is_what_other_markdown_shows() -> None:
    source = "a **b** *c* ~~d~~ `e`\n\n> f\n\n1. g\n\n```python\nh\n```\n\n<b>i</b>"
    assert render_page(source, Site()) == markdown.render(source)
    assert plain_page(f"# a\n\n[b](link:{ID}) **c**") == "a b c"


def test_references_are_no_links_in_texts_of_members() -> None:
    assert "<a" not in markdown.render(f"[a](link:{ID}) [b](page:{ID})")
