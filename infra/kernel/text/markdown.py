"""Markdown of members: as safe HTML, as plain text, and its links.

The source is stored. HTML in it is text; the rendered HTML still passes an allowlist. A page loads nothing from
elsewhere to show it: an image becomes a link. Links are http and https only.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from typing import Final
from urllib.parse import urlsplit

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

TAGS: Final = frozenset(
    {"p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "em", "s", "code", "pre", "blockquote"}
    | {"ul", "ol", "li", "a", "table", "thead", "tbody", "tr", "th", "td"}
)
ATTRIBUTES: Final = {"a": {"href", "title"}, "ol": {"start"}, "code": {"class"}}
SCHEMES: Final = frozenset({"http", "https"})
REL: Final = "ugc nofollow noopener"
MAX_NESTING: Final = 20
"""Deeper quotes and lists are plain text."""
MAX_LINKED: Final = 200
MAX_BRACKETS: Final = 1_000
MAX_MARKS: Final = 4_000
MAX_CELLS: Final = 10_000
_SINGLE_READ: Final = 20
"""Characters of the source that are read for one of a beginning."""

_WEB: Final = re.compile(r"(?i)https?://")
_BARE: Final = re.compile(r"(?i)(?<![a-z0-9])(?:https?://|www\.)[^\s<>]{2,}")
_SPACE: Final = re.compile(r"\s+")


def parser(is_allowed: Callable[[str], bool]) -> MarkdownIt:
    """The one dialect: CommonMark with tables, strikethrough and bare links, without HTML. Links and images whose
    address is not allowed stay text."""
    made = MarkdownIt("commonmark", {"html": False, "linkify": True, "maxNesting": MAX_NESTING})
    made.enable(["table", "strikethrough", "linkify"])
    made.validateLink = is_allowed  # type: ignore[method-assign, assignment]  # the library's hook for allowed links
    return made


def is_web_link(url: str) -> bool:
    """Returns whether the address is an http or https one."""
    return bool(_WEB.match(url.strip()))


_MARKDOWN: Final = parser(is_web_link)


def is_readable(source: str) -> bool:
    """Returns whether the text stays below the limits of brackets, marks and cells: tens of thousands slow the parser
    down.

    A row of a table has as many cells as its head, however short it is written.
    """
    lines = source.split("\n")
    cells = max(line.count("|") for line in lines) * len(lines)
    marks = sum(map(source.count, "*_~`"))
    return sum(map(source.count, "[<")) <= MAX_BRACKETS and marks <= MAX_MARKS and cells <= MAX_CELLS


def render(source: str) -> str:
    """The source as HTML that can be put into any page. Pure, bounded by the length of the source."""
    tokens = _MARKDOWN.parse(source)
    for token in tokens:
        if token.children:
            token.children = list(_without_images(token.children))
    rendered = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    return nh3.clean(
        rendered, tags=set(TAGS), attributes=dict(ATTRIBUTES), url_schemes=set(SCHEMES), link_rel=REL,
        attribute_filter=only_languages,
    )  # fmt: skip


def plain(source: str, most: int | None = None) -> str:
    """The text of the source, without marks, on one line; its first `most` characters, cut at a word."""
    begin = source if most is None else source[: most * _SINGLE_READ]
    words = plain_text(_MARKDOWN.parse(begin))
    if most is None or len(words) <= most:
        return words
    return words[:most].rsplit(" ", 1)[0].rstrip() + "…"


def plain_text(tokens: list[Token]) -> str:
    """The text of parsed Markdown, without marks, on one line."""
    return _SPACE.sub(" ", html.unescape(" ".join(_texts(tokens)))).strip()


def links(source: str) -> list[str]:
    """Addresses that it links to, images too, in order, at most some hundreds."""
    return _links(_MARKDOWN.parse(source))


def _links(tokens: list[Token]) -> list[str]:
    targets: list[str] = []
    for token in _inline(tokens):
        target = token.attrGet("href") if token.type == "link_open" else None
        target = token.attrGet("src") if token.type == "image" else target
        if isinstance(target, str) and len(targets) < MAX_LINKED:
            targets.append(target)
    return targets


def foreign_links(source: str, own_host: str) -> list[str]:
    """Links that lead away from the product's own host, including what another Markdown reader would treat as one:
    the page's own links every bare `www.` and `https://`, whatever follows and however it is written."""
    tokens = _MARKDOWN.parse(source)
    bare = (link for text in _outside_of_links(tokens) for link in _BARE.findall(text))
    linked = [*_links(tokens), *(one if _WEB.match(one) else f"http://{one}" for one in bare)]
    return [one for one in linked[:MAX_LINKED] if _host(one) != own_host.lower()]


def prose(source: str) -> str:
    """Returns the text outside of code, where a mention is none; a line for each part."""
    return "\n".join(
        token.content for token in _inline(_MARKDOWN.parse(source)) if token.type in ("text", "text_special")
    )


def _host(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").lower()
    except ValueError:
        return ""


def _outside_of_links(tokens: list[Token]) -> Iterator[str]:
    """The texts of each part; code and existing links are gaps."""
    for token in tokens:
        inside, text = 0, ""
        for child in token.children or ():
            inside += child.type == "link_open"
            inside -= child.type == "link_close"
            text += child.content if child.type in ("text", "text_special") and not inside else " "
        yield text


def _without_images(tokens: list[Token]) -> Iterator[Token]:
    """Each image as a link to it; inside of a link as its text."""
    inside = 0
    for token in tokens:
        inside += token.type == "link_open"
        inside -= token.type == "link_close"
        if token.type != "image":
            yield token
            continue
        address = str(token.attrGet("src") or "")
        text = Token("text", "", 0, content=token.content or address)
        if inside or not address:
            yield text
            continue
        yield Token("link_open", "a", 1, attrs={"href": address})
        yield text
        yield Token("link_close", "a", -1)


def _inline(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield from token.children or ()


def _texts(tokens: list[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in ("fence", "code_block"):
            yield token.content
        elif token.children:
            yield "".join(
                " " if child.type in ("softbreak", "hardbreak") else child.content for child in token.children
            )


def only_languages(tag: str, attribute: str, value: str) -> str | None:
    """The attribute's value, unless it is a class of code that names no language: a filter of nh3."""
    if (tag, attribute) == ("code", "class"):
        return value if re.fullmatch(r"language-[\w+#.-]{1,30}", value) else None
    return value
