"""Lists that are read page by page: an opaque cursor, and `Link: rel="next"` to the page after."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Final, TypeVar
from urllib.parse import urlencode
from uuid import UUID

import orjson
from fastapi import Depends, Query, Request, Response

from infra.kernel.http.problems import FieldError, Problem
from query_api.kernel.postgres_reader import PostgresReader, Row

R = TypeVar("R", bound=Mapping[str, Any])

MAX_LIMIT: Final = 200
MAX_TEXT_BYTES: Final = 512 * 1024
"""Maximum size of the long texts on one page (`bounded`)."""
_OF_PAGE: Final = "rows_of_page"

Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="Rows of one page")]
Cursor = Annotated[str | None, Query(max_length=512, description="From `Link: rel=next` of the previous page")]


class Page:
    """The requested page of a list. Statements read `limit + 1` rows, to find out whether there is a page after it."""

    def __init__(self, request: Request, response: Response, limit: int, cursor: str | None) -> None:
        self._request, self._response, self._cursor = request, response, cursor
        self.limit = limit

    @property
    def is_first(self) -> bool:
        """Returns whether it is the first page."""
        return not self._cursor

    def after(self, *kinds: type) -> tuple[Any, ...]:
        """Sort values, as `kinds`, of the row before the page; each None on the first page. Raises `Problem` 400."""
        return decode(self._cursor, *kinds) if self._cursor else (None,) * len(kinds)

    def behind(self, first: int) -> int:
        """The integer that the page begins behind; `first` for the first page. Raises `Problem` 400."""
        return first if self.is_first else self.after(int)[0]

    def rows(
        self, reader: PostgresReader, sql: str, sorted_by: str, values: Mapping[str, Any] | None = None
    ) -> list[Row]:
        """The page's rows. `sql` sorts by `sorted_by`, a time, and `id`, begins behind `at` and `last`, which are None
        on the first page, and reads `limit` rows. Raises `Problem` 400."""
        at, last = self.after(datetime, UUID)
        rows = reader.rows(sql, {**(values or {}), "at": at, "last": last, "limit": self.limit + 1})
        return self.take(rows, sorted_by, "id")

    def take(self, found: Sequence[R], *sorted_by: str) -> list[R]:
        """The page's own rows among `limit + 1`; adds the link to the next page."""
        rows = list(found[: self.limit])
        more = len(found) > self.limit or (bool(rows) and rows[-1].get(_OF_PAGE, 0) > len(rows))
        cursor = encode(*(rows[-1][name] for name in sorted_by)) if more else None
        link_next(self._request, self._response, cursor)
        return rows


def bounded(sql: str, *texts: str) -> str:
    """`sql`, which reads a page in its order, without the rows behind the one with which the columns `texts` reach
    `MAX_TEXT_BYTES`. The page is shorter then, and `Page.take` adds the link to the next one."""
    size = " + ".join(f"coalesce(octet_length({text}), 0)" for text in texts)
    preceding = f"sum({size}) OVER (ROWS UNBOUNDED PRECEDING) - ({size})"
    return (
        f"SELECT * FROM (SELECT page.*, {preceding} AS bytes_before, count(*) OVER () AS {_OF_PAGE}"  # noqa: S608 - own text
        f" FROM ({sql}) AS page) AS found WHERE bytes_before < {MAX_TEXT_BYTES}"
    )


def paged(default: int) -> Callable[..., Awaitable[Page]]:
    """Dependency: the requested page, of `default` rows if the request names no number."""

    async def page(request: Request, response: Response, limit: Limit = default, cursor: Cursor = None) -> Page:
        return Page(request, response, limit, cursor)

    return page


Page20 = Annotated[Page, Depends(paged(20))]
Page50 = Annotated[Page, Depends(paged(50))]
Page100 = Annotated[Page, Depends(paged(100))]


def encode(*place: object) -> str:
    """Returns a cursor of the position after a row with these sort values."""
    return urlsafe_b64encode(orjson.dumps(place)).decode().rstrip("=")


def decode(cursor: str, *kinds: type) -> tuple[Any, ...]:
    """The sort values of a cursor, as `kinds` (datetime, UUID, int, str). Raises `Problem` 400."""
    try:
        place = orjson.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if not isinstance(place, list) or len(place) != len(kinds):
            raise ValueError("not a place")
        return tuple(_as(kind, value) for kind, value in zip(kinds, place, strict=True))
    except (ValueError, TypeError) as error:
        raise bad_cursor() from error


def bad_cursor() -> Problem:
    """Returns a 400 for a cursor that this list did not make."""
    return invalid_parameter("cursor", "Invalid cursor.")


def invalid_parameter(name: str, message: str) -> Problem:
    """Returns a 400 for a parameter, or a header, that makes no sense."""
    return Problem(400, "invalid", message, errors=[FieldError(name, message)])


def link_next(request: Request, response: Response, cursor: str | None) -> None:
    """Adds the link to the next page, when there is one."""
    if cursor is not None:
        query = [(name, value) for name, value in request.query_params.multi_items() if name != "cursor"]
        address = f"{request.url.path}?{urlencode([*query, ('cursor', cursor)])}"
        response.headers["Link"] = f'<{address}>; rel="next"'


def _as(kind: type, value: object) -> object:
    if kind is datetime:
        return datetime.fromisoformat(str(value))
    if kind is UUID:
        return UUID(str(value))
    if kind is int:
        if not isinstance(value, int) or abs(value) >= 2**63:
            raise ValueError("not a number")
        return value
    return str(value)
