"""`partner_15m`: clicks, conversions and commission per partner and quarter of an hour; others are excluded."""

from __future__ import annotations

from typing import Final

from projectors.rollups import counters
from schemas.tracking import NO_ID

PARTNERS: Final = counters.rollup(
    "partner_15m",
    2,
    ("clicks", *counters.CONVERSIONS),
    by="partner_id UUID",
    where=f"({{where}}) AND partner_id <> toUUID('{NO_ID}')",
)
