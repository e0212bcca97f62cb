"""Lists that are read page by page: an opaque cursor, and `Link: rel="next"` to the page after."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime
from typing import Annotated, Final
from urllib.parse import urlencode
from uuid import UUID

import orjson
from fastapi import Query, Request, Response

from infra.problems import FieldError, Problem

MAX_LIMIT: Final = 200

Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="Rows of one page")]
Cursor = Annotated[str | None, Query(max_length=512, description="From `Link: rel=next` of the page before")]


def encode(*place: object) -> str:
    """A cursor that stands for the place after a row with these sort values."""
    return urlsafe_b64encode(orjson.dumps(place)).decode().rstrip("=")


def decode(cursor: str, *kinds: type) -> tuple[object, ...]:
    """The sort values of a cursor, as `kinds` (datetime, UUID, int, str). Raises `Problem` 400."""
    try:
        place = orjson.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if not isinstance(place, list) or len(place) != len(kinds):
            raise ValueError("not a place")
        return tuple(_as(kind, value) for kind, value in zip(kinds, place, strict=True))
    except (ValueError, TypeError) as error:
        raise bad_cursor() from error


def bad_cursor() -> Problem:
    message = "cursor is not one that a page before gave."
    return Problem(400, "invalid", message, errors=[FieldError("cursor", message)])


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
