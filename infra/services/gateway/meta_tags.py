"""Meta tags of a page for search engines and for sites on which its link is shared.

For pages with members' content; the other pages get theirs from the build (`web/scripts/seo.mjs`), with the same
tags. Members' text is escaped.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, Final

import orjson

from infra import PRODUCT_NAME

MAX_TITLE: Final = 120
MAX_TEXT: Final = 160
PICTURE: Final = "/og/home.png"
_PICTURE_SIZE: Final = (1200, 630)
_JOINERS: Final = frozenset("\u200c\u200d")
"""Joiners in words and emoji, which do not change the text's direction."""
_SINGLE_READ: Final = 8
_OWN_TAGS: Final = re.compile(
    rb'\s*(?:<title>[^<]*</title>|<meta name="(?:description|robots)"[^>]*>|<link rel="canonical"[^>]*>)'
)
_FOR_SEARCH: Final = re.compile(rb'\s*(?:<meta name="robots"[^>]*>|<link rel="canonical"[^>]*>)')


@dataclass(frozen=True, slots=True)
class PageHead:
    """`title` and `description` as plain text; `path` is the page's canonical address, `image` begins with `/`.
    `described`: the page as schema.org data, with absolute addresses. Not `indexed`: for shared links only."""

    title: str
    description: str
    path: str
    image: str = PICTURE
    kind: str = "website"
    indexed: bool = True
    described: Mapping[str, Any] | None = None


def line(text: str, most: int) -> str:
    """A member's text as one line of at most `most` characters, cut at a word; without invisible characters."""
    begin = " ".join(text[: most * _SINGLE_READ].split())
    visible = " ".join("".join(sign for sign in begin if _is_shown(sign)).split())
    if len(visible) <= most:
        return visible
    cut = visible[:most]
    return (cut.rsplit(" ", 1)[0] if " " in cut else cut[:-1]).rstrip() + "…"


def with_head(document: bytes, head: PageHead, origin: str) -> bytes:
    """A built document with the head's tags in place of its own."""
    return _filled(document, tags(head, origin), _OWN_TAGS)


def without_page(document: bytes) -> bytes:
    """A built document for what a visitor does not find, but its author may: nothing for search engines."""
    return _filled(document, [_meta("name", "robots", "noindex")], _FOR_SEARCH)


def tags(head: PageHead, origin: str) -> list[str]:
    """`origin`: the app's own address, without a slash at its end."""
    title = f"{line(head.title, MAX_TITLE)} · {PRODUCT_NAME}"
    text = line(head.description, MAX_TEXT)
    picture = origin + head.image
    elements = [
        f"<title>{escape(title)}</title>",
        _meta("name", "description", text),
        _meta("name", "robots", "index, follow" if head.indexed else "noindex"),
        _meta("property", "og:site_name", PRODUCT_NAME),
        _meta("property", "og:locale", "en_US"),
        _meta("property", "og:type", head.kind),
        _meta("property", "og:title", title),
        _meta("property", "og:description", text),
        _meta("property", "og:url", origin + head.path),
        _meta("property", "og:image", picture),
        _meta("name", "twitter:card", "summary_large_image"),
        _meta("name", "twitter:title", title),
        _meta("name", "twitter:description", text),
        _meta("name", "twitter:image", picture),
    ]
    if head.image == PICTURE:
        elements += [
            _meta("property", f"og:image:{side}", str(size))
            for side, size in zip(("width", "height"), _PICTURE_SIZE, strict=True)
        ]
    if head.indexed:
        elements.append(f'<link rel="canonical" href="{escape(origin + head.path)}" />')
    if head.described is not None:
        elements.append(_script({"@context": "https://schema.org", **head.described}))
    return elements


def _filled(document: bytes, added: list[str], instead_of: re.Pattern[bytes]) -> bytes:
    head, end, rest = document.partition(b"</head>")
    return instead_of.sub(b"", head) + "".join(f"  {tag}\n  " for tag in added).encode() + end + rest


def _meta(kind: str, name: str, content: str) -> str:
    return f'<meta {kind}="{name}" content="{escape(content)}" />'


def _script(data: Mapping[str, Any]) -> str:
    """Data, which the content security policy does not run; no text in it ends the element."""
    written = orjson.dumps(data).decode()
    for sign in "<>&\u2028\u2029":
        written = written.replace(sign, f"\\u{ord(sign):04x}")
    return f'<script type="application/ld+json">{written}</script>'


def _is_shown(sign: str) -> bool:
    return sign in _JOINERS or unicodedata.category(sign) not in ("Cc", "Cf", "Cs", "Co", "Cn")
