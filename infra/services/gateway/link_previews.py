"""Documents of pages that members fill, with the head that search engines and other sites read, and 404 for what a
visitor does not find. Who is signed in makes no difference: nobody's cookie is handed on, so one document fits all.

The query service is asked briefly. While it is slow or away the page is answered as it was built, at once.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Final

import httpx
import orjson

from infra.gateway.heads import with_head, without_page
from infra.gateway.static import File, Site, page_file
from infra.gateway.subjects import Malformed, Subject, subject_of
from infra.http_guard import Scope

log = logging.getLogger(__name__)

PATIENCE_S: Final = 0.7
PAUSE_S: Final = 2.0
"""How long nobody is asked after an answer that did not come."""
KEPT_S: Final = 5.0
KEPT_MISSING_S: Final = 1.0
MOST_KEPT: Final = 500
MOST_ASKED: Final = 16

Page = tuple[File, int]


@dataclass(frozen=True, slots=True)
class _Kept:
    page: Page
    until: float


class NoAnswer(Exception):
    """The query service said neither what there is nor that there is nothing."""


class Previews:
    """`origin`: the app's own address. One per event loop; `close()` ends what is under way."""

    def __init__(self, site: Site, query_url: str, origin: str) -> None:
        self._site = site
        self._url = query_url
        self._origin = origin.rstrip("/")
        self._client = httpx.AsyncClient(
            timeout=PATIENCE_S,
            # None is kept: it could be closed behind at the moment in which it is used again, and costs little here.
            limits=httpx.Limits(max_connections=2 * MOST_ASKED, max_keepalive_connections=0),
            trust_env=False,
        )
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._asking: dict[str, asyncio.Task[Page | None]] = {}
        self._silent_until = 0.0

    async def close(self) -> None:
        for task in list(self._asking.values()):
            task.cancel()
        await self._client.aclose()

    async def of(self, scope: Scope) -> Page | None:
        """The document and its status; None: as it was built."""
        subject = subject_of(scope["path"])
        if subject is None or not self._site.is_built:
            return None
        if isinstance(subject, Malformed):
            return self._site.no_page()
        if not _is_navigation(scope):
            return None
        kept = self._kept.get(subject.path)
        if kept is not None and time.monotonic() < kept.until:
            return kept.page
        task = self._asking.get(subject.path)
        if task is None:
            if time.monotonic() < self._silent_until or len(self._asking) >= MOST_ASKED:
                return None
            task = asyncio.ensure_future(self._ask(subject))
            self._asking[subject.path] = task
            task.add_done_callback(lambda _: self._asking.pop(subject.path, None))
        # Others may wait for it, too: it outlives a browser that goes away.
        return await asyncio.shield(task)

    async def _ask(self, subject: Subject) -> Page | None:
        try:
            async with asyncio.timeout(PATIENCE_S):
                answers = await asyncio.gather(*(self._read(read) for read in subject.reads))
        except (TimeoutError, httpx.HTTPError, NoAnswer) as error:
            log.info("%s is answered without its head: %s", subject.path, type(error).__name__)
            self._silent_until = time.monotonic() + PAUSE_S
            return None
        built, _ = self._site.page(subject.path)
        if built is None:
            return None
        if answers[0] is None:
            return self._keep(subject, (page_file(without_page(built.content)), 404), KEPT_MISSING_S)
        try:
            document = with_head(built.content, subject.head(answers, self._origin), self._origin)
        except (KeyError, TypeError, ValueError, AttributeError):
            log.exception("what is known of %s is not as it should be", subject.path)
            return None
        return self._keep(subject, (page_file(document), 200), KEPT_S)

    async def _read(self, path: str) -> Any:
        """None: there is no such thing, or not for everybody."""
        answer = await self._client.get(self._url + path)
        if answer.status_code == 404:
            return None
        if answer.status_code != 200:
            raise NoAnswer(answer.status_code)
        try:
            return orjson.loads(answer.content)
        except orjson.JSONDecodeError as error:
            raise NoAnswer from error

    def _keep(self, subject: Subject, page: Page, seconds: float) -> Page:
        self._kept[subject.path] = _Kept(page, time.monotonic() + seconds)
        self._kept.move_to_end(subject.path)
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return page


def _is_navigation(scope: Scope) -> bool:
    """Whether somebody opens the page: browsers say so, and programs that follow a link take HTML or anything."""
    headers = dict(scope["headers"])
    accept = headers.get(b"accept", b"*/*")
    return headers.get(b"sec-fetch-mode", b"navigate") == b"navigate" and (b"text/html" in accept or b"*/*" in accept)
