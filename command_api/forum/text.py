"""Validation of titles and texts, and extraction of mentions."""

from __future__ import annotations

import re
import unicodedata
from itertools import islice
from typing import Annotated, Final

from pydantic import AfterValidator

from command_api.forum.members import HANDLE
from command_api.forum.rules import POST_LENGTH, TITLE_LENGTH
from infra.kernel.text import markdown
from infra.kernel.text.hidden_characters import DIRECTION_MARKS, checked_name

_MENTION: Final = re.compile(rf"(?<![\w@/.-])@({HANDLE.pattern})(?![\w@])", re.IGNORECASE)
_CONTROL: Final = re.compile(rf"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{DIRECTION_MARKS}]")
"""Among them those that turn the direction of the text that follows."""
_UNSEEN: Final = frozenset({"Cf", "Mn", "Me", "Zs", "Zl", "Zp"})
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Characters without a visible glyph."""


def _title(text: str) -> str:
    text = _without_control(" ".join(text.split()), "title")
    return checked_name(_with_length(text, "Title", TITLE_LENGTH))


def _text(text: str) -> str:
    text = _without_control(text.replace("\r\n", "\n").replace("\r", "\n").strip("\n").rstrip())
    if not markdown.is_readable(text):
        raise ValueError("Please use fewer brackets and marks, or a smaller table")
    return _with_length(text, "Text", POST_LENGTH)


def _without_control(text: str, what: str = "text") -> str:
    if _CONTROL.search(text):
        raise ValueError(f"A {what} must not contain control characters")
    return text


def _with_length(text: str, what: str, length: tuple[int, int]) -> str:
    least, most = length
    if sum(1 for _ in islice(filter(_is_visible, text.strip()), least)) < least:
        raise ValueError(f"{what} must be at least {least} characters")
    if len(text) > most:
        raise ValueError(f"{what} must be at most {most:,} characters")
    return text


def _is_visible(character: str) -> bool:
    return character not in _BLANK and (character == " " or unicodedata.category(character) not in _UNSEEN)


def _reason(text: str) -> str:
    text = _without_control(text.strip())
    if len(text) > 1_000:
        raise ValueError("Please use at most 1,000 characters")
    return text


def _given_reason(text: str) -> str:
    if not text.strip():
        raise ValueError("Please give a reason")
    return _reason(text)


Title = Annotated[str, AfterValidator(_title)]
Text = Annotated[str, AfterValidator(_text)]
Reason = Annotated[str, AfterValidator(_reason)]
GivenReason = Annotated[str, AfterValidator(_given_reason)]


def mentioned_handles(text: str) -> list[str]:
    """The mentioned handles outside of code, each once, in order."""
    return list(dict.fromkeys(handle.lower() for handle in _MENTION.findall(markdown.prose(text))))


def normalized(text: str) -> str:
    """The text for comparison, without differences in case and spaces."""
    return " ".join(text.casefold().split())
