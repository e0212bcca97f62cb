"""The plain design: FastAPI over tables in Postgres, one transaction a request, queries over the events themselves.

A good engineer's version of it: ids that make retries harmless, keys, parsed user agents with a cache, countries, one
statement a request in autocommit, prepared statements, a pool, the two indexes that its queries need, and groups
instead of `count(DISTINCT)`, which Postgres does in parallel.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit
from uuid import UUID

import maxminddb
import ua_parser
from fastapi import Depends, FastAPI, Header, HTTPException, Request, Response
from psycopg.rows import tuple_row
from psycopg_pool import AsyncConnectionPool
from pydantic import BaseModel, Field

TABLES: Final = """
CREATE TABLE sites (id uuid PRIMARY KEY, key text NOT NULL UNIQUE, domain text NOT NULL);
CREATE TABLE events (
  site_id uuid NOT NULL, id uuid NOT NULL, occurred_at timestamptz NOT NULL, type text NOT NULL,
  visitor bigint NOT NULL, path text NOT NULL, title text NOT NULL, referrer_host text NOT NULL,
  country text NOT NULL, device text NOT NULL, browser text NOT NULL, os text NOT NULL
);
"""
INDEXES: Final = """
ALTER TABLE events ADD PRIMARY KEY (site_id, id);
CREATE INDEX events_by_time ON events (site_id, occurred_at);
"""
COLUMNS: Final = {
    **{"site_id": "uuid", "id": "uuid", "occurred_at": "timestamptz", "type": "text", "visitor": "bigint"},
    **dict.fromkeys(("path", "title", "referrer_host", "country", "device", "browser", "os"), "text"),
}
MAX_BATCH: Final = 10_000
_INTO: Final = f"INSERT INTO events ({', '.join(COLUMNS)})"
_ONE: Final = f"{_INTO} VALUES ({', '.join(['%s'] * len(COLUMNS))}) ON CONFLICT DO NOTHING"
_MANY: Final = (
    f"{_INTO} SELECT * FROM unnest({', '.join(f'%s::{kind}[]' for kind in COLUMNS.values())}) ON CONFLICT DO NOTHING"
)
_RANGE: Final = "FROM events WHERE site_id = %s AND occurred_at >= %s AND occurred_at < %s AND type = 'pageview'"

pool = AsyncConnectionPool(
    os.environ.get("DATABASE_URL", ""), min_size=4, max_size=20, open=False, kwargs={"autocommit": True}
)
countries = maxminddb.open_database(path) if (path := os.environ.get("COUNTRY_DATABASE")) else None
sites: dict[str, UUID] = {}


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncIterator[None]:
    async with pool:
        yield


app = FastAPI(lifespan=lifespan)


class Event(BaseModel):
    """One event. `ip` and `user_agent`: of the visitor, when a server sends it."""

    type: str = Field(pattern=r"^[a-z0-9_.-]{1,64}$")
    id: UUID
    url: str = Field(max_length=2048)
    referrer: str = Field(default="", max_length=2048)
    title: str = Field(default="", max_length=500)
    occurred_at: datetime | None = None
    ip: str = ""
    user_agent: str = ""


async def site_of(authorization: Annotated[str, Header()]) -> UUID:
    """The website whose key the request has; keys are kept."""
    key = authorization.removeprefix("Bearer ")
    if key not in sites:
        found = await rows("SELECT id FROM sites WHERE key = %s", key)
        if not found:
            raise HTTPException(401)
        sites[key] = found[0][0]
    return sites[key]


Site = Annotated[UUID, Depends(site_of)]


@app.post("/events", status_code=202)
async def post_events(events: Event | list[Event], request: Request, site: Site) -> Response:
    """Stores one event, or a batch, and answers once they are committed. An id that is known changes nothing."""
    ip = request.client.host if request.client else ""
    agent = request.headers.get("user-agent", "")
    many = events if isinstance(events, list) else [events]
    if len(many) > MAX_BATCH:
        raise HTTPException(413)
    found = [event_row(site, event, event.ip or ip, event.user_agent or agent) for event in many]
    async with pool.connection() as connection:
        if isinstance(events, list):
            await connection.execute(_MANY, [list(column) for column in zip(*found, strict=True)])
        else:
            await connection.execute(_ONE, found[0])
    return Response(b"{}", status_code=202, media_type="application/json")


@app.get("/totals")
async def get_totals(site: Site, start: datetime, end: datetime) -> dict[str, Any]:
    """Page views and visitors of the range, and of the range of the same length before it."""
    sql = (
        f"SELECT coalesce(sum(views), 0)::bigint, count(*) FROM (SELECT count(*) AS views {_RANGE} GROUP BY visitor) t"
    )
    [now], [before] = await rows(sql, site, start, end), await rows(sql, site, start - (end - start), start)
    return {"pageviews": now[0], "visitors": now[1], "previous": {"pageviews": before[0], "visitors": before[1]}}


@app.get("/series")
async def get_series(site: Site, start: datetime, end: datetime, unit: Literal["day", "hour"]) -> list[dict[str, Any]]:
    sql = _by(f"date_trunc('{unit}', occurred_at, 'UTC')") + " ORDER BY value"
    found = await rows(sql, site, start, end)
    return [{"date": at, "pageviews": views, "visitors": visitors} for at, views, visitors in found]


@app.get("/top")
async def get_top(
    site: Site,
    start: datetime,
    end: datetime,
    by: Literal["path", "referrer_host", "country", "device"],
    limit: int = 100,
) -> list[dict[str, Any]]:
    found = await rows(_by(by) + " ORDER BY 2 DESC LIMIT %s", site, start, end, limit)
    return [{"value": value, "pageviews": views, "visitors": visitors} for value, views, visitors in found]


def _by(value: str) -> str:
    inner = f"SELECT {value} AS value, visitor, count(*) AS views {_RANGE} GROUP BY 1, 2"
    return f"SELECT value, sum(views)::bigint, count(*) FROM ({inner}) t GROUP BY 1"


async def rows(sql: str, *parameters: object) -> list[tuple[Any, ...]]:
    async with pool.connection() as connection, connection.cursor(row_factory=tuple_row) as cursor:
        await cursor.execute(sql.encode(), parameters)
        return await cursor.fetchall()


def event_row(site: UUID, event: Event, ip: str, user_agent: str) -> tuple[object, ...]:
    """The values of `COLUMNS`."""
    page, at = urlsplit(event.url), event.occurred_at or datetime.now(UTC)
    host = (urlsplit(event.referrer).hostname or "").removeprefix("www.")
    where = (page.path or "/", event.title, host, country(ip))
    return (site, event.id, at, event.type, visitor(site, ip, user_agent), *where, *client(user_agent))


def visitor(site: UUID, ip: str, user_agent: str) -> int:
    digest = blake2b(f"{site}{ip}{user_agent}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


@lru_cache(65_536)
def country(ip: str) -> str:
    try:
        found = countries.get(ip) if countries else None
    except ValueError:
        return ""
    return str(found.get("country_code", "")) if isinstance(found, dict) else ""


@lru_cache(16_384)
def client(user_agent: str) -> tuple[str, str, str]:
    """Device, browser, system."""
    parsed = ua_parser.parse(user_agent)
    browser = parsed.user_agent.family if parsed.user_agent else ""
    system = parsed.os.family if parsed.os else ""
    if "iPad" in user_agent or (system == "Android" and "Mobile" not in user_agent):
        return "tablet", browser, system
    return "mobile" if "Mobi" in user_agent else "desktop", browser, system
