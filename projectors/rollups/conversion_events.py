"""`conversion_events`: the rows of conversions, which are few and lie scattered in `events`, in order of time.

Reports read all conversions of a range. In `events` these are a few rows of each day among many others.
"""

from __future__ import annotations

from typing import Final

from infra.domain.visits.tables import CONVERSION_EVENTS as NAME
from infra.domain.visits.tables import CONVERSION_EVENTS_COLUMNS as COLUMNS
from projectors.engine.tables import Rollup
from projectors.rollups.events_raw import EVENTS

CONVERSION_EVENTS: Final = Rollup(
    name=NAME,
    version=1,
    columns=tuple(line for line in EVENTS.columns if line.split(maxsplit=1)[0] in COLUMNS),
    partition_by="toYYYYMM(occurred_at)",
    order_by="(website_id, occurred_at, event_id)",
    period="toYYYYMM(occurred_at)",
    select=f"SELECT {', '.join(COLUMNS)}\nFROM {{source}} WHERE ({{where}}) AND type = 'conversion'",
    keys=("website_id", "occurred_at", "event_id"),
)
