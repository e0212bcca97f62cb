"""Whose each website is: rows written in the transaction that connects or removes it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from psycopg import Cursor

from command_api.decision import conflict, missing
from command_api.websites.model import MOST_PER_ACCOUNT


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
