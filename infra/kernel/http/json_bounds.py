"""Bounds the structure of a JSON body before it is validated: how many values it has, and how deep they are.

A validator names every unknown member. A body within the usual size has a hundred thousand of them, which cost the
event loop seconds and made an answer of megabytes.
"""

from __future__ import annotations

import json
from typing import Any, Final

MAX_DEPTH: Final = 32
_SMALL_BYTES: Final = 128
"""Bodies so small are within every bound."""


class OutOfBounds(ValueError):
    """The body has more values, or deeper ones, than its route takes; the text says which."""


def check_bounds(body: bytes, max_values: int) -> None:
    """Raises `OutOfBounds` if the JSON has more than `max_values` values (members and elements at every depth) or is
    deeper than `MAX_DEPTH`. What is no JSON passes: its route refuses it, having read it with the same parser."""
    if len(body) <= _SMALL_BYTES:
        return
    try:
        level: list[Any] = [json.loads(body)]
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        return
    seen = 0
    for depth in range(MAX_DEPTH + 1):
        level = [value for value in level if isinstance(value, dict | list)]
        if not level:
            return
        if depth == MAX_DEPTH:
            raise _too_deep()
        seen += sum(map(len, level))
        if seen > max_values:
            raise OutOfBounds(f"The body may have at most {max_values:,} values.")
        level = [inner for value in level for inner in (value.values() if isinstance(value, dict) else value)]


def _too_deep() -> OutOfBounds:
    return OutOfBounds(f"The body may be at most {MAX_DEPTH} levels deep.")
