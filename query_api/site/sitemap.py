"""`GET /api/public/sitemap.xml`: the listings and threads that search engines may show. robots.txt names it beside the
site's own sitemap, which is built with the pages."""

from __future__ import annotations

import time
from datetime import datetime
from threading import Lock
from typing import Final
from xml.sax.saxutils import escape

from fastapi import APIRouter, Request, Response

from infra.kernel.config.modules import is_off
from infra.kernel.config.settings import Settings
from infra.kernel.http.openapi import file_response
from infra.kernel.http.problems import unavailable
from query_api.kernel.dependencies import Context
from query_api.kernel.postgres_reader import PostgresReader

router = APIRouter(prefix="/api/public", tags=["public"])

MAX_URLS: Final = 10_000
"""Maximum number of addresses of each; older ones are found by the links of the lists."""
KEPT_S: Final = 600.0
PATIENCE_S: Final = 1.0

_LISTINGS: Final = """
SELECT id, published_at AS at FROM read.listings WHERE status IN ('active', 'under_offer')
ORDER BY published_at DESC, id LIMIT %s"""
_THREADS: Final = """
SELECT id, coalesce(last_reply_at, created_at) AS at FROM read.forum_threads WHERE visible
ORDER BY is_pinned DESC, last_position DESC LIMIT %s"""


class SitemapCache:
    """The document, cached for ten minutes. Thread-safe.

    One request works it out. Others get the one before, or wait a moment: while Postgres is away they would else hold
    all threads, one waiting for the other. Raises `Problem` 503, and what reading raises.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._until = 0.0
        self._body = b""

    def read(self, reader: PostgresReader, settings: Settings) -> bytes:
        if time.monotonic() < self._until:
            return self._body
        cached = self._body
        if not self._lock.acquire(timeout=0 if cached else PATIENCE_S):
            if cached:
                return cached
            raise unavailable()
        try:
            if time.monotonic() >= self._until:
                self._body = _document(reader, settings)
                self._until = time.monotonic() + KEPT_S
            return self._body
        finally:
            self._lock.release()


@router.get("/sitemap.xml", response_class=Response, responses=file_response("application/xml"))
def get_sitemap(request: Request, context: Context) -> Response:
    """Addresses of the newest listings for sale and of threads with the newest replies, 10,000 of each."""
    kept: SitemapCache = request.app.state.sitemap
    body = kept.read(PostgresReader.of_service(context.pool), context.settings)
    return Response(body, media_type="application/xml", headers={"Cache-Control": "public, max-age=600"})


def _document(reader: PostgresReader, settings: Settings) -> bytes:
    pages = [(f"/marketplace/listing/{row['id']}", row["at"]) for row in reader.rows(_LISTINGS, (MAX_URLS,))]
    pages += [(f"/forum/thread/{row['id']}", row["at"]) for row in reader.rows(_THREADS, (MAX_URLS,))]
    urls = "".join(_url(settings.app_url + path, at) for path, at in pages if not is_off(path, settings.without))
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    return f"{head}{urls}</urlset>\n".encode()


def _url(address: str, at: datetime | None) -> str:
    changed = f"<lastmod>{at.date().isoformat()}</lastmod>" if at is not None else ""
    return f"  <url><loc>{escape(address)}</loc>{changed}</url>\n"
