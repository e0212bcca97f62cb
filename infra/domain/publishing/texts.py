"""Texts of a page: what people typed or pasted, without characters that no reader sees and that disturb the page.

Removed: control characters, byte order marks, noncharacters, and marks that override or embed a text's direction
(U+202A to U+202E, U+2066 to U+2069). Marks that right-to-left texts need (U+200E, U+200F, U+061C) and joiners of
scripts and emoji stay. Line ends become `\\n`; in a text of one line they become blanks.
Half of a character (a lone surrogate) is an error, because the text has lost something: `parse_page` reports it.
"""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo

from infra.domain.publishing.page_markdown import page_references
from infra.kernel.text import markdown
from infra.kernel.text.hidden_characters import HIDDEN

STORED: Final = {"is_stored": True}
"""Context of validation: the text was checked before it was stored."""
SURROGATE: Final = re.compile("[\ud800-\udfff]")
MAX_MARKDOWN: Final = 100_000
_LINE_ENDS: Final = re.compile("\r\n?|[\u2028\u2029\x0b\x0c\x85]")
_PLANES: Final = "".join(f"{chr(plane * 0x10000 + 0xFFFE)}{chr(plane * 0x10000 + 0xFFFF)}" for plane in range(17))
_UNWANTED: Final = re.compile(
    f"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ufdd0-\ufdef{_PLANES}]"
)
_BLANKS: Final = re.compile("[ \t\n]+")


def clean(text: str) -> str:
    """The text without unwanted characters, with `\\n` between its lines."""
    return _UNWANTED.sub("", _LINE_ENDS.sub("\n", text))


def one_line(text: str) -> str:
    """The text cleaned, on one line, with single blanks and none around it. Blanks that do not break a line stay."""
    return _BLANKS.sub(" ", clean(text)).strip()


def _line(value: object) -> object:
    return _visible(one_line(value)) if isinstance(value, str) else value


def _lines(value: object) -> object:
    return _visible(clean(value).strip()) if isinstance(value, str) else value


def _visible(text: str) -> str:
    """The text; empty if all of it is invisible."""
    return text if HIDDEN.sub("", text).strip() else ""


def _readable(source: str, info: ValidationInfo) -> str:
    if info.context is STORED:
        return source
    if not markdown.is_readable(source):
        raise ValueError(
            f"must have at most {markdown.MAX_BRACKETS:,} brackets, {markdown.MAX_MARKS:,} marks (* _ ~ `) and"
            f" {markdown.MAX_CELLS:,} table cells"
        )
    if has_images(source) and page_references(source).undescribed:
        raise ValueError("must say what each uploaded image shows: ![what it shows](image:...)")
    return source


def has_images(text: str) -> bool:
    """Returns whether there can be an image in the Markdown; without one there is nothing to parse it for."""
    return "![" in text


Line = Annotated[str, BeforeValidator(_line)]
"""One line. Its bounds are those of the field."""
Lines = Annotated[str, BeforeValidator(_lines)]
"""Plain text; an empty line separates paragraphs."""
Markdown = Annotated[str, Field(max_length=MAX_MARKDOWN), BeforeValidator(_lines), AfterValidator(_readable)]
"""Markdown within the limits of `infra.kernel.text.markdown`."""
