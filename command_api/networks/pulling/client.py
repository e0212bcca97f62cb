"""Calls of networks' report APIs: a minute, 16 MiB, JSON, no redirect; which addresses may be called,
`infra.kernel.net.outbound_http` decides.

A network's own address is called over https alone. A server that `ALTHING_NETWORK_URLS` names may stand in the inner
network. Numbers of an answer stay as they are written.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import httpx
import orjson

from command_api.networks.pulling.position import (
    CallsLimited,
    CredentialsRefused,
    PageTooLarge,
    PulledPage,
    PullFailed,
    PullPosition,
)
from command_api.networks.pulling.report_api import PullAccount, ReportApi, ReportRequest, unexpected
from infra.kernel.config.settings import Settings
from infra.kernel.net.dns_resolvers import Resolvers
from infra.kernel.net.outbound_http import (
    Outbound,
    OutboundFailed,
    OutboundRefused,
    OutboundResponse,
    OutboundTooLarge,
    origin_of,
)

DEADLINE_S: Final = 60.0
MAX_BYTES: Final = 16 * 1024 * 1024
LIMITED_WAIT: Final = timedelta(minutes=1)
"""After a 429 that does not say how long to wait."""
_MAX_WAIT_S: Final = 24 * 60 * 60
_EXACT_DIGITS: Final = 18
"""Longer integers do not fit into 64 bits."""


@dataclass(frozen=True, slots=True)
class ReportAnswer:
    """The JSON value that a network answered. `pause`: how long it wants no further call."""

    body: Any
    pause: timedelta = timedelta(0)


class ReportClient:
    """Thread-safe; for threads without an event loop of their own."""

    def __init__(self, outbound: Outbound, urls: Mapping[str, str]) -> None:
        """`urls`: servers in place of networks' own, by slug."""
        self._outbound = outbound
        self._urls = urls

    @classmethod
    def of(cls, settings: Settings) -> ReportClient:
        return cls(Outbound(Resolvers(settings), ports={"https": 443}), dict(settings.network_urls))

    def answer(self, api: ReportApi, request: ReportRequest) -> ReportAnswer:
        """Raises `PullFailed` and its kinds."""
        url = self._urls.get(api.network)
        call = self._outbound.call(
            request.method,
            (api.origin if url is None else url) + request.path,
            headers=request.headers,
            content=request.content,
            configured_origin=None if url is None else origin_of(url),
            deadline_s=DEADLINE_S,
            max_bytes=MAX_BYTES,
        )
        try:
            response = asyncio.run(call)
        except OutboundTooLarge as error:
            raise PageTooLarge(f"{api.name}'s answer is too large.") from error
        except (OutboundRefused, OutboundFailed) as error:
            raise PullFailed(f"{api.name} cannot be reached: {error}") from error
        return _answer(api, response)


def read_page(
    client: ReportClient, api: ReportApi, account: PullAccount, position: PullPosition
) -> tuple[PulledPage, timedelta]:
    """The next page of a pull, and how long no call may follow. What is too large for one call is requested in two
    halves. Raises `PullFailed`: the pull goes on from the same position."""
    try:
        answer = client.answer(api, api.request(account, position))
    except PageTooLarge:
        return PulledPage([], position.halved()), timedelta(0)
    return api.read(position, answer.body), answer.pause


def _answer(api: ReportApi, response: OutboundResponse) -> ReportAnswer:
    status = response.status
    if status in (401, 403):
        raise CredentialsRefused(f"{api.name} does not accept these credentials. Enter new ones.")
    if status == 429:
        wait = _seconds(response.headers, "retry-after") or _seconds(response.headers, "x-ratelimit-reset")
        raise CallsLimited(f"{api.name} limits the number of calls.", wait or LIMITED_WAIT)
    if status != 200:
        raise PullFailed(f"{api.name} answers with {status}.")
    if response.headers.get("content-encoding", "identity") != "identity":
        raise unexpected(api.name)
    is_last = response.headers.get("x-ratelimit-remaining", "") == "0"
    pause = (_seconds(response.headers, "x-ratelimit-reset") or LIMITED_WAIT) if is_last else timedelta(0)
    return ReportAnswer(_parsed(api, response.body), pause)


def _parsed(api: ReportApi, body: bytes) -> Any:
    """The value, its numbers exactly as written."""
    try:
        return json.loads(body, parse_float=_exact, parse_int=_integer, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:  # a cut connection ends anywhere
        raise PullFailed(f"{api.name}'s answer is incomplete.") from error


def _exact(text: str) -> orjson.Fragment:
    return orjson.Fragment(text.encode())


def _integer(text: str) -> int | orjson.Fragment:
    return int(text) if len(text) <= _EXACT_DIGITS else _exact(text)


def _seconds(headers: httpx.Headers, name: str) -> timedelta:
    text = headers.get(name, "")
    return timedelta(seconds=min(int(text), _MAX_WAIT_S) if text.isascii() and text.isdecimal() else 0)
