"""Text that no spreadsheet runs as a formula, whatever separates its cells.

A spreadsheet may split a file at commas, semicolons or tabs, by its locale, and knows quotes only where a cell begins
for it. So a text is made plain where it begins, and after every character in it at which such a program may begin a
cell.
"""

from __future__ import annotations

import re
from typing import Final

SIGNS: Final = "=+\\-@＝＋－＠"
_BEGINS: Final = re.compile(rf"\A(?=[\t\r\n]| *[{SIGNS}])")
_BEGINS_INSIDE: Final = re.compile(rf"(?<=[;\t\r\n])([ \"]*)(?=[{SIGNS}])")


def plain(text: str) -> str:
    """`text` with an apostrophe before whatever a spreadsheet would run."""
    return _BEGINS.sub("'", _BEGINS_INSIDE.sub(r"\1'", text))
