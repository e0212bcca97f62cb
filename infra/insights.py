"""Says once a day for which websites insights are due (`policy.insight_look`); the command service works them out.

A website's day is over for us three hours after its midnight: by then what was clicked before midnight is counted.
"""

from __future__ import annotations

from typing import Final

from infra.postgres import connect
from infra.settings import Settings

_PLAN: Final = """
INSERT INTO policy.insight_look (website_id, due_day)
SELECT id, (now() AT TIME ZONE timezone)::date - 1
FROM read.websites
WHERE deleted_at IS NULL AND (now() AT TIME ZONE timezone)::time >= '03:00'
ON CONFLICT (website_id) DO UPDATE SET due_day = excluded.due_day, next_at = now()
WHERE policy.insight_look.due_day < excluded.due_day
"""


def plan(settings: Settings) -> int:
    """How many websites became due. Running it again changes nothing until the next day."""
    with connect(settings) as connection:
        return connection.execute(_PLAN).rowcount
