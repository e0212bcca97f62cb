"""The mark beside a site's name: its first character as people see it."""

from __future__ import annotations

import unicodedata

_JOINER = "\u200d"


def initial(name: str) -> str:
    """The first letter, digit or emoji of a name, in upper case, with the characters that belong to it."""
    start = next((at for at, char in enumerate(name) if _is_shown(char)), 0)
    end = start + 1
    if end < len(name) and _is_flag(name[start]) and _is_flag(name[end]):
        end += 1
    while end < len(name) and (_belongs(name[end]) or name[end - 1] == _JOINER):
        end += 1
    upper = name[start:end].upper()
    return upper if len(upper) == end - start else name[start:end]


def _is_shown(char: str) -> bool:
    return unicodedata.category(char)[0] in "LN" or unicodedata.category(char) == "So"


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _belongs(char: str) -> bool:
    """A combining mark, a variation selector, a tone of skin, or a joiner."""
    return unicodedata.category(char) in ("Mn", "Me") or "\U0001f3fb" <= char <= "\U0001f3ff" or char == _JOINER
