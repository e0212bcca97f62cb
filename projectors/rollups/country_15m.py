"""`country_15m`: clicks, page views, conversions and commission per country and quarter of an hour."""

from __future__ import annotations

from typing import Final

from projectors.rollups import counters

COUNTRIES: Final = counters.rollup(
    "country_15m", 2, ("clicks", "pageviews", *counters.CONVERSIONS), by="country LowCardinality(String)"
)
