"""What a page says of itself to programs: search engines, and other sites on which its link is shared.

For pages whose text members wrote; those of the house have theirs from the build (`web/scripts/seo.mjs`), with the same
tags. Nothing of what somebody wrote gets out of the place it is put into.
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

LONGEST_TITLE: Final = 120
LONGEST_TEXT: Final = 160
PICTURE: Final = "/og/home.png"
_PICTURE_SIZE: Final = (1200, 630)
_JOINERS: Final = frozenset("\u200c\u200d")
"""Parts of words and of pictures, not marks that turn a line around."""
_READ_FOR_ONE: Final = 8
_OWN_TAGS: Final = re.compile(
    rb'\s*(?:<title>[^<]*</title>|<meta name="(?:description|robots)"[^>]*>|<link rel="canonical"[^>]*>)'
)
_FOR_SEARCH: Final = re.compile(rb'\s*(?:<meta name="robots"[^>]*>|<link rel="canonical"[^>]*>)')


@dataclass(frozen=True, slots=True)
class Head:
    """`title` and `description` as people read them; `path` is the page's one address, `image` begins with `/`.
    `described`: the page in the words of schema.org, with whole addresses. Not `indexed`: for shared links alone."""

    title: str
    description: str
    path: str
    image: str = PICTURE
    kind: str = "website"
    indexed: bool = True
    described: Mapping[str, Any] | None = None


def line(text: str, most: int) -> str:
    """What somebody wrote, as one line of at most `most` characters, cut at a word; without signs that nobody sees."""
    begin = " ".join(text[: most * _READ_FOR_ONE].split())
    shown = " ".join("".join(sign for sign in begin if _is_shown(sign)).split())
    if len(shown) <= most:
        return shown
    cut = shown[:most]
    return (cut.rsplit(" ", 1)[0] if " " in cut else cut[:-1]).rstrip() + "…"


def with_head(document: bytes, head: Head, origin: str) -> bytes:
    """A built document with the head's tags in place of its own."""
    return _filled(document, tags(head, origin), _OWN_TAGS)


def without_page(document: bytes) -> bytes:
    """A built document for what a visitor does not find, but its author may: nothing for search engines."""
    return _filled(document, [_meta("name", "robots", "noindex")], _FOR_SEARCH)


def tags(head: Head, origin: str) -> list[str]:
    """`origin`: the app's own address, without a slash at its end."""
    title = f"{line(head.title, LONGEST_TITLE)} · {PRODUCT_NAME}"
    text = line(head.description, LONGEST_TEXT)
    picture = origin + head.image
    found = [
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
        found += [
            _meta("property", f"og:image:{side}", str(size))
            for side, size in zip(("width", "height"), _PICTURE_SIZE, strict=True)
        ]
    if head.indexed:
        found.append(f'<link rel="canonical" href="{escape(origin + head.path)}" />')
    if head.described is not None:
        found.append(_script({"@context": "https://schema.org", **head.described}))
    return found


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
