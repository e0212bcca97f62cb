"""Row-level security of read models: the conditions for reads of the query service, one per kind of table.

The second layer behind `query_api.kernel.authorization`. Each transaction there sets the account that it reads for;
policies read it by `read.reader()` and the like (migration 0410). Without one, no condition holds.
"""

from __future__ import annotations

from typing import Final

_ADMIN: Final = "(select read.reader()) = 'admin'"

PUBLIC: Final = "(select read.reader()) is not null"
"""Rows that belong to no account, for every signed-in account."""

ADMINS: Final = _ADMIN

OWN_WEBSITES: Final = f"{_ADMIN} or website_id = any ((select read.reader_websites())::uuid[])"
"""Rows with a `website_id`, for the account that has the website."""


def own_account(column: str) -> str:
    """Rows that name their account, for that account."""
    return f"{_ADMIN} or {column} = (select read.reader_account())"


def own_account_website(column: str, website: str = "website_id") -> str:
    """Rows that name their account and a website, for that account, and for who reads for that website alone."""
    limit = f"{column} = (select read.reader_owner()) and {website} = any ((select read.reader_limit())::uuid[])"
    return f"{own_account(column)} or {limit}"


def unowned_or_own(column: str) -> str:
    """Rows of no account, for every signed-in account; the others for the account that they name, also where one reads
    for single websites of it."""
    return f"{_ADMIN} or {column} is null and {PUBLIC} or {column} = (select read.reader_owner())"


def shown_or_own(shown: str, column: str) -> str:
    """Public rows, without sign-in; other rows only for the account that they name."""
    return f"{_ADMIN} or {shown} and {PUBLIC} or {column} = (select read.reader_account())"


SAVED_VIEWS_READERS: Final = (
    f"website_id is null and account_id = (select read.reader_account()) or website_id is not null and ({OWN_WEBSITES})"
)
"""Personal views for who saved them alone, shared ones for who may see the website."""

OWN_ALONE: Final = "account_id = (select read.reader_account())"
"""Rows that name their account, for that account alone, whatever roles others have."""

SHARED_QUERIES: Final = f"{OWN_ALONE} or is_shared and (select read.analyzes())"
"""Queries for their author alone, shared ones for all analysts."""

_MODERATORS: Final = "(select read.moderates())"


def shown_own_or_moderated(shown: str, column: str) -> str:
    """Returns the condition of `shown_or_own`, and all rows to the forum's moderators."""
    return f"{_MODERATORS} or {shown} and {PUBLIC} or {column} = (select read.reader_account())"


def own_or_moderated(column: str) -> str:
    """Rows that name their account, for that account and the forum's moderators."""
    return f"{_MODERATORS} or {column} = (select read.reader_account())"


PUBLIC_LISTINGS: Final = (
    f"({_ADMIN} and status <> 'draft') or (status in ('active', 'under_offer') and {PUBLIC})"
    " or seller_id = (select read.reader_account()) or buyer_id = (select read.reader_account())"
    " or reviewer_id = (select read.reader_account())"
)
"""Online listings are public; others are for seller, buyer and invited reviewer. A draft is for its seller only."""

QUESTIONS: Final = (
    f"{_ADMIN} or (hidden_at is null and {PUBLIC})"
    " or seller_id = (select read.reader_account()) or author_id = (select read.reader_account())"
)
"""Public questions; hidden ones for who wrote or answers them."""

DEALS: Final = (
    f"({_ADMIN} and disputed) or seller_id = (select read.reader_account())"
    " or buyer_id = (select read.reader_account())"
)
"""The condition on rows between a buyer and a seller: an admin's too once it is disputed, and not before."""


def their_deals(column: str) -> str:
    """Rows that name an offer or its escrow, for whom `DEALS` shows that."""
    return f"{column} = any ((select read.reader_deals())::uuid[])"


STEPS: Final = f"{their_deals('aggregate_id')} or ({_ADMIN} and kind like 'listing.%')"
"""History of listings and deals; an admin reads that of every listing."""
