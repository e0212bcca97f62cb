"""Filters of the analytics calls: `country=DE,FR&source=-google` to conditions with bound values. Pure.

A comma means any of; a leading `-` means not. Values that are asked for and values that are refused may be mixed; then
both hold. `(none)` stands for events that have no such value (for countries that is `ZZ`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from schemas.tracking import NO_ID

NONE: Final = "(none)"
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
    """What becomes of events that are flagged as made by bots."""

    EXCLUDE = "exclude"
    INCLUDE = "include"
    ONLY = "only"


class BadFilter(ValueError):
    """A filter makes no sense; the message says why, `field` names it."""

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
    """The filter that `text` means; none for an empty text. Raises `BadFilter`."""
    values = [value.strip() for value in text.split(",")]
    values = [value for value in values if value not in ("", "-")]
    if not values:
        return None
    if len(values) > MAX_VALUES:
        raise BadFilter(name, f"{name} takes at most {MAX_VALUES} values.")
    wanted = tuple(dict.fromkeys(_value(name, value) for value in values if not value.startswith("-")))
    unwanted = tuple(dict.fromkeys(_value(name, value[1:].strip()) for value in values if value.startswith("-")))
    return Filter(name, wanted, unwanted)


def _value(name: str, value: str) -> str:
    if len(value) > MAX_LENGTH:
        raise BadFilter(name, f"A value of {name} has at most {MAX_LENGTH} characters.")
    if value == NONE:
        return _EMPTY.get(name, "")
    if name == "country":
        value = value.upper()
        if not _COUNTRY.fullmatch(value):
            raise BadFilter(name, "country takes two-letter codes of ISO 3166-1, such as DE.")
    return value


def condition(filters: Iterable[Filter], bots: Bots) -> Condition:
    """The WHERE of `filters` and `bots` over a table that is named `t` and has their columns."""
    parts: list[str] = []
    parameters: dict[str, Any] = {}
    for one in filters:
        kind = "UUID" if one.column.endswith("_id") else "String"
        for operator, values in (("IN", one.wanted), ("NOT IN", one.unwanted)):
            if values:
                bound = f"{one.name}_{'in' if operator == 'IN' else 'out'}"
                parts.append(f"t.{one.column} {operator} {{{bound}:Array({kind})}}")
                parameters[bound] = list(values)
    if bots is not Bots.INCLUDE:
        parts.append("t.is_bot" if bots is Bots.ONLY else "NOT t.is_bot")
    return Condition(" AND ".join(parts) or "1", parameters)
