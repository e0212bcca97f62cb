"""Whose each website is, and how many links it has: rows written in the transaction that changes either."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from psycopg import Cursor

from command_api.decision import conflict, missing
from command_api.websites.model import MOST_PER_ACCOUNT

MAX_LINKS: Final = 200_000
"""Links of an account that are not deleted, over all its websites."""


def keep(cursor: Cursor[Any], website_id: UUID, account_id: UUID) -> None:
    """Raises `Refused` when the account has too many, or is being erased at the same moment.

    The transaction has the store's lock: what is counted here holds.
    """
    cursor.execute("INSERT INTO policy.website (website_id, account_id) VALUES (%s, %s)", (website_id, account_id))
    rows = cursor.execute("SELECT FROM policy.website WHERE account_id = %s", (account_id,)).rowcount
    if rows > MOST_PER_ACCOUNT:
        raise conflict("too_many_websites", f"An account has at most {MOST_PER_ACCOUNT} websites.", "domain")
    erased = cursor.execute(
        "SELECT 1 FROM auth.subject_key WHERE subject_id = %s AND erased_at IS NOT NULL", (account_id,)
    ).fetchone()
    if erased is not None:
        raise missing("account")


def count_link(cursor: Cursor[Any], website_id: UUID, by: int) -> None:
    """Counts a link that is made (1) or deleted (-1). Raises `Refused` when the account has too many.

    The transaction has the store's lock: what is counted here holds.
    """
    cursor.execute("UPDATE policy.website SET links = links + %s WHERE website_id = %s", (by, website_id))
    if by > 0 and cursor.execute(_OVER, (website_id, MAX_LINKS)).fetchone() is not None:
        raise conflict("too_many_links", f"An account has at most {MAX_LINKS:,} links. Delete some first.")


_OVER: Final = (
    "SELECT 1 FROM policy.website AS o JOIN policy.website AS w USING (account_id) WHERE o.website_id = %s"
    " GROUP BY o.account_id HAVING sum(w.links) > %s"
)


def drop(cursor: Cursor[Any], website_id: UUID) -> None:
    """Also ends the website's sessions."""
    cursor.execute("DELETE FROM policy.website WHERE website_id = %s", (website_id,))
    cursor.execute(
        "UPDATE auth.website_session SET revoked_at = now() WHERE website_id = %s AND revoked_at IS NULL", (website_id,)
    )


def drop_key(cursor: Cursor[Any], key_id: UUID) -> None:
    """Ends the website sessions that were opened with the key."""
    cursor.execute(
        "UPDATE auth.website_session SET revoked_at = now() WHERE key_id = %s AND revoked_at IS NULL", (key_id,)
    )
