"""Calls to identity providers: five seconds, little to read, JSON; where they may lead,
`infra.kernel.net.outbound_http` decides.

A provider's documents name further addresses (token, keys, user info). Those are called over https on port 443 alone,
on the open internet. Only what the settings themselves name as the provider's own place may be anywhere: a GitHub
Enterprise server stands in the inner network.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

import orjson

from infra.kernel.config.settings import Settings
from infra.kernel.net.dns_resolvers import Resolvers
from infra.kernel.net.outbound_http import Outbound, OutboundFailed, OutboundRefused, origin_of

TIMEOUT_S: Final = 5.0
"""The limit of a whole call, from its beginning to the last byte."""
MAX_BYTES: Final = 256 * 1024
_HTTPS: Final = {"https": 443}


class ProviderError(Exception):
    """The sign-in failed. The text is for logs; it never contains what was sent or answered."""


class ProviderUnreachable(ProviderError):
    """The provider did not answer as it should; later it may."""


class ProviderUntrusted(ProviderError):
    """The provider's answer is not valid for this sign-in."""


class ProviderHttpClient:
    """Thread-safe; for threads without an event loop of their own."""

    def __init__(self, outbound: Outbound) -> None:
        self._outbound = outbound

    @classmethod
    def of(cls, settings: Settings) -> ProviderHttpClient:
        return cls(Outbound(Resolvers(settings), ports=_HTTPS))

    def json(
        self,
        method: str,
        url: str,
        *,
        configured_origin: str | None = None,
        form: Mapping[str, str] | None = None,
        token: str | None = None,
    ) -> Any:
        """Returns the JSON body of a 200 response. `configured_origin`: the provider's scheme and host in the settings.

        Raises `ProviderUnreachable`, also for redirects and slow or large responses, and `ProviderUntrusted` for
        forbidden addresses and for a refusal (400, 401, 403).
        """
        headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {token}"} if token is not None else {})
        place = origin_of(url)
        call = self._outbound.call(
            method,
            url,
            headers=headers,
            form=form,
            configured_origin=configured_origin,
            deadline_s=TIMEOUT_S,
            max_bytes=MAX_BYTES,
        )
        try:
            answer = asyncio.run(call)
        except OutboundRefused as error:
            raise ProviderUntrusted(f"it names an address that is not called: {error}") from error
        except OutboundFailed as error:
            raise ProviderUnreachable(f"{place}: {error}") from error
        if answer.status in (400, 401, 403):
            raise ProviderUntrusted(f"{place} refused with {answer.status}")
        if answer.status != 200:
            raise ProviderUnreachable(f"{place} answered {answer.status}")
        if answer.headers.get("content-encoding", "identity") != "identity":
            raise ProviderUnreachable("the answer is compressed, although the request accepts no compression")
        try:
            return orjson.loads(answer.body)
        except orjson.JSONDecodeError as error:
            raise ProviderUnreachable(f"{place} did not answer JSON") from error
