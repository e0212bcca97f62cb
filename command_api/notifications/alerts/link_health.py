"""Requests the destinations of links once a day, and finds those that do not answer.

A destination is broken when two requests, an hour or more apart, failed: no address, no answer, an invalid certificate,
404, 410 or a failure of the server. If no server at all answers, the fault is on this side, and nothing is recorded.
Names that are reserved for documentation and tests (RFC 2606) are not requested.

Requests are HEAD, through `infra.kernel.net.outbound_http`, each with a deadline; redirects are followed a few times.
An answer that only refuses bots (403, 405, 429) is no fault. What was found is in `notifications.link_check`, which
holds observations and follows from no event.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, LiteralString, NamedTuple, Protocol
from urllib.parse import urljoin, urlsplit
from uuid import UUID

from command_api.kernel.container import Container
from command_api.notifications.alerts.checks import Found, Watched, plural
from command_api.notifications.alerts.model import AlertCause
from infra.kernel.config.settings import Settings
from infra.kernel.net.dns_resolvers import Resolvers
from infra.kernel.net.outbound_http import Outbound, OutboundFailed, OutboundRefused
from schemas.events.notifications import AlertKind

MAX_LINKS: Final = 100
"""Links of one website that are requested at one time; the others follow an hour later."""
CONCURRENT: Final = 10
DEADLINE_S: Final = 5.0
MAX_REDIRECTS: Final = 3
EVERY: Final = timedelta(days=1)
AGAIN_AFTER: Final = timedelta(hours=1)
CONFIRMED_BY: Final = 2
MAX_NAMED: Final = 10
MIN_HOSTS: Final = 3
"""If so many hosts or more are requested and none answers, this side is offline."""
_MACRO: Final = re.compile(r"\{[^{}]*\}")
_RESERVED: Final = re.compile(r"(.*\.)?(example(\.(com|net|org))?|test|invalid|localhost)")
_GONE: Final = {404: "The page does not exist (404)", 410: "The page was removed (410)"}
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})


class LinkProblem(NamedTuple):
    """The reason why a destination does not work. `host`: the server at fault; empty: it is the page alone."""

    host: str
    text: str


class LinkChecker(Protocol):
    """Requests addresses."""

    def check(self, urls: Sequence[str]) -> Sequence[LinkProblem | None]:
        """Returns the problem of each address, none if it works."""


@dataclass(frozen=True, slots=True)
class OutwardLinkChecker:
    """Requests addresses over the network, at most `CONCURRENT` at once."""

    outbound: Outbound

    @classmethod
    def of(cls, settings: Settings) -> OutwardLinkChecker:
        return cls(Outbound(Resolvers(settings), also=settings.outbound_networks))

    def check(self, urls: Sequence[str]) -> Sequence[LinkProblem | None]:
        return asyncio.run(self._check_all(urls))

    async def _check_all(self, urls: Sequence[str]) -> Sequence[LinkProblem | None]:
        places = asyncio.Semaphore(CONCURRENT)

        async def check(url: str) -> LinkProblem | None:
            async with places:
                return await self._problem(_MACRO.sub("", url))

        return await asyncio.gather(*(check(url) for url in urls))

    async def _problem(self, url: str) -> LinkProblem | None:
        if _RESERVED.fullmatch(urlsplit(url).hostname or ""):
            return None
        try:
            answer = await self.outbound.call("HEAD", url, deadline_s=DEADLINE_S)
            for _ in range(MAX_REDIRECTS):
                if answer.status not in _REDIRECTS or "location" not in answer.headers:
                    break
                url = urljoin(url, answer.headers["location"])
                answer = await self.outbound.call("HEAD", url, deadline_s=DEADLINE_S)
        except OutboundRefused:
            return None  # an address that is never called: nothing is known of it
        except OutboundFailed as error:
            return LinkProblem(urlsplit(url).hostname or "", str(error).rstrip("."))
        if answer.status in _GONE:
            return LinkProblem("", _GONE[answer.status])
        if answer.status >= 500:
            return LinkProblem(urlsplit(url).hostname or "", f"The server fails ({answer.status})")
        return None


class LinkHealth:
    """The finder of broken links."""

    def __init__(self, container: Container, checker: LinkChecker) -> None:
        self._container, self._checker = container, checker

    def broken(self, watched: Sequence[Watched], now: datetime) -> Found:
        """Requests what is due, and returns what is broken by now."""
        for one in watched:
            self._request(one.website.id, now)
            yield from ((one.website.id, finding) for finding in self._findings(one))

    def next_due(self, website_id: UUID, now: datetime) -> datetime:
        """An hour later while there is more to request, else when the next link is due."""
        rows = self._container.select(_NEXT, website_id)
        at = rows[0][0] if rows and rows[0][0] is not None else now + EVERY
        return min(max(at, now + AGAIN_AFTER), now + EVERY)

    def _request(self, website_id: UUID, now: datetime) -> None:
        due = self._container.select(_DUE, website_id, now, MAX_LINKS)
        urls = sorted({destination for _, destination in due})
        problems = dict(zip(urls, self._checker.check(urls), strict=True)) if urls else {}
        if len({urlsplit(url).hostname for url in urls}) >= MIN_HOSTS and all(
            problem is not None and problem.host for problem in problems.values()
        ):
            return
        rows = []
        for link_id, destination in due:
            problem = problems[destination]
            host, text = problem or ("", "")
            due_at = now + (EVERY if problem is None else AGAIN_AFTER)
            rows.append((link_id, website_id, destination, host, text, now, int(problem is not None), due_at))
        with self._container.pool.connection() as connection, connection.cursor() as cursor:
            cursor.execute(_FORGET, (website_id, website_id))
            cursor.executemany(_RECORD, rows)

    def _findings(self, one: Watched) -> Iterator[AlertCause]:
        """A page that is gone is a cause of its own; a server that does not answer is one for all links to it."""
        by_cause = defaultdict[str, list[tuple[UUID, str, LinkProblem]]](list)
        for link_id, slug, host, text in self._container.select(_BROKEN, one.website.id, CONFIRMED_BY):
            by_cause[host or str(link_id)].append((link_id, slug, LinkProblem(host, text)))
        for cause, links in by_cause.items():
            yield _finding(one.website.id, cause, links)


def _finding(website_id: UUID, cause: str, links: Sequence[tuple[UUID, str, LinkProblem]]) -> AlertCause:
    link_id, slug, problem = links[0]
    is_one = len(links) == 1
    what = f"/{slug}" if is_one else plural(len(links), "link")
    why = f"{problem.host}: {problem.text}" if problem.host else problem.text
    listed = ", ".join(f"/{name}" for _, name, _ in links[:MAX_NAMED]) + (" …" if len(links) > MAX_NAMED else "")
    return AlertCause(
        AlertKind.LINK_BROKEN,
        cause,
        f"{what} {'is' if is_one else 'are'} broken: {why}",
        f"Visitors who click {listed} do not arrive. {why}. Enter another destination, or archive the link.",
        f"/links?website={website_id}" + (f"&link={link_id}" if is_one else ""),
    )


_ACTIVE: Final[LiteralString] = (
    "read.links AS l JOIN read.partners AS p ON p.id = l.partner_id AND p.is_active"
    " LEFT JOIN notifications.link_check AS c ON c.link_id = l.id AND c.destination = l.destination"
    " WHERE l.website_id = %s AND l.is_active AND l.deleted_at IS NULL AND NOT l.is_archived"
)
_DUE: Final[LiteralString] = (
    f"SELECT l.id, l.destination FROM {_ACTIVE} AND (c.due_at IS NULL OR c.due_at <= %s)"  # noqa: S608 - own text
    " ORDER BY c.due_at NULLS FIRST, l.id LIMIT %s"
)
_NEXT: Final[LiteralString] = f"SELECT min(coalesce(c.due_at, l.created_at)) FROM {_ACTIVE}"  # noqa: S608 - own text
_BROKEN: Final[LiteralString] = (
    f"SELECT l.id, l.slug, c.host, c.problem FROM {_ACTIVE} AND c.failures >= %s"  # noqa: S608 - own text
    " ORDER BY c.host, l.created_at, l.id"
)
_RECORD: Final = """
INSERT INTO notifications.link_check AS c
    (link_id, website_id, destination, host, problem, checked_at, failures, due_at)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (link_id) DO UPDATE SET destination = excluded.destination, host = excluded.host,
    problem = excluded.problem, checked_at = excluded.checked_at, due_at = excluded.due_at,
    failures = CASE WHEN excluded.failures = 0 OR c.destination <> excluded.destination THEN excluded.failures
        WHEN c.failures > 0 AND c.checked_at > excluded.checked_at - interval '30 minutes' THEN c.failures
        ELSE c.failures + 1 END"""
"""Two requests within half an hour are one failure: a check that is repeated after a crash confirms nothing."""
_FORGET: Final = (
    "DELETE FROM notifications.link_check AS c WHERE website_id = %s AND NOT EXISTS (SELECT FROM read.links AS l"
    " WHERE l.id = c.link_id AND l.website_id = %s AND l.deleted_at IS NULL AND l.destination = c.destination)"
)
