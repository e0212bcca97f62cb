"""Filters of the analytics calls: `country=DE,FR&source=-google` to conditions with bound values. Pure.

A comma means any of; a leading `-` means not. Included and excluded values may be mixed; then both
conditions hold. `(none)` selects events that have no such value (for countries that is `ZZ`). A backslash escapes the
next character (`schemas.filters`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from schemas.filters import Named, values
from schemas.tracking import NO_ID

MAX_VALUES: Final = 100
MAX_LENGTH: Final = 256

COLUMNS: Final[Mapping[str, str]] = {
    "partner": "partner_id",
    "country": "country",
    "device": "device",
    "source": "source",
    "link": "link_id",
    "reason": "bot_reason",
    **{f"sub{number}": f"sub{number}" for number in range(1, 11)},
}
"""Filter name to column of the raw table."""

_EMPTY: Final = {"partner": str(NO_ID), "link": str(NO_ID), "country": "ZZ"}
_COUNTRY: Final = re.compile(r"[A-Z]{2}")


class Bots(StrEnum):
    """Whether events that are flagged as made by bots count."""

    EXCLUDE = "exclude"
    INCLUDE = "include"
    ONLY = "only"


class InvalidFilter(ValueError):
    """An invalid filter; the message gives the reason, `field` the parameter."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True)
class Filter:
    """One filter: rows whose value is among `wanted` (when there are any) and not among `unwanted`."""

    name: str
    wanted: tuple[str, ...]
    unwanted: tuple[str, ...]

    @property
    def column(self) -> str:
        return COLUMNS[self.name]

    def replaced(self, values: Mapping[str, str]) -> Filter:
        """With values exchanged for what they stand for (slugs for ids)."""
        return Filter(
            self.name,
            tuple(values.get(value, value) for value in self.wanted),
            tuple(values.get(value, value) for value in self.unwanted),
        )


@dataclass(frozen=True, slots=True)
class Condition:
    """Part of a WHERE and the values bound to it."""

    sql: str
    parameters: Mapping[str, Any]


def parse(name: str, text: str) -> Filter | None:
    """The filter that `text` means; none for an empty text. Raises `InvalidFilter`."""
    found = list(values(text))
    if not found:
        return None
    if len(found) > MAX_VALUES:
        raise InvalidFilter(name, f"{name} takes at most {MAX_VALUES} values.")
    wanted = tuple(dict.fromkeys(_value(name, one) for one in found if not one.is_not))
    unwanted = tuple(dict.fromkeys(_value(name, one) for one in found if one.is_not))
    return Filter(name, wanted, unwanted)


def _value(name: str, named: Named) -> str:
    if len(named.value) > MAX_LENGTH:
        raise InvalidFilter(name, f"A value of {name} has at most {MAX_LENGTH} characters.")
    if named.is_none:
        return _EMPTY.get(name, "")
    if name != "country":
        return named.value
    code = named.value.upper()
    if not _COUNTRY.fullmatch(code):
        raise InvalidFilter(name, "country takes two-letter codes of ISO 3166-1, such as DE.")
    return code


def condition(filters: Iterable[Filter], bots: Bots) -> Condition:
    """The WHERE of `filters` and `bots` over a table that is named `t` and has their columns."""
    parts: list[str] = []
    parameters: dict[str, Any] = {}
    for one in filters:
        kind = "UUID" if one.column.endswith("_id") else "String"
        for operator, listed in (("IN", one.wanted), ("NOT IN", one.unwanted)):
            if listed:
                bound = f"{one.name}_{'in' if operator == 'IN' else 'out'}"
                parts.append(f"t.{one.column} {operator} {{{bound}:Array({kind})}}")
                parameters[bound] = list(listed)
    if bots is not Bots.INCLUDE:
        parts.append("t.is_bot" if bots is Bots.ONLY else "NOT t.is_bot")
    return Condition(" AND ".join(parts) or "1", parameters)
