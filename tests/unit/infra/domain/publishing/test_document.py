"""Documents of the website builder: what is allowed, and what the error says when it is not."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import pytest

from infra.domain.publishing.blocks import BLOCK_TYPES
from infra.domain.publishing.document import MAX_BYTES, DocumentRejected, parse_page, parse_site, to_json
from tests.support.published_pages import HOME, IMAGE, LINK, PHOTO, TENTS, TO_HOME, blocks, page, site, web

ID = "00000000-0000-0000-0000-0000000007d0"


def fault(*found: Any) -> DocumentRejected:
    with pytest.raises(DocumentRejected) as caught:
        page(*found)
    return caught.value


def test_every_type_of_block_is_read_and_written_unchanged() -> None:
    found = page(*blocks())
    assert tuple(block.type for block in found.blocks) == (
        *("disclosure", "hero", "article", "review", "comparison", "offers", "price", "faq", "image", "newsletter"),
    )
    assert {block.type for block in found.blocks} == set(BLOCK_TYPES)
    assert parse_page(to_json(found)) == found and to_json(parse_page(to_json(found))) == to_json(found)
    assert set(found.images()) == {PHOTO} and set(found.links()) == {LINK}


def test_a_block_is_named_by_its_name_else_by_its_id() -> None:
    named, unnamed = page(
        {"type": "disclosure", "text": "a", "name": "top"}, {"type": "disclosure", "text": "b"}
    ).blocks
    assert (named.placement, unnamed.placement) == ("top", str(unnamed.id))


@pytest.mark.parametrize(
    ("block", "message", "field"),
    [
        (
            {"type": "carousel"},
            'Block 1 (carousel), "type" must be one of: hero, article, review, comparison, offers, price, faq, image,'
            " newsletter, disclosure.",
            "blocks.0.type",
        ),
        ({"text": "x"}, "Block 1 must have the field 'type'.", "blocks.0"),
        ({"type": "disclosure", "text": ""}, 'Block 1 (disclosure), "text" must not be empty.', "blocks.0.text"),
        ({"type": "disclosure"}, 'Block 1 (disclosure), "text" is required.', "blocks.0.text"),
        ({"type": "disclosure", "text": 1}, 'Block 1 (disclosure), "text" must be text.', "blocks.0.text"),
        (
            {"type": "disclosure", "text": "x", "html": "x"},
            'Block 1 (disclosure), "html" is not a known field.',
            "blocks.0.html",
        ),
        (
            {"type": "disclosure", "text": "x", "id": "7"},
            'Block 1 (disclosure), "id" must be an id (UUID).',
            "blocks.0.id",
        ),
        (
            {"type": "disclosure", "text": "x", "name": "A b"},
            'Block 1 (disclosure), "name" must be lowercase letters, digits and hyphens, such as best-offer.',
            "blocks.0.name",
        ),
        (
            {"type": "hero", "title": "x" * 121},
            'Block 1 (hero), "title" must have at most 120 characters.',
            "blocks.0.title",
        ),
        (
            {"type": "review", "product": "x", "rating": 51},
            'Block 1 (review), "rating" must be at most 50.',
            "blocks.0.rating",
        ),
        (
            {"type": "review", "product": "x", "rating": 4.5},
            'Block 1 (review), "rating" must be a whole number.',
            "blocks.0.rating",
        ),
        (
            {"type": "review", "product": "x", "pros": ["a", ""]},
            "Block 1 (review), pros 2 must not be empty.",
            "blocks.0.pros.1",
        ),
        (
            {"type": "review", "product": "x", "pros": ["a"] * 13},
            'Block 1 (review), "pros" must have at most 12 entries.',
            "blocks.0.pros",
        ),
        (
            {"type": "offers", "offers": [{"name": "a"}, {"name": ""}]},
            'Block 1 (offers), offers 2, "name" must not be empty.',
            "blocks.0.offers.1.name",
        ),
        (
            {"type": "image", "image": {**IMAGE, "alt": ""}},
            'Block 1 (image), "image" needs "alt", a text that says what it shows, or "is_decorative".',
            "blocks.0.image",
        ),
        (
            {"type": "image", "image": {**IMAGE, "alt": "", "is_decorative": True}, "target": TO_HOME},
            'Block 1 (image) must have an image with "alt", because the image is a link.',
            "blocks.0",
        ),
        (
            {"type": "image", "image": {**IMAGE, "width": 9_000, "height": 9_000}},
            'Block 1 (image), "image" must have at most 50 megapixels.',
            "blocks.0.image",
        ),
        (
            {"type": "image", "image": {**IMAGE, "hash": "A" * 64}},
            'Block 1 (image), "image", "hash" must be the content hash of an uploaded image:'
            " 64 hexadecimal digits in lower case.",
            "blocks.0.image.hash",
        ),
        (
            {"type": "article", "markdown": f"![](image:{PHOTO})"},
            'Block 1 (article), "markdown" must say what each uploaded image shows: ![what it shows](image:...).',
            "blocks.0.markdown",
        ),
        (
            {"type": "article", "markdown": "x" * 100_001},
            'Block 1 (article), "markdown" must have at most 100,000 characters.',
            "blocks.0.markdown",
        ),
        (
            {"type": "price", "product": "x", "amount": 5, "currency": "EURO"},
            'Block 1 (price), "currency" must be a currency code of ISO 4217, such as EUR.',
            "blocks.0.currency",
        ),
        (
            {"type": "price", "product": "x", "amount": 5, "old_amount": 5, "currency": "EUR"},
            'Block 1 (price) must have an "old_amount" that is more than "amount".',
            "blocks.0",
        ),
        (
            {"type": "comparison", "title": "x", "products": [{"name": "a"}], "rows": [{"feature": "f", "values": []}]},
            "Block 1 (comparison) has 0 values in row 1 and 1 products: each row needs a value for each product.",
            "blocks.0",
        ),
        (
            {"type": "offers", "offers": [{"name": "a", "target": {"kind": "file"}}]},
            'Block 1 (offers), offers 1, "target", "kind" must be one of: link, page, web.',
            "blocks.0.offers.0.target.kind",
        ),
    ],
)
def test_an_error_says_which_block_which_field_and_what_is_allowed(
    block: dict[str, Any], message: str, field: str
) -> None:
    found = fault(block)
    assert (found.message, found.field) == (message, field)
    assert found.block_id == block.get("id", ID)


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " javascript:alert(1)",
        "java\tscript:alert(1)",
        "java\nscript:alert(1)",
        "\x01javascript:alert(1)",
        "javascript&#58;alert(1)",
        "data:text/html,<script>",
        "vbscript:msgbox(1)",
        "file:///etc/passwd",
        "blob:https://a.example/x",
        "mailto:a@b.example",
        "//a.example",
        "/path",
        "a.example",
        "https:a.example",
        "https:///a.example",
        "http:\\\\a.example",
        "https://a.example\\@b",
        "https://user:pass@a.example/",
        "https://a.example/ x",
        'https://a.example/"onclick=',
        "https://a.example/<b>",
        "https://[::1",
        "https://a.example:99999/",
        "https://",
        "https://;script-src",
        "https://1.2.3.4.5/",
        "https://a.example/" + "x" * 2_048,
    ],
)
def test_a_target_is_a_complete_web_address(url: str) -> None:
    assert (
        fault({"type": "offers", "offers": [{"name": "a", "target": web(url)}]}).field == "blocks.0.offers.0.target.url"
    )


@pytest.mark.parametrize(
    "url", ["https://a.example", "HTTP://a.example:8080/x?y=1#z", "https://münchen.example/ü", "https://[::1]/"]
)
def test_web_addresses_of_all_kinds_are_targets(url: str) -> None:
    assert page({"type": "offers", "offers": [{"name": "a", "target": web(url)}]})


def test_texts_lose_what_no_reader_sees() -> None:
    [hero, article] = page(
        {"type": "hero", "title": "  A\u202eb\x00\tc\r\nd\ufeff\u2066 ", "text": "a\r\nb\u2028c"},
        {"type": "article", "markdown": "a\x00\u202e\r\rb שלום\u200f 👩\u200d💻"},
    ).blocks
    assert hero.type == "hero" and (hero.title, hero.text) == ("Ab c d", "a\nb\nc")
    assert article.type == "article" and article.markdown == "a\n\nb שלום\u200f 👩\u200d💻"


@pytest.mark.parametrize("text", [" \u200b\u2060 ", "\ufeff", "\u00a0", "\u3164"])
def test_a_text_that_nobody_can_see_is_empty(text: str) -> None:
    assert "must not be empty" in fault({"type": "hero", "title": text}).message


def test_half_a_character_is_an_error_with_its_place() -> None:
    found = fault({"type": "disclosure", "text": "a"}, {"type": "disclosure", "text": "\ud83d"})
    assert (found.code, found.field) == ("invalid_text", "blocks.1.text")
    assert "contains half of a character" in found.message


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff", b"[" * 100_000, b"1" * 5_000, b'{"blocks": [' + b"[" * 500 + b"]" * 500 + b"]}"]
)
def test_what_is_no_json_is_one_error(content: bytes) -> None:
    with pytest.raises(DocumentRejected):
        parse_page(content)


@pytest.mark.parametrize(
    "content",
    [b"[]", b'"x"', b"null", b'{"blocks": {}}', b'{"blocks": [[]]}', b'{"blocks": [{"type": []}]}', b'{"x": 1}'],
)
def test_json_of_another_shape_is_one_error(content: bytes) -> None:
    with pytest.raises(DocumentRejected, match=r"\.$"):
        parse_page(content)


def test_a_page_has_bounds() -> None:
    one = {"type": "disclosure", "text": "x"}
    assert len(page(*[one] * 200).blocks) == 200
    assert fault(*[one] * 201).message == '"blocks" must have at most 200 entries.'
    assert len(page(*[{"type": "article", "markdown": "x" * 100_000}] * 2).blocks) == 2
    too_large = fault(*[{"type": "article", "markdown": "x" * 90_000}] * 3)
    assert too_large.code == "document_too_large" and f"{MAX_BYTES:,}" in too_large.message
    both = fault({**one, "name": "x"}, {**one, "name": "x"})
    assert both.message == "The document has the same id or name in blocks 1 and 2."


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"language": "english"}, '"language" must be a language code, such as en, de or pt-BR.'),
        (
            {"navigation": [str(UUID(int=7))]},
            'The document must name each page at most once in "navigation", and only its own pages.',
        ),
        ({"pages": []}, '"pages" must have at least one entry.'),
        (
            {"theme": {"preset": "neon"}},
            "\"theme\", \"preset\" must be one of: 'studio', 'journal', 'signal', 'paper', 'slate', 'forest', 'ocean',"
            " 'ember' or 'midnight'.",
        ),
    ],
)
def test_an_error_of_a_site_says_what_is_allowed(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(DocumentRejected) as caught:
        site(**changes)
    assert caught.value.message == message


def pages(*paths: str) -> list[dict[str, Any]]:
    return [
        {"id": str(UUID(int=number + 1)), "path": path, "title": f"Page {path}"} for number, path in enumerate(paths)
    ]


def test_paths_that_collide_are_named() -> None:
    with pytest.raises(DocumentRejected, match='two pages at the path "a": "Page a" and "Page a"'):
        site(pages=pages("", "a", "a"), navigation=[])
    with pytest.raises(DocumentRejected, match="two home pages"):
        site(pages=pages("", ""), navigation=[])
    with pytest.raises(DocumentRejected, match="needs a home page"):
        site(pages=pages("a"), navigation=[])
    assert len(site(pages=pages("", *map(str, range(63))), navigation=[]).pages) == 64


@pytest.mark.parametrize(
    "path",
    [
        "go",
        "go/x",
        "track",
        "images/x",
        "subscribe",
        "api/x",
        ".well-known",
        "t.js",
        "sitemap.xml",
        "404",
        "a/index",
        "A",
        "a b",
        "a/",
        "/a",
        "a//b",
        "a/b/c/d",
        "..",
        "a/../b",
        "-a",
        "a-",
        "ä",
        "a%2fb",
        "a\\b",
        "x" * 61,
        "a?b",
        "a#b",
    ],
)
def test_a_path_that_serving_needs_or_that_is_none_is_rejected(path: str) -> None:
    with pytest.raises(DocumentRejected) as caught:
        site(pages=pages("", path), navigation=[])
    assert caught.value.field == "pages.1.path" and caught.value.message.startswith('Page 2, "path" must ')


@pytest.mark.parametrize("path", ["a", "best-vpn-2026", "reviews/a/b", "a--b", "going"])
def test_ordinary_paths_are_fine(path: str) -> None:
    assert site(pages=pages("", path), navigation=[]).pages[1].path == path


def test_a_site_is_written_as_it_is_read() -> None:
    found = site()
    assert parse_site(to_json(found)) == found and found.page(TENTS) is not None
    assert [found.page(HOME), found.page(UUID(int=9))] == [found.pages[0], None]
    assert json.loads(to_json(found))["theme"]["preset"] == "paper"
