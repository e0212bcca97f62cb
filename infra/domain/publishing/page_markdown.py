"""Markdown of published pages: the dialect of `infra.kernel.text.markdown`, with references to what the site has.

Besides http and https addresses, a link may be `link:ID` or `page:ID`, and an image `image:HASH` (64 hexadecimal
digits). A `Resolver` says what they lead to. An image from elsewhere becomes a link to it. Headings begin at a given
level and skip none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Final, Protocol

import nh3
from markdown_it.token import Token

from infra.kernel.text.markdown import ATTRIBUTES, SCHEMES, TAGS, is_web_link, only_languages, parser, plain_text

_UUID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_REFERENCE: Final = re.compile(rf"(link|page):({_UUID})")
_IMAGE: Final = re.compile(r"image:([0-9a-f]{64})")
_TAGS: Final = TAGS | {"img", "div"}
_ATTRIBUTES: Final = {
    **ATTRIBUTES,
    "a": {"href", "title", "rel"},
    "img": {"src", "srcset", "sizes", "alt", "width", "height", "loading", "fetchpriority"},
    "th": {"scope"},
    "div": {"class", "tabindex", "role", "aria-label"},
}
_MAX_LEVEL: Final = 6
_SIZES: Final = "(min-width: 62rem) 60rem, 100vw"
"""The width at which an image may be shown: as the page, until that has its greatest width."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """The address that a link leads to, and its `rel`; empty: none."""

    href: str
    rel: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """An image: its address and size in pixels, and addresses of narrower copies by their width. The first image of a
    page loads at once, others as they come into view."""

    src: str
    width: int
    height: int
    copies: Mapping[int, str] = field(default_factory=dict)
    is_first: bool = False

    def attributes(self) -> dict[str, str | int]:
        """Returns all attributes of `<img>` but the alternative text."""
        loading = {"fetchpriority": "high"} if self.is_first else {"loading": "lazy"}
        sources = ", ".join(f"{address} {width}w" for width, address in {**self.copies, self.width: self.src}.items())
        choice = {"srcset": sources, "sizes": _SIZES} if self.copies else {}
        return {"src": self.src, **choice, "width": self.width, "height": self.height, **loading}


class Resolver(Protocol):
    """Resolves references to what they lead to; `None`: nowhere, the text stays."""

    def anchor(self, address: str) -> Anchor | None:
        """Returns the anchor of a link: an http or https address, `link:ID` or `page:ID`."""

    def picture(self, content_hash: str) -> Picture | None:
        """Returns an uploaded image."""


@dataclass(frozen=True, slots=True)
class References:
    """Ids and hashes that a text refers to, in order. `undescribed`: images without a text that says what they show."""

    links: tuple[str, ...]
    pages: tuple[str, ...]
    images: tuple[str, ...]
    undescribed: int


def _is_allowed(url: str) -> bool:
    return is_web_link(url) or bool(_REFERENCE.fullmatch(url)) or bool(_IMAGE.fullmatch(url))


_MARKDOWN: Final = parser(_is_allowed)


def is_browsable(url: str) -> bool:
    """Returns whether browsers can read the http or https address: its host is one (`http://|` and `http://1.2.3.4.5`
    have none)."""
    link = f'<a href="{escape(url)}"></a>'
    checked = nh3.clean(link, tags={"a"}, attributes={"a": {"href"}}, url_schemes=set(SCHEMES), link_rel=None)
    return checked.startswith("<a href=")


def render_page(source: str, resolver: Resolver, *, first_level: int = 2, table_label: str = "Table") -> str:
    """The source as HTML of a published page. Pure, bounded by the length of the source.

    `first_level`: of the highest headings. `table_label`: the accessible name of the area in which a table scrolls.
    """
    tokens = list(_scrolling(_without_empty_headings(_MARKDOWN.parse(source)), table_label))
    _set_levels(tokens, first_level)
    _set_scopes(tokens)
    for token in tokens:
        if token.children:
            token.children = list(_resolved(token.children, resolver))
    rendered = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    return nh3.clean(
        rendered, tags=set(_TAGS), attributes=dict(_ATTRIBUTES), url_schemes=set(SCHEMES), link_rel=None,
        attribute_filter=only_languages,
    )  # fmt: skip


def plain_page(source: str) -> str:
    """The text of the source, without marks and references, on one line."""
    return plain_text(_MARKDOWN.parse(source))


def page_references(source: str) -> References:
    """Returns the references of the source."""
    by_kind: dict[str, list[str]] = {"link": [], "page": []}
    images: list[str] = []
    undescribed = 0
    for token in (child for part in _MARKDOWN.parse(source) for child in part.children or ()):
        reference = _REFERENCE.fullmatch(_attribute(token, "href")) if token.type == "link_open" else None
        image = _IMAGE.fullmatch(_attribute(token, "src")) if token.type == "image" else None
        if reference:
            by_kind[reference[1]].append(reference[2])
        if image:
            images.append(image[1])
            undescribed += not token.content.strip()
    return References(tuple(by_kind["link"]), tuple(by_kind["page"]), tuple(images), undescribed)


def _attribute(token: Token, name: str) -> str:
    return str(token.attrGet(name) or "")


def _without_empty_headings(tokens: list[Token]) -> list[Token]:
    empty = {
        at + step
        for at, token in enumerate(tokens)
        if token.type == "heading_open" and not tokens[at + 1].content.strip()
        for step in range(3)  # heading_open, inline, heading_close
    }
    return [token for at, token in enumerate(tokens) if at not in empty]


def _set_levels(tokens: list[Token], first_level: int) -> None:
    """Each heading one level below the nearest higher one before it, whatever the source skips."""
    above: list[int] = []
    for at, token in enumerate(tokens):
        if token.type != "heading_open":
            continue
        level = int(token.tag[1])
        while above and above[-1] >= level:
            above.pop()
        above.append(level)
        tag = f"h{min(first_level + len(above) - 1, _MAX_LEVEL)}"
        token.tag = tag
        tokens[at + 2].tag = tag


def _set_scopes(tokens: list[Token]) -> None:
    """Heads of tables name their column; an empty one is a cell."""
    for at, token in enumerate(tokens):
        if token.type != "th_open":
            continue
        if tokens[at + 1].content.strip():
            token.attrSet("scope", "col")
        else:
            token.tag = tokens[at + 2].tag = "td"


def _scrolling(tokens: list[Token], label: str) -> Iterator[Token]:
    """Each table inside of an area that scrolls on a narrow screen, with the keyboard as well."""
    for token in tokens:
        if token.type == "table_open":
            area = Token("scroll_open", "div", 1, block=True)
            area.attrs = {"class": "scroll", "tabindex": "0", "role": "region", "aria-label": label}
            yield area
        yield token
        if token.type == "table_close":
            yield Token("scroll_close", "div", -1, block=True)


def _resolved(tokens: list[Token], resolver: Resolver) -> Iterator[Token]:
    """Links and images with their addresses; those that lead nowhere as their text."""
    is_open = is_linked = False
    for at, token in enumerate(tokens):
        if token.type == "link_open":
            address = _attribute(token, "href")
            anchor = None if _IMAGE.fullmatch(address) else _anchor(address, resolver)
            is_open, is_linked = True, anchor is not None
            if anchor is not None:
                token.attrSet("href", anchor.href)
                if anchor.rel:
                    token.attrSet("rel", anchor.rel)
                yield token
                if tokens[at + 1].type == "link_close":  # a link without a text has its address as name
                    yield Token("text", "", 0, content=anchor.href)
        elif token.type == "link_close":
            if is_linked:
                yield token
            is_open = is_linked = False
        elif token.type == "image":
            yield from _image(token, resolver, is_open)
        else:
            yield token


def _anchor(address: str, resolver: Resolver) -> Anchor | None:
    return resolver.anchor(address) if _REFERENCE.fullmatch(address) or is_browsable(address) else None


def _image(token: Token, resolver: Resolver, is_inside_link: bool) -> Iterator[Token]:
    address = _attribute(token, "src")
    own = _IMAGE.fullmatch(address)
    if own is None:
        text = Token("text", "", 0, content=token.content or address)
        anchor = None if is_inside_link or not is_web_link(address) else _anchor(address, resolver)
        if anchor is None:
            yield text
            return
        link = Token("link_open", "a", 1)
        link.attrSet("href", anchor.href)
        if anchor.rel:
            link.attrSet("rel", anchor.rel)
        yield link
        yield text
        yield Token("link_close", "a", -1)
        return
    picture = resolver.picture(own[1])
    if picture is None:
        yield Token("text", "", 0, content=token.content)
        return
    token.attrs = {"alt": "", **picture.attributes()}
    yield token
