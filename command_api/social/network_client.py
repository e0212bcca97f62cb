"""Calls to the interfaces of social networks: ten seconds, little to read, JSON, no redirect; which addresses may be
called, `infra.kernel.net.outbound_http` decides.

A network's own addresses are called over https alone. A server that the settings name may stand in the inner network.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

import orjson

from infra.domain.social_connections import SocialApp
from infra.kernel.config.settings import Settings
from infra.kernel.net.dns_resolvers import Resolvers
from infra.kernel.net.outbound_http import Outbound, OutboundFailed, OutboundRefused, OutboundResponse

DEADLINE_S: Final = 10.0
MAX_BYTES: Final = 2 * 1024 * 1024
"""Fifty videos with their descriptions stay below."""
MAX_POSTS: Final = 200
"""Posts that one reading takes, the newest."""
MAX_TEXT: Final = 300
_MAX_COUNT: Final = 2**53
_MAX_RETRY_S: Final = 24 * 60 * 60


class NetworkError(Exception):
    """A reading failed. The text is for the owner; it never contains what was sent or answered."""


class NetworkUnavailable(NetworkError):
    """The network does not answer as it should, or not yet. `retry_after`: how long it wants to be left alone."""

    def __init__(self, message: str, retry_after: timedelta = timedelta(0)) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class GrantEnded(NetworkError):
    """The owner's permission is revoked, expired or refused: nothing more can be read with these tokens."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """`refresh`: empty where a network renews the access token itself."""

    access: str = field(repr=False)
    refresh: str = field(repr=False)
    obtained_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class ReadPost:
    """A post as the network has it; the counts are totals, None where it does not say."""

    address: str
    title: str
    published_at: datetime | None
    views: int | None
    likes: int | None
    comments: int | None


@dataclass(frozen=True, slots=True)
class Reading:
    """The current data of the connected account at its network. `views`: of all time; `yesterday`: views of the last
    whole day, UTC, of a network that reports it."""

    name: str
    followers: int | None
    post_count: int | None
    views: int | None
    yesterday: int | None
    posts: tuple[ReadPost, ...]


@dataclass(frozen=True, slots=True)
class NetworkAnswer:
    """A JSON object that a network answered, whatever its status."""

    status: int
    body: Mapping[str, Any]
    retry_after: timedelta


class NetworkClient:
    """Thread-safe; for threads without an event loop of their own."""

    def __init__(self, outbound: Outbound) -> None:
        self._outbound = outbound

    @classmethod
    def of(cls, settings: Settings) -> NetworkClient:
        return cls(Outbound(Resolvers(settings), ports={"https": 443}))

    def json(
        self,
        app: SocialApp,
        method: str,
        public: str,
        *,
        query: Mapping[str, str] | None = None,
        form: Mapping[str, str] | None = None,
        token: str | None = None,
    ) -> NetworkAnswer:
        """The answer at the network's address `public`. Raises `NetworkUnavailable`: none, a redirect, a server's own
        error, too large or no JSON object."""
        url = app.address(public) + (f"?{urlencode(query)}" if query else "")
        headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {token}"} if token is not None else {})
        call = self._outbound.call(
            method,
            url,
            headers=headers,
            form=form,
            configured_origin=app.configured_origin,
            deadline_s=DEADLINE_S,
            max_bytes=MAX_BYTES,
        )
        try:
            answer = asyncio.run(call)
        except (OutboundRefused, OutboundFailed) as error:
            raise NetworkUnavailable(str(error)) from error
        if 300 <= answer.status < 400 or answer.status >= 500:
            raise NetworkUnavailable(f"The network answers with {answer.status}.", _retry_after(answer))
        return NetworkAnswer(answer.status, _object_of(answer), _retry_after(answer))


def count_of(value: object) -> int | None:
    """A count, which YouTube sends as text; None for what is none."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= 16:
        value = int(value)
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MAX_COUNT
    return int(value) if is_count and isinstance(value, int) else None


def text_of(value: object) -> str:
    """Returns a text on one line, cut; empty for a value that is no text."""
    return " ".join(value.split())[:MAX_TEXT] if isinstance(value, str) else ""


def time_of(value: object) -> datetime | None:
    """A time with its zone; None for what is none."""
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return at if at is not None and at.tzinfo is not None else None


def object_of(value: object) -> Mapping[str, Any]:
    """The object, or an empty one."""
    return value if isinstance(value, dict) else {}


def objects_of(value: object) -> list[Mapping[str, Any]]:
    """The objects of a list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def tokens_of(answer: Mapping[str, Any], now: datetime, *, refresh: str = "") -> Tokens:
    """The tokens of an answer; `refresh` stays where it names no new one. Raises `NetworkUnavailable`."""
    access, life = answer.get("access_token"), count_of(answer.get("expires_in"))
    if not isinstance(access, str) or not access or life is None:
        raise NetworkUnavailable("The network gave no access token.")
    new = answer.get("refresh_token")
    return Tokens(
        access, new if isinstance(new, str) and new else refresh, now, now + timedelta(seconds=min(life, 10**8))
    )


def _object_of(answer: OutboundResponse) -> Mapping[str, Any]:
    if answer.headers.get("content-encoding", "identity") != "identity":
        raise NetworkUnavailable("The answer is compressed, although the request accepts no compression.")
    try:
        body = orjson.loads(answer.body or b"{}")
    except orjson.JSONDecodeError:
        body = None
    if not isinstance(body, dict):
        if answer.status >= 400:
            return {}
        raise NetworkUnavailable("The answer is no JSON object.")
    return body


def _retry_after(answer: OutboundResponse) -> timedelta:
    seconds = answer.headers.get("retry-after", "")
    return timedelta(seconds=min(int(seconds), _MAX_RETRY_S) if seconds.isascii() and seconds.isdecimal() else 0)
