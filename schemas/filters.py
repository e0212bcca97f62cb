"""How a value is named in a filter of the analytics calls: `source=a,b` is two values, `source=a\\,b` is one. Pure.

A comma separates values, a leading `-` means not, blanks around a value do not count, and `(none)` stands for the empty
value. A backslash takes these signs, and itself, as they are; before any other sign it is a plain backslash.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

NONE: Final = "(none)"
ESCAPE: Final = "\\"
_ESCAPED: Final = frozenset({",", "-", "(", ESCAPE})


@dataclass(frozen=True, slots=True)
class Named:
    """One value of a filter. `is_none`: it is `(none)`, which stands for the empty value."""

    value: str
    is_not: bool
    is_none: bool


def named(value: str) -> str:
    """The text of `value` in a filter."""
    if not value:
        return NONE
    text = "".join(f"{ESCAPE}{sign}" if sign in (",", ESCAPE) else sign for sign in value)
    if text[0] == "-" or text == NONE or text[0].isspace():
        text = ESCAPE + text
    if value[-1].isspace() and len(value) > 1:
        text = f"{text[:-1]}{ESCAPE}{text[-1]}"
    return text


def condition(dimension: str, value: str) -> str:
    """The text of `filter=` that selects the events with this value of any dimension."""
    escaped = "".join(f"{ESCAPE}{sign}" if sign in ("|", ":", ESCAPE) else sign for sign in value)
    return f"{dimension}:is:{escaped}"


def values(text: str) -> Iterator[Named]:
    """The values that `text` names, in order; nothing where there is nothing between two commas."""
    for signs in _split(text):
        signs = _stripped(signs)
        is_not = bool(signs) and signs[0] == ("-", False)
        if is_not:
            signs = _stripped(signs[1:])
        if signs:
            value = "".join(sign for sign, _ in signs)
            yield Named(value, is_not, value == NONE and not any(escaped for _, escaped in signs))


_Signs = list[tuple[str, bool]]
"""Signs, and whether a backslash stood before them."""


def _split(text: str) -> Iterator[_Signs]:
    signs: _Signs = []
    rest = iter(text)
    for sign in rest:
        if sign == ESCAPE:
            after = next(rest, "")
            if after and (after in _ESCAPED or after.isspace()):
                signs.append((after, True))
                continue
            signs.append((ESCAPE, True))
            if not after:
                break
            sign = after
        if sign == ",":
            yield signs
            signs = []
        else:
            signs.append((sign, False))
    yield signs


def _stripped(signs: _Signs) -> _Signs:
    first, last = 0, len(signs)
    while first < last and _is_blank(signs[first]):
        first += 1
    while last > first and _is_blank(signs[last - 1]):
        last -= 1
    return signs[first:last]


def _is_blank(sign: tuple[str, bool]) -> bool:
    return sign[0].isspace() and not sign[1]
