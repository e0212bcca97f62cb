"""English names of countries by ISO 3166-1 alpha-2 code."""

from __future__ import annotations

from typing import Final

from infra.countries import country_names

UNKNOWN: Final = "ZZ"
"""The code of events whose country is not known."""


def country_name(code: str) -> str:
    """The country's name; "Unknown" for `ZZ`; the code itself for one that ISO does not list (such as XK)."""
    return "Unknown" if code == UNKNOWN else country_names().get(code, code)
