"""`traffic_15m`: clicks, page views, custom events, conversions and commission of a website per quarter of an hour."""

from __future__ import annotations

from typing import Final

from projectors.rollups import counters

TRAFFIC: Final = counters.rollup("traffic_15m", 2, counters.ALL)
