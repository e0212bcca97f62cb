"""A strict reader of HTML: every element is closed in order, where it may stand, with attributes that it may have.

The allowlist is that of published pages (`infra.domain.publishing.render`), written down here a second time on purpose.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any, Final

VOID: Final = frozenset({"meta", "link", "img", "br", "hr", "input"})
PHRASING: Final = frozenset(
    {"a", "img", "br", "strong", "em", "s", "code", "span", "small", "del", "time", "label", "input", "button"}
)
ONLY_PHRASING: Final = frozenset(
    {
        "p",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "strong",
        "em",
        "s",
        "code",
        "pre",
        "span",
        "small",
        "del",
        "time",
        "label",
        "button",
    }
)
PARENTS: Final = {
    "head": {"html"}, "body": {"html"}, "title": {"head"}, "meta": {"head"}, "link": {"head"}, "style": {"head"},
    "script": {"head"}, "header": {"body"}, "main": {"body"}, "footer": {"body"}, "section": {"main"},
    "nav": {"body", "div"}, "li": {"ul", "ol"}, "caption": {"table"}, "thead": {"table"}, "tbody": {"table"},
    "tr": {"thead", "tbody"}, "th": {"tr"}, "td": {"tr"}, "summary": {"details"}, "figcaption": {"figure"},
}  # fmt: skip
ATTRIBUTES: Final[dict[str, set[str]]] = {
    "html": {"lang", "dir"},
    "head": set(),
    "body": set(),
    "title": set(),
    "style": set(),
    "meta": {"charset", "name", "content", "property"},
    "link": {"rel", "type", "title", "href", "as", "crossorigin"},
    "script": {"type", "defer", "src", "data-site"},
    "header": {"class"},
    "footer": {"class"},
    "nav": {"class", "aria-label"},
    "main": {"id", "class", "tabindex"},
    "section": {"id", "data-placement", "class"},
    "svg": {"class", "viewbox", "aria-hidden"},
    "path": {"class", "d"},
    "circle": {"class", "cx", "cy", "r"},
    "rect": {"class", "x", "y", "width", "height", "rx"},
    "a": {"class", "href", "rel", "title", "aria-current"},
    "time": {"datetime"},
    "img": {"src", "srcset", "sizes", "alt", "width", "height", "loading", "fetchpriority"},
    "div": {"class", "role", "tabindex", "aria-label", "id", "data-placement"},
    "span": {"class", "role", "aria-label", "aria-hidden"},
    "p": {"class", "hidden"},
    "ul": {"class"},
    "ol": {"start"},
    "li": {"class"},
    "code": {"class"},
    "th": {"scope"},
    "form": {"method", "action"},
    "label": {"for"},
    "button": {"class", "type"},
    "input": {"id", "type", "name", "value", "required", "autocomplete", "maxlength", "tabindex"},
    **{
        tag: set() for tag in ("h1", "h2", "h3", "h4", "h5", "h6", "br", "hr", "strong", "em", "s", "pre", "blockquote")
    },
    **{tag: set() for tag in ("small", "del", "figure", "figcaption", "details", "summary", "table", "caption")},
    **{tag: set() for tag in ("thead", "tbody", "tr", "td")},
}
NEEDED: Final = {"img": {"src", "alt", "width", "height"}, "a": {"href"}, "html": {"lang"}, "input": {"type", "name"}}
ADDRESS: Final = re.compile(r"(?i:https?)://|(?![a-zA-Z][a-zA-Z0-9+.-]*:)(?!//)[\w./#?%&=-]*\Z")


@dataclass(slots=True)
class Element:
    """An element with the text in it."""

    tag: str
    attributes: dict[str, str]
    path: tuple[str, ...]
    text: str = ""


@dataclass(slots=True)
class Document:
    """What a page contains, in order."""

    elements: list[Element] = field(default_factory=list)

    def all(self, tag: str) -> list[Element]:
        return [element for element in self.elements if element.tag == tag]

    def one(self, tag: str) -> Element:
        [element] = self.all(tag)
        return element

    def headings(self) -> Iterator[tuple[int, str]]:
        for element in self.elements:
            if re.fullmatch("h[1-6]", element.tag):
                yield int(element.tag[1]), element.text.strip()

    def structured_data(self) -> list[dict[str, Any]]:
        found = [element for element in self.all("script") if element.attributes.get("type") == "application/ld+json"]
        return [thing for element in found for thing in json.loads(element.text)["@graph"]]

    def meta(self, name: str) -> str | None:
        for element in self.all("meta"):
            if name in (element.attributes.get("name"), element.attributes.get("property")):
                return element.attributes["content"]
        return None


def read(html: bytes) -> Document:
    """The page. Raises `AssertionError` for the first fault."""
    reader = _Reader()
    reader.feed(html.decode())
    reader.close()
    assert reader.has_doctype and not reader.open, f"not closed: {[one.tag for one in reader.open]}"
    _check_outline(reader.document)
    return reader.document


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.document = Document()
        self.open: list[Element] = []
        self.ids: set[str] = set()
        self.has_doctype = False

    def handle_decl(self, decl: str) -> None:
        assert decl == "doctype html" and not self.document.elements, decl
        self.has_doctype = True

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert tag in ATTRIBUTES, f"element {tag}"
        assert len(set(names)) == len(names) and set(names) <= ATTRIBUTES[tag], f"attributes of {tag}: {names}"
        assert set(names) >= NEEDED.get(tag, set()), f"{tag} lacks an attribute: {names}"
        parent = self.open[-1].tag if self.open else ""
        assert parent in PARENTS.get(tag, {parent}), f"{tag} in {parent}"
        assert parent not in ONLY_PHRASING or tag in PHRASING, f"{tag} in {parent}"
        assert tag != "a" or all(one.tag not in ("a", "button") for one in self.open), "a link in a link"
        attributes = {name: value or "" for name, value in attrs}
        for name in ("href", "src", "action"):
            assert ADDRESS.match(attributes.get(name, "")), f"{name}={attributes[name]}"
        for source in filter(None, attributes.get("srcset", "").split(", ")):
            address, _, width = source.partition(" ")
            assert ADDRESS.match(address) and re.fullmatch(r"\d+w", width), source
        if "id" in attributes:
            assert attributes["id"] not in self.ids and re.fullmatch(r"\S+", attributes["id"])
            self.ids.add(attributes["id"])
        element = Element(tag, attributes, tuple(one.tag for one in self.open))
        if tag == "script":
            _check_script(attributes)
        self.document.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        raise AssertionError(f"{tag}/ is not HTML: {attrs}")

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1].tag == tag, f"/{tag} in {[one.tag for one in self.open]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        inside = self.open[-1].tag if self.open else ""
        outside = {"", "html", "head", "ul", "ol", "table", "thead", "tbody", "tr"}
        assert not data.strip() or inside not in outside, f"text in {inside}: {data[:40]!r}"
        for element in self.open:
            element.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data[:40]}")

    handle_pi = unknown_decl = handle_comment


def _check_script(attributes: dict[str, str]) -> None:
    if "src" in attributes:
        assert attributes.keys() == {"defer", "src", "data-site"} and attributes["src"].endswith("/t.js")
    else:
        assert attributes == {"type": "application/ld+json"}


def _check_outline(document: Document) -> None:
    levels = [level for level, _ in document.headings()]
    assert levels.count(1) == 1 and levels[0] == 1, levels
    assert all(after <= before + 1 for before, after in pairwise(levels)), levels
    for tag in ("title", "main", "header", "footer", "style"):
        document.one(tag)
    names = [element.attributes["for"] for element in document.all("label")]
    ids = [one.attributes["id"] for one in document.all("input") if one.attributes["type"] != "hidden"]
    assert names == ids
