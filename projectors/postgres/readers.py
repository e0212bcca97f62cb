"""Who may read a read model's rows through the query service: conditions of row-level security, one per kind of table.

The wall behind `query_api.owned`. Each transaction there names whom it reads for; `read.reader()` and its sisters
(migration 0031) tell the policies. Nobody named: no condition here holds.
"""

from __future__ import annotations

from typing import Final

_ADMIN: Final = "(select read.reader()) = 'admin'"

EVERYBODY: Final = "(select read.reader()) is not null"
"""Rows that belong to no account, for whoever is signed in."""

ADMINS: Final = _ADMIN

OWN_WEBSITES: Final = f"{_ADMIN} or website_id = any ((select read.reader_websites())::uuid[])"
"""Rows with a `website_id`, for the account that has the website."""


def own_account(column: str) -> str:
    """Rows that name their account, for that account."""
    return f"{_ADMIN} or {column} = (select read.reader_account())"


def shown_or_own(shown: str, column: str) -> str:
    """Rows that are shown to everybody, signed in or not; others only to the account that they name."""
    return f"{_ADMIN} or {shown} and {EVERYBODY} or {column} = (select read.reader_account())"
