"""The tally of each website's month with a partner, by which tiers are chosen: kept in the transaction of the events.

A tier is chosen before its event is stored. `counted` then looks once more, under the lock that orders all decisions:
if another writer has carried the month into another tier meanwhile, nothing is stored and the choice is made anew. So
each tier pays exactly as many conversions as it should, however many decide at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from psycopg import Cursor
from psycopg.rows import tuple_row

from command_api.conversions.tiers import Standing, month_of
from command_api.leader import Connection
from command_api.store import Also, Conflict
from schemas.base import DomainEvent
from schemas.events.conversions import (
    Change,
    ConversionApproved,
    ConversionAttributed,
    ConversionFacts,
    ConversionRecorded,
    ConversionRejected,
    ConversionReopened,
    ConversionRestated,
    ConversionReversed,
    ConversionWithdrawn,
)

Account = tuple[UUID, UUID, str]
"""Website, partner and month (YYYY-MM)."""

_MOVING: Final = (
    ConversionRecorded,
    ConversionAttributed,
    ConversionApproved,
    ConversionRejected,
    ConversionReversed,
    ConversionReopened,
    ConversionWithdrawn,
    ConversionRestated,
)


def movement(event: DomainEvent) -> tuple[Account, Standing] | None:
    """By how much an event moves which account; none when it counts nothing."""
    if not isinstance(event, _MOVING) or event.facts.attribution is None:
        return None
    account = account_of(event.facts)
    return (account, counted_in(event.change)) if account is not None else None


def account_of(facts: ConversionFacts) -> Account | None:
    """The account that a conversion counts in; none without a click."""
    if facts.attribution is None:
        return None
    return facts.website_id, facts.attribution.partner_id, month_of(facts.occurred_at)


def counted_in(change: Change) -> Standing:
    """What a change adds to its account."""
    return Standing(change.pending + change.approved, change.commission_pending + change.commission_approved)


def standing(connection: Connection, account: Account) -> Standing:
    with connection.cursor(row_factory=tuple_row) as cursor:
        row = cursor.execute(_READ, account).fetchone()
    return Standing(*map(int, row)) if row else Standing()


def counted(events: Sequence[DomainEvent], also: Also | None = None) -> Also | None:
    """What a write of conversions' events does besides `also`: it counts them. The write raises `Conflict` when a
    tier that one of them names is not the right one any more."""
    moves = [(event, *moved) for event in events if (moved := movement(event)) is not None]
    if not moves:
        return also

    def count(cursor: Cursor[dict[str, Any]], position: int | None) -> None:
        if also is not None:
            also(cursor, position)
        found: dict[Account, Standing] = {}
        for account in sorted({account for _, account, _ in moves}, key=str):
            cursor.execute(_OPEN, account)
            row = cursor.execute(_LOCK, account).fetchone()
            assert row is not None  # noqa: S101 - just made, if it was not there
            found[account] = Standing(*map(int, row.values()))
        before = dict(found)
        for event, account, moved in moves:
            chooses = (ConversionRecorded, ConversionAttributed, ConversionRestated)
            tier = event.tier if isinstance(event, chooses) else None
            if tier is not None and not found[account].allows(tier):
                raise Conflict("tally_pkey")
            found[account] += moved
        for account, now in found.items():
            if now != before[account]:
                cursor.execute(_SET, (now.conversions, now.revenue, *account))

    return count


_WHERE: Final = "WHERE website_id = %s AND partner_id = %s AND month = %s"
_READ: Final = f"SELECT conversions, revenue FROM policy.tally {_WHERE}"  # noqa: S608 - own text
_LOCK: Final = f"{_READ} FOR UPDATE"
_OPEN: Final = "INSERT INTO policy.tally (website_id, partner_id, month) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
_SET: Final = f"UPDATE policy.tally SET conversions = %s, revenue = %s {_WHERE}"  # noqa: S608 - own text
