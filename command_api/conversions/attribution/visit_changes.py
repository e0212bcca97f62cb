"""Searches again for the visits of clicks whose day has changed: a page view that arrives late may begin the visit of a
click, which then has another source, and the sale follows it.

`event_days` (ClickHouse) -> this -> `kernel.timeout` -> `process.pending_attribution` -> `conversion.restated`

Conversions younger than `MIN_AGE` are searched for every few seconds anyway. A day that was seen is stored with what
makes its conversions due, so a crash loses no change. What is missed here, because a read model is behind, the search
finds at its next time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from threading import Event
from typing import Any, Final, LiteralString
from uuid import UUID

from command_api.conversions.attribution.click_reader import QUERY_TIMEOUT_S
from command_api.conversions.attribution.repository import PENDING_ATTRIBUTION
from command_api.kernel.container import Container
from command_api.kernel.decision import system_context
from command_api.kernel.leader_election import Connection
from infra.domain.visits.tables import EVENT_DAYS
from infra.kernel.clickhouse.client import ClientPool

NAME: Final = "visit-changes"
INTERVAL: Final = timedelta(seconds=15)
MIN_AGE: Final = timedelta(minutes=10)
SEARCHES_A_SECOND: Final = 20
"""The rate for conversions of one website and day: a busy day changes all the time."""
MAX_SEARCHES: Final = 600
"""Conversions that one round makes due, those of one day aside."""


@dataclass(frozen=True, slots=True)
class ClickDay:
    """A UTC day of a website whose clicks earned `sales` conversions, and what it contained when it was last seen."""

    website_id: UUID
    day: date
    sales: int
    contents: str | None
    searched_at: datetime | None

    def is_resting(self, now: datetime) -> bool:
        """Returns whether its conversions were searched for too recently."""
        pause = timedelta(seconds=self.sales / SEARCHES_A_SECOND)
        return self.searched_at is not None and now < self.searched_at + pause


def run(container: Container, clients: ClientPool, connection: Connection, _stop: Event) -> None:
    """A recurring job: see `make_due`."""
    make_due(container, clients, connection)


def make_due(container: Container, clients: ClientPool, connection: Connection) -> int:
    """Makes the search of conversions due whose click's day has changed; returns the number of these days."""
    now = datetime.now(UTC)
    days = [ClickDay(*row) for row in connection.execute(_DAYS, (now - MIN_AGE,)).fetchall()]
    contents = _contents(clients, days)
    changed = list(select_changed(days, contents, now))
    if changed:
        with container.commands.unit_of_work(system_context(now)) as uow:
            seen = [(each.website_id, each.day, contents[each.website_id, each.day], now) for each in changed]
            uow.cursor.executemany(_SEEN, seen)
            rows = uow.select(_CONVERSIONS, [each.website_id for each in changed], [each.day for each in changed])
            uow.set_timeouts(PENDING_ATTRIBUTION, (conversion_id for (conversion_id,) in rows), now)
    return len(changed)


def select_changed(
    days: Sequence[ClickDay], contents: dict[tuple[UUID, date], str], now: datetime
) -> Iterator[ClickDay]:
    """The days to search again, those that were searched longest ago first, at most `MAX_SEARCHES` conversions."""
    searches = 0
    for each in sorted(days, key=lambda one: (one.searched_at is not None, one.searched_at or now)):
        current = contents.get((each.website_id, each.day))
        if current is None or current == each.contents or each.is_resting(now):
            continue
        if searches and searches + each.sales > MAX_SEARCHES:
            return
        searches += each.sales
        yield each


def _contents(clients: ClientPool, days: Sequence[ClickDay]) -> dict[tuple[UUID, date], str]:
    """Returns number and fingerprint of the events of each day."""
    if not days:
        return {}
    parameters: dict[str, Any] = {
        "sites": sorted({str(each.website_id) for each in days}),
        "days": sorted({each.day.isoformat() for each in days}),
    }
    with clients.use() as client:
        result = client.query(_CONTENTS, parameters=parameters, settings={"max_execution_time": QUERY_TIMEOUT_S})
        return {
            (website_id, day): f"{events}:{fingerprint}" for website_id, day, events, fingerprint in result.result_rows
        }


_CONTENTS: Final = (
    f"SELECT website_id, day, sum(events), sum(fingerprint) FROM {EVENT_DAYS}"  # noqa: S608 - own name
    " WHERE website_id IN {sites:Array(UUID)} AND day IN {days:Array(Date)} GROUP BY website_id, day"
)
_DAYS: Final[LiteralString] = """
WITH found AS (
    SELECT c.website_id, (c.clicked_at AT TIME ZONE 'UTC')::date AS day, count(*) AS sales
    FROM conversions.pending_attribution AS p JOIN read.conversions AS c ON c.id = p.conversion_id
    WHERE p.received_at < %s AND c.clicked_at IS NOT NULL AND c.attributed_by <> 'coupon' GROUP BY 1, 2)
SELECT website_id, day, sales, seen.contents, seen.searched_at
FROM found LEFT JOIN conversions.click_day AS seen USING (website_id, day)"""
_CONVERSIONS: Final[LiteralString] = """
SELECT p.conversion_id
FROM unnest(%s::uuid[], %s::date[]) AS changed (website_id, day)
JOIN read.conversions AS c ON c.website_id = changed.website_id
    AND c.clicked_at >= changed.day::timestamp AT TIME ZONE 'UTC'
    AND c.clicked_at < (changed.day + 1)::timestamp AT TIME ZONE 'UTC'
JOIN conversions.pending_attribution AS p ON p.conversion_id = c.id
WHERE c.attributed_by <> 'coupon'"""
_SEEN: Final[LiteralString] = (
    "INSERT INTO conversions.click_day (website_id, day, contents, searched_at) VALUES (%s, %s, %s, %s)"
    " ON CONFLICT (website_id, day) DO UPDATE SET contents = excluded.contents, searched_at = excluded.searched_at"
)
