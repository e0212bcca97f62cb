"""Replaces macros in a link's destination: `{click_id}` and its like become their values, percent-encoded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import quote

_MACRO: Final = re.compile(r"\{([a-z_]+[0-9]{0,2})\}")


def expand(destination: str, values: Mapping[str, str]) -> str:
    """`destination` with every macro that `values` knows; unknown ones stay as they are."""

    def value(found: re.Match[str]) -> str:
        replacement = values.get(found.group(1))
        return found.group() if replacement is None else quote(replacement, safe="")

    return _MACRO.sub(value, destination)


def location(address: str) -> bytes:
    """Returns the address as a `Location` header: what is not ASCII percent-encoded, nothing that could end the
    header."""
    return quote(address, safe=_ALLOWED).encode("ascii")


_ALLOWED: Final = "%/:?#[]@!$&'()*+,;=-._~{}|^`\\\"<>"
