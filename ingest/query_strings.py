"""Query strings and forms, read once and strictly."""

from __future__ import annotations

from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from ingest.errors import invalid

MAX_PARAMETERS: Final = 100
MAX_ESCAPES: Final = 8_192
"""Percent signs: as many as a page's address of `ingest.origins.referrers.MAX_URL` characters may need."""
_REMEMBERED: Final = 200


def site_of(query: bytes) -> str:
    """The value of `site` alone. Websites say the same over and over, so it is remembered."""
    return _site_of(query) if len(query) <= _REMEMBERED else parameters(query).get("site", "")


@lru_cache(maxsize=1024)
def _site_of(query: bytes) -> str:
    return parameters(query).get("site", "")


def parameters(query: bytes) -> dict[str, str]:
    """Names and values, UTF-8; of a name that is repeated the first one counts. An address that was copied from HTML
    separates its parameters by `&amp;`. Raises `EventRejected` (bad_query)."""
    if query.count(b"%") > MAX_ESCAPES:
        raise invalid("bad_query", f"The query has more than {MAX_ESCAPES:,} percent-escapes.")
    if query.count(b"&") >= MAX_PARAMETERS:
        raise invalid("bad_query", f"The query has more than {MAX_PARAMETERS} parameters.")
    values: dict[str, str] = {}
    try:
        for pair in query.decode("latin-1").split("&"):
            if pair:
                name, _, value = pair.partition("=")
                values.setdefault(_unquoted(name).removeprefix("amp;"), _unquoted(value))
    except UnicodeDecodeError:
        raise invalid("bad_query", "The query is not UTF-8.") from None
    return values


def _unquoted(text: str) -> str:
    if "+" in text:
        text = text.replace("+", " ")
    return unquote(text, errors="strict") if "%" in text else text
