"""Query strings and forms, read once and strictly."""

from __future__ import annotations

from functools import lru_cache
from typing import Final
from urllib.parse import parse_qsl

from ingest.errors import invalid

MAX_PARAMETERS: Final = 100
MAX_ESCAPES: Final = 8_192
"""Percent signs: as many as a page's address of `ingest.referrers.MAX_URL` characters may need."""
_REMEMBERED: Final = 200


def site_of(query: bytes) -> str:
    """The value of `site` alone. Websites say the same over and over, so it is remembered."""
    return _site_of(query) if len(query) <= _REMEMBERED else parameters(query).get("site", "")


@lru_cache(maxsize=1024)
def _site_of(query: bytes) -> str:
    return parameters(query).get("site", "")


def parameters(query: bytes) -> dict[str, str]:
    """Names and values, UTF-8; of a name that is repeated the first one counts. Raises `EventRejected` (bad_query)."""
    if query.count(b"%") > MAX_ESCAPES:
        raise invalid("bad_query", f"The query has more than {MAX_ESCAPES:,} percent-escapes.")
    found: dict[str, str] = {}
    try:
        for name, value in parse_qsl(
            query.decode("latin-1"),
            keep_blank_values=True,
            max_num_fields=MAX_PARAMETERS,
            encoding="utf-8",
            errors="strict",
        ):
            found.setdefault(name, value)
    except ValueError:
        raise invalid("bad_query", f"The query is not UTF-8, or has more than {MAX_PARAMETERS} parameters.") from None
    return found
