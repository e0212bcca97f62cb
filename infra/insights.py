"""Says once a day for which websites insights are due (`policy.insight_look`); the command service works them out.

A website's day is over for us three hours after its midnight: by then what was clicked before midnight is counted.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Final, LiteralString

from infra.postgres import connect
from infra.settings import Settings
from schemas.days import local_day
from schemas.zones import ZoneInfo

_FROM: Final = time(3)

_KNOWN: Final[LiteralString] = """
SELECT w.id, w.timezone, l.due_day FROM read.websites AS w LEFT JOIN policy.insight_look AS l ON l.website_id = w.id
WHERE w.deleted_at IS NULL
"""
_PLAN: Final[LiteralString] = """
INSERT INTO policy.insight_look (website_id, due_day) SELECT * FROM unnest(%s::uuid[], %s::date[])
ON CONFLICT (website_id) DO UPDATE SET due_day = excluded.due_day, next_at = now()
WHERE policy.insight_look.due_day < excluded.due_day
"""


def plan(settings: Settings) -> int:
    """How many websites became due. Running it again changes nothing until the next day."""
    now = datetime.now(UTC)
    with connect(settings) as connection:
        due = {
            website_id: day
            for website_id, timezone, before in connection.execute(_KNOWN).fetchall()
            if (day := due_day(ZoneInfo(timezone), now)) is not None and (before is None or before < day)
        }
        if not due:
            return 0
        return connection.execute(_PLAN, (list(due.keys()), list(due.values()))).rowcount


def due_day(zone: ZoneInfo, now: datetime) -> date | None:
    """The local day whose insights are due at `now`: yesterday, from three o'clock on."""
    if now.astimezone(zone).time() < _FROM:
        return None
    return local_day(zone, now) - timedelta(days=1)
