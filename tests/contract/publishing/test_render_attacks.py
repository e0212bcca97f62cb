"""Attackers write every text of a page: it stays text, whatever they try, and a page stays cheap to render."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infra.domain.publishing.document import DocumentRejected, PageDocument, parse_page, to_json
from infra.domain.publishing.render import render_page, render_site
from tests.support.published_pages import (
    HOME,
    IMAGE,
    LINK,
    PHOTO,
    TENTS,
    TO_HOME,
    TO_LINK,
    page,
    site,
    surroundings,
    web,
)
from tests.support.strict_html import Document, read
from tests.support.xss import VECTORS

BREAKOUTS = (
    "</script><script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    '" onload="alert(1)',
    "' onload='alert(1)",
    '"><img src=x onerror=alert(1)>',
    "<!--",
    "-->",
    "]]>",
    "<![CDATA[",
    "<svg/onload=alert(1)>",
    "{{ 7 * 7 }}",
    "{% raw %}",
    "{{ config }}",
    "${7*7}",
    "#{7*7}",
    "{number}",
    "{name.__class__}",
    "%s%n",
    "&lt;script&gt;",
    "&#60;script&#62;",
    "\\u003cscript\\u003e",
    "javascript:alert(1)",
    "\u2028alert(1)",
    "<script\x00>",
    "\ufeff<script>",
    "<a href=javascript:alert(1)>x</a>",
    "<plaintext>",
    "<noscript><p title='</noscript>'>",
)
SCHEMES = (
    "javascript:alert(1)",
    "JAVASCRIPT:alert(1)",
    "java%0ascript:alert(1)",
    "javascript&colon;alert(1)",
    "&#106;avascript:alert(1)",
    "\tjavascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "data:image/svg+xml,<svg onload=alert(1)>",
    "vbscript:msgbox(1)",
    "view-source:x",
    "//evil.example/x",
    "../x",
    "?x",
    "#x",
    f"link:{LINK}x",
    "link:../x",
    f"page:{LINK}/../x",
    f"image:{PHOTO}",
    "image:x",
    f"LINK:{LINK}",
    f"link:{LINK}?x=javascript:",
)


def everywhere(text: str) -> list[dict[str, Any]]:
    """A block of each type with this text in each of its texts."""
    line = f"x {text}"
    short = line[:60]
    offer = {"name": line[:120], "text": line, "price": short, "label": short, "target": TO_LINK}
    image = {**IMAGE, "alt": line[:250]}
    return [
        {
            "type": "hero",
            "title": line[:120],
            "text": line,
            "image": image,
            "action": {"label": short, "target": TO_HOME},
        },
        {"type": "article", "markdown": line},
        {
            "type": "review",
            "product": line[:120],
            "rating": 45,
            "summary": line,
            "pros": [line],
            "cons": [line],
            "label": short,
        },
        {
            "type": "comparison",
            "title": line[:120],
            "note": line,
            "products": [{"name": line[:80], "label": short, "target": TO_LINK}],
            "rows": [{"feature": line[:120], "values": [{"kind": "text", "text": line[:160]}]}],
        },
        {"type": "offers", "title": line[:120], "offers": [offer]},
        {"type": "price", "product": line[:120], "amount": 1, "currency": "USD", "note": line, "target": TO_LINK},
        {"type": "faq", "title": line[:120], "questions": [{"question": line[:200], "answer": line}]},
        {"type": "image", "image": image, "caption": line, "target": TO_HOME},
        {"type": "newsletter", "title": line[:120], "text": line, "label": short, "consent": line},
        {"type": "disclosure", "text": line},
    ]


def read_all(document: PageDocument, **changes: Any) -> Document:
    around = surroundings(placement_parameter="sub10")
    return read(render_page(site(**changes), TENTS, document, around).body)


@pytest.mark.parametrize("text", [*BREAKOUTS, *VECTORS[::4]])
def test_an_attack_in_every_text_is_text(text: str) -> None:
    pages = [
        {"id": str(HOME), "path": "", "title": f"x {text}"[:120]},
        {"id": str(TENTS), "path": "a/b", "title": f"x {text}"[:120], "description": f"x {text}"[:300]},
    ]
    document = page(*everywhere(text))
    changes = {"name": f"x {text}"[:80], "author": f"x {text}"[:80], "pages": pages, "navigation": [str(HOME)]}
    assert read_all(document, **changes)
    for file in render_site(site(**changes), {TENTS: document}, surroundings()).values():
        if file.security_policy:
            read(file.body)
        elif "xml" in file.content_type:
            ElementTree.fromstring(file.body)  # noqa: S314 - our own


def test_an_attack_is_shown_as_it_was_written() -> None:
    for text in ("{{ 7 * 7 }}", "{number}", "<b>bold</b>", "&lt;", "</style>"):
        found = read_all(page({"type": "hero", "title": text}, {"type": "review", "product": text, "rating": 1}))
        assert [heading for _, heading in found.headings()] == [text, text]
        assert found.structured_data()[0]["name"] == text


@pytest.mark.parametrize("address", [*SCHEMES, *(f" {scheme}" for scheme in SCHEMES[:3])])
def test_a_link_in_markdown_leads_to_the_web_or_to_what_the_site_has(address: str) -> None:
    source = (
        f"[a]({address}) [b](<{address}>) ![c]({address}) <{address}> [d]\n\n[d]: {address}\n\n| {address} |\n|---|"
    )
    found = read_all(page({"type": "article", "markdown": source}))
    own = {"#main", "../../", "../../reviews/tents/", "../../about/"}
    assert {link.attributes["href"] for link in found.all("a")} <= own
    assert all(image.attributes["src"].startswith("../../images/") for image in found.all("img"))


@pytest.mark.parametrize("address", [*SCHEMES[:10], 'https://a.example" onclick="x', "https://a.example/<script>"])
def test_a_target_in_every_field_is_a_web_address(address: str) -> None:
    target = web(address)
    for block in (
        {"type": "hero", "title": "x", "action": {"label": "x", "target": target}},
        {"type": "review", "product": "x", "target": target},
        {"type": "comparison", "title": "x", "products": [{"name": "x", "target": target}], "rows": []},
        {"type": "offers", "offers": [{"name": "x", "target": target}]},
        {"type": "price", "product": "x", "amount": 1, "currency": "USD", "target": target},
        {"type": "image", "image": IMAGE, "target": target},
    ):
        with pytest.raises(DocumentRejected):
            page(block)


@pytest.mark.parametrize(
    "source",
    [
        "- " * 10_000,
        "> " * 20_000,
        "+ a\n  " * 10_000,
        "".join(f"{' ' * 2 * depth}- x\n" for depth in range(300)),
        "#" * 100_000,
        "[" * 1_000,
        "![" * 500 + "](" * 400,
        "`" * 3_999,
        "*a_" * 1_300,
        "\n" * 100_000,
        "a\n\n" * 9_000,
        "|" * 90 + "\n" + "|-" * 90 + "|\n" + "|a" * 90,
        "<" * 999,
        "&" * 100_000,
        "www." * 20_000,
        "https://a.example " * 2_000,
        "\\" * 100_000,
        "![a](image:" + PHOTO + ") " + "x" * 90_000,
        "1. " * 10_000,
        "```\n" * 300,
        "[a]: x\n" * 900,
    ],
)
def test_a_text_that_nests_or_repeats_without_end_is_rendered(source: str) -> None:
    assert read_all(page({"type": "article", "markdown": "x\n\n" + source[:99_000]}))


@pytest.mark.parametrize(
    "source", ["[" * 1_001, "*" * 4_001, ("|a" * 100 + "\n") * 101, "|" * 9_000 + "\n" + "|-" * 9_000]
)
def test_texts_that_would_be_slow_are_rejected(source: str) -> None:
    with pytest.raises(DocumentRejected, match="table cells"):
        page({"type": "article", "markdown": source})


TEXT = st.one_of(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=40),
    st.sampled_from([*BREAKOUTS, *VECTORS]),
    st.lists(
        st.sampled_from(["#", "-", "|", "\n", ">", "`", "*", "[", "](", ")", "!", "<", "http://a.b", " ", "a"]),
        max_size=20,
    ).map("".join),
)
NEEDED = TEXT.map(lambda text: f"x{text}"[:60])
LINE = TEXT.map(lambda text: text[:60])
TARGET = st.one_of(
    st.none(), st.just(TO_LINK), st.just(TO_HOME), st.just({"kind": "page", "page_id": str(UUID(int=9))}),
    st.builds(web, st.sampled_from(["https://a.example/?a=1&b=(2)", "http://[::1]/", "https://www.awin1.com/#x"])),
)  # fmt: skip
PICTURE = st.builds(
    lambda alt, known: {**IMAGE, "alt": alt, "hash": PHOTO if known else "0" * 64}, NEEDED, st.booleans()
)
OFFER = st.fixed_dictionaries(
    {"name": NEEDED}, optional={"text": LINE, "price": LINE, "label": LINE, "target": TARGET, "image": PICTURE}
)
BLOCK = st.one_of(
    st.fixed_dictionaries({"type": st.just("hero"), "title": NEEDED}, optional={"text": TEXT, "image": PICTURE}),
    st.fixed_dictionaries({"type": st.just("article"), "markdown": TEXT.map(lambda text: f"x\n\n{text}")}),
    st.fixed_dictionaries(
        {"type": st.just("review"), "product": NEEDED},
        optional={
            "rating": st.integers(0, 50),
            "summary": TEXT,
            "pros": st.lists(NEEDED, max_size=3),
            "image": PICTURE,
            "cons": st.lists(NEEDED, max_size=3),
            "target": TARGET,
            "label": LINE,
        },
    ),
    st.builds(
        lambda title, names, cell: {
            "type": "comparison",
            "title": title,
            "products": [{"name": name, "target": TO_LINK} for name in names],
            "rows": [{"feature": title, "values": [{"kind": "text", "text": cell}] * len(names)}],
        },
        NEEDED,
        st.lists(NEEDED, min_size=1, max_size=4),
        LINE,
    ),
    st.fixed_dictionaries(
        {"type": st.just("offers"), "offers": st.lists(OFFER, min_size=1, max_size=3)}, optional={"title": LINE}
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("faq"),
            "questions": st.lists(
                st.fixed_dictionaries({"question": NEEDED, "answer": NEEDED}), min_size=1, max_size=3
            ),
        },
        optional={"title": LINE},
    ),
    st.fixed_dictionaries({"type": st.just("image"), "image": PICTURE}, optional={"caption": LINE, "target": TARGET}),
    st.fixed_dictionaries({"type": st.just("newsletter"), "title": NEEDED}, optional={"text": TEXT, "consent": LINE}),
    st.fixed_dictionaries({"type": st.just("disclosure"), "text": NEEDED}),
    st.fixed_dictionaries(
        {
            "type": st.just("price"),
            "product": NEEDED,
            "amount": st.integers(0, 10**15),
            "currency": st.sampled_from(["USD", "ISK", "KWD"]),
        },
        optional={"note": LINE, "target": TARGET},
    ),
)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(BLOCK, max_size=6), st.sampled_from(["en", "de", "ar", "is"]))
def test_any_document_that_is_accepted_is_valid_html(blocks: list[dict[str, Any]], language: str) -> None:
    try:
        document = page(*json.loads(json.dumps(blocks)))
    except DocumentRejected:  # a text of invisible characters only, or too many marks
        return
    assert parse_page(to_json(document)) == document
    read_all(document, language=language)
