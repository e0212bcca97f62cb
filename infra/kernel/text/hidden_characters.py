"""Characters that nobody sees in a name and that make it look like another: direction marks and signs without width.

Names are refused with them (`command_api`), and names from before are shown with them written out (`query_api.reader`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, Final

TURNING: Final = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Turn the direction of the text that follows, in names as in texts."""
_UNSEEN: Final = (
    "\x00-\x1f\x7f-\x9f\xad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200d\u2028\u2029\u2060-\u2065\u206a-\u206f"
    "\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
)
HIDDEN: Final = re.compile(f"[{TURNING}{_UNSEEN}]")
NAMES: Final = frozenset(
    (
        "name",
        "title",
        "company",
        "company_name",
        "partner_name",
        "author_name",
        "seller_name",
        "handle",
        "coupon",
        "slug",
    )
)
"""Columns of read models that hold names."""


def checked_name(text: str) -> str:
    """The name as it is. Raises `ValueError` with the sentence for people when it holds what nobody sees."""
    if HIDDEN.search(text):
        raise ValueError("Please leave out invisible characters and marks that turn the text's direction")
    return text


def shown(text: str) -> str:
    r"""`text` with what nobody sees written out: `ab\u202ecd` in six plain characters."""
    return text if text.isascii() and text.isprintable() else HIDDEN.sub(_written_out, text)


def show_names(row: dict[str, Any], columns: Collection[str]) -> None:
    """Writes out (in place) what nobody sees in the given columns of a row."""
    for column in columns:
        if isinstance(row[column], str):
            row[column] = shown(row[column])


def name_columns(row: Mapping[str, Any]) -> Collection[str]:
    return NAMES & row.keys()


def _written_out(found: re.Match[str]) -> str:
    number = ord(found.group())
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
