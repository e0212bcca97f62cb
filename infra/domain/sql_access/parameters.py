"""Values of a statement's parameters, `{name:Type}`: checked against their type before ClickHouse sees them.

ClickHouse takes 300 for a UInt8 as 44, and the thirteenth month for 1970. Values are bound by ClickHouse, never part of
the statement's text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Final
from uuid import UUID

from infra.domain.sql_access.faults import without_texts, words_of_type


class BadParameter(Exception):
    """A value does not fit its type; the message explains why to its author."""

    def __init__(self, name: str, type_: str, value: str) -> None:
        quoted = f'"{value[:_MAX_SHOWN]}"' if value else "An empty text"
        super().__init__(f"{quoted} is not valid for the parameter {name}: enter {words_of_type(type_)}.")
        self.name = name


class ParameterTooLong(BadParameter):
    """A value has more bytes than ClickHouse takes in one field of a form."""

    def __init__(self, name: str) -> None:
        Exception.__init__(self, f"The value of the parameter {name} may have at most {MAX_VALUE_BYTES:,} bytes.")
        self.name = name


def bind(sql: str, values: Mapping[str, str]) -> dict[str, str]:
    """The values as ClickHouse reads them. Raises `BadParameter`. Types without a check are left to ClickHouse; a name
    that no statement can have is left out."""
    types = declared(sql)
    return {name: _bound(name, types.get(name, ""), value) for name, value in values.items() if _NAME.fullmatch(name)}


def declared(sql: str) -> dict[str, str]:
    """The type of each parameter that the text declares outside of literals and comments."""
    return {match["name"]: match["type"].strip() for match in _DECLARED.finditer(without_texts(sql))}


def _bound(name: str, type_: str, value: str) -> str:
    if len(value.encode("utf-8", "replace")) > MAX_VALUE_BYTES:
        raise ParameterTooLong(name)
    wrapped = _WRAPPED.match(type_)
    plain = type_[wrapped.end() :].rstrip(")") if wrapped else type_
    if value == "\\N" and "Nullable" in type_:
        return value
    read = _READERS.get(plain.partition("(")[0].lower())
    if read is None:
        return value
    try:
        return read(value)
    except (ValueError, OverflowError):
        raise BadParameter(name, plain, value) from None


def _whole(bits: int, *, signed: bool) -> Callable[[str], str]:
    least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)

    def read(value: str) -> str:
        if not re.fullmatch(r"\s*-?[0-9]{1,80}\s*", value, re.ASCII) or not least <= int(value) <= most:
            raise ValueError
        return str(int(value))

    return read


def _day(value: str, first: int, last: int) -> str:
    day = date.fromisoformat(value.strip())
    if not first <= day.year <= last:
        raise ValueError
    return day.isoformat()


def _time(value: str) -> str:
    moment = datetime.fromisoformat(value.strip())
    if moment.tzinfo is not None or not 1970 <= moment.year <= 2105:
        raise ValueError
    return moment.isoformat(" ")


def _truth(value: str) -> str:
    if value.strip().lower() not in ("true", "false", "1", "0"):
        raise ValueError
    return value.strip().lower()


def _fraction(value: str) -> str:
    return repr(float(value))


def _text(value: str) -> str:
    """Returns the text as ClickHouse's escaped format writes it."""
    for sign, escape in (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r"), ("\0", "\\0")):
        value = value.replace(sign, escape)
    return value


MAX_VALUE_BYTES: Final = 50_000
"""Escaped, a value has twice as many bytes at most; a server takes 128 KiB (`http_max_field_value_size`)."""

_MAX_SHOWN: Final = 80
_NAME: Final = re.compile(r"[A-Za-z_]\w{0,99}", re.ASCII)
_DECLARED: Final = re.compile(r"\{\s*(?P<name>[A-Za-z_]\w*)\s*:(?P<type>[^{}]{1,200})\}")
_WRAPPED: Final = re.compile(r"^(?:(?:Nullable|LowCardinality)\()+", re.IGNORECASE)
_READERS: Final[Mapping[str, Callable[[str], str]]] = {
    **{f"int{bits}": _whole(bits, signed=True) for bits in (8, 16, 32, 64, 128, 256)},
    **{f"uint{bits}": _whole(bits, signed=False) for bits in (8, 16, 32, 64, 128, 256)},
    "uuid": lambda value: str(UUID(value.strip())),
    "date": lambda value: _day(value, 1970, 2149),
    "date32": lambda value: _day(value, 1900, 2299),
    "datetime": lambda value: _time(value).partition(".")[0],
    "datetime64": _time,
    "bool": _truth,
    "float32": _fraction,
    "float64": _fraction,
    "string": _text,
}
