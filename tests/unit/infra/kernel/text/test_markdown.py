"""Markdown of strangers: no script, no foreign request, no form; links marked as what they are."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest

from infra.kernel.text import markdown
from infra.kernel.text.markdown import ATTRIBUTES, REL, TAGS
from tests.support.xss import VECTORS


class Page(HTMLParser):
    """What a browser would make of it."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(decl)

    handle_pi = unknown_decl = handle_comment = handle_decl  # type: ignore[assignment]  # only the names of arguments differ


def test_there_are_more_than_a_hundred_vectors() -> None:
    assert len(set(VECTORS)) >= 200


def test_nothing_that_a_stranger_writes_becomes_more_than_text_and_links() -> None:
    assert {source for source in VECTORS for text in around(source) if not is_text_and_links(text)} == set()


def around(source: str) -> tuple[str, ...]:
    return source, f"before {source} after", f"> {source}", f"- {source}\n- b"


def is_text_and_links(text: str) -> bool:
    return all(
        tag in TAGS
        and attributes.keys() <= ATTRIBUTES.get(tag, set()) | ({"rel"} if tag == "a" else set())
        and (tag != "a" or attributes["rel"] == REL)
        and (tag != "a" or (attributes["href"] or "").startswith(("http://", "https://")))
        for tag, attributes in Page(markdown.render(text)).tags
    )


def test_what_members_write_looks_as_they_meant_it() -> None:
    html = markdown.render(
        "# Title\n\n**bold** *it* ~~gone~~ `code`\n\n1. one\n2. two\n\n> said\n\n```python\nx = 1 < 2\n```\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n[here](https://a.example/?x=1&y=2)"
    )
    for part in (
        "<h1>Title</h1>", "<strong>bold</strong>", "<em>it</em>", "<s>gone</s>", "<code>code</code>", "<ol>",
        "<blockquote>", 'class="language-python"', "x = 1 &lt; 2", "<table>", "<td>2</td>",
        'href="https://a.example/?x=1&amp;y=2" rel="ugc nofollow noopener"',
    ):  # fmt: skip
        assert part in html


def test_a_bare_address_is_a_link_and_an_image_is_a_link_to_it() -> None:
    assert '<a href="https://a.example/x" rel="ugc nofollow noopener">https://a.example/x</a>' in markdown.render(
        "see https://a.example/x"
    )
    html = markdown.render("![a chart](https://a.example/x.png)")
    assert html == '<p><a href="https://a.example/x.png" rel="ugc nofollow noopener">a chart</a></p>\n'


def test_links_are_found_however_they_are_written() -> None:
    source = "[a](https://a.example) <https://b.example> https://c.example ![d](https://d.example/i.png) `https://no.example`"
    assert markdown.links(source) == [
        "https://a.example", "https://b.example", "https://c.example", "https://d.example/i.png",
    ]  # fmt: skip
    assert markdown.foreign_links(f"{source} https://own.example/x", "own.example") == markdown.links(source)


@pytest.mark.parametrize(
    "source",
    [
        "www.spam.online", "see (www.spam.casino/x) ok", "*www.spam.online*", "`x`www.spam.online",
        "https://a_b.spam.online", "https&#58;//spam.online", "https&colon;//spam.online", "h&#116;tps://spam.online",
        "https\\://spam.online", "\\https://spam.online", "ww&#119;.spam.online", "日本https://spam.online",
        "[^1]\n\n[^1]: www.spam.online", "| a |\n|---|\n| www.spam.online |", "https://[::1",
    ],
)  # fmt: skip
def test_what_the_page_would_make_a_link_of_is_one(source: str) -> None:
    """GitHub's dialect, which browsers draw, links more than this parser does: none of it may pass by a moderator."""
    assert len(markdown.foreign_links(source, "own.example")) == 1


def test_what_is_no_link_anywhere_is_none() -> None:
    source = "`https://no.example` awww.no.example www. https:// [a](//no.example) https://own.example/x a@b.example"
    assert markdown.foreign_links(source, "own.example") == []


def test_plain_text_is_one_line_without_marks_and_ends_at_a_word() -> None:
    assert markdown.plain("# One\n\n**two** [three](https://a.example)\nfour `five`") == "One two three four five"
    assert markdown.plain("lighthouse keepers", 12) == "lighthouse…"


@pytest.mark.parametrize("mark", ["[", "![](", "[a](", "<", "_a_", "*", "`", "~"])
def test_texts_that_are_slow_to_parse_are_recognized(mark: str) -> None:
    assert not markdown.is_readable(mark * 8_000)
    assert markdown.is_readable(f"{mark} " * 300)
    assert markdown.render(mark * 300)
