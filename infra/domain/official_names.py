"""Names that would be taken for a role of the installation, or for the badge that the app shows beside staff.

A name is compared as a reader sees it: without case and accents, with look-alikes of other alphabets and digits as
the letters that they resemble, in words and without separators.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

RESERVED: Final = frozenset(
    {"admin", "admins", "administrator", "moderator", "moderators", "mod", "staff", "support", "system", "official"}
    | {"security", "escrow", "althing", "cybsectools"}
)
"""Words that suggest an official role. [DS] reserved_usernames, and Althing's own."""
FOLDED: Final = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ð": "d", "þ": "th", "ł": "l", "đ": "d"})
_ANYWHERE: Final = ("administrator", "moderator", "althing")
"""Part of no other word."""
_ALIKE: Final = str.maketrans(
    dict(zip("аеорсухіѕјԁмтнвкɡıαεορτικυνμ", "aeopcyxisjdmthbkgiaeoptikuvm", strict=True))
    | dict(zip("013457@$|!", "oieastasli", strict=True))
)
_SPLIT: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|[^\w@$|!]+|_+")


def suggests_staff(name: str) -> bool:
    """Returns whether readers could take the name for one of the installation's staff."""
    plain = unicodedata.normalize("NFKD", name)
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    words = {_folded(word) for word in _SPLIT.split(plain)}
    joined = "".join(sign for sign in _folded(plain) if sign.isalnum())
    return not RESERVED.isdisjoint(words | {joined}) or any(word in joined for word in _ANYWHERE)


def has_badge(name: str) -> bool:
    """Returns whether the name has a pictogram or another sign that looks like a badge: \u2713, \u2605, emoji."""
    kinds = (unicodedata.category(sign) for sign in name if not sign.isascii())
    return any(kind.startswith("S") or kind in ("Co", "Cn") for kind in kinds)


def _folded(text: str) -> str:
    return text.casefold().translate(FOLDED).translate(_ALIKE)
