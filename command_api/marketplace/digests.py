"""Mails about saved searches: once a day each, one mail with all that is new, every listing once per search.

What was told is noted in the transaction that writes the mail down, so that neither a kill nor a second process tells
it again. A listing is found by when it went live, up to a week later: the read model may have been behind, or its
figures may be verified since.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from psycopg import Cursor

from command_api.accounts import model as accounts
from command_api.core import Core
from command_api.leader import Connection
from command_api.marketplace import asking, mails
from command_api.marketplace.asking import SavedSearch
from command_api.marketplace.listings import CURRENCY
from command_api.marketplace.member_routes import STOP_PATH, stop_token
from command_api.store import UNAVAILABLE
from infra.mail import queue
from schemas.currencies import digits

EVERY: Final = timedelta(days=1)
AT_ONCE: Final = 20
MOST_NAMED: Final = 20
"""In one mail; of others it tells how many they are."""
MOST_FOUND: Final = 1_000
_LOOK_BACK: Final = timedelta(days=7)
_PAUSE: Final = timedelta(minutes=10)

log = logging.getLogger(__name__)


class Digests:
    """`send_due` is run by the one process that leads the marketplace's work."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def send_due(self, connection: Connection, now: datetime) -> int:
        rows = connection.execute(_DUE, (now, AT_ONCE)).fetchall()
        for search_id, looked_at in rows:
            try:
                self._send(search_id, looked_at, now)
            except UNAVAILABLE:
                raise
            except Exception:
                # One that cannot be told must not hold up the others.
                log.exception("the saved search %s cannot be looked through", search_id)
                connection.execute(_LATER, (now + _PAUSE, search_id))
        return len(rows)

    def _send(self, search_id: UUID, looked_at: datetime, now: datetime) -> None:
        search = self._core.store.load(search_id, asking.evolve_search)
        account = self._core.store.load(search.account_id, accounts.evolve) if search is not None else None
        if search is None or search.ended or account is None or account.erased:
            with self._core.pool.connection() as gone:
                gone.execute("DELETE FROM policy.saved_search WHERE search_id = %s", (search_id,))
            return
        to, app_url = mails.To(account.email, account.id), self._core.settings.app_url
        stop_url = f"{app_url}{STOP_PATH}{stop_token(self._core.settings, search_id)}"
        with self._core.pool.connection() as connection, connection.transaction(), connection.cursor() as cursor:
            if cursor.execute(_MINE, (search_id, now)).fetchone() is None:
                return  # another process did it
            found = _new(cursor, search, max(search.saved_at, looked_at - _LOOK_BACK)) if account.may_sign_in else []
            if found:
                named, more = found[:MOST_NAMED], max(0, len(found) - MOST_NAMED)
                queue(cursor, self._core.settings, mails.new_listings(to, app_url, named, more, stop_url))
            cursor.execute(_LOOKED, (now, now + EVERY, search_id))


def _new(cursor: Cursor[Any], search: SavedSearch, since: datetime) -> list[mails.Found]:
    """Listings that went live since then and were not told of before; notes them as told."""
    criteria, unit = search.criteria, 10 ** digits(CURRENCY)
    values = {
        "search_id": search.id,
        "account": search.account_id,
        "since": since,
        "words": like(search.search.lower()),
        "niche": criteria.niche,
        "least": criteria.min_price * unit if criteria.min_price is not None else None,
        "most": criteria.max_price * unit if criteria.max_price is not None else None,
        "verified": criteria.verified,
        "limit": MOST_FOUND,
    }
    rows = cursor.execute(_FITTING, values).fetchall()
    cursor.executemany(_TOLD, [(search.id, listing_id) for listing_id, _ in rows])
    return [mails.Found(listing_id, title) for listing_id, title in rows]


def like(words: str) -> str | None:
    """Finds the words as they are: what LIKE would read as a pattern is none. None: anything."""
    if not words.strip():
        return None
    for sign in ("\\", "%", "_"):
        words = words.replace(sign, f"\\{sign}")
    return f"%{words.strip()}%"


_DUE: Final = "SELECT search_id, looked_at FROM policy.saved_search WHERE next_at <= %s ORDER BY next_at LIMIT %s"
_MINE: Final = "SELECT 1 FROM policy.saved_search WHERE search_id = %s AND next_at <= %s FOR UPDATE"
_FITTING: Final = """
SELECT id, title FROM read.listings AS l
WHERE status = 'active' AND published_at >= %(since)s AND seller_id <> %(account)s
  AND (%(words)s::text IS NULL OR title_lower LIKE %(words)s)
  AND (%(niche)s::text IS NULL OR niche = %(niche)s)
  AND (%(least)s::bigint IS NULL OR asking_price >= %(least)s)
  AND (%(most)s::bigint IS NULL OR asking_price <= %(most)s)
  AND (NOT %(verified)s OR verified_website = website_id)
  AND NOT EXISTS (
    SELECT FROM policy.saved_search_notice AS n WHERE n.search_id = %(search_id)s AND n.listing_id = l.id)
ORDER BY published_at DESC, id LIMIT %(limit)s"""
_TOLD: Final = "INSERT INTO policy.saved_search_notice (search_id, listing_id) VALUES (%s, %s) ON CONFLICT DO NOTHING"
_LATER: Final = "UPDATE policy.saved_search SET next_at = %s WHERE search_id = %s"
_LOOKED: Final = "UPDATE policy.saved_search SET looked_at = %s, next_at = %s WHERE search_id = %s"
