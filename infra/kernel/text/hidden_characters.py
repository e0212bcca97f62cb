"""Invisible characters that make a name look like another: direction marks and zero-width characters.

New names with them are rejected (`command_api`); in older names they are shown as escapes
(`query_api.kernel.postgres_reader`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, Final

DIRECTION_MARKS: Final = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Change the direction of the text that follows, in names as in texts."""
_INVISIBLE: Final = (
    "\x00-\x1f\x7f-\x9f\xad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200d\u2028\u2029\u2060-\u2065\u206a-\u206f"
    "\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
)
HIDDEN: Final = re.compile(f"[{DIRECTION_MARKS}{_INVISIBLE}]")
NAMES: Final = frozenset(("name", "title", "company", "handle", "coupon", "slug"))
"""Columns of read models that hold names, besides those that are called `..._name`."""


def checked_name(text: str) -> str:
    """The name unchanged. Raises `ValueError` with a message for people when it contains invisible characters."""
    if HIDDEN.search(text):
        raise ValueError("Please leave out invisible characters and marks that turn the text's direction")
    return text


def shown(text: str) -> str:
    r"""`text` with invisible characters as escapes: `ab\u202ecd` in six plain characters."""
    return text if text.isascii() and text.isprintable() else HIDDEN.sub(_written_out, text)


def show_names(row: dict[str, Any], columns: Collection[str]) -> None:
    """Escapes (in place) invisible characters in the given columns of a row."""
    for column in columns:
        if isinstance(row[column], str):
            row[column] = shown(row[column])


def name_columns(row: Mapping[str, Any]) -> Collection[str]:
    """The columns of `row` that hold names which people chose."""
    return [column for column in row if column in NAMES or column.endswith("_name")]


def _written_out(found: re.Match[str]) -> str:
    number = ord(found.group())
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
