"""The click id in a destination: a partner's links carry it in the parameter that its network returns."""

from __future__ import annotations

from typing import Final
from urllib.parse import unquote_plus

MACROS: Final = ("{click_id}", "{clickid}")


def with_click_id(destination: str, parameter: str) -> str:
    """`destination` with `{click_id}` in `parameter`; unchanged if it has the macro, a value of the parameter, or no
    place.

    Query and fragment stay as they are; the parameter without a value is replaced. It goes to the end of the query, or
    before the first value that is an address of its own without encoding, which would swallow it. `name:` is a part of
    the path, before `destination:`.
    """
    if not parameter or passes_click_id(destination):
        return destination
    address, hash_sign, fragment = destination.partition("#")
    path, question, query = address.partition("?")
    if parameter.endswith(":"):
        path = _in_path(path, parameter)
    elif not _has(query, parameter) and not _is_nested(path):
        question, query = "?", _in_query(query, parameter)
    return f"{path}{question}{query}{hash_sign}{fragment}"


def passes_click_id(destination: str, parameter: str = "") -> bool:
    """Returns whether a click's id reaches the destination: by a macro, or by `parameter`."""
    if any(macro in destination for macro in MACROS):
        return True
    return bool(parameter) and any(macro in with_click_id(destination, parameter) for macro in MACROS)


def _in_query(query: str, parameter: str) -> str:
    added = f"{parameter}={MACROS[0]}"
    pairs = [pair for pair in query.split("&") if pair not in (parameter, f"{parameter}=")] if query else []
    at = next((place for place, pair in enumerate(pairs) if "://" in pair), len(pairs))
    return "&".join([*pairs[:at], added, *pairs[at:]])


def _in_path(path: str, parameter: str) -> str:
    scheme, separator, rest = path.partition("://")
    parts = rest.split("/destination:", 1)
    if f"/{parameter}" in parts[0]:
        return path
    tail = f"/destination:{parts[1]}" if len(parts) > 1 else ""
    return f"{scheme}{separator}{parts[0].rstrip('/')}/{parameter}{MACROS[0]}{tail}"


def _is_nested(path: str) -> bool:
    """Returns whether the path ends with an address of its own, to which a query would belong."""
    return "://" in path.partition("://")[2]


def _has(query: str, parameter: str) -> bool:
    pairs = (pair.partition("=") for pair in query.split("&"))
    return any(unquote_plus(name) == parameter and value for name, _, value in pairs)
