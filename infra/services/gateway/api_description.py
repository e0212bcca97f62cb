"""The description of the API, as JSON and as a page: made once from the services' documents, not for each request.

A service that was updated has another description: the documents are fetched again once they are `FRESH_S` old, by one
request at a time, while the others get the stored one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

import orjson

from infra.services.gateway.openapi import merged, page
from infra.services.gateway.proxy import Proxy

FRESH_S: Final = 60.0
_SERVICES: Final = ("query", "command")


@dataclass(frozen=True, slots=True)
class Description:
    """The description of the API in two forms."""

    json: bytes
    page: bytes


class ApiDescription:
    """The description of all services' APIs. Belongs to the event loop."""

    def __init__(self, proxy: Proxy, app_url: str, tracking_url: str) -> None:
        self._proxy = proxy
        self._urls = (app_url, tracking_url)
        self._lock = asyncio.Lock()
        self._made: Description | None = None
        self._made_at = 0.0

    async def read(self) -> Description | None:
        """The description, at most `FRESH_S` old if the services answer; None if they never have."""
        if self._made is not None and (self._is_fresh() or self._lock.locked()):
            return self._made
        async with self._lock:
            if self._made is None or not self._is_fresh():
                await self._renew()
        return self._made

    def _is_fresh(self) -> bool:
        return monotonic() < self._made_at + FRESH_S

    async def _renew(self) -> None:
        answers = [await self._proxy.document(service, "/api/openapi.json") for service in _SERVICES]
        documents = [document for document in answers if document is not None]
        if len(documents) < len(answers):
            return
        self._made = await asyncio.to_thread(_described, documents, *self._urls)
        self._made_at = monotonic()


def _described(documents: Sequence[Mapping[str, Any]], app_url: str, tracking_url: str) -> Description:
    document = merged(documents, app_url, tracking_url)
    return Description(orjson.dumps(document), page(document))
