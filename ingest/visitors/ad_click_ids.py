"""The click ids of advertising networks in an address: they tell the network which click led to a sale.

They identify a person, so they are kept sealed only, and only where the website has that switched on
(`ingest.steps.seal_ad_ids`). docs/tracking-api.md says when.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

from schemas.ad_click_ids import NETWORKS

MAX_VALUE: Final = 512
"""Characters; what is longer is no click id."""
MASK: Final = "-"
"""The text that the script writes in place of a value that it keeps for itself: the visit is paid, the id is not
sent."""

_NAMES: Final = {name.lower(): name for name in NETWORKS}
_PARAMETER: Final = re.compile(rf"(?:^|[?&])(?:amp;)*({'|'.join(NETWORKS)})=([^&#]*)", re.I)
IN_TEXT: Final = re.compile(rf"((?:{'|'.join(NETWORKS)})(?:=|%3D|\\u003d))(?:[^&#\"'\s\\%]|%(?!26|23|22))*", re.I)
"""A parameter with its value anywhere in a text, also within an escaped address."""


def ad_click_ids(url: str, parameters: str = "", *, with_fragment: bool = False) -> dict[str, str]:
    """The ids in the query of an address and in further `parameters` (`name=value&…`): of each name the first one, as
    it was sent but for percent-escapes. `with_fragment`: the fragment has parameters of the page."""
    address, _, fragment = url.partition("#")
    ids: dict[str, str] = {}
    for text in (address.partition("?")[2], fragment if with_fragment else "", parameters):
        for name, value in _in_query(text):
            ids.setdefault(name, value)
    return ids


def has_parameters(url: str) -> bool:
    """Returns whether the address may have ids: the quick test before anything else."""
    return _PARAMETER.search(url) is not None


def _in_query(query: str) -> Iterator[tuple[str, str]]:
    for match in _PARAMETER.finditer(query) if query else ():
        try:
            value = unquote(match[2], errors="strict")
        except UnicodeDecodeError:
            continue
        if value and value != MASK and len(value) <= MAX_VALUE:
            yield _NAMES[match[1].lower()], value
