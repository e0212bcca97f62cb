"""English names of countries by ISO 3166-1 alpha-2 code, as browsers show them (`countries.json`, 249 codes)."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

import orjson

UNKNOWN: Final = "ZZ"
"""The code of events whose country is not known."""


def country_name(code: str) -> str:
    """The country's name; "Unknown" for `ZZ`; the code itself for one that ISO does not list (such as XK)."""
    return "Unknown" if code == UNKNOWN else _names().get(code, code)


@cache
def _names() -> dict[str, str]:
    names: dict[str, str] = orjson.loads(Path(__file__).with_name("countries.json").read_bytes())
    return names
