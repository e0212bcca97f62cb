"""What no call of this service takes in its query string, whatever the parameter: refused before anything is read.

A parameter given twice would silently count once (the filter `country=DE&country=FR` as France alone), and text with
NUL characters cannot be in any table.
"""

from __future__ import annotations

from typing import Final

from fastapi import Request

from infra.problems import FieldError, Problem

_SHOWN: Final = 100


async def refuse_odd_parameters(request: Request) -> None:
    """Raises `Problem` 400."""
    seen: set[str] = set()
    for name, value in request.query_params.multi_items():
        shown = name[:_SHOWN]
        if "\0" in name or "\0" in value:
            raise _bad(shown.replace("\0", ""), "A parameter cannot hold NUL characters.")
        if name in seen:
            raise _bad(shown, f"{shown} is given twice; give it once. A filter takes several values with commas.")
        seen.add(name)


def _bad(name: str, message: str) -> Problem:
    return Problem(400, "invalid", message, errors=[FieldError(name, message)])
