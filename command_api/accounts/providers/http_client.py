"""Calls to identity providers: five seconds, little to read, JSON; where they may lead, `infra.outbound` decides.

A provider's documents name further addresses (token, keys, user info). Those are called over https on port 443 alone,
on the open internet. Only what the settings themselves name as the provider's own place may be anywhere: a GitHub
Enterprise server stands in the inner network.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

import orjson

from infra.outbound import Outbound, OutboundFailed, OutboundRefused, place_of
from infra.resolvers import Resolvers
from infra.settings import Settings

TIMEOUT_S: Final = 5.0
"""For a whole call, from its beginning to the last byte."""
MOST_BYTES: Final = 256 * 1024
_HTTPS: Final = {"https": 443}


class ProviderError(Exception):
    """Nobody is signed in. The text is for logs; it never holds what was sent or answered."""


class Unreachable(ProviderError):
    """The provider did not answer as it should; later it may."""


class Untrusted(ProviderError):
    """What came is not what the provider would send for this sign-in."""


class Calls:
    """Thread-safe; for threads without an event loop of their own."""

    def __init__(self, outbound: Outbound) -> None:
        self._outbound = outbound

    @classmethod
    def of(cls, settings: Settings) -> Calls:
        return cls(Outbound(Resolvers(settings), ports=_HTTPS))

    def json(
        self,
        method: str,
        url: str,
        *,
        own_place: str | None = None,
        form: Mapping[str, str] | None = None,
        token: str | None = None,
    ) -> Any:
        """The JSON that is answered with 200. `own_place`: scheme and host that the settings name for this provider.

        Raises `Unreachable`, also for a redirect and for an answer that is too slow or too large; `Untrusted` for an
        address that must not be called, and for a refusal (400, 401, 403).
        """
        headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {token}"} if token is not None else {})
        place = place_of(url)
        call = self._outbound.call(
            method, url, headers=headers, form=form, own_place=own_place, deadline_s=TIMEOUT_S, most_bytes=MOST_BYTES
        )
        try:
            answer = asyncio.run(call)
        except OutboundRefused as error:
            raise Untrusted(f"it names an address that is not called: {error}") from error
        except OutboundFailed as error:
            raise Unreachable(f"{place}: {error}") from error
        if answer.status in (400, 401, 403):
            raise Untrusted(f"{place} refused with {answer.status}")
        if answer.status != 200:
            raise Unreachable(f"{place} answered {answer.status}")
        if answer.headers.get("content-encoding", "identity") != "identity":
            raise Unreachable("the answer is compressed, which was not asked for")
        try:
            return orjson.loads(answer.body)
        except orjson.JSONDecodeError as error:
            raise Unreachable(f"{place} did not answer JSON") from error
