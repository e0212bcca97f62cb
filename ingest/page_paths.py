"""The path of a page in one form, however it was written: `/ü`, `/%C3%BC` and `/%c3%bc` are one page, shown as `/ü`.

Letters beyond ASCII and the characters that need no escape (RFC 3986: letters, digits, `-._~`) stand for themselves,
composed (NFC); every other escape stays, in upper case, because it may mean something else than its character
(`%2F`, `%23`), would not be seen (`%20`, control and format characters), or is no UTF-8 (`%FC`).
"""

from __future__ import annotations

import re
from typing import Final
from unicodedata import normalize
from urllib.parse import unquote_to_bytes

_ESCAPES: Final = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_UNRESERVED: Final = re.compile(r"[A-Za-z0-9\-._~]")


def readable_path(path: str) -> str:
    """`path` in the form in which it is stored and compared."""
    if "%" not in path and " " not in path and path.isascii():
        return path
    return normalize("NFC", _ESCAPES.sub(_readable, path.replace(" ", "%20")))


def _readable(escapes: re.Match[str]) -> str:
    text = unquote_to_bytes(escapes.group()).decode("utf-8", "surrogateescape")
    return "".join(one if _is_shown(one) else _escaped(one) for one in text)


def _is_shown(character: str) -> bool:
    if character.isascii():
        return _UNRESERVED.fullmatch(character) is not None
    return character.isprintable()


def _escaped(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogateescape"))
