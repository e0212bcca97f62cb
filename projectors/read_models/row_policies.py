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


_MODERATORS: Final = "(select read.moderates())"


def shown_own_or_moderated(shown: str, column: str) -> str:
    """As `shown_or_own`, and all rows to the forum's moderators."""
    return f"{_MODERATORS} or {shown} and {EVERYBODY} or {column} = (select read.reader_account())"


def own_or_moderated(column: str) -> str:
    """Rows that name their account, for that account and the forum's moderators."""
    return f"{_MODERATORS} or {column} = (select read.reader_account())"


PUBLIC_LISTINGS: Final = (
    f"({_ADMIN} and status <> 'draft') or (status in ('active', 'under_offer') and {EVERYBODY})"
    " or seller_id = (select read.reader_account()) or buyer_id = (select read.reader_account())"
)
"""Listings that are online, for everybody; others for who sells or buys. A draft is its seller's alone."""

QUESTIONS: Final = (
    f"{_ADMIN} or (hidden_at is null and {EVERYBODY})"
    " or seller_id = (select read.reader_account()) or author_id = (select read.reader_account())"
)
"""Public questions; hidden ones for who wrote or answers them."""

DEALS: Final = (
    f"({_ADMIN} and disputed) or seller_id = (select read.reader_account())"
    " or buyer_id = (select read.reader_account())"
)
"""What is between a buyer and a seller: an admin's too once it is disputed, and not before."""


def their_deals(column: str) -> str:
    """Rows that name an offer or its escrow, for whom `DEALS` shows that."""
    return f"{column} = any ((select read.reader_deals())::uuid[])"


STEPS: Final = f"{their_deals('aggregate_id')} or ({_ADMIN} and kind like 'listing.%')"
"""History of listings and deals; an admin reads that of every listing."""
