"""Bot detection. Bots are stored and flagged, never dropped, so that a better rule can be applied to past events.

A person's browser sends events by script (`POST /track`), and so do a website's own servers: there a plain HTTP
library is no bot. Following a link, loading the pixel and reading a page are what people do with browsers; a library
or a missing user agent that does so is a machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ingest.bots.user_agents import Agent
from ingest.origins.referrers import is_spam

CRAWLER: Final = "crawler"
HEAD: Final = "head"
PREFETCH: Final = "prefetch"
HEADLESS: Final = "headless"
DATACENTRE: Final = "datacentre"
SPAM_REFERRER: Final = "spam_referrer"
NO_USER_AGENT: Final = "no_user_agent"


def machine_reason(agent: Agent, headers: Mapping[bytes, bytes]) -> str:
    """The reason why the request is a bot's, from user agent and headers; empty: no sign of a bot."""
    if agent.crawler:
        return CRAWLER
    if agent.headless:
        return HEADLESS
    if agent.datacentre or b"cf-worker" in headers:
        return DATACENTRE
    return PREFETCH if is_prefetch(headers) else ""


def visit_reason(agent: Agent, has_agent: bool, headers: Mapping[bytes, bytes], method: str, referrer_host: str) -> str:
    """The same for a fetched page or link, where more signs apply."""
    if method == "HEAD":
        return HEAD
    reason = machine_reason(agent, headers)
    if reason:
        return reason
    if not has_agent:
        return NO_USER_AGENT
    if agent.tool:
        return CRAWLER
    return SPAM_REFERRER if referrer_host and is_spam(referrer_host) else ""


def is_prefetch(headers: Mapping[bytes, bytes]) -> bool:
    """Returns whether the browser prefetches."""
    if _PURPOSES.isdisjoint(headers):
        return False
    for name in _PURPOSES:
        value = headers.get(name)
        if value and any(word in value.lower() for word in _AHEAD):
            return True
    return False


_PURPOSES: Final = frozenset((b"sec-purpose", b"purpose", b"x-purpose", b"x-moz"))
_AHEAD: Final = (b"prefetch", b"prerender", b"preview")
