"""Calls of ad platforms' APIs: 30 seconds, 1 MiB, JSON, no redirect; which addresses may be called,
`infra.kernel.net.outbound_http` decides.

A platform's own address is called over https alone. A server that `ALTHING_DESTINATION_URLS` names may stand in the
inner network, and is called for all addresses of the platform.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

import httpx
import orjson

from command_api.destinations.platforms.ad_api import (
    AdAnswer,
    AdRequest,
    Call,
    SendFailed,
    SendingLimited,
    SendingRefused,
)
from infra.domain.ad_platforms.rules import PLATFORMS
from infra.kernel.config.settings import Settings
from infra.kernel.net.dns_resolvers import Resolvers
from infra.kernel.net.outbound_http import Outbound, OutboundFailed, OutboundRefused, origin_of
from schemas.events.destinations import AdPlatform

DEADLINE_S: Final = 30.0
MAX_BYTES: Final = 1024 * 1024
LIMITED_WAIT: Final = timedelta(minutes=1)
"""After a 429 that does not say how long to wait."""
_MAX_WAIT_S: Final = 24 * 60 * 60


class AdClient:
    """Thread-safe; for threads without an event loop of their own."""

    def __init__(self, outbound: Outbound, urls: Mapping[str, str]) -> None:
        """`urls`: servers in place of platforms' own, by platform."""
        self._outbound = outbound
        self._urls = urls

    @classmethod
    def of(cls, settings: Settings) -> AdClient:
        return cls(Outbound(Resolvers(settings), ports={"https": 443}), dict(settings.destination_urls))

    def calls_of(self, platform: AdPlatform) -> Call:
        """Makes the calls of one platform."""
        return lambda request: self._answer(platform, request)

    def _answer(self, platform: AdPlatform, request: AdRequest) -> AdAnswer:
        name, url = PLATFORMS[platform].name, self._urls.get(platform)
        call = self._outbound.call(
            request.method,
            (request.origin if url is None else url) + request.path,
            headers=request.headers,
            content=request.content,
            configured_origin=None if url is None else origin_of(url),
            deadline_s=DEADLINE_S,
            max_bytes=MAX_BYTES,
        )
        try:
            response = asyncio.run(call)
        except (OutboundRefused, OutboundFailed) as error:
            raise SendFailed(f"{name} cannot be reached: {error}") from error
        status = response.status
        body = _parsed(response.body)
        if status == 401:
            raise SendingRefused(f"{name} does not accept these credentials. Enter new ones.", status)
        if status == 429:
            raise SendingLimited(f"{name} limits the number of calls.", status, _wait(response.headers) or LIMITED_WAIT)
        if status >= 500 or status < 200 or 300 <= status < 400:
            raise SendFailed(f"{name} answers with {status}.", status, _wait(response.headers))
        if body is None:
            raise SendFailed(f"{name}'s answer is incomplete.", status)
        return AdAnswer(status, body)


def _parsed(body: bytes) -> Mapping[str, Any] | None:
    try:
        parsed = orjson.loads(body or b"{}")
    except orjson.JSONDecodeError:  # a cut connection ends anywhere
        return None
    return parsed if isinstance(parsed, dict) else None


def _wait(headers: httpx.Headers) -> timedelta:
    text = headers.get("retry-after", "")
    return timedelta(seconds=min(int(text), _MAX_WAIT_S) if text.isascii() and text.isdecimal() else 0)
