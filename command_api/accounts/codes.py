"""Digits of codes that people type."""

from __future__ import annotations

import secrets
from typing import Final

_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_READ_AS: Final = str.maketrans("OIL", "011")


def random_digits(length: int) -> str:
    """Digits of codes that people type: five random bits each."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))


def normalized(code: str) -> str:
    """Returns the code as it was meant: case, spaces, dashes and look-alikes do not matter."""
    return "".join(code.split()).replace("-", "").upper().translate(_READ_AS)
