"""Inline projection `sql_lookup`: the titles of each analyst's queries, and how many charts they have pinned.

Titles are personal, so the table has their keyed hashes.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from command_api.kernel.decision import conflict
from command_api.kernel.inline_projection import InlineProjection, Table
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from schemas.events.accounts import AccountErased
from schemas.events.sql import ChartPinned, ChartUnpinned, QueryChanged, QueryRemoved, QueryRestored, QuerySaved

MAX_QUERIES: Final = 500
MAX_PINS: Final = 12
"""Charts on one dashboard: each is a statement."""

QUERY_TITLE_TABLE: Final = Table(
    "query_title",
    columns=(
        "query_id uuid not null",
        "account_id uuid not null",
        "title_hash text not null",
        "is_removed boolean not null",
    ),
    key=("query_id",),
    indexes=("account_id",),
)
PINNED_CHART_TABLE: Final = Table(
    "pinned_chart",
    columns=("pin_id uuid not null", "account_id uuid not null"),
    key=("pin_id",),
    indexes=("account_id",),
)
SQL_LOOKUP: Final = InlineProjection(
    "sql_lookup",
    version=1,
    tables=(
        QUERY_TITLE_TABLE,
        PINNED_CHART_TABLE,
    ),
)


QUERY_TITLE_TABLE.begins(QuerySaved, is_removed=False)
QUERY_TITLE_TABLE.follows(QueryChanged, but="account_id")
QUERY_TITLE_TABLE.follows(QueryRemoved, is_removed=True)
QUERY_TITLE_TABLE.follows(QueryRestored, is_removed=False)


PINNED_CHART_TABLE.begins(ChartPinned)
PINNED_CHART_TABLE.ends(ChartUnpinned)


QUERY_TITLE_TABLE.ends(AccountErased, by="account_id")
PINNED_CHART_TABLE.ends(AccountErased, by="account_id")


def query_with_title(uow: UnitOfWork, account_id: UUID, title_hash: str) -> UUID | None:
    """The query of this author with the title. After `uow.lock()` the answer stays true until the commit."""
    rows = uow.select(_WITH_TITLE, account_id, title_hash)
    return rows[0][0] if rows else None


def require_room_for_query(uow: Appended, account_id: UUID) -> None:
    """Raises `CommandRejected` when the author has too many queries."""
    if uow.select(_QUERIES, account_id)[0][0] > MAX_QUERIES:
        raise conflict("too_many_queries", f"You can keep {MAX_QUERIES} queries. Delete one first.")


def require_room_for_chart(uow: Appended, account_id: UUID) -> None:
    """Raises `CommandRejected` when the dashboard has too many charts."""
    if uow.select(_PINS, account_id)[0][0] > MAX_PINS:
        raise conflict("too_many_charts", f"A dashboard has at most {MAX_PINS} charts of queries. Unpin one first.")


_WITH_TITLE: Final = (
    "SELECT query_id FROM lookup.query_title WHERE account_id = %s AND title_hash = %s AND NOT is_removed"
)
_QUERIES: Final = "SELECT count(*) FROM lookup.query_title WHERE account_id = %s AND NOT is_removed"
_PINS: Final = "SELECT count(*) FROM lookup.pinned_chart WHERE account_id = %s"
