"""Checks that the headers of a followed link fit the browser that its user agent names.

Browsers based on Chromium name themselves twice: in the user agent and in client hints (`sec-ch-ua…`). A program that
changes the one and forgets the other contradicts itself. Over HTTPS such a browser also always says its language, its
brands and why it fetches, and Firefox its language; a program that only copies a user agent, as link scanners do, says
nothing of that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

FIRST_WITH_HINTS: Final = 89
"""The first major version of Chromium that sends client hints to every website."""


def headers_contradict_agent(agent_text: str, headers: Mapping[bytes, bytes], is_https: bool) -> bool:
    """Returns whether no browser sends these headers with this user agent."""
    brands = headers.get(b"sec-ch-ua", b"")
    if not brands:
        said = b"accept-language" in headers or b"sec-fetch-mode" in headers
        return is_https and not said and _says_more(agent_text)
    return _hints_differ(agent_text, brands[:512], headers.get(b"sec-ch-ua-platform", b"")[:64])


@lru_cache(maxsize=1024)
def _says_more(agent_text: str) -> bool:
    """Returns whether a browser of this name always sends more than its user agent."""
    match = _CHROMIUM.search(agent_text)
    if match is not None and "like Mac OS X" not in agent_text:
        return int(match.group(1)) >= FIRST_WITH_HINTS
    return _FIREFOX.search(agent_text) is not None


@lru_cache(maxsize=4096)
def _hints_differ(agent_text: str, brands: bytes, platform: bytes) -> bool:
    named = _CHROMIUM.search(agent_text)
    if named is None:
        return True  # Firefox and Safari send no brands
    hinted = _BRAND.search(brands.decode("latin-1"))
    if hinted is not None and hinted.group(1) != named.group(1):
        return True
    words = _PLATFORMS.get(platform.decode("latin-1").strip('" '))
    return words is not None and not any(word in agent_text for word in words)


_CHROMIUM: Final = re.compile(r"(?:Chrome|Chromium)/(\d{1,4})")
_FIREFOX: Final = re.compile(r"; rv:\d+\.\d+\) Gecko/\S+ Firefox/\d{2,4}")
_BRAND: Final = re.compile(r'"Chromium";\s*v="(\d{1,4})')
_PLATFORMS: Final[Mapping[str, tuple[str, ...]]] = {
    "Windows": ("Windows",),
    "macOS": ("Macintosh",),
    "Linux": ("X11",),
    "Android": ("Android", "X11"),  # a phone that requests desktop pages
    "Chrome OS": ("CrOS",),
    "Chromium OS": ("CrOS",),
}
"""Words of the user agent that fit a platform; other platforms are not checked."""
