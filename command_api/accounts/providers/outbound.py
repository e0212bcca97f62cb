"""Calls to identity providers: short, small, without redirects, and never to an address of the inner network.

A provider's documents name further addresses (token, keys, user info). Those are called over https on port 443 alone,
at an address that was resolved once and is public. Only what the settings themselves name as the provider's own place
may be anywhere: a GitHub Enterprise server stands in the inner network.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

import dns.exception
import dns.resolver
import httpx
import orjson

from infra.outbound import is_public

TIMEOUT_S: Final = 5.0
"""For a whole call, from its beginning to the last byte."""
MOST_BYTES: Final = 256 * 1024

Resolve = Callable[[str], Sequence[str]]


class ProviderError(Exception):
    """Nobody is signed in. The text is for logs; it never holds what was sent or answered."""


class Unreachable(ProviderError):
    """The provider did not answer as it should; later it may."""


class Untrusted(ProviderError):
    """What came is not what the provider would send for this sign-in."""


def call(
    method: str,
    url: str,
    *,
    own_place: str | None = None,
    form: Mapping[str, str] | None = None,
    token: str | None = None,
    resolve: Resolve | None = None,
) -> Any:
    """The JSON that is answered with 200. `own_place`: scheme and host that the settings name for this provider.

    Raises `Unreachable`, also for a redirect and for an answer that is too slow or too large; `Untrusted` for an
    address that must not be called, and for a refusal (400, 401, 403).
    """
    headers = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "althing"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    deadline = time.monotonic() + TIMEOUT_S
    transport = _Guarded(own_place, resolve or _resolved)
    try:
        with (
            httpx.Client(transport=transport, timeout=TIMEOUT_S, trust_env=False) as client,
            client.stream(method, url, data=form, headers=headers) as answer,
        ):
            body = _read(answer, deadline)
    except httpx.InvalidURL as error:
        raise Untrusted("it names an address that is none") from error
    except httpx.HTTPError as error:
        raise Unreachable(f"{_host(url)}: {type(error).__name__}") from error
    if answer.status_code in (400, 401, 403):
        raise Untrusted(f"{_host(url)} refused with {answer.status_code}")
    if answer.status_code != 200:
        raise Unreachable(f"{_host(url)} answered {answer.status_code}")
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Unreachable(f"{_host(url)} did not answer JSON") from error


def place_of(url: str) -> str:
    """Scheme, host and port of an address."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


class _Guarded(httpx.BaseTransport):
    """Connects to the address that was looked at, under the name that was asked for."""

    def __init__(self, own_place: str | None, resolve: Resolve) -> None:
        self._own_place = own_place
        self._resolve = resolve
        self._inner = httpx.HTTPTransport(retries=0, limits=httpx.Limits(max_keepalive_connections=0))

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self._own_place is None or place_of(str(request.url)) != self._own_place:
            self._pin(request)
        return self._inner.handle_request(request)

    def close(self) -> None:
        self._inner.close()

    def _pin(self, request: httpx.Request) -> None:
        url = request.url
        if url.scheme != "https" or url.port is not None or url.userinfo:
            raise Untrusted("it names an address that is not https on its usual port")
        addresses = self._resolve(url.host)
        if not addresses or not all(is_public(ip_address(address)) for address in addresses):
            raise Untrusted("it names a host that is not on the open internet")
        request.extensions = {**request.extensions, "sni_hostname": url.host}
        request.url = url.copy_with(host=addresses[0])


def _resolved(host: str) -> list[str]:
    try:
        return [str(ip_address(host.strip("[]")))]
    except ValueError:
        pass
    try:
        return list(dns.resolver.get_default_resolver().resolve_name(host, lifetime=3).addresses())
    except dns.exception.DNSException as error:
        raise Unreachable(f"{host} could not be resolved: {type(error).__name__}") from error


def _read(answer: httpx.Response, deadline: float) -> bytes:
    if answer.headers.get("content-encoding", "identity") != "identity":
        raise Unreachable("the answer is compressed, which was not asked for")
    body = bytearray()
    for chunk in answer.iter_raw():
        body += chunk
        if len(body) > MOST_BYTES:
            raise Unreachable("the answer is too large")
        if time.monotonic() > deadline:
            raise Unreachable("the answer came too slowly")
    return bytes(body)


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""
