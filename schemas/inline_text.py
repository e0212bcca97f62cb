"""Shows what members wrote as a part of one line: a name or a title inside a sentence, a subject or a notification."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

MAX_LENGTH: Final = 80
"""Characters of one name or title."""
_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"
_BIDI_CONTROLS: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_JOINED: Final = re.compile("(?:[\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]|[\u0300-\u036f])+$")
"""What joins characters to one, at the end of a text that was cut."""
_RIGHT_TO_LEFT: Final = ("R", "AL", "AN")


def inline(text: str, max_length: int = MAX_LENGTH) -> str:
    """Returns the text on one line, without control characters, shortened to `max_length` characters. Where it is
    written from right to left, it is isolated: the sentence around it keeps its order (Unicode UAX 9)."""
    visible = "".join(" " if unicodedata.category(one) in ("Cc", "Zl", "Zp", "Zs") else one for one in text)
    line = " ".join(_BIDI_CONTROLS.sub("", visible).split())
    if len(line) > max_length:
        line = _JOINED.sub("", line[: max_length - 1]).rstrip() + "…"
    if any(unicodedata.bidirectional(one) in _RIGHT_TO_LEFT for one in line):
        return f"{_ISOLATE}{line}{_END_ISOLATE}"
    return line
