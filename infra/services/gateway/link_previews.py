"""Documents of pages with members' content: meta tags for search engines and link previews, and 404 for missing
pages.

The visitor's session makes no difference: no cookie is forwarded, so one document fits all. The query service is
called with a short timeout. While it is slow or unavailable the page is served as built, at once.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from typing import Any, Final

import httpx
import orjson
import structlog

from infra.kernel.http.request_limits import Scope
from infra.services.gateway.meta_tags import with_head, without_page
from infra.services.gateway.preview_routes import InvalidData, PreviewRoute, route_for
from infra.services.gateway.static import File, StaticSite, page_file

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

TIMEOUT_S: Final = 0.7
PAUSE_S: Final = 2.0
"""Pause without requests after a failed one."""
CACHE_S: Final = 5.0
CACHE_MISSING_S: Final = 1.0
MAX_CACHED: Final = 500
MAX_CONCURRENT: Final = 16

Page = tuple[File, int]


class PreviewUnavailable(Exception):
    """The query service said neither what there is nor that there is nothing."""


class LinkPreviews:
    """`origin`: the app's own address. One per event loop; `close()` cancels pending requests."""

    def __init__(self, site: StaticSite, query_url: str, origin: str) -> None:
        self._site = site
        self._url = query_url
        self._origin = origin.rstrip("/")
        self._client = httpx.AsyncClient(
            timeout=TIMEOUT_S,
            # None is kept: it could be closed behind at the moment in which it is used again, and costs little here.
            limits=httpx.Limits(max_connections=2 * MAX_CONCURRENT, max_keepalive_connections=0),
            trust_env=False,
        )
        self._cached: OrderedDict[str, tuple[Page, float]] = OrderedDict()
        """Pages by path, each with the time until which it counts."""
        self._asking: dict[str, asyncio.Task[Page | None]] = {}
        self._silent_until = 0.0

    async def close(self) -> None:
        for task in list(self._asking.values()):
            task.cancel()
        await self._client.aclose()

    async def of(self, scope: Scope) -> Page | None:
        """The document and its status; None: as it was built."""
        subject = route_for(scope["path"])
        if subject is None or not self._site.is_built:
            return None
        if isinstance(subject, InvalidData):
            return self._site.no_page()
        if not _is_navigation(scope):
            return None
        kept = self._cached.get(subject.path)
        if kept is not None and time.monotonic() < kept[1]:
            return kept[0]
        task = self._asking.get(subject.path)
        if task is None:
            if time.monotonic() < self._silent_until or len(self._asking) >= MAX_CONCURRENT:
                return None
            task = asyncio.ensure_future(self._request(subject))
            self._asking[subject.path] = task
            task.add_done_callback(lambda _: self._asking.pop(subject.path, None))
        # Others may wait for it, too: it outlives a browser that goes away.
        return await asyncio.shield(task)

    async def _request(self, subject: PreviewRoute) -> Page | None:
        try:
            async with asyncio.timeout(TIMEOUT_S):
                answers = await asyncio.gather(*(self._read(read) for read in subject.reads))
        except (TimeoutError, httpx.HTTPError, PreviewUnavailable) as error:
            log.info("link_preview_unavailable", path=subject.path, error=type(error).__name__)
            self._silent_until = time.monotonic() + PAUSE_S
            return None
        page, _ = self._site.page(subject.path)
        if page is None:
            return None
        if answers[0] is None:
            return self._cache(subject, (page_file(without_page(page.content)), 404), CACHE_MISSING_S)
        try:
            head = subject.describe(answers, subject.path, self._origin)
            document = with_head(page.content, head, self._origin)
        except (KeyError, TypeError, ValueError, AttributeError):
            log.exception("link_preview_invalid_data", path=subject.path)
            return None
        return self._cache(subject, (page_file(document), 200), CACHE_S)

    async def _read(self, path: str) -> Any:
        """Returns the object at this path; None: there is no such object, or it is not public."""
        answer = await self._client.get(self._url + path)
        if answer.status_code == 404:
            return None
        if answer.status_code != 200:
            raise PreviewUnavailable(answer.status_code)
        try:
            return orjson.loads(answer.content)
        except orjson.JSONDecodeError as error:
            raise PreviewUnavailable from error

    def _cache(self, subject: PreviewRoute, page: Page, seconds: float) -> Page:
        self._cached[subject.path] = (page, time.monotonic() + seconds)
        self._cached.move_to_end(subject.path)
        while len(self._cached) > MAX_CACHED:
            self._cached.popitem(last=False)
        return page


def _is_navigation(scope: Scope) -> bool:
    """Returns whether the request is a navigation: browsers say so, and programs that follow a link accept HTML or
    anything."""
    headers = dict(scope["headers"])
    accept = headers.get(b"accept", b"*/*")
    return headers.get(b"sec-fetch-mode", b"navigate") == b"navigate" and (b"text/html" in accept or b"*/*" in accept)
