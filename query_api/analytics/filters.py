"""Filters of the analytics calls to conditions with bound values: `country=DE,FR&source=-google`, and
`filter=page:is:/a|/b` for every dimension of reports. Pure.

A comma means any of; a leading `-` means not. Included and excluded values may be mixed; then both
conditions hold. `(none)` selects events that have no such value (for countries that is `ZZ`). A backslash escapes the
next character (`schemas.filters`).

`filter=DIMENSION:OPERATOR:VALUES` is one condition; the parameter may be repeated, and all of them hold. A `|`
separates values, any of which fits (`is_not`, `not_contains`: none of which fits); an empty value means no value; a
backslash takes `|`, `:` and itself as they are. `contains` ignores case, `matches` takes `*` for any text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from infra.domain.visits.dimensions import NAMES, PROPERTY, columns, is_dimension, stored
from schemas.filters import Named, values
from schemas.http.analytics import Bots
from schemas.tracking import NO_ID

MAX_VALUES: Final = 100
MAX_LENGTH: Final = 256
MAX_FILTER_LENGTH: Final = 2_048
MAX_FILTERS: Final = 20

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


class InvalidFilter(ValueError):
    """An invalid filter; the message gives the reason, `field` the parameter."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True)
class ValueFilter:
    """One filter: rows whose value is among `wanted` (when there are any) and not among `unwanted`."""

    name: str
    wanted: tuple[str, ...]
    unwanted: tuple[str, ...]

    @property
    def column(self) -> str:
        return COLUMNS[self.name]

    def replaced(self, values: Mapping[str, str]) -> ValueFilter:
        """Returns the filter with its values replaced, for example slugs by ids."""
        return ValueFilter(
            self.name,
            tuple(values.get(value, value) for value in self.wanted),
            tuple(values.get(value, value) for value in self.unwanted),
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads."""
        return (self.column,)

    @property
    def needs_visits(self) -> bool:
        """Returns False: the filter is about single events, as it was before there were visits."""
        return False


class Operator(StrEnum):
    """How a value of a dimension is compared."""

    IS = "is"
    IS_NOT = "is_not"
    CONTAINS = "contains"
    NOT_CONTAINS = "not_contains"
    MATCHES = "matches"


@dataclass(frozen=True, slots=True)
class DimensionFilter:
    """One `filter=`. `sql`: the expression of the dimension's value, as text; its parameters are those of the zone."""

    dimension: str
    operator: Operator
    values: tuple[str, ...]
    sql: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads."""
        return columns(self.dimension)

    @property
    def needs_visits(self) -> bool:
        """Returns True: rows with their visits have every dimension."""
        return True

    def condition(self, number: int) -> Condition:
        """Returns its condition; `number` distinguishes its parameters from those of others."""
        bound = f"filter_{number}"
        is_not = self.operator in (Operator.IS_NOT, Operator.NOT_CONTAINS)
        parameters: dict[str, Any]
        if self.operator in (Operator.IS, Operator.IS_NOT):
            column, kind, values = stored(self.dimension, self.values) or (self.sql, "String", list(self.values))
            parts, parameters = f"{column} IN {{{bound}:Array({kind})}}", {bound: values}
        else:
            parts, parameters = self._fits(bound)
        return Condition(f"NOT ({parts})" if is_not else f"({parts})", {**parameters, **self.parameters})

    def _fits(self, bound: str) -> tuple[str, dict[str, Any]]:
        """The values are one parameter: ClickHouse takes at most a thousand of a request."""
        if self.operator is Operator.MATCHES:
            pattern = "|".join(_pattern(value) for value in self.values)
            return f"match({self.sql}, {{{bound}:String}})", {bound: f"(?s)^(?:{pattern})$"}
        if "" in self.values:
            return "1", {}  # every text contains it
        return f"multiSearchAnyCaseInsensitiveUTF8({self.sql}, {{{bound}:Array(String)}})", {bound: list(self.values)}


def _pattern(text: str) -> str:
    """`text`, in which `*` is any text, as a regular expression."""
    return ".*".join("".join(f"\\{sign}" if sign in _SIGNS else sign for sign in part) for part in text.split("*"))


_SIGNS: Final = frozenset("\\.+?()[]{}|^$")


@dataclass(frozen=True, slots=True)
class Condition:
    """Part of a WHERE and the values bound to it."""

    sql: str
    parameters: Mapping[str, Any]


AnyFilter = ValueFilter | DimensionFilter


@dataclass(frozen=True, slots=True)
class Parsed:
    """The parts of a `filter=`, before names are resolved."""

    dimension: str
    operator: Operator
    values: tuple[str, ...]


def parse_dimension_filter(text: str) -> Parsed:
    """Returns the parts of `DIMENSION:OPERATOR:VALUES`. Raises `InvalidFilter`, naming what is valid."""
    dimension, rest = _split_dimension(text)
    operator, colon, listed = rest.partition(":")
    if not is_dimension(dimension):
        raise InvalidFilter("filter", f"{dimension!r} is not a dimension. Use one of {', '.join(NAMES)}, prop:NAME.")
    if not colon or operator not in set(Operator):
        raise InvalidFilter("filter", f"A filter is DIMENSION:OPERATOR:VALUES; operators are {', '.join(Operator)}.")
    values = tuple(dict.fromkeys(_split_values(listed)))
    if len(values) > MAX_VALUES:
        raise InvalidFilter("filter", f"A filter takes at most {MAX_VALUES} values.")
    if any(len(value) > MAX_FILTER_LENGTH for value in values):
        raise InvalidFilter("filter", f"A value has at most {MAX_FILTER_LENGTH} characters.")
    return Parsed(dimension, Operator(operator), values)


def _split_dimension(text: str) -> tuple[str, str]:
    """Returns the text before and after the colon that ends the dimension; `prop:NAME` has a colon of its own."""
    start = len(PROPERTY) if text.startswith(PROPERTY) else 0
    dimension, _, rest = text[start:].partition(":")
    return text[:start] + dimension[:MAX_LENGTH], rest


def _split_values(text: str) -> Iterator[str]:
    value, rest = "", iter(text)
    for sign in rest:
        if sign == "\\":
            following = next(rest, "")
            value += following if following in ("|", ":", "\\") else sign + following
        elif sign == "|":
            yield value
            value = ""
        else:
            value += sign
    yield value


def parse(name: str, text: str) -> ValueFilter | None:
    """The filter that `text` means; none for an empty text. Raises `InvalidFilter`."""
    listed = list(values(text))
    if not listed:
        return None
    if len(listed) > MAX_VALUES:
        raise InvalidFilter(name, f"{name} takes at most {MAX_VALUES} values.")
    included = tuple(dict.fromkeys(_value(name, one) for one in listed if not one.is_not))
    excluded = tuple(dict.fromkeys(_value(name, one) for one in listed if one.is_not))
    return ValueFilter(name, included, excluded)


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


def condition(filters: Iterable[AnyFilter], bots: Bots) -> Condition:
    """The WHERE of `filters` and `bots` over a table that is named `t` and has their columns."""
    parts: list[str] = []
    parameters: dict[str, Any] = {}
    for number, one in enumerate(filters):
        if isinstance(one, DimensionFilter):
            part = one.condition(number)
            parts.append(part.sql)
            parameters |= part.parameters
            continue
        kind = "UUID" if one.column.endswith("_id") else "String"
        for operator, listed in (("IN", one.wanted), ("NOT IN", one.unwanted)):
            if listed:
                bound = f"{one.name}_{'in' if operator == 'IN' else 'out'}"
                parts.append(f"t.{one.column} {operator} {{{bound}:Array({kind})}}")
                parameters[bound] = list(listed)
    if bots is not Bots.INCLUDE:
        parts.append("t.is_bot" if bots is Bots.ONLY else "NOT t.is_bot")
    return Condition(" AND ".join(parts) or "1", parameters)
