"""Titles and texts as members may write them, and what a text says beside its words: whom it names, where it links."""

from __future__ import annotations

import re
import unicodedata
from itertools import islice
from typing import Annotated, Final

from pydantic import AfterValidator

from command_api.forum.members import HANDLE
from command_api.forum.rules import POST_LENGTH, TITLE_LENGTH
from infra import markdown
from infra.hidden_signs import TURNING, checked_name

_MENTION: Final = re.compile(rf"(?<![\w@/.-])@({HANDLE.pattern})(?![\w@])", re.IGNORECASE)
_CONTROL: Final = re.compile(rf"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{TURNING}]")
"""Among them those that turn the direction of the text that follows."""
_UNSEEN: Final = frozenset({"Cf", "Mn", "Me", "Zs", "Zl", "Zp"})
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and signs that are drawn as nothing."""


def _title(text: str) -> str:
    text = " ".join(text.split())
    if _CONTROL.search(text):
        raise ValueError("A title holds no control characters")
    return checked_name(_long_enough(text, "Title", TITLE_LENGTH))


def _text(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n").rstrip()
    if _CONTROL.search(text):
        raise ValueError("A text holds no control characters")
    if not markdown.is_readable(text):
        raise ValueError("Please use fewer brackets and marks, or a smaller table")
    return _long_enough(text, "Text", POST_LENGTH)


def _long_enough(text: str, what: str, length: tuple[int, int]) -> str:
    least, most = length
    if sum(1 for _ in islice(filter(_is_seen, text.strip()), least)) < least:
        raise ValueError(f"{what} must be at least {least} characters")
    if len(text) > most:
        raise ValueError(f"{what} must be at most {most:,} characters")
    return text


def _is_seen(character: str) -> bool:
    return character not in _BLANK and (character == " " or unicodedata.category(character) not in _UNSEEN)


def _reason(text: str) -> str:
    text = text.strip()
    if _CONTROL.search(text):
        raise ValueError("A text holds no control characters")
    if len(text) > 1_000:
        raise ValueError("Please use at most 1,000 characters")
    return text


def _given_reason(text: str) -> str:
    if not text.strip():
        raise ValueError("Please say why")
    return _reason(text)


Title = Annotated[str, AfterValidator(_title)]
Text = Annotated[str, AfterValidator(_text)]
Reason = Annotated[str, AfterValidator(_reason)]
GivenReason = Annotated[str, AfterValidator(_given_reason)]


def mentioned(text: str) -> list[str]:
    """Handles that the text names, outside of code, each once, in order."""
    return list(dict.fromkeys(found.lower() for found in _MENTION.findall(markdown.prose(text))))


def same_words(text: str) -> str:
    """What two texts have in common that say the same."""
    return " ".join(text.casefold().split())
