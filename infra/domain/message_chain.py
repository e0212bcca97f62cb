"""The chain of a decided event: what follows from the same request or click, by the ids of `schemas.message_ids`.

Reads view `events.message`, which has no payloads. The command line (`althing events show`) and the explanation of a
conversion show the same chain. A conversion, an offer, an escrow and a direct deal are followed with their whole
history, every other aggregate with what happened to it in the chain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, LiteralString
from uuid import UUID

from schemas.days import Zones, local_day, month_start
from schemas.zones import ZoneInfo

Select = Callable[[str, Mapping[str, Any]], Sequence[Mapping[str, Any]]]
"""Runs a statement with named values and returns its rows by column name."""

MAX_MESSAGES: Final = 1_000
"""A chain with more is cut off at its end."""

VIEW: LiteralString = """
CREATE OR REPLACE VIEW events.message AS
SELECT notification_id AS position, originator_id AS aggregate_id, originator_version AS aggregate_version,
    regexp_replace(topic, '[.]v[0-9]+$', '') AS name,
    (convert_from(state, 'UTF8')::json ->> 'timestamp')::timestamptz AS at,
    (convert_from(state, 'UTF8')::json ->> 'actor_id')::uuid AS actor_id,
    CASE
        WHEN topic LIKE 'offer.accepted.v%' THEN (convert_from(state, 'UTF8')::json ->> 'escrow_id')::uuid
        WHEN topic LIKE 'escrow.agreed.v%' OR topic LIKE 'direct_deal.agreed.v%'
            THEN (convert_from(state, 'UTF8')::json ->> 'offer_id')::uuid
    END AS related_id,
    NULL::text AS click_id, -- sealed in the state; programs from before that read the column
    command_id, correlation_id, causation_id
FROM events.stored_events
-- The query service reads it for admins' explanations of conversions only; deals are for their two sides.
WHERE CURRENT_USER <> 'query_reader' OR ((SELECT read.reader()) = 'admin' AND topic LIKE 'conversion.%');
GRANT USAGE ON SCHEMA events TO query_reader;
GRANT SELECT ON events.message TO query_reader"""
"""The events without their payloads; a step of `althing migrate` creates the view."""

_FOLLOWED: Final = ("conversion.", "offer.", "escrow.", "direct_deal.")


@dataclass(frozen=True, slots=True)
class ChainedEvent:
    """A decided event without its payload. `actor`: account or system; `position`: in topic `domain`."""

    id: str
    name: str
    at: datetime
    actor: str
    position: int
    command_id: UUID | None
    correlation_id: str
    causation_id: str
    aggregate_id: UUID


@dataclass(frozen=True, slots=True)
class Booking:
    """The amount that an event of a conversion books in a statement: `earned` in minor units, negative when it takes
    off."""

    message_id: str
    at: datetime
    month: str
    website_id: UUID
    partner_id: UUID
    earned: int
    currency: str


def chain(select: Select, aggregates: Iterable[UUID] = (), correlations: Iterable[str] = ()) -> list[ChainedEvent]:
    """The messages of the aggregates and correlations, and of all that these lead to, in commit order."""
    if not select(_IS_THERE, {}):
        return []  # no command service has worked here yet
    by_position: dict[int, ChainedEvent] = {}
    new_aggregates, new_correlations = set(aggregates), set(correlations)
    followed, connected = set(new_aggregates), set(new_correlations)
    while len(by_position) < MAX_MESSAGES and (new_aggregates or new_correlations):
        values = {"aggregates": list(new_aggregates), "correlations": list(new_correlations), "limit": MAX_MESSAGES}
        new_aggregates, new_correlations = set(), set()
        for row in select(_MESSAGES, values):
            by_position[row["position"]] = _message(row)
            if row["name"].startswith(_FOLLOWED):
                new_aggregates |= {row["aggregate_id"], row["related_id"]} - followed - {None}
                followed |= new_aggregates
            if row["aggregate_id"] in followed and row["correlation_id"] not in {*connected, None}:
                new_correlations.add(row["correlation_id"])
                connected |= new_correlations
    return [by_position[position] for position in sorted(by_position)][:MAX_MESSAGES]


def bookings(select: Select, messages: Sequence[ChainedEvent]) -> list[Booking]:
    """Returns what the conversions among the messages booked in statements, in commit order."""
    ids = list({message.aggregate_id for message in messages if message.name.startswith("conversion.")})
    rows = select(_BOOKINGS, {"conversions": ids}) if ids else ()
    zones = {website_id: _zones(select, website_id) for website_id in {row["website_id"] for row in rows}}
    return [
        Booking(
            message_id=f"{row['conversion_id']}@{row['version']}",
            at=row["at"],
            month=f"{_month(zones[row['website_id']], row['at']):%Y-%m}",
            website_id=row["website_id"],
            partner_id=row["partner_id"],
            earned=row["earned"],
            currency=row["currency"],
        )
        for row in rows
    ]


def _message(row: Mapping[str, Any]) -> ChainedEvent:
    return ChainedEvent(
        id=f"{row['aggregate_id']}@{row['aggregate_version']}",
        name=row["name"],
        at=row["at"],
        actor="system" if row["actor_id"] is None else "account",
        position=row["position"],
        command_id=row["command_id"],
        correlation_id=row["correlation_id"] or "",
        causation_id=row["causation_id"] or "",
        aggregate_id=row["aggregate_id"],
    )


def _zones(select: Select, website_id: UUID) -> Zones:
    rows = select(_ZONES, {"website": website_id})
    return [(row["since"], ZoneInfo(row["timezone"])) for row in rows]


def _month(zones: Zones, at: datetime) -> date:
    """The first day of the statement's month that `at` lies in."""
    if not zones:
        return at.date().replace(day=1)
    first = local_day(zones[-1][1], at).replace(day=1)
    after = date(first.year + first.month // 12, first.month % 12 + 1, 1)
    if month_start(zones, first)[0] > at:
        return date(first.year - (first.month == 1), (first.month - 2) % 12 + 1, 1)
    return after if month_start(zones, after)[0] <= at else first


_IS_THERE: Final = "SELECT 1 AS is_there FROM pg_views WHERE schemaname = 'events' AND viewname = 'message'"

_MESSAGES: Final = """
SELECT * FROM events.message WHERE aggregate_id = ANY(%(aggregates)s::uuid[])
UNION SELECT * FROM events.message WHERE correlation_id = ANY(%(correlations)s::text[])
ORDER BY position LIMIT %(limit)s"""

_BOOKINGS: Final = """
SELECT conversion_id, version, at, website_id, partner_id, earned, currency FROM read.conversion_steps
WHERE conversion_id = ANY(%(conversions)s::uuid[]) AND partner_id IS NOT NULL AND (earned <> 0 OR approved = 1)
ORDER BY position"""

_ZONES: Final = "SELECT since, timezone FROM read.website_zones WHERE website_id = %(website)s ORDER BY since"
