"""Native blocks as a client of a newer protocol revision reads them.

The embedded engine writes Native for revision 0. From revision 54454 on a block begins with its info, and each column
has a byte between type and data that says whether its serialization is a special one. To place it, the data of each
column is passed over by its type. A client of an older revision gets revision 0, and notices
(clickhouse-connect), so that nothing is passed over for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from infra.services.clickhouse_server.errors import Code, error

FIRST_REVISION: Final = 54454
"""Custom serialization; older ones differ from revision 0 in the info of the block alone."""

_BLOCK_INFO: Final = b"\x01\x00\x02\xff\xff\xff\xff\x00"
"""No overflow rows (field 1), no bucket (field 2), end."""

_USUAL: Final = b"\x00"

Skip = Callable[[bytes, int, int], int]
"""A function that returns where the data of so many values ends that begins at this place."""


def converter(revision: int) -> Callable[[bytes], bytes] | None:
    """Returns the function that converts whole blocks of revision 0 to `revision`; None where nothing has to be
    changed."""
    return convert if revision >= FIRST_REVISION else None


def convert(data: bytes) -> bytes:
    """Converts whole blocks. Raises `ClickHouseError` 48 for a column whose length its type does not tell."""
    out, at = bytearray(), 0
    while at < len(data):
        start = at
        columns, at = _varint(data, at)
        rows, at = _varint(data, at)
        out += _BLOCK_INFO + data[start:at]
        for _ in range(columns):
            start = at
            _, at = _text(data, at)
            type_, at = _text(data, at)
            out += data[start:at] + _USUAL
            start = at
            if rows:
                skip, prefix = _column(type_)
                at = skip(data, at + prefix, rows)
            out += data[start:at]
    return bytes(out)


@cache
def _column(type_: str) -> tuple[Skip, int]:
    """Returns the function that skips a column's data, and the length of its state in front of it: that of its
    dictionaries."""
    return _skip(type_), 8 * len(re.findall(r"\bLowCardinality\(", type_))


def _skip(type_: str) -> Skip:
    name, arguments = _parsed(type_)
    if (width := _width(name, arguments)) is not None:
        return lambda _, at, count: at + width * count
    if name == "String":
        return _skip_texts
    if name in _NESTING:
        return _NESTING[name]([_skip(_without_name(one)) for one in arguments], arguments)
    advice = "Use RowBinaryWithNamesAndTypes, or write the column as text"
    raise error(Code.NOT_IMPLEMENTED, f"Native has no column of type {type_[:100]} for this client. {advice}")


_WIDTHS: Final = {
    **{f"{sign}Int{bits}": bits // 8 for sign in ("", "U") for bits in (8, 16, 32, 64, 128, 256)},
    "Float32": 4, "Float64": 8, "BFloat16": 2, "Bool": 1, "Enum8": 1, "Enum16": 2, "UUID": 16, "IPv4": 4, "IPv6": 16,
    "Date": 2, "Date32": 4, "DateTime": 4, "DateTime32": 4, "DateTime64": 8, "Time": 4, "Time64": 8, "Nothing": 1,
    "Point": 16,
    **{f"Decimal{bits}": bits // 8 for bits in (32, 64, 128, 256)},
}  # fmt: skip
_DECIMALS: Final = ((9, 4), (18, 8), (38, 16), (76, 32))


def _width(name: str, arguments: Sequence[str]) -> int | None:
    if name == "FixedString":
        return int(arguments[0])
    if name == "Decimal":
        return next(width for digits, width in _DECIMALS if int(arguments[0]) <= digits)
    return 8 if name.startswith("Interval") else _WIDTHS.get(name)


def _skip_texts(data: bytes, at: int, count: int) -> int:
    for _ in range(count):
        size = data[at]
        at += 1
        if size >= 0x80:
            size, at = _varint(data, at - 1)
        at += size
    return at


def _nullable(inner: Sequence[Skip], _: Sequence[str]) -> Skip:
    return lambda data, at, count: inner[0](data, at + count, count)


def _tuple(inner: Sequence[Skip], _: Sequence[str]) -> Skip:
    def skip(data: bytes, at: int, count: int) -> int:
        for one in inner:
            at = one(data, at, count)
        return at if inner else at + count

    return skip


def _array(inner: Sequence[Skip], arguments: Sequence[str]) -> Skip:
    element = _tuple(inner, arguments)

    def skip(data: bytes, at: int, count: int) -> int:
        end = at + 8 * count
        total = int.from_bytes(data[end - 8 : end], "little") if count else 0
        return element(data, end, total) if total else end

    return skip


def _low_cardinality(_: Sequence[Skip], arguments: Sequence[str]) -> Skip:
    type_ = arguments[0]
    keys = _skip(type_.removeprefix("Nullable(").removesuffix(")") if type_.startswith("Nullable(") else type_)

    def skip(data: bytes, at: int, count: int) -> int:
        while count > 0:
            flags = int.from_bytes(data[at : at + 8], "little")
            at += 8
            if flags & _HAS_KEYS:
                at = keys(data, at + 8, int.from_bytes(data[at : at + 8], "little"))
            rows = int.from_bytes(data[at : at + 8], "little")
            at += 8 + rows * (1 << (flags & 0xFF))
            count -= rows
        return at

    return skip


_HAS_KEYS: Final = 1 << 9
_NESTING: Final[dict[str, Callable[[Sequence[Skip], Sequence[str]], Skip]]] = {
    "Nullable": _nullable,
    "Tuple": _tuple,
    "Array": _array,
    "Map": _array,
    "Nested": _array,
    "LowCardinality": _low_cardinality,
    "SimpleAggregateFunction": lambda inner, _: inner[-1],
}


def _parsed(type_: str) -> tuple[str, list[str]]:
    """The name of a type, and its arguments as they are written."""
    name, bracket, rest = type_.partition("(")
    if not bracket:
        return name, []
    arguments, depth, start, quoted = [], 0, 0, False
    inside = rest[:-1]
    for place, sign in enumerate(inside):
        if sign == "'" and inside[place - 1 : place] != "\\":
            quoted = not quoted
        elif not quoted:
            depth += (sign == "(") - (sign == ")")
            if sign == "," and depth == 0:
                arguments.append(inside[start:place].strip())
                start = place + 1
    arguments.append(inside[start:].strip())
    if name == "SimpleAggregateFunction":
        return name, arguments[1:]
    return name, [] if name.startswith(("Enum", "DateTime")) else arguments


def _without_name(argument: str) -> str:
    """The type of an element of a tuple, which may have a name."""
    match = re.match(r"(?:`(?:[^`\\]|\\.)*`|\w+)\s+(?=[A-Z])", argument)
    return argument[match.end() :] if match else argument


def _text(data: bytes, at: int) -> tuple[str, int]:
    size, at = _varint(data, at)
    return data[at : at + size].decode("utf-8", "replace"), at + size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value, at
        shift += 7
