"""The syntax of email addresses, for every form that takes one."""

from __future__ import annotations

import re
from typing import Final

_NOT: Final = r"\s@<>()\[\],;:\"\\"
_EMAIL: Final = re.compile(rf"^[^{_NOT}]+@[^{_NOT}.]+(?:\.[^{_NOT}.]+)+$")
_ENCODED: Final = "=?"
"""Prefix of an RFC 2047 encoded word, which would make one address look like two."""


def checked_email(text: str) -> str:
    """Returns the stripped address. Raises `ValueError` with the product's message."""
    if len(text) > 254 or _ENCODED in text or not _EMAIL.match(text.strip()) or not text.strip().isprintable():
        raise ValueError("Please enter a valid email")
    return text.strip()
